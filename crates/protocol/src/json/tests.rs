use super::*;
use serde_json::json;

fn parse(text: &str) -> Result<Value, Refusal> {
    read(text.as_bytes(), &Limits::WIRE).map(|text| text.node.into_value())
}

#[test]
fn cp_3_values_are_read_unchanged() {
    let text = r#"{"b":[1,-1,1.5,18446744073709551615,true,null,"\u4f60\n"],"a":{}}"#;
    assert_eq!(parse(text).unwrap().to_string(), text.replace("\\u4f60", "你"));
    assert_eq!(parse(" 5 ").unwrap(), json!(5));
    assert_eq!(parse("0.1").unwrap().to_string(), "0.1");
}

#[test]
fn cp_17_invalid_json_is_reported_with_line_and_column() {
    for text in ["", "{", "[1,]", "{\"a\":1,}", "nul", "1 2", "\"\u{1}\"", "\"\\ud800\"", "1e400"] {
        let refusal = parse(text).unwrap_err();
        assert_eq!(refusal.code, ErrorCode::ParseError, "{text}");
        assert!(refusal.details.contains_key("line"), "{text}");
    }
    let refused = read(b"\"\xff\"", &Limits::WIRE).err().unwrap();
    assert_eq!(refused.code, ErrorCode::ParseError);
}

#[test]
fn cp_17_ids_are_known_once_read() {
    let refusal =
        parse(r#"{"messageId":"m","x":{"messageId":"inner"},"contextId":"c","#).unwrap_err();
    assert_eq!(refusal.message_id.as_deref(), Some("m"));
    assert_eq!(refusal.context_id.as_deref(), Some("c"));
    let refusal = parse(r#"{"x":{"messageId":"inner"},"#).unwrap_err();
    assert_eq!(refusal.message_id, None);
}

#[test]
fn cp_19_depth_is_counted_from_message() {
    let limits = Limits { depth: 3, ..Limits::WIRE };
    assert!(read(b"[[[1]]]", &limits).is_ok());
    let refusal = read(b"[[[[1]]]]", &limits).err().unwrap();
    assert_eq!(refusal.code, ErrorCode::TooLarge);
    assert_eq!(refusal.message, "nested deeper than 3 lists and objects at line 1 column 4");
    assert!(check(json!([[[1]]]), &limits).is_ok());
    assert!(check(json!([[[{}]]]), &limits).is_err());
}

#[test]
fn cp_1_duplicate_field_is_found_in_objects_of_any_size() {
    for size in [1, 2, 15, 16, 17, 18, 1_000] {
        let fields: Vec<String> = (0..size).map(|n| format!("\"f{n}\":{n}")).collect();
        let value = parse(&format!("{{{}}}", fields.join(","))).unwrap();
        assert_eq!(value.as_object().unwrap().len(), size);
        for twice in [0, size - 1] {
            let refusal = parse(&format!("{{{},\"f{twice}\":0}}", fields.join(","))).unwrap_err();
            assert_eq!(refusal.code, ErrorCode::ParseError);
            assert!(refusal.message.contains("duplicate field"), "{}", refusal.message);
        }
    }
}
