use super::{Fixture, NOON};
use contexture_flow::action::{ActionCall, Actions};
use contexture_protocol::content::Status;
use serde_json::{Value, json};

#[tokio::test]
async fn fl_3_echo_returns_parameters() {
    let fixture = Fixture::new();
    let parameters = json!({"a": [1, {"b": null}], "": "空", "idempotencyKey": "k"});
    assert_eq!(fixture.call("echo", parameters.clone()).await, parameters);
    assert_eq!(fixture.call("echo", json!({})).await, json!({}));
}

#[tokio::test]
async fn fl_3_fail_fails_as_it_is_reported() {
    let fixture = Fixture::new();
    let told = json!({"code": "OUT_OF_STOCK", "message": "no lamps", "details": {"left": 0}});
    let error = fixture.outcome("fail", told).await.error.unwrap();
    assert_eq!((&*error.code, &*error.message), ("OUT_OF_STOCK", "no lamps"));
    assert_eq!(error.details, Some(json!({"left": 0})));

    let (code, message) = fixture.fails("fail", json!({})).await;
    assert_eq!((&*code, &*message), ("FAILED", "the flow asked to fail here"));
    fixture.refuses("fail", json!({"code": 7}), "VALIDATION_FAILED", "7 is not of type").await;
}

#[tokio::test(start_paused = true)]
async fn fl_3_sleep_waits_and_returns_ms() {
    let fixture = Fixture::new();
    let before = tokio::time::Instant::now();
    assert_eq!(fixture.call("sleep", json!({"ms": 90_000})).await, json!({"ms": 90_000}));
    assert!(before.elapsed() >= std::time::Duration::from_secs(90));
    assert_eq!(fixture.call("sleep", json!({"ms": 0})).await, json!({"ms": 0}));
    assert_eq!(fixture.call("sleep", json!({"ms": 0.5})).await, json!({"ms": 0.5}));

    for (ms, part) in [
        (json!({"ms": -1}), "-1"),
        (json!({"ms": 86_400_001}), "86400001"),
        (json!({"ms": 1e300}), "86400000"),
        (json!({"ms": "1"}), "number"),
        (json!({}), "ms"),
    ] {
        fixture.refuses("sleep", ms, "VALIDATION_FAILED", part).await;
    }
}

#[tokio::test(start_paused = true)]
async fn fl_2_sleep_that_is_late_is_cancelled() {
    let fixture = Fixture::new();
    let set = json!({"instructions": [
        {"instructionId": "late", "action": "sleep", "parameters": {"ms": 60_000}, "timeout": 0.5},
        {"instructionId": "next", "action": "echo", "parameters": {"is": "${dependencies.late.status}"},
         "dependencies": ["late"], "condition": "dependencies.late.status == 'TIMEOUT'"}
    ]});
    let before = tokio::time::Instant::now();
    let report = fixture.run(set).await;
    assert_eq!(report.outcome(0).unwrap().status, Status::Timeout);
    assert_eq!(report.outcome(1).unwrap().result, Some(json!({"is": "TIMEOUT"})));
    assert!(before.elapsed() < std::time::Duration::from_secs(2));
}

#[tokio::test]
async fn fl_1_clock_reports_utc_with_milliseconds() {
    let told = Fixture::new().call("clock", json!({})).await;
    let written = "2025-12-01T14:00:00.007Z";
    assert_eq!(told, json!({"value": written, "timestamp": written, "epochMs": NOON}));
}

#[tokio::test]
async fn fl_3_calculator_fails_with_calc_error_and_offset() {
    let fixture = Fixture::new();
    assert_eq!(
        fixture.call("calculator", json!({"expression": "2*(3+4)"})).await,
        json!({"value": 14})
    );

    let error =
        fixture.outcome("calculator", json!({"expression": "10 / (5-5)"})).await.error.unwrap();
    assert_eq!((&*error.code, &*error.message), ("CALC_ERROR", "division by zero at offset 3"));
    assert_eq!(error.details, Some(json!({"offset": 3})));
    fixture
        .refuses(
            "calculator",
            json!({"expression": "2+"}),
            "CALC_ERROR",
            "found the end at offset 2",
        )
        .await;
    fixture.refuses("calculator", json!({"expression": 5}), "VALIDATION_FAILED", "string").await;
    fixture.refuses("calculator", json!({}), "VALIDATION_FAILED", "expression").await;
    fixture
        .refuses(
            "calculator",
            json!({"expression": "1", "precision": 2}),
            "VALIDATION_FAILED",
            "precision",
        )
        .await;
}

#[tokio::test]
async fn fl_2_no_action_panics_on_parameters_that_nobody_checked() {
    let fixture = Fixture::new();
    let actions = fixture.actions();
    let odd = [
        json!(null),
        json!(true),
        json!(-1),
        json!(1e300),
        json!("\u{0}"),
        json!([[]]),
        json!({"a": {}}),
    ];
    for name in actions.names().iter().filter(|name| !matches!(&***name, "echo" | "fail" | "clock"))
    {
        let schema = actions.describe(name).unwrap().parameters.unwrap();
        let fields: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
        for value in &odd {
            let parameters = fields.iter().map(|field| ((*field).clone(), value.clone())).collect();
            let result = actions.call(call(name, parameters)).await;
            // Null counts as missing, and a list of the workspace needs no parameter.
            let is_fine = name == "file_list" && value.is_null();
            assert_eq!(result.is_err(), !is_fine, "{name} {value}: {result:?}");
        }
        let empty = actions.call(call(name, serde_json::Map::new())).await;
        assert_eq!(empty.is_err(), name != "file_list", "{name}: {empty:?}");
    }
}

fn call(name: &str, parameters: serde_json::Map<String, Value>) -> ActionCall {
    ActionCall {
        id: "it".to_owned(),
        name: name.to_owned(),
        parameters,
        attempt: 1,
        key: "run/it".to_owned(),
        runtime: None,
        frontend: None,
    }
}
