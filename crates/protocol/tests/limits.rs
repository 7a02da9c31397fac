//! Numbers that would change, lists that are too long, duplicate tools: refused with their places,
//! at any position.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::too_many_lines,
    reason = "a test may fail"
)]

use contexture_protocol::{Batch, Body, Draft, ErrorCode, Limits, Message, Refusal, parse_value};
use serde_json::{Value, json};

fn update(id: &str, value: &str) -> String {
    format!(
        r#"{{"messageId":"{id}","contextId":"c","timestamp":"2025-12-01T10:00:00Z","type":"CONTEXT_UPDATE",
        "sender":{{"id":"u","type":"USER"}},"content":{{"operation":"UPDATE_STATE","path":"n","value":{value}}}}}"#
    )
}

fn parse(text: &str) -> Result<Message, Box<Refusal>> {
    Message::parse(text.as_bytes(), &Limits::WIRE)
}

fn pointers(refusal: &Refusal) -> Vec<&str> {
    refusal.violations.iter().map(|violation| violation.pointer.as_str()).collect()
}

#[test]
fn cp_3_number_that_would_change_is_refused_with_pointer() {
    for (value, pointer) in [
        ("18446744073709551616", "/content/value"),
        (r#"{"a": [1, -9223372036854775809]}"#, "/content/value/a/1"),
        (r#"{"x/y": 3.141592653589793238462643}"#, "/content/value/x~1y"),
        ("9007199254740993.0", "/content/value"),
        ("1e-400", "/content/value"),
    ] {
        let refusal = parse(&update("m1", value)).unwrap_err();
        assert_eq!(refusal.code, ErrorCode::ValidationFailed, "{value}");
        assert_eq!(pointers(&refusal), [pointer]);
        assert!(refusal.message.contains("as a string"), "{}", refusal.message);
        assert_eq!(
            (refusal.message_id.as_deref(), refusal.context_id.as_deref()),
            (Some("m1"), Some("c"))
        );
        let draft = Draft::parse(update("m1", value).as_bytes(), &Limits::FILE).unwrap_err();
        assert_eq!(pointers(&draft), [pointer]);
    }
}

#[test]
fn cp_3_numbers_that_fit_are_kept_with_their_value() {
    for (value, written) in [
        ("18446744073709551615", "18446744073709551615"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("1.50e3", "1500.0"),
        ("30.0", "30.0"),
        ("30", "30"),
        ("0.30000000000000004", "0.30000000000000004"),
        ("5e-324", "5e-324"),
    ] {
        let message = parse(&update("m1", value)).unwrap();
        assert_eq!(message.to_value()["content"]["value"].to_string(), written);
    }
}

#[test]
fn cp_3_lost_number_is_reported_with_other_faults() {
    let text = update("m1", "18446744073709551616").replace("\"USER\"", "\"ROBOT\"");
    let refusal = parse(&text).unwrap_err();
    assert_eq!(pointers(&refusal), ["/content/value", "/sender/type"]);
    let many = vec!["1e-400"; 150].join(",");
    let refusal = parse(&update("m1", &format!("[{many}]"))).unwrap_err();
    assert_eq!((refusal.violations.len(), refusal.unlisted), (100, 50));
}

#[test]
fn cp_6_inexact_number_refuses_only_own_message() {
    let batch = format!(
        "[{}, {}, 5, {}, {}]",
        update("m1", "1"),
        update("m2", "[18446744073709551616]"),
        update("m4", "2.5"),
        update("m5", "1e-400"),
    );
    let Batch::Many(messages) = Batch::parse(batch.as_bytes(), &Limits::WIRE).unwrap() else {
        panic!()
    };
    let told: Vec<Vec<&str>> = messages
        .iter()
        .map(|message| message.as_ref().err().map(|refusal| pointers(refusal)).unwrap_or_default())
        .collect();
    assert_eq!(told, [vec![], vec!["/content/value/0"], vec![""], vec![], vec!["/content/value"]]);
    assert_eq!(messages[1].as_ref().unwrap_err().message_id.as_deref(), Some("m2"));
}

#[test]
fn cp_19_list_beyond_limit_is_too_large_anywhere() {
    let limits = Limits { items: 3, ..Limits::WIRE };
    let parse = |text: &str| Message::parse(text.as_bytes(), &limits);
    assert!(parse(&update("m1", "[1,2,3]")).is_ok());
    let refusal = parse(&update("m1", "{\"a\": [[1,2,3,4], []]}")).unwrap_err();
    assert_eq!(refusal.code, ErrorCode::TooLarge);
    assert_eq!(pointers(&refusal), ["/content/value/a/0"]);
    assert_eq!(
        refusal.message,
        "/content/value/a/0: expected at most 3 elements, found 4 elements"
    );
    let value: Value = serde_json::from_str(&update("m1", "[1,2,3,4]")).unwrap();
    assert_eq!(pointers(&Message::from_value(value, &limits).unwrap_err()), ["/content/value"]);
    let text = update("m1", "1").replace("\"content\"", "\"extra\": [1,2,3,4], \"content\"");
    assert_eq!(pointers(&parse(&text).unwrap_err()), ["/extra"]);
    let calls = json!({"calls": vec![json!({"callId": "c", "name": "n", "parameters": {}}); 4]});
    let refusal = Body::from_content("TOOL_CALL_REQUEST", calls, &limits).unwrap_err();
    assert_eq!((refusal.code, pointers(&refusal)), (ErrorCode::TooLarge, vec!["/calls"]));
    let batch = format!("[{}, {}]", update("m1", "[1,2,3,4]"), update("m2", "[1]"));
    let Batch::Many(messages) = Batch::parse(batch.as_bytes(), &limits).unwrap() else { panic!() };
    assert_eq!(messages[0].as_ref().unwrap_err().code, ErrorCode::TooLarge);
    assert!(messages[1].is_ok());
}

#[test]
fn cp_19_wire_accepts_at_most_100_000_elements() {
    let list = |count: usize| format!("[{}]", vec!["0"; count].join(","));
    assert!(parse(&update("m1", &list(100_000))).is_ok());
    let refusal = parse(&update("m1", &list(100_001))).unwrap_err();
    assert_eq!((refusal.code, pointers(&refusal)), (ErrorCode::TooLarge, vec!["/content/value"]));
}

#[test]
fn cp_13_tools_of_client_have_distinct_ids() {
    let tools = json!({"clientId": "c", "supportedTools": [
        {"toolId": "a"}, {"toolId": "b"}, {"toolId": "a", "version": "one", "runtime": "BACKEND"},
    ]});
    let refusal = Body::from_content("CLIENT_CAPABILITIES", tools, &Limits::WIRE).unwrap_err();
    let places =
        ["/supportedTools/2/toolId", "/supportedTools/2/runtime", "/supportedTools/2/version"];
    assert_eq!(pointers(&refusal), places);
    assert_eq!(refusal.violations[0].found, "the string \"a\" again");
}

#[test]
fn cp_9_other_json_follows_same_rules() {
    let text = "{\"state\":\n {\"n\": 1,\n \"big\": 18446744073709551616}}";
    let refusal = parse_value(text.as_bytes(), &Limits::WIRE).unwrap_err();
    assert_eq!(
        (refusal.code, pointers(&refusal)),
        (ErrorCode::ValidationFailed, vec!["/state/big"])
    );
    assert_eq!((&refusal.details["line"], &refusal.details["column"]), (&json!(3), &json!(9)));
    let refusal = parse_value(b"{\"a\": 1, \"a\": 2}", &Limits::WIRE).unwrap_err();
    assert_eq!(refusal.code, ErrorCode::ParseError);
    assert_eq!(
        parse_value(b"{\"b\": 1.5, \"a\": []}", &Limits::WIRE).unwrap().to_string(),
        "{\"b\":1.5,\"a\":[]}"
    );
}
