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

/// `shape Node { name string length 1 to 3, stars integer min 1 max 5, children list[Node] }`.
fn tree() -> Shape {
    let name = Bounds { length: Some((1, 3)), ..Bounds::new(Shape::String) };
    let stars = Bounds { min: Some(1.into()), max: Some(5.into()), ..Bounds::new(Shape::Integer) };
    let node = Shape::Object(vec![
        Field::new("name", Shape::Bounded(Box::new(name))).describe("What it is called"),
        Field::new("stars", Shape::Bounded(Box::new(stars))),
        Field::new("children", Shape::list(Shape::Named("Node".into()))).optional(),
    ]);
    let definitions = [("Node".to_owned(), node)].into_iter().collect();
    Shape::Defined(Box::new(Defined { definitions, shape: Shape::Named("Node".into()) }))
}

#[test]
fn ty_1_recursive_shape_faults_are_told_by_path_at_any_depth() {
    let shape = tree();
    assert_eq!(shape.check(), Ok(()));
    let value = json!({"name": "a", "stars": 5, "children": [
        {"name": "long", "stars": 0, "children": [{"name": "", "stars": 1.5}]},
    ]});
    let faults = crate::validate(&value, &shape, crate::Extra::Kept, 10);
    let told: Vec<String> = faults.errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "children[0].name: expected string of 1 to 3 characters, found string \"long\" of 4 characters",
            "children[0].stars: expected integer from 1 to 5, found number 0",
            "children[0].children[0].name: expected string of 1 to 3 characters, found string \"\" of 0 characters",
            "children[0].children[0].stars: expected integer from 1 to 5, found number 1.5 (not whole)",
        ]
    );
    let fine = json!({"name": "木木木", "stars": 1, "children": []});
    assert!(crate::validate(&fine, &shape, crate::Extra::Kept, 10).is_empty());
}

#[test]
fn ty_1_recursive_shape_schema_refers_to_definitions() {
    let node = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 1, "maxLength": 3, "description": "What it is called"},
            "stars": {"type": "integer", "minimum": 1, "maximum": 5},
            "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
        },
        "required": ["name", "stars"],
    });
    let mut wanted = node.clone();
    wanted["$defs"] = json!({"Node": node});
    assert_eq!(tree().to_json_schema(), wanted);
    let strict = tree().to_strict_json_schema().expect("a strict schema");
    let name = &strict["$defs"]["Node"]["properties"]["name"];
    assert_eq!(
        *name,
        json!({"type": "string", "description": "What it is called (of 1 to 3 characters)"})
    );
    assert_eq!(strict["type"], json!("object"));
}

#[test]
fn ty_1_recursive_shape_contract_explains_the_name_once() {
    let contract = crate::contract(&tree());
    let form = contract.split("It has this form:\n").nth(1).expect("the form");
    assert_eq!(
        form,
        "Node\nwhere Node is:\n{\n  // What it is called\n  \"name\": string of 1 to 3 characters,\n  \
         \"stars\": integer from 1 to 5,\n  \"children\"?: [Node, ...]\n}"
    );
}

#[test]
fn ty_1_recursive_shape_answer_is_coerced_in_its_parts() {
    let raw = r#"{"name":"a","stars":"3","children":[{"name":"b","stars":"4"}]}"#;
    let reading = crate::read(raw, Some(&tree()), &crate::ReadOptions::lenient()).expect("read");
    assert_eq!(
        reading.value,
        json!({"name": "a", "stars": 3, "children": [{"name": "b", "stars": 4}]})
    );
}

#[test]
fn ty_1_shape_that_needs_itself_is_refused() {
    let node = Shape::Object(vec![Field::new("next", Shape::Named("Node".into()))]);
    let definitions = [("Node".to_owned(), node)].into_iter().collect();
    let shape =
        Shape::Defined(Box::new(Defined { definitions, shape: Shape::Named("Node".into()) }));
    assert_eq!(shape.check(), Err(ShapeError::Endless { name: "Node".into() }));
    let unknown = Shape::list(Shape::Named("Nowhere".into()));
    assert_eq!(unknown.check(), Err(ShapeError::Undefined { name: "Nowhere".into() }));
}

#[test]
fn ty_1_pattern_is_searched_and_a_wrong_one_is_refused() {
    let pattern = |text: &str| {
        let bounds = Bounds { pattern: Some(Pattern::new(text)), ..Bounds::new(Shape::String) };
        Shape::Bounded(Box::new(bounds))
    };
    let code = pattern("^[A-Z]{3}$");
    assert!(crate::validate(&json!("ABC"), &code, crate::Extra::Kept, 1).is_empty());
    let faults = crate::validate(&json!("ABCD"), &code, crate::Extra::Kept, 1);
    assert_eq!(
        faults.errors[0].to_string(),
        "the answer: expected string matching /^[A-Z]{3}$/, found string \"ABCD\""
    );
    assert_eq!(code.to_string(), "string pattern \"^[A-Z]{3}$\"");
    assert_eq!(
        pattern("[A-").check(),
        Err(ShapeError::Bounds(
            "`[A-` is not a regular expression: unclosed character class".into()
        ))
    );
    assert_eq!(
        pattern("(a{1000}){1000}").check(),
        Err(ShapeError::Bounds("the pattern is too large; write a shorter one".into()))
    );
}
