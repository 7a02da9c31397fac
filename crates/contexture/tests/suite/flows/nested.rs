//! Sets that results hold, and sets that programs return.

use crate::common::Place;
use crate::flows::support::{answers, error, instructions, outcome, request, result, run, runtime};
use contexture::context::Trust;
use contexture::flows::{Entry, Flow, FlowError, FlowRequest, Limits, Returned, from_program};
use contexture::llm::CancelToken;
use contexture::protocol::content::Status;
use serde_json::{Value, json};

const PLANNER: &str = r#"
    main agent Planner {
      main func(n integer) {
        { type: "INSTRUCTION", content: { instructions: [
          { instructionId: "one", action: "echo", parameters: { n: n } },
          { instructionId: "two", action: "calculator", dependencies: ["one"],
            parameters: { expression: "$${dependencies.one.result.n} * 2" } }
        ] } }
      }
      func bare(n integer) { { instructions: [{ instructionId: "one", action: "echo", parameters: { n: n } }] } }
      func text() { "{\"calls\": [{\"callId\": \"c\", \"name\": \"echo\", \"parameters\": {\"x\": 1}}]}" }
      func dreamt() {
        generate({ input: "Plan it." }) -> { instructions list }
      }
      func nothing() { { answer: 42 } }
    }
"#;

/// The planner's set in a step, run by another one.
fn planned(allow: &Value) -> FlowRequest {
    instructions(&json!([
        { "instructionId": "plan", "action": "agent:Planner", "parameters": { "n": 21 } },
        { "instructionId": "do", "action": "RUN_INSTRUCTIONS", "dependencies": ["plan"],
          "parameters": { "set": "${dependencies.plan.result}", "allow": allow } },
        { "instructionId": "tell", "action": "echo", "dependencies": ["do"],
          "parameters": { "value": "${dependencies.do.result.results.two.result.value}" } }
    ]))
}

fn place() -> Place {
    Place::new(&[("planner.as", &PLANNER.replace("$$", "$"))])
}

#[test]
fn fl_3_set_returned_by_agent_runs_only_where_step_says_so() {
    let place = place();
    let report = run(&place, planned(&json!(["echo", "calc*"])));
    assert_eq!(result(&report, "tell"), json!({ "value": 42 }));
    let inner = result(&report, "do");
    assert_eq!(inner["status"], "COMPLETED");
    assert_eq!(inner["order"], json!(["one", "two"]));
    // What an agent returns is only a value otherwise.
    assert_eq!(result(&report, "plan")["type"], "INSTRUCTION");
}

#[test]
fn fl_3_nested_set_uses_only_actions_that_its_step_allows() {
    let place = place();
    for allow in [json!(["echo"]), json!([]), json!(["calc"])] {
        let report = run(&place, planned(&allow));
        let (code, message) = error(&report, "do");
        assert_eq!(code, "PERMISSION_DENIED", "{message}");
        assert!(message.contains("calculator"), "{message}");
        assert_eq!(outcome(&report, "tell").status, Status::Skipped);
    }
    // A list that came out of a result is no one's word.
    let report = run(
        &place,
        instructions(&json!([
            { "instructionId": "tool", "action": "agent:Planner.bare", "parameters": { "n": 1 } },
            { "instructionId": "do", "action": "RUN_INSTRUCTIONS", "dependencies": ["tool"],
              "parameters": { "set": { "instructions": [] }, "allow": ["${dependencies.tool.result.instructions[0].action}", "echo"] } }
        ])),
    );
    let (code, message) = error(&report, "do");
    assert!(code == "PERMISSION_DENIED" && message.contains("in the set"), "{code}: {message}");
}

#[test]
fn fl_6_nested_set_with_faults_fails_its_step_with_all_faults() {
    let place = Place::new(&[]);
    let run_set = |set: &Value| {
        let report = run(
            &place,
            instructions(&json!([{ "instructionId": "do", "action": "RUN_INSTRUCTIONS",
                "parameters": { "set": set, "allow": ["*"] } }])),
        );
        outcome(&report, "do")
    };
    let cycle = json!({ "instructions": [
        { "instructionId": "a", "action": "echo", "dependencies": ["b"] },
        { "instructionId": "b", "action": "nowhere", "dependencies": ["a"] }
    ]});
    let error = run_set(&cycle).error.unwrap();
    assert_eq!(error.code, "VALIDATION_FAILED");
    let found: Vec<&Value> = error.details.as_ref().unwrap()["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| &d["code"])
        .collect();
    assert!(
        found.contains(&&json!("CYCLE")) && found.contains(&&json!("UNKNOWN_ACTION")),
        "{found:?}"
    );
    for nonsense in [json!("no json"), json!({ "answer": 42 }), json!("{\"instructions\": 5}")] {
        assert_eq!(run_set(&nonsense).error.unwrap().code, "VALIDATION_FAILED", "{nonsense}");
    }

    let failing = json!({ "instructions": [
        { "instructionId": "good", "action": "echo", "parameters": { "n": 1 } },
        { "instructionId": "bad", "action": "fail", "parameters": { "code": "X", "message": "no" } }
    ]});
    let failed = run_set(&failing);
    let error = failed.error.unwrap();
    assert_eq!((failed.status, error.code.as_str()), (Status::Failed, "EXECUTION_FAILED"));
    let details = error.details.unwrap();
    assert_eq!(details["results"]["bad"]["error"]["code"], "X");
    assert_eq!(details["results"]["good"]["result"], json!({ "n": 1 }));
}

#[test]
fn fl_3_nested_sets_are_limited_in_depth_and_number_of_steps() {
    let place = Place::new(&[]);
    let mut set = json!({ "instructions": [{ "instructionId": "i", "action": "echo" }] });
    for _ in 0..4 {
        set = json!({ "instructions": [{ "instructionId": "i", "action": "RUN_INSTRUCTIONS",
            "parameters": { "set": set, "allow": ["*"] } }] });
    }
    assert_eq!(run(&place, request(&set)).status(), Status::Completed);
    let deeper = json!({ "instructions": [{ "instructionId": "i", "action": "RUN_INSTRUCTIONS",
        "parameters": { "set": set, "allow": ["*"] } }] });
    let report = run(&place, request(&deeper));
    assert!(serde_json::to_string(&report.to_value()).unwrap().contains("which is the limit"));

    let many: Vec<Value> =
        (0..3).map(|n| json!({ "instructionId": format!("i{n}"), "action": "echo" })).collect();
    let mut wide = instructions(&json!([{ "instructionId": "do", "action": "RUN_INSTRUCTIONS",
        "parameters": { "set": { "instructions": many }, "allow": ["echo"] } }]));
    wide.limits = Limits { nested_steps: 2, ..Limits::default() };
    assert_eq!(error(&run(&place, wide), "do").0, "TOO_LARGE");
}

fn returned(
    place: &Place,
    function: &str,
    input: Value,
    request: &FlowRequest,
) -> Result<Returned, FlowError> {
    let entry = Entry {
        program: place.path("planner.as"),
        function: Some(function.to_owned()).filter(|name| !name.is_empty()),
        input,
        ..Entry::default()
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(from_program(&place.project(), entry, request, CancelToken::new()))
}

#[test]
fn fl_3_function_returns_set_to_run() {
    let place = place();
    let none = FlowRequest::default();
    for (function, input, step, value) in [
        ("", json!(4), "two", json!({ "value": 8 })),
        ("bare", json!(4), "one", json!({ "n": 4 })),
        ("text", json!(null), "c", json!({ "x": 1 })),
    ] {
        let found = returned(&place, function, input, &none).unwrap();
        assert!(found.trust <= Trust::User && found.run.is_some(), "{:?}", found.trust);
        let report = run(&place, found.into_request(none.clone()));
        assert_eq!(result(&report, step), value, "{function}");
    }
    let Err(FlowError::Refused(report)) = returned(&place, "nothing", json!(null), &none) else {
        panic!("42 is no set")
    };
    assert!(report.has_errors());
    assert_eq!(returned(&place, "nowhere", json!(null), &none).unwrap_err().code(), "AS9025");
}

#[test]
fn fl_3_set_written_by_model_runs_only_allowed_actions() {
    let place = place();
    let plan = json!({ "instructions": [{ "instructionId": "x", "action": "echo", "parameters": { "n": 1 } }] });
    let mut asked = FlowRequest::default();
    asked.run.stand_in = answers(&place, &json!([plan]));
    let found = returned(&place, "dreamt", json!(null), &asked).unwrap();
    assert_eq!(found.trust, Trust::Model);
    let prepare = |allow: Option<Vec<String>>| {
        let request = FlowRequest { allow, ..FlowRequest::default() };
        Flow::prepare(&place.project(), found.clone().into_request(request))
    };
    let error = prepare(None).err().unwrap();
    assert_eq!(error.code(), "instructions_untrusted");
    assert!(error.help().unwrap().contains("echo"), "{:?}", error.help());
    assert_eq!(prepare(Some(vec!["sleep".to_owned()])).err().unwrap().code(), "action_not_allowed");
    let flow = prepare(Some(vec!["echo".to_owned()])).unwrap();
    let report = runtime().block_on(flow.run());
    assert_eq!(result(&report, "x"), json!({ "n": 1 }));
}
