use super::*;
use serde_json::json;

fn sample() -> Shape {
    Shape::Object(vec![
        Field::new("ok", Shape::Boolean).describe("Did it pass?"),
        Field::new("items", Shape::list(Shape::String)),
        Field::new("kind", Shape::one_of(["a", "b"])).optional(),
        Field::new(
            "parts",
            Shape::list(Shape::Object(vec![
                Field::new("n", Shape::Integer),
                Field::new("名称", Shape::String).optional().describe("名前\nof it"),
            ])),
        ),
    ])
}

#[test]
fn as_5_prints_on_one_line() {
    assert_eq!(
        sample().to_string(),
        r#"{ ok boolean, items list[string], kind?: "a" | "b", parts list[{ n integer, 名称?: string }] }"#
    );
    assert_eq!(Shape::Object(vec![]).to_string(), "{}");
    assert_eq!(Shape::List(None).to_string(), "list");
    assert_eq!(
        Shape::Object(vec![Field::new("a b", Shape::one_of(["x\"\n\u{1}\\"]))]).to_string(),
        r#"{ "a b" "x\"\n\u{1}\\" }"#
    );
}

#[test]
fn as_5_long_form_prints_descriptions() {
    assert_eq!(
        format!("{:#}", sample()),
        r#"{
  /// Did it pass?
  ok boolean
  items list[string]
  kind?: "a" | "b"
  parts list[{
    n integer
    /// 名前
    /// of it
    名称?: string
  }]
}"#
    );
}

#[test]
fn as_21_json_schema_of_every_type() {
    let shape = Shape::Object(vec![
        Field::new("s", Shape::String).describe("text"),
        Field::new("n", Shape::Number),
        Field::new("i", Shape::Integer).optional(),
        Field::new("b", Shape::Boolean),
        Field::new("j", Shape::Json),
        Field::new("l", Shape::List(None)),
        Field::new("e", Shape::one_of(["x", "y"])),
        Field::new("o", Shape::list(Shape::Object(vec![Field::new("z", Shape::String)]))),
    ]);
    let schema = shape.to_json_schema();
    assert_eq!(
        schema,
        json!({
            "type": "object",
            "properties": {
                "s": {"type": "string", "description": "text"},
                "n": {"type": "number"},
                "i": {"type": "integer"},
                "b": {"type": "boolean"},
                "j": {},
                "l": {"type": "array"},
                "e": {"type": "string", "enum": ["x", "y"]},
                "o": {"type": "array", "items": {
                    "type": "object",
                    "properties": {"z": {"type": "string"}},
                    "required": ["z"],
                }},
            },
            "required": ["s", "n", "b", "j", "l", "e", "o"],
        })
    );
    let names: Vec<_> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["s", "n", "i", "b", "j", "l", "e", "o"]);
}

#[test]
fn as_21_strict_schema_makes_optional_fields_nullable() {
    let shape = Shape::Object(vec![
        Field::new("ok", Shape::Boolean),
        Field::new("kind", Shape::one_of(["a"])).optional().describe("which"),
        Field::new("tags", Shape::list(Shape::String)).optional(),
        Field::new("o", Shape::Object(vec![Field::new("n", Shape::Integer)])).optional(),
    ]);
    assert_eq!(
        shape.to_strict_json_schema().unwrap(),
        json!({
            "type": "object",
            "properties": {
                "ok": {"type": "boolean"},
                "kind": {
                    "anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}],
                    "description": "which",
                },
                "tags": {"type": ["array", "null"], "items": {"type": "string"}},
                "o": {
                    "type": ["object", "null"],
                    "properties": {"n": {"type": "integer"}},
                    "required": ["n"],
                    "additionalProperties": false,
                },
            },
            "required": ["ok", "kind", "tags", "o"],
            "additionalProperties": false,
        })
    );
}

#[test]
fn as_21_strict_schema_error_names_reason() {
    let free = Shape::Object(vec![Field::new(
        "items",
        Shape::list(Shape::Object(vec![Field::new("meta", Shape::Json)])),
    )]);
    assert_eq!(
        free.to_strict_json_schema().unwrap_err().to_string(),
        "`items[].meta` is a free `json`, and a strict schema needs the type of every part"
    );
    assert_eq!(
        Shape::list(Shape::String).to_strict_json_schema(),
        Err(NotStrict::RootNotObject { found: "list" })
    );
    let many =
        Shape::Object((0..5001).map(|n| Field::new(format!("f{n}"), Shape::String)).collect());
    assert_eq!(
        many.to_strict_json_schema(),
        Err(NotStrict::TooLarge { what: "fields", limit: 5000 })
    );
}

#[test]
fn as_5_check_finds_depth_duplicates_and_empty_enums() {
    let nest = |levels: usize| (1..levels).fold(Shape::String, |shape, _| Shape::list(shape));
    assert_eq!(nest(64).check(), Ok(()));
    assert_eq!(nest(65).check(), Err(ShapeError::TooDeep { limit: 64 }));
    let twice = Shape::Object(vec![Field::new("a", Shape::String), Field::new("a", Shape::Json)]);
    assert_eq!(twice.check(), Err(ShapeError::DuplicateField { name: "a".into() }));
    assert_eq!(Shape::list(Shape::Enum(vec![])).check(), Err(ShapeError::EmptyEnum));
}

#[test]
fn as_5_survives_serde() {
    let text = serde_json::to_string(&sample()).unwrap();
    assert_eq!(serde_json::from_str::<Shape>(&text).unwrap(), sample());
    assert_eq!(
        serde_json::from_str::<Shape>(r#"{"object":[{"name":"x","shape":"string"}]}"#).unwrap(),
        Shape::Object(vec![Field::new("x", Shape::String)])
    );
}
