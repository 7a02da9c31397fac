use super::*;
use proptest::prelude::*;
use serde_json::json;

fn told(schema: &Value, value: &Value) -> String {
    check(schema, value).err().map(|misfit| misfit.to_string()).unwrap_or_default()
}

#[test]
fn as_25_a_result_that_does_not_fit_its_schema_is_told_with_its_place() {
    let schema = json!({
        "type": "object",
        "properties": {
            "n": {"type": "integer"},
            "rows": {"type": "array", "items": {"$ref": "#/$defs/row"}, "maxItems": 2},
            "kind": {"enum": ["a", "b"]},
            "some": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "share": {"type": "number", "minimum": 0, "exclusiveMaximum": 1}
        },
        "required": ["n"],
        "additionalProperties": false,
        "$defs": {"row": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string", "minLength": 1}}}}
    });
    for good in [
        json!({"n": 1}),
        json!({"n": 2.0, "rows": [{"name": "x", "more": 1}], "kind": "b", "some": null, "share": 0}),
    ] {
        assert_eq!(told(&schema, &good), "");
    }
    for (bad, said) in [
        (json!({"n": "not a number"}), "n: expected an integer, found \"not a number\""),
        (json!({"n": 1.5}), "n: expected an integer, found 1.5"),
        (json!({}), "the value: expected the field `n`, found an object"),
        (json!([]), "the value: expected an object, found an array"),
        (json!({"n": 1, "x": 2}), "x: expected nothing, found 2"),
        (
            json!({"n": 1, "rows": [{"name": "a"}, {"name": 2}]}),
            "rows[1].name: expected a string, found 2",
        ),
        (json!({"n": 1, "rows": [{}]}), "rows[0]: expected the field `name`, found an object"),
        (
            json!({"n": 1, "rows": [{"name": ""}]}),
            "rows[0].name: expected at least 1 characters, found \"\"",
        ),
        (
            json!({"n": 1, "rows": [{"name":"a"},{"name":"a"},{"name":"a"}]}),
            "rows: expected at most 2 items, found an array",
        ),
        (json!({"n": 1, "kind": "c"}), "kind: expected one of \"a\", \"b\", found \"c\""),
        (json!({"n": 1, "some": 4}), "some: expected one of 2 forms, found 4"),
        (json!({"n": 1, "share": 1}), "share: expected less than 1, found 1"),
    ] {
        assert_eq!(told(&schema, &bad), said);
    }
}

#[test]
fn as_25_forms_are_combined_as_the_schema_says() {
    let one = json!({"oneOf": [{"type": "integer"}, {"minimum": 5}]});
    assert_eq!(told(&one, &json!(1)), "");
    assert_eq!(told(&one, &json!(7)), "the value: expected exactly one of 2 forms, found 7");
    let all = json!({"allOf": [{"type": "integer"}, {"not": {"const": 3}}]});
    assert_eq!(told(&all, &json!(4)), "");
    assert!(told(&all, &json!(3)).contains("excluded"));
    let tuple = json!({"prefixItems": [{"type": "string"}], "items": false});
    assert_eq!(told(&tuple, &json!(["a"])), "");
    assert_eq!(told(&tuple, &json!(["a", 1])), "[1]: expected nothing, found 1");
    assert_eq!(
        told(&json!({"type": ["string", "null"]}), &json!(1)),
        "the value: expected a string or null, found 1"
    );
}

#[test]
fn as_25_what_a_schema_says_in_other_words_is_no_misfit() {
    for schema in [
        json!(true),
        json!({"pattern": "^b", "format": "date"}),
        json!({"$ref": "https://example.com/schema"}),
        json!({"$ref": "#/$defs/none"}),
        json!({"type": "money"}),
    ] {
        assert_eq!(told(&schema, &json!("a")), "", "{schema}");
    }
    let patterned = json!({"patternProperties": {"^x": {}}, "additionalProperties": false});
    assert_eq!(told(&patterned, &json!({"x1": 1})), "");
}

#[test]
fn as_25_a_schema_that_leads_to_itself_is_followed_so_far_and_no_further() {
    let circle = json!({"$ref": "#"});
    assert!(told(&circle, &json!(1)).contains("no deeper than 64 levels"));
    let twice =
        json!({"anyOf": [{"allOf": [{"$ref": "#"}, false]}, {"allOf": [{"$ref": "#"}, false]}]});
    assert!(!told(&twice, &json!(1)).is_empty(), "it ends");
    let tree = json!({"type": "object", "properties": {"next": {"$ref": "#"}}});
    assert_eq!(told(&tree, &json!({"next": {"next": {}}})), "");
    assert!(
        told(&tree, &json!({"next": {"next": 1}})).starts_with("next.next: expected an object")
    );
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        Just(json!("string")),
        Just(json!("#")),
        Just(json!("#/items")),
    ];
    let words = prop::sample::select(vec![
        "type",
        "properties",
        "required",
        "enum",
        "anyOf",
        "oneOf",
        "allOf",
        "not",
        "items",
        "$ref",
        "additionalProperties",
        "minimum",
        "maxLength",
        "const",
        "x",
    ]);
    leaf.prop_recursive(4, 32, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((words.clone().prop_map(str::to_owned), inner), 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn as_25_no_schema_and_no_value_ends_the_check_of_a_result(schema in any_json(), value in any_json()) {
        if let Err(misfit) = check(&schema, &value) {
            prop_assert!(!misfit.to_string().is_empty());
        }
    }
}
