//! The runtime as a program outside meets it: runs that are spawned and dropped, and parts that an
//! application adds (HO-1, HO-2).

use crate::common::{Place, tokio};
use contexture::context::Trust;
use contexture::flows::{Flow, FlowRequest};
use contexture::llm::{
    BoxFuture, CancelToken, ChatCall, LlmError, Provider, Reply, Secret, TextSink,
};
use contexture::ports::embedder::{Embedder, InMemoryEmbedder, Vectors};
use contexture::prompt::ChatResponse;
use contexture::run::{RunFailure, RunReport};
use contexture::runtime::{RunFuture, TurnFuture};
use contexture::store::runs::{InMemoryRuns, RunStore};
use contexture::store::stamp;
use contexture::tool::{RustTool, Tool, ToolFailure, ToolMethod, ToolReply, ToolRequest};
use contexture::{BuildError, Environment, ExtensionError, Run, RunError, Runtime, Stores};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

const KEY: &str = "acme-key-0123456789";

/// A provider that does what the model's name says.
struct Acme(String);

impl Provider for Acme {
    fn uri(&self) -> &str {
        &self.0
    }

    fn secrets(&self) -> Vec<Secret> {
        vec![Secret::new(KEY)]
    }

    fn complete<'a>(
        &'a self,
        call: &'a ChatCall,
        _sink: Option<TextSink<'a>>,
        _cancel: &'a CancelToken,
    ) -> BoxFuture<'a, Result<Reply, LlmError>> {
        Box::pin(async move {
            let text = match self.0.as_str() {
                "acme://panics" => panic!("out of luck"),
                "acme://hangs" => std::future::pending().await,
                "acme://huge" => "x".repeat(20 << 20),
                "acme://thread" => format!("{:?}", std::thread::current().id()),
                "acme://leaks" => format!("the key is {KEY}"),
                _ => format!("heard {} messages", call.request.messages.len()),
            };
            Ok(Reply::from(ChatResponse { text, ..ChatResponse::default() }))
        })
    }
}

#[derive(Deserialize, JsonSchema)]
struct Query {
    /// The name of the city.
    city: String,
    /// A unit.
    unit: Option<String>,
}

#[derive(Serialize)]
struct Weather {
    celsius: f64,
    city: String,
}

fn weather() -> RustTool {
    RustTool::new("weather")
        .fetches("now", "Returns the temperature in a city.", |query: Query| async move {
            match query.city.as_str() {
                "Oslo" => Ok(Weather { celsius: -3.5, city: query.city }),
                "Atlantis" => panic!("no such place"),
                "Limbo" => std::future::pending().await,
                other => Err(ToolFailure::new("city_unknown", format!("no station in {other}"))
                    .with_help("name a city that has a station")),
            }
        })
        .reads("units", "Lists the units.", |_: Empty| async move { Ok(vec!["C", "F"]) })
        .writes("report", "Stores a report.", |query: Query| async move {
            Ok(json!({ "stored": query.city, "unit": query.unit }))
        })
}

#[derive(Deserialize, JsonSchema)]
struct Empty {}

fn runtime(place: &Place) -> Runtime {
    Runtime::builder(place.path(""))
        .environment(Environment::default())
        .provider("acme", |uri| match uri {
            "acme://unconnected" => panic!("no cable"),
            "acme://refused" => Err(LlmError::Settings { message: "no account".to_owned() }),
            uri => Ok(Arc::new(Acme(uri.to_owned()))),
        })
        .tool(weather())
        .tool_timeout(Duration::from_millis(300))
        .build()
        .unwrap()
}

fn run(place: &Place, program: &str, input: Value) -> Result<Run, RunError> {
    place.write("p.as", program);
    tokio().block_on(runtime(place).run("p.as").input(input))
}

fn code(place: &Place, program: &str, input: Value) -> String {
    run(place, program, input).unwrap_err().code().to_owned()
}

const fn assert_send<T: Send + 'static>() {}
const fn assert_error<T: std::error::Error + Send + Sync + 'static>() {}

#[test]
fn ho_1_futures_and_errors_can_cross_threads() {
    const _: () = assert_send::<RunFuture>();
    const _: () = assert_send::<TurnFuture>();
    const _: () = assert_send::<Runtime>();
    const _: () = assert_error::<RunError>();
    const _: () = assert_error::<RunFailure>();
    const _: () = assert_error::<BuildError>();
    let place = Place::new(&[("p.as", "main func(n) { n + 1 }")]);
    let pool = ::tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let values = pool.block_on(async {
        let runtime = runtime(&place);
        let runs: Vec<_> = (0..40).map(|n| ::tokio::spawn(runtime.run("p.as").input(n))).collect();
        let mut values = Vec::new();
        for run in runs {
            values.push(run.await.unwrap().unwrap().value);
        }
        values
    });
    assert_eq!(values, (1..=40).map(Value::from).collect::<Vec<_>>());
}

#[test]
fn ho_1_error_of_run_has_code_place_and_diagnostics() {
    let place = Place::new(&[]);
    let refused = run(&place, "main func() { missing }", Value::Null).unwrap_err();
    assert_eq!(refused.code(), "program_refused");
    assert_eq!(refused.diagnostics().len(), 1);
    assert!(refused.to_string().starts_with("p.as:1:15: error[AS"), "{refused}");
    let failed = run(&place, "main func() { 1 / 0 }", Value::Null).unwrap_err();
    assert_eq!(failed.diagnostics().len(), 1);
    assert!(failed.to_string().starts_with("p.as:1:"), "{failed}");
    assert!(failed.id().is_some());
    let gone = tokio().block_on(runtime(&place).run("absent.as")).unwrap_err();
    assert_eq!(gone.code(), "program_unreadable");
    assert!(std::error::Error::source(&failed).is_some());
}

#[test]
fn ho_1_run_outside_tokio_fails_with_typed_error() {
    let place = Place::new(&[("p.as", "main func() { 1 }")]);
    let mut run = pin!(runtime(&place).run("p.as"));
    let waker = std::task::Waker::noop();
    let polled = run.as_mut().poll(&mut Context::from_waker(waker));
    let Poll::Ready(Err(error)) = polled else { panic!("{polled:?}") };
    assert_eq!(error.code(), "run_broken");
    assert!(error.to_string().contains("tokio"), "{error}");
}

#[test]
fn ho_1_run_on_this_thread_stays_on_it_and_others_have_their_own() {
    let program = "import llm Named from \"acme://thread\"\n\
                   main func() { model Named\n generate({ input: \"a\" }) }";
    let place = Place::new(&[("p.as", program), ("bad.as", "main func() { 1 / 0 }")]);
    let here = json!(format!("{:?}", std::thread::current().id()));
    let value = tokio().block_on(runtime(&place).run("p.as").on_this_thread()).unwrap().value;
    assert_eq!(value, here);
    assert_ne!(tokio().block_on(runtime(&place).run("p.as")).unwrap().value, here);
    let failed = tokio().block_on(runtime(&place).run("bad.as").on_this_thread()).unwrap_err();
    assert!(failed.to_string().starts_with("bad.as:1:"), "{failed}");
}

/// Polls a future a number of times and then drops it.
struct DropAfter<F> {
    polls: usize,
    future: Option<Pin<Box<F>>>,
}

impl<F: Future> Future for DropAfter<F> {
    type Output = bool;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<bool> {
        if self.polls == 0 {
            self.future = None;
        }
        self.polls = self.polls.saturating_sub(1);
        match &mut self.future {
            None => Poll::Ready(false),
            Some(future) => match future.as_mut().poll(context) {
                Poll::Ready(_) => Poll::Ready(true),
                Poll::Pending => {
                    // The next poll comes whether something happened or not.
                    context.waker().wake_by_ref();
                    Poll::Pending
                }
            },
        }
    }
}

#[test]
fn ho_1_dropped_run_is_cancelled_and_its_record_is_whole() {
    let program = "import llm Slow from \"acme://hangs\"\n\
                   main func() { model Slow\n generate({ input: \"go\" }) }";
    let place = Place::new(&[("p.as", program)]);
    let tokio = tokio();
    let runtime = runtime(&place);
    for polls in [0, 1, 2, 3, 10, 100, 10_000, 100_000] {
        let future = Some(Box::pin(runtime.run("p.as")));
        assert!(!tokio.block_on(DropAfter { polls, future }), "{polls} polls");
    }
    // Waits for the threads of the runs, which end in order.
    drop(tokio);
    let store = contexture::runs(runtime.project());
    let ids = store.ids().unwrap();
    assert!(!ids.is_empty(), "the runs that began are recorded");
    for id in ids {
        let log = store.load(&id).unwrap();
        let end = log.root().unwrap();
        assert!(end.duration_us.is_some(), "{end:?}");
        assert!(format!("{end:?}").contains("cancelled"), "{end:?}");
    }
}

#[test]
fn ho_2_own_provider_answers_under_its_scheme() {
    let place = Place::new(&[]);
    let program = |model: &str| {
        format!(
            "import llm Own from \"acme://{model}\"\n\
             main func() {{ model Own\n generate({{ input: \"go\" }}) }}"
        )
    };
    let done = run(&place, &program("talks"), Value::Null).unwrap();
    assert_eq!(done.value, "heard 1 messages");
    let error = run(&place, &program("panics"), Value::Null).unwrap_err();
    assert_eq!(error.code(), "bad_response");
    assert!(error.to_string().contains("it panicked: out of luck"), "{error}");
    assert_eq!(code(&place, &program("huge"), Value::Null), "too_large");
    assert_eq!(code(&place, &program("refused"), Value::Null), "settings");
    assert_eq!(code(&place, &program("unconnected"), Value::Null), "bad_response");
    let hangs = "import llm Own from \"acme://hangs\"\n\
                 main func() { model Own\n generate({ input: \"go\", timeout: 100 }) }";
    assert_eq!(code(&place, hangs, Value::Null), "timeout");
}

#[test]
fn ho_2_secrets_of_own_provider_are_masked_in_records() {
    let place = Place::new(&[]);
    let program = "import llm Own from \"acme://leaks\"\n\
                   main func() { model Own\n generate({ input: \"go\" }) }";
    assert!(run(&place, program, Value::Null).is_ok());
    for file in place.kept() {
        let bytes = std::fs::read(&file).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains(KEY), "{}", file.display());
    }
}

#[test]
fn ho_2_own_tool_is_called_by_program_after_check() {
    let place = Place::new(&[]);
    let program = "import tool Weather from \"rust://weather\"\n\
                   main func(input) { Weather.now({ city: input.city }) }";
    let done = run(&place, program, json!({ "city": "Oslo" })).unwrap();
    assert_eq!(done.value, json!({ "celsius": -3.5, "city": "Oslo" }));
    assert_eq!(done.label.trust, Trust::Web);
    let one = "import tool Now from \"rust://weather/now\"\n\
               main func(input) { Now.run({ city: input.city }).celsius }";
    assert_eq!(run(&place, one, json!({ "city": "Oslo" })).unwrap().value, json!(-3.5));
    for (body, wanted) in [
        ("Weather.nwo({ city: \"Oslo\" })", "has no tool `nwo`"),
        ("Weather.now({ town: \"Oslo\" })", "has no argument `town`"),
        ("Weather.now({})", "needs the argument `city`"),
        ("Weather.now({ city: 3 })", "must be a string"),
    ] {
        let text = format!("import tool Weather from \"rust://weather\"\nmain func() {{ {body} }}");
        let error = run(&place, &text, Value::Null).unwrap_err();
        let told: Vec<String> =
            error.diagnostics().into_iter().map(|found| found.message).collect();
        assert!(told.iter().any(|message| message.contains(wanted)), "{body}: {told:?}");
    }
    let typo = "import tool W from \"rust://wether\"\nmain func() { W.now({ city: \"x\" }) }";
    let error = run(&place, typo, Value::Null).unwrap_err();
    assert_eq!(error.diagnostics()[0].code, "RT1001");
    assert_eq!(error.diagnostics()[0].help.as_deref(), Some("did you mean `weather`?"));
}

#[test]
fn ho_2_typed_tool_and_own_provider_pass_public_suites() {
    tokio().block_on(async {
        contexture::ports::contract::provider(Arc::new(Acme("acme://talks".to_owned()))).await;
        contexture::ports::contract::tool(Arc::new(weather())).await;
    });
}

const FACTS: &str = "# Facts\n\n## Returns\n\nUnhappy buyers are repaid within a month.\n\n\
                     ## Price\n\nThe widget costs 89 euros.\n";

/// A program that asks the pack `acme`, and what its runtime says with an embedder.
fn ask_pack(task: &str, embedder: impl Embedder + 'static) -> Run {
    let program = format!(
        "import knowledge Acme from \"knowledge://acme\"\n\
         main func() {{ Acme.resolve({{ task: \"{task}\" }}) }}"
    );
    let guide = "---\nname: acme\ndescription: Facts.\ntype: brand-product\nstatus: ready\n\
                 trust: official\nprofile: wiki-first\n---\n";
    let place = Place::new(&[
        ("p.as", program.as_str()),
        (".agents/knowledge/acme/KNOWLEDGE.md", guide),
        (".agents/knowledge/acme/compiled/facts.md", FACTS),
    ]);
    let runtime = Runtime::builder(place.path("")).embedder(embedder).build().unwrap();
    let run = runtime.run("p.as").with(|request| request.approve_packs = true);
    tokio().block_on(run).unwrap()
}

#[test]
fn ho_2_given_embedder_finds_section_without_words_of_task() {
    let embedder = InMemoryEmbedder::new([&["refund", "repaid"], &["price", "costs"]]);
    let run = ask_pack("Do customers get their refund?", embedder);
    assert_eq!(run.value["sections"][0]["heading"], "Facts > Returns", "{:#}", run.value);
}

/// An embedder that panics, at once or where it is asked for its id.
struct Panics(&'static str);

impl Embedder for Panics {
    fn id(&self) -> &str {
        if self.0.is_empty() { panic!("no id") } else { self.0 }
    }

    fn dimension(&self) -> usize {
        2
    }

    fn embed<'a>(&'a self, _texts: &'a [String]) -> BoxFuture<'a, Vectors> {
        panic!("no model")
    }
}

#[test]
fn ho_2_failing_embedder_falls_back_to_words_with_recorded_warning() {
    let run = ask_pack("What price has the widget?", Panics("acme-embed"));
    assert_eq!(run.value["sections"][0]["heading"], "Facts > Price", "{:#}", run.value);
    let wanted = "the embedder `acme-embed` failed: the embedder panicked: no model; sections were \
                  found by words alone";
    assert!(run.warnings.iter().any(|told| told.contains(wanted)), "{:?}", run.warnings);
    let place = Place::new(&[]);
    let built = Runtime::builder(place.path("")).embedder(Panics("")).build();
    let error = built.err().map(|error| error.to_string());
    assert_eq!(error.as_deref(), Some("the embedder panicked when it was added: no id"));
}

#[test]
fn ho_2_given_run_store_keeps_record_instead_of_folder() {
    let place = Place::new(&[("p.as", "main func() { 1 }")]);
    let runs: Arc<dyn RunStore> = Arc::new(InMemoryRuns::new(stamp::system()));
    let stores = Stores { runs: Some(Arc::clone(&runs)), ..Stores::default() };
    let runtime = Runtime::builder(place.path("")).stores(stores).build().unwrap();
    let done = tokio().block_on(runtime.run("p.as")).unwrap();
    let ids: Vec<String> = runs.ids().unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(ids, [done.id.unwrap()]);
    assert!(!place.path(".contexture/runs").exists());
}

#[test]
fn ho_2_misbehaving_tool_gives_typed_errors() {
    let place = Place::new(&[]);
    let program = "import tool Weather from \"rust://weather\"\n\
                   main func(input) { Weather.now({ city: input.city, unit: input.unit }) }";
    for (input, wanted) in [
        (json!({ "city": "Paris", "unit": null }), "city_unknown"),
        (json!({ "city": "Atlantis", "unit": null }), "tool_panicked"),
        (json!({ "city": "Limbo", "unit": null }), "timeout"),
        (json!({ "city": 3, "unit": null }), "bad_argument"),
        (json!({ "city": "Oslo", "unit": [] }), "bad_argument"),
    ] {
        assert_eq!(code(&place, program, input.clone()), wanted, "{input}");
    }
}

#[test]
fn ho_2_effects_of_own_tools_hold_in_parallel_and_in_dry_runs() {
    let place = Place::new(&[]);
    let each = |call: &str| {
        format!(
            "import tool Weather from \"rust://weather\"\n\
             main func() {{ parallel for city in [\"Oslo\", \"Oslo\"] max 2 {{ {call} }} }}"
        )
    };
    let done = run(&place, &each("Weather.now({ city: city }).celsius"), Value::Null).unwrap();
    assert_eq!(done.value, json!([-3.5, -3.5]));
    let refused = run(&place, &each("Weather.report({ city: city })"), Value::Null).unwrap_err();
    assert_eq!(refused.code(), "program_refused");
    place.write(
        "d.as",
        "import tool Weather from \"rust://weather\"\n\
         main func() { Weather.report({ city: \"Oslo\" })\n Weather.units() }",
    );
    let dry = runtime(&place).run("d.as").with(|request| request.dry_run = true);
    let done = tokio().block_on(dry).unwrap();
    assert_eq!(done.value, json!(["C", "F"]));
}

/// A tool whose answers cannot be used.
struct Odd(&'static str, Vec<ToolMethod>);

impl Tool for Odd {
    fn name(&self) -> &str {
        assert!(self.0 != "panics", "no name today");
        self.0
    }

    fn methods(&self) -> Vec<ToolMethod> {
        self.1.clone()
    }

    fn call<'a>(&'a self, _: ToolRequest<'a>) -> BoxFuture<'a, Result<ToolReply, ToolFailure>> {
        Box::pin(async { Ok(ToolReply::from(Value::from("x".repeat(100 << 20)))) })
    }
}

fn method(name: &str, parameters: Value) -> ToolMethod {
    ToolMethod {
        name: name.to_owned(),
        description: String::new(),
        effect: contexture::ports::signature::Effect::Read,
        trust: Trust::Tool,
        parameters,
        demands: Default::default(),
        validates: None,
    }
}

#[test]
fn ho_2_parts_that_cannot_be_added_are_refused_with_reason() {
    let object = json!({ "type": "object" });
    let build = |odd: Odd| {
        let built = Runtime::builder("/").tool(weather()).tool(odd).build();
        match built.unwrap_err() {
            BuildError::Extension(error) => error,
            other => panic!("{other}"),
        }
    };
    let twice = build(Odd("weather", Vec::new()));
    assert_eq!(twice.to_string(), "two tools have the name `weather`");
    assert!(matches!(build(Odd("a b", Vec::new())), ExtensionError::BadName { .. }));
    assert!(matches!(build(Odd("panics", Vec::new())), ExtensionError::Panicked { .. }));
    let both = vec![method("a", object.clone()), method("a", object)];
    assert_eq!(build(Odd("odd", both)).to_string(), "two methods have the name `odd.a`");
    let text = vec![method("a", json!({ "type": "string" }))];
    assert!(matches!(build(Odd("odd", text)), ExtensionError::NotAnObject { .. }));
    let scheme = Runtime::builder("/").provider("openai", |_| unreachable!()).build();
    assert_eq!(scheme.unwrap_err().to_string(), "two providers have the name `openai`");
}

#[test]
fn ho_2_result_beyond_limit_is_refused() {
    let program = "import tool Odd from \"rust://odd\"\nmain func() { Odd.a() }";
    let place = Place::new(&[("p.as", program)]);
    let odd = Odd("odd", vec![method("a", json!({ "type": "object" }))]);
    let runtime = Runtime::builder(place.path("")).tool(odd).build().unwrap();
    let error = tokio().block_on(runtime.run("p.as")).unwrap_err();
    assert_eq!(error.code(), "result_too_large");
}

/// A provider that calls the first tool it is offered, once.
struct Caller(Arc<AtomicUsize>);

impl Provider for Caller {
    fn uri(&self) -> &str {
        "caller://x"
    }

    fn complete<'a>(
        &'a self,
        call: &'a ChatCall,
        _sink: Option<TextSink<'a>>,
        _cancel: &'a CancelToken,
    ) -> BoxFuture<'a, Result<Reply, LlmError>> {
        Box::pin(async move {
            let mut response = ChatResponse::default();
            if self.0.fetch_add(1, Ordering::Relaxed) == 0 {
                let tools = call.request.tools.as_deref().unwrap_or_default();
                let name = tools[0].function.name.clone();
                let asked =
                    contexture::prompt::ToolCall::function("1", &name, r#"{"city":"Oslo"}"#);
                response.tool_calls = vec![asked];
            } else {
                let last = call.request.messages.last().unwrap().text().into_owned();
                response.text = last;
            }
            Ok(Reply::from(response))
        })
    }
}

#[test]
fn ho_2_model_is_offered_own_tools_and_sees_fenced_results() {
    let program = "import tool Weather from \"rust://weather/now\"\n\
                   import llm Own from \"caller://x\"\n\
                   main func() { model Own\n generate({ input: \"go\", tools: [Weather] }) }";
    let place = Place::new(&[("p.as", program)]);
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let runtime = Runtime::builder(place.path(""))
        .provider("caller", move |_| Ok(Arc::new(Caller(Arc::clone(&counted)))))
        .tool(weather())
        .build()
        .unwrap();
    let done = tokio().block_on(runtime.run("p.as")).unwrap();
    let seen = done.value.as_str().unwrap();
    assert!(seen.contains("-3.5") && seen.contains("trust=\"web\""), "{seen}");
    assert_eq!(calls.load(Ordering::Relaxed), 2);
}

#[test]
fn ho_2_own_tool_is_action_of_flows() {
    let place = Place::new(&[]);
    let runtime = runtime(&place);
    let document = json!({ "instructions": [
        { "instructionId": "a", "action": "rust:weather/now", "parameters": { "city": "Oslo" } },
        { "instructionId": "b", "action": "echo", "dependencies": ["a"],
          "parameters": { "text": "${dependencies.a.result.celsius} degrees" } }
    ]});
    let request = FlowRequest { document: document.to_string().into(), ..FlowRequest::default() };
    let flow = Flow::prepare(runtime.project(), request).unwrap();
    let report = tokio().block_on(flow.run());
    let result = report.outcome(1).and_then(|outcome| outcome.result).unwrap();
    assert_eq!(result["text"], "-3.5 degrees");
}

#[test]
fn ho_1_report_and_result_hold_same_values() {
    let place = Place::new(&[]);
    let done = run(&place, "main func() { 3 }", Value::Null);
    let report = RunReport::from(done);
    assert!(report.run.is_some());
    let again = Result::<Run, RunError>::from(report).unwrap();
    assert_eq!((again.value, again.label.trust), (json!(3), Trust::Program));
}
