//! Runs that are kept, broken off and gone on with (FL-11).

use crate::common::Place;
use crate::flows::support::{answers, error, instructions, outcome, prepare, result, run, runtime};
use contexture::flow::action::{ActionFailure, ActionInfo, ActionKind};
use contexture::flow::journal::Entry;
use contexture::flows::{self, Flow, FlowError, FlowRequest};
use contexture::ports::tool::{RustTool, ToolFailure};
use contexture::protocol::content::Status;
use contexture::store::flows::{Filter, RunState};
use contexture::{Environment, Project};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Notify;

/// Actions that count how often they run; `stuck` never ends the first time.
#[derive(Clone, Default)]
struct Counted {
    done: Arc<AtomicUsize>,
    stuck: Arc<AtomicUsize>,
    began: Arc<Notify>,
}

impl Counted {
    fn into_request(self, mut request: FlowRequest) -> FlowRequest {
        let done = Arc::clone(&self.done);
        request.host.add("effect", ActionInfo::of(ActionKind::Operation), move |_| {
            let number = done.fetch_add(1, Ordering::SeqCst) + 1;
            async move { Ok(json!({ "number": number })) }
        });
        for (name, kind) in [("stuck", ActionKind::Operation), ("looks", ActionKind::Query)] {
            let (stuck, began) = (Arc::clone(&self.stuck), Arc::clone(&self.began));
            request.host.add(name, ActionInfo::of(kind), move |_| {
                let is_first = stuck.fetch_add(1, Ordering::SeqCst) == 0;
                let began = Arc::clone(&began);
                async move {
                    if is_first {
                        began.notify_one();
                        std::future::pending::<()>().await;
                    }
                    Ok::<Value, ActionFailure>(json!("went on"))
                }
            });
        }
        request
    }

    /// Runs until the stuck step has begun, and breaks it off there.
    fn break_off(&self, place: &Place, request: FlowRequest) -> String {
        let flow = prepare(place, self.clone().into_request(request)).unwrap();
        let id = flow.run_id().to_owned();
        let began = Arc::clone(&self.began);
        runtime().block_on(async {
            tokio::select! {
                _ = flow.run() => panic!("it is stuck"),
                () = began.notified() => {}
            }
        });
        id
    }
}

fn resumed(run: &str) -> FlowRequest {
    FlowRequest { resume: Some(run.to_owned()), ..FlowRequest::default() }
}

fn set(stuck: &str) -> FlowRequest {
    instructions(&json!([
        { "instructionId": "before", "action": "effect" },
        { "instructionId": "stuck", "action": stuck, "dependencies": ["before"] },
        { "instructionId": "after", "action": "echo", "dependencies": ["stuck"],
          "parameters": { "n": "${results.before.result.number}", "said": "${results.stuck.result}" } }
    ]))
}

#[test]
fn fl_11_interrupted_run_resumes_by_its_id_alone() {
    let place = Place::new(&[]);
    let counted = Counted::default();
    let id = counted.break_off(&place, set("looks"));
    let report = run(&place, counted.clone().into_request(resumed(&id)));
    assert_eq!(result(&report, "after"), json!({ "n": 1, "said": "went on" }));
    assert_eq!(counted.done.load(Ordering::SeqCst), 1, "what is finished is not done again");
    assert_eq!(report.order().collect::<Vec<_>>(), ["before", "stuck", "after"]);

    let journal = flows::open(&place.project()).unwrap();
    let summary = journal.summary(&id).unwrap();
    assert_eq!(summary.state, RunState::Ended(Status::Completed));
    assert_eq!((summary.name.as_str(), summary.steps, summary.done), ("test", 3, 3));
    let error = prepare(&place, resumed(&id)).err().unwrap();
    assert_eq!(error.code(), "flow_run_ended");
}

#[test]
fn fl_11_an_effect_that_may_have_happened_is_uncertain() {
    let place = Place::new(&[]);
    let counted = Counted::default();
    let id = counted.break_off(&place, set("stuck"));
    let report = run(&place, counted.clone().into_request(resumed(&id)));
    assert_eq!(error(&report, "stuck").0, "OUTCOME_UNCERTAIN");
    assert_eq!(outcome(&report, "after").status, Status::Skipped);
    assert_eq!(counted.stuck.load(Ordering::SeqCst), 1);
}

#[test]
fn fl_11_resumed_run_restores_its_agents_and_request() {
    let place = Place::new(&[
        ("lib/pure.as", "main agent Pure { main func(word string) { word.upper() } }"),
        (
            "lib/effects.as",
            "import tool File from \"file://workspace\"\nmain agent Effects { main func() { File.write({ path: \"x.txt\", content: \"x\" }) } }",
        ),
    ]);
    let mut asked = instructions(&json!([
        { "instructionId": "stuck", "action": "looks" },
        { "instructionId": "pure", "action": "agent:Pure", "dependencies": ["stuck"], "parameters": { "word": "hey" } }
    ]));
    asked.programs = vec![place.path("lib/pure.as"), place.path("lib/effects.as")];
    asked.allow = Some(vec!["looks".to_owned(), "agent:*".to_owned()]);
    let counted = Counted::default();
    let id = counted.break_off(&place, asked);
    let report = run(&place, counted.into_request(resumed(&id)));
    assert_eq!(result(&report, "pure"), json!("HEY"));
    // What was asked with it stands beside the set, where the set knows no field.
    let journal = flows::open(&place.project()).unwrap();
    let document: Value = serde_json::from_str(&journal.document(&id).unwrap().text).unwrap();
    assert_eq!(document["contexture"]["allow"], json!(["looks", "agent:*"]));
}

#[test]
fn gu_4_resumed_run_knows_what_its_results_were_made_of() {
    let tells = "import tool File from \"file://workspace\"\n\
         main agent Tells { main func() { File.read({ path: \"page.txt\" }) } }";
    let place = Place::new(&[("tells.as", tells), ("page.txt", "page-out.txt")]);
    let write = |id: &str, path: &str| {
        json!({ "instructionId": id, "action": "file_write", "dependencies": ["stuck"],
            "parameters": { "path": path, "content": "x" } })
    };
    let mut asked = instructions(&json!([
        { "instructionId": "tell", "action": "agent:Tells" },
        { "instructionId": "own", "action": "echo", "parameters": { "to": "own.txt" } },
        { "instructionId": "stuck", "action": "looks", "dependencies": ["tell", "own"] },
        write("obeys", "${results.tell.result}"),
        write("means", "${results.own.result.to}"),
    ]));
    asked.programs = vec![place.path("tells.as")];
    let counted = Counted::default();
    let id = counted.break_off(&place, asked);
    let report = run(&place, counted.into_request(resumed(&id)));
    let (code, message) = error(&report, "obeys");
    assert_eq!(code, "POLICY_DENIED", "{message}");
    assert!(message.contains("page.txt → tell → file_write.path (tool)"), "{message}");
    assert!(!place.path("page-out.txt").exists());
    result(&report, "means");
    assert_eq!(place.read("own.txt"), "x", "what the set itself said is not influence");
}

#[test]
fn fl_11_a_set_within_goes_on_where_it_was() {
    let place = Place::new(&[]);
    let counted = Counted::default();
    let asked = instructions(&json!([
        { "instructionId": "do", "action": "RUN_INSTRUCTIONS", "parameters": {
            "allow": ["*"],
            "set": { "instructions": [
                { "instructionId": "first", "action": "effect" },
                { "instructionId": "second", "action": "looks", "dependencies": ["first"] },
                { "instructionId": "third", "action": "effect", "dependencies": ["second"] }
            ] } } }
    ]));
    let id = counted.break_off(&place, asked);
    let within = prepare(&place, counted.clone().into_request(resumed(&format!("{id}/do"))));
    assert_eq!(within.err().unwrap().code(), "flow_run_within", "its step says what it may do");
    let named = FlowRequest { id: Some("a/b".to_owned()), ..instructions(&json!([])) };
    assert_eq!(prepare(&place, named).err().unwrap().code(), "flow_run_id");
    let report = run(&place, counted.clone().into_request(resumed(&id)));
    let inner = result(&report, "do");
    assert_eq!(inner["results"]["first"]["result"], json!({ "number": 1 }));
    assert_eq!(inner["results"]["third"]["result"], json!({ "number": 2 }));
    assert_eq!(counted.done.load(Ordering::SeqCst), 2, "each effect once");
    let journal = flows::open(&place.project()).unwrap();
    let runs = journal.runs(&Filter::default()).unwrap();
    let mut ids: Vec<&str> = runs.iter().map(|run| run.run.as_str()).collect();
    ids.sort_unstable();
    assert_eq!(ids, [id.clone(), format!("{id}/do")]);
    assert!(flows::is_within(ids[1]) && !flows::is_within(ids[0]));
    assert!(journal.unfinished(None).unwrap().is_empty());
}

#[test]
fn fl_11_a_set_within_that_failed_is_begun_anew_when_it_is_tried_again() {
    let place = Place::new(&[]);
    let tries = Arc::new(AtomicUsize::new(0));
    let mut asked = instructions(&json!([
        { "instructionId": "do", "action": "RUN_INSTRUCTIONS",
          "recovery": { "strategy": "RETRY", "attempts": 3 },
          "parameters": { "allow": ["flaky"], "set": { "instructions": [
              { "instructionId": "x", "action": "flaky" } ] } } }
    ]));
    let counted = Arc::clone(&tries);
    asked.host.add("flaky", ActionInfo::of(ActionKind::Operation), move |_| {
        let number = counted.fetch_add(1, Ordering::SeqCst) + 1;
        async move {
            if number < 3 { Err(ActionFailure::new("X", "not yet")) } else { Ok(json!(number)) }
        }
    });
    let report = run(&place, asked);
    assert_eq!(result(&report, "do")["results"]["x"]["result"], json!(3));
}

#[test]
fn fl_11_a_run_is_done_by_one_alone() {
    let place = Place::new(&[]);
    let counted = Counted::default();
    let flow = prepare(&place, counted.clone().into_request(set("looks"))).unwrap();
    let again = prepare(&place, counted.clone().into_request(resumed(flow.run_id())));
    assert_eq!(again.err().unwrap().code(), "flow_run_held");
    let same =
        FlowRequest { id: Some(flow.run_id().to_owned()), ..counted.into_request(set("looks")) };
    assert_eq!(prepare(&place, same).err().unwrap().code(), "flow_run_exists");
    assert_eq!(prepare(&place, resumed("nobody")).err().unwrap().code(), "flow_run_not_found");
}

#[test]
fn fl_11_other_set_cannot_resume_run() {
    let place = Place::new(&[]);
    let counted = Counted::default();
    let id = counted.break_off(&place, set("looks"));
    let other =
        FlowRequest { resume: Some(id.clone()), ..counted.clone().into_request(set("stuck")) };
    assert_eq!(prepare(&place, other).err().unwrap().code(), "flow_document_differs");
    let same = FlowRequest { resume: Some(id), ..counted.into_request(set("looks")) };
    assert_eq!(run(&place, same).status(), Status::Completed);
}

#[test]
fn fl_11_nothing_of_forgotten_run_is_kept() {
    let place = Place::new(&[("hey.as", "main func() { \"hey\" }")]);
    let mut asked = instructions(&json!([{ "instructionId": "a", "action": "agent:hey" }]));
    asked.run.forget = true;
    assert_eq!(result(&run(&place, asked), "a"), json!("hey"));
    assert!(!place.path(".contexture").exists());
    let mut asked = resumed("x");
    asked.run.forget = true;
    assert_eq!(prepare(&place, asked).err().unwrap().code(), "flow_not_kept");
}

#[test]
fn cp_19_secrets_are_masked_in_kept_files_of_run() {
    let place = Place::new(&[]);
    let key = "sk-hunter2-hunter2";
    let project = |place: &Place| Project {
        environment: Environment::of([("OPENAI_API_KEY", key)]),
        ..place.project()
    };
    let mut asked = instructions(&json!([
        { "instructionId": "a", "action": "says" },
        { "instructionId": "b", "action": "echo", "dependencies": ["a"],
          "parameters": { "x": "${dependencies.a.result}", "y": "card 4111-1111" } }
    ]));
    asked.run.private = vec!["card 4111-1111".to_owned()];
    asked.host.add("says", ActionInfo::of(ActionKind::Query), |_| async {
        Ok(json!("the key is sk-hunter2-hunter2"))
    });
    let flow = contexture::flows::Flow::prepare(&project(&place), asked).unwrap();
    let id = flow.run_id().to_owned();
    let report = runtime().block_on(flow.run());
    assert_eq!(result(&report, "b")["x"], json!("the key is sk-hunter2-hunter2"));
    for file in place.kept() {
        let bytes = std::fs::read(&file).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("hunter2") && !text.contains("4111"), "{}", file.display());
    }
    let journal = flows::open(&project(&place)).unwrap();
    let kept: Value = serde_json::from_str(&journal.document(&id).unwrap().text).unwrap();
    assert_eq!(kept["contexture"]["masked"], json!(true));
}

#[test]
fn cp_19_private_texts_of_caller_are_masked_in_shared_journal() {
    let place = Place::new(&[]);
    let journal = flows::open(&place.project()).unwrap();
    let counted = Counted::default();
    let mut asked = instructions(&json!([
        { "instructionId": "a", "action": "echo", "parameters": { "y": "card 4111-1111", "idempotencyKey": "card 4111-1111" } },
        { "instructionId": "do", "action": "RUN_INSTRUCTIONS", "parameters": { "allow": ["echo", "fail"], "set": {
            "instructions": [{ "instructionId": "x", "action": "fail", "parameters": { "message": "card 4111-1111" } }] } } },
        { "instructionId": "stuck", "action": "looks", "dependencies": ["a"] }
    ]));
    asked.run.private = vec!["card 4111-1111".to_owned()];
    asked.journal = Some(Arc::clone(&journal));
    let id = counted.break_off(&place, asked.clone());
    assert!(journal.log(&id).unwrap().len() > 4);
    for file in place.kept() {
        let text = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
        assert!(!text.contains("4111"), "{}", file.display());
    }
    // What was not kept can't be gone on with, unless it is given again.
    let by_id = FlowRequest { journal: Some(Arc::clone(&journal)), ..resumed(&id) };
    assert_eq!(prepare(&place, by_id).err().unwrap().code(), "flow_document_masked");
    let again = FlowRequest { resume: Some(id), ..asked };
    let report = run(&place, counted.into_request(again));
    assert_eq!(result(&report, "stuck"), json!("went on"));
}

#[test]
fn fl_11_run_is_resumed_only_by_its_owner() {
    let place = Place::new(&[]);
    let counted = Counted::default();
    let mut owned = FlowRequest { owner: "ann".to_owned(), ..set("looks") };
    owned.run.context = Some("ctx_1".to_owned());
    let id = counted.break_off(&place, owned);
    let by = |owner: &str| {
        counted.clone().into_request(FlowRequest { owner: owner.to_owned(), ..resumed(&id) })
    };
    assert_eq!(prepare(&place, by("bob")).err().unwrap().code(), "flow_run_not_found");
    assert_eq!(run(&place, by("ann")).status(), Status::Completed);
}

#[test]
fn fl_12_a_run_is_paused_and_cancelled_and_tells_how_far_it_is() {
    let place = Place::new(&[]);
    let told = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&told);
    let mut asked = instructions(&json!([
        { "instructionId": "a", "action": "echo" },
        { "instructionId": "b", "action": "sleep", "parameters": { "ms": 60000 } },
        { "instructionId": "c", "action": "echo" }
    ]));
    asked.observer = Some(Arc::new(move |notice: &contexture::flow::run::Notice<'_>| {
        heard.lock().unwrap().push((notice.id.to_owned(), notice.status, notice.done));
    }));
    let flow = prepare(&place, asked).unwrap();
    let (control, id) = (flow.control(), flow.run_id().to_owned());
    let project = place.project();
    let report = runtime().block_on(async {
        let running = tokio::spawn(flow.run());
        while !told
            .lock()
            .unwrap()
            .iter()
            .any(|(id, status, _)| id == "b" && *status == Status::Running)
        {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        control.pause();
        // Another process asks through the journal.
        let journal = flows::open(&project).unwrap();
        assert!(journal.ask(&id, contexture::store::flows::Ask::Cancel).unwrap());
        running.await.unwrap()
    });
    assert_eq!(error(&report, "b").0, "CANCELLED");
    assert_eq!(outcome(&report, "c").status, Status::Skipped);
    let told = told.lock().unwrap();
    assert_eq!(told[0], ("a".to_owned(), Status::Running, 0));
    assert_eq!(told[1], ("a".to_owned(), Status::Completed, 1));
}

#[test]
fn fl_2_agent_is_cancelled_with_its_run() {
    let place = Place::new(&[(
        "loop.as",
        "main func() { n = 0\n loop until n < 0 max 2000000000 { n = n + 1 }\n n }",
    )]);
    let flow = prepare(
        &place,
        instructions(&json!([{ "instructionId": "slow", "action": "agent:loop" }])),
    )
    .unwrap();
    let control = flow.control();
    let traces = flow.traces();
    let report = runtime().block_on(async {
        let running = tokio::spawn(flow.run());
        while traces.get().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        control.cancel();
        running.await.unwrap()
    });
    assert_eq!(error(&report, "slow").0, "CANCELLED");
}

#[test]
fn fl_6_a_refused_set_begins_no_run() {
    let place = Place::new(&[]);
    let asked = instructions(&json!([{ "instructionId": "a", "action": "nowhere" }]));
    assert!(matches!(prepare(&place, asked), Err(FlowError::Refused(_))));
    assert!(flows::open(&place.project()).unwrap().runs(&Filter::default()).unwrap().is_empty());
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct After {
    #[expect(dead_code, reason = "what is waited for")]
    after: bool,
}

#[test]
fn gu_7_plan_of_step_stays_in_journal_with_what_was_done_of_it() {
    let program = "import tool File from \"file://workspace\"\nimport tool Slow from \"rust://slow\"\n\
         main agent Plans { main func() { page = File.read({ path: \"page.txt\" }) use page as page\n\
         generate({ input: \"Keep it.\", tools: [File.write, Slow.wait], plan: true }) } }";
    let place = Place::new(&[("plans.as", program), ("page.txt", "A page.")]);
    let began = Arc::new(Notify::new());
    let notify = Arc::clone(&began);
    let slow = RustTool::new("slow").reads("wait", "Waits.", move |_: After| {
        notify.notify_one();
        std::future::pending::<Result<(), ToolFailure>>()
    });
    let mut project = place.project();
    project.extensions.add_tool(Arc::new(slow)).unwrap();
    let step = |id: &str, action: &str, parameters: Value| json!({ "instructionId": id, "action": action, "parameters": parameters });
    let plan = json!({ "instructions": [
        step("save", "File.write", json!({ "path": "out.txt", "content": "${results.page.result}" })),
        step("wait", "Slow.wait", json!({ "after": "${results.save.result.ok}" })),
        step("end", "answer", json!({ "value": "done" })),
    ] });
    let mut asked = instructions(&json!([{ "instructionId": "do", "action": "agent:Plans" }]));
    asked.programs = vec![place.path("plans.as")];
    asked.run.stand_in = answers(&place, &json!([plan]));
    let flow = Flow::prepare(&project, asked).unwrap();
    let id = flow.run_id().to_owned();
    runtime().block_on(async {
        tokio::select! {
            report = flow.run() => panic!("it is stuck: {}", report.to_value()),
            () = began.notified() => {}
        }
    });
    let journal = flows::open(&project).unwrap();
    let within = format!("{id}/do:plan");
    let kept: Value = serde_json::from_str(&journal.document(&within).unwrap().text).unwrap();
    assert_eq!(kept["instructions"][0]["action"], "File.write", "{kept}");
    let told = || {
        let entries = journal.entries(&within).unwrap().into_iter();
        let told = entries.map(|entry| match entry {
            Entry::Labelled { id, label } => {
                let sources = label.sources.iter().map(|source| source.source.as_str());
                format!("{id} of {}", sources.collect::<Vec<_>>().join(" and "))
            }
            Entry::Started { id, .. } => format!("{id} began"),
            Entry::Ended(outcome) => format!("{} {}", outcome.instruction_id, outcome.status),
            other => format!("{other:?}"),
        });
        told.collect::<Vec<_>>()
    };
    let before = told();
    assert_eq!(
        before[..4],
        ["save began", "save of out.txt and answer 1 and page.txt", "save COMPLETED", "wait began"]
    );
    let report = runtime().block_on(Flow::prepare(&project, resumed(&id)).unwrap().run());
    assert_eq!(error(&report, "do").0, "OUTCOME_UNCERTAIN");
    assert_eq!(told()[..4], before[..4], "it is still there");
    assert_eq!(place.read("out.txt"), "A page.", "and nothing is done twice");
}
