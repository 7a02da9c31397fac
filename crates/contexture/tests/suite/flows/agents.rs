//! Agents of programs as actions.

use crate::common::Place;
use crate::flows::support::{about, error, instructions, items, outcome, prepare, result, run};
use contexture::context::Trust;
use contexture::flows::FlowError;
use contexture::protocol::content::Status;
use serde_json::json;

const WRITER: &str = r#"
    main func(input { notes string, question string }) {
      use input.notes as notes
      generate({ input: input.question }) -> { answer string }
    }
"#;

const TEAM: &str = r#"
    main agent Greeter {
      main func(name string) { "Hello, " + name + "!" }
      func twice(name string, times integer) { { name: name, times: times * 2 } }
      func nothing() { "nothing" }
    }
    agent Open {
      main func(input) { input }
    }
    agent Broken {
      func fails(zero integer) { 1 / zero }
    }
    func shared(x integer) { x + 1 }
"#;

#[test]
fn fl_3_agents_and_their_functions_are_actions() {
    let place = Place::new(&[("team.as", TEAM)]);
    let report = run(
        &place,
        instructions(&json!([
            { "instructionId": "main", "action": "agent:Greeter", "parameters": { "name": "Ann" } },
            { "instructionId": "func", "action": "agent:Greeter.twice", "parameters": { "name": "Bo", "times": 4 } },
            { "instructionId": "file", "action": "agent:team", "parameters": { "name": "Cy" } },
            { "instructionId": "none", "action": "agent:Greeter.nothing" },
            { "instructionId": "shared", "action": "agent:Open.shared", "parameters": { "x": 1 } },
            { "instructionId": "open", "action": "agent:Open", "parameters": { "a": 1, "b": [true] } },
            { "instructionId": "sole", "action": "agent:Open", "parameters": { "input": "as it is" } }
        ])),
    );
    assert_eq!(result(&report, "main"), json!("Hello, Ann!"));
    assert_eq!(result(&report, "func"), json!({ "name": "Bo", "times": 8 }));
    assert_eq!(result(&report, "file"), json!("Hello, Cy!"));
    assert_eq!(result(&report, "none"), json!("nothing"));
    assert_eq!(result(&report, "shared"), json!(2));
    assert_eq!(result(&report, "open"), json!({ "a": 1, "b": [true] }));
    assert_eq!(result(&report, "sole"), json!("as it is"));
    assert_eq!(report.status(), Status::Completed);
}

#[test]
fn fl_5_values_keep_their_trust_from_step_to_step() {
    let place = Place::new(&[
        ("writer.as", WRITER),
        ("notes.txt", "The server listens on port 7878. It was built in spring.\n"),
    ]);
    let question = "Which port does the server listen on?";
    let flow = prepare(
        &place,
        instructions(&json!([
            { "instructionId": "echoed", "action": "echo", "parameters": { "text": "The server listens on port 7878." } },
            { "instructionId": "own", "action": "agent:writer", "dependencies": ["echoed"],
              "parameters": { "notes": "${dependencies.echoed.result.text}", "question": question } },
            { "instructionId": "model", "action": "agent:writer", "dependencies": ["own"],
              "parameters": { "notes": "Said: ${dependencies.own.result.answer}", "question": question } },
            { "instructionId": "web", "action": "tool", "parameters": {} },
            { "instructionId": "tool", "action": "agent:writer", "dependencies": ["web"],
              "parameters": { "notes": "${dependencies.web.result.text}", "question": question } }
        ]))
        .with_tool(),
    )
    .unwrap();
    let traces = flow.traces();
    let report = crate::flows::support::runtime().block_on(flow.run());
    assert_eq!(result(&report, "own"), json!({ "answer": "The server listens on port 7878." }));
    assert_eq!(result(&report, "tool"), json!({ "answer": "The server listens on port 7878." }));
    let trust_of = |step: &str| {
        let traces = traces.get();
        let trace = traces.iter().find(|trace| trace.step == step).unwrap();
        items(&place, &trace.run)[0].trust
    };
    assert_eq!(trust_of("own"), Trust::User, "what stands in the set is the caller's word");
    assert_eq!(trust_of("model"), Trust::Model, "a text with a model's answer in it");
    assert_eq!(trust_of("tool"), Trust::Tool, "what a tool gave stays a tool's");
}

trait WithTool {
    fn with_tool(self) -> Self;
}

impl WithTool for contexture::flows::FlowRequest {
    fn with_tool(mut self) -> Self {
        use contexture::flow::action::{ActionInfo, ActionKind};
        self.host.add("tool", ActionInfo::of(ActionKind::Query), |_| async {
            Ok(json!({ "text": "The server listens on port 7878." }))
        });
        self
    }
}

#[test]
fn fl_3_each_agent_of_set_leaves_its_trace() {
    let place = Place::new(&[("writer.as", WRITER)]);
    let flow = prepare(
        &place,
        instructions(&json!([
            { "instructionId": "ask", "action": "agent:writer",
              "parameters": { "notes": "The port is 7878.", "question": "Which port?" } }
        ])),
    )
    .unwrap();
    let (id, traces) = (flow.run_id().to_owned(), flow.traces());
    crate::flows::support::runtime().block_on(flow.run());
    let traces = traces.get();
    assert_eq!(traces.len(), 1);
    assert_eq!((traces[0].step.as_str(), traces[0].attempt), ("ask", 1));
    assert_eq!(about(&place, &traces[0].run)["part_of"], json!({ "flow": id, "step": "ask" }));
}

#[test]
fn fl_2_parameters_of_agents_are_checked_before_they_run() {
    let place = Place::new(&[("team.as", TEAM)]);
    let report = run(
        &place,
        instructions(&json!([
            { "instructionId": "type", "action": "agent:Greeter.twice", "parameters": { "name": "Bo", "times": "4" } },
            { "instructionId": "none", "action": "agent:Greeter" },
            { "instructionId": "more", "action": "agent:Greeter", "parameters": { "name": "Ann", "nmae": "x" } },
            { "instructionId": "key", "action": "agent:Greeter", "parameters": { "name": "Ann", "idempotencyKey": "k" } }
        ])),
    );
    for step in ["type", "none", "more"] {
        assert_eq!(error(&report, step).0, "VALIDATION_FAILED", "{step}");
    }
    assert_eq!(result(&report, "key"), json!("Hello, Ann!"));
}

#[test]
fn fl_7_program_that_fails_fails_only_its_step() {
    let place = Place::new(&[("team.as", TEAM)]);
    let report = run(
        &place,
        instructions(&json!([
            { "instructionId": "bad", "action": "agent:Broken.fails", "parameters": { "zero": 0 } },
            { "instructionId": "after", "action": "echo", "dependencies": ["bad"] },
            { "instructionId": "other", "action": "agent:Greeter", "parameters": { "name": "Ann" } }
        ])),
    );
    let (code, message) = error(&report, "bad");
    assert!(message.contains("zero"), "{code}: {message}");
    assert_eq!(outcome(&report, "after").status, Status::Skipped);
    assert_eq!(result(&report, "other"), json!("Hello, Ann!"));
}

#[test]
fn fl_6_unknown_agent_is_refused_with_suggested_name() {
    let place = Place::new(&[("team.as", TEAM)]);
    let refused = prepare(
        &place,
        instructions(
            &json!([{ "instructionId": "a", "action": "agent:Greter", "parameters": {} }]),
        ),
    );
    let Err(FlowError::Refused(report)) = refused else { panic!("it is not refused") };
    assert_eq!(report.diagnostics[0].code, "UNKNOWN_ACTION");
    assert_eq!(report.diagnostics[0].path, "/instructions/0/action");
    let help = report.diagnostics[0].help.clone().unwrap();
    assert!(help.contains("agent:Greeter"), "{help}");
}

#[test]
fn fl_6_invalid_program_refuses_only_sets_that_need_it() {
    let place = Place::new(&[
        ("bad.as", "main agent Bad { main func(input) { oops( } }"),
        ("team.as", TEAM),
    ]);
    let needs = |action: &str| {
        instructions(
            &json!([{ "instructionId": "a", "action": action, "parameters": { "name": "Ann" } }]),
        )
    };
    assert_eq!(result(&run(&place, needs("agent:Greeter")), "a"), json!("Hello, Ann!"));
    for action in ["agent:Bad", "agent:bad"] {
        let refused = prepare(&place, needs(action));
        let Err(FlowError::Program(checked)) = refused else { panic!("{action} is not refused") };
        assert_eq!(checked.files[0].name(), "bad.as");
        assert!(checked.has_errors());
    }
    // One that is named must be sound even if no step calls it.
    let mut named = needs("agent:Greeter");
    named.programs = vec![place.path("bad.as")];
    assert_eq!(prepare(&place, named).err().unwrap().code(), "program_refused");
    let mut missing = needs("agent:Greeter");
    missing.programs = vec![place.path("nowhere.as")];
    assert_eq!(prepare(&place, missing).err().unwrap().code(), "program_unreadable");
}

#[test]
fn fl_3_named_program_precedes_one_beside_set_then_one_of_project() {
    let says = |word: &str| format!("main agent Who {{ main func() {{ \"{word}\" }} }}");
    let place = Place::new(&[
        ("who.as", &says("project")),
        ("flows/who.as", &says("beside")),
        ("lib/named.as", &says("named")),
    ]);
    let ask = || instructions(&json!([{ "instructionId": "a", "action": "agent:Who" }]));
    assert_eq!(result(&run(&place, ask()), "a"), json!("project"));
    let mut beside = ask();
    beside.near = Some(place.path("flows"));
    assert_eq!(result(&run(&place, beside.clone()), "a"), json!("beside"));
    beside.programs = vec![place.path("lib/named.as")];
    assert_eq!(result(&run(&place, beside), "a"), json!("named"));
}

#[test]
fn fl_2_an_agent_that_computes_for_ever_is_late() {
    let place = Place::new(&[(
        "loop.as",
        "main func(input) { n = 0\n loop until n < 0 max 2000000000 { n = n + 1 }\n n }",
    )]);
    let report = run(
        &place,
        instructions(&json!([
            { "instructionId": "slow", "action": "agent:loop", "timeout": 0.2 },
            { "instructionId": "quick", "action": "echo", "parameters": { "n": 1 } }
        ])),
    );
    assert_eq!(outcome(&report, "slow").status, Status::Timeout);
    assert_eq!(result(&report, "quick"), json!({ "n": 1 }));
}
