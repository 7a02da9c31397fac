//! Imported templates in a run (AS-2): the requests to the host, and their results.

use crate::support::{block_on, outcome, program_with};
use contexture_context::{TraceKind, Trust};
use contexture_script::host::{HostError, MemoryLoader, Phase, Standing, Supplied};
use contexture_script::runtime::{
    FailureKind, RunOptions, RunOutcome, ScriptedHost, Session, SessionError, compile,
};
use contexture_script::template::{TemplateFacts, TemplateFault, TemplatePlace};
use serde_json::{Value, json};

const IMPORTS: &str =
    "import template T from \"t.hbs\"\nimport template Other from \"parts/other.hbs\"\n";

fn loader() -> MemoryLoader {
    MemoryLoader::new()
        .with_template("t.hbs", Ok(TemplateFacts::default()))
        .with_template("parts/other.hbs", Ok(TemplateFacts::default()))
}

fn run(body: &str, input: Value, host: &ScriptedHost) -> RunOutcome {
    let source = format!("{IMPORTS}main func(input) {{\n{body}\n}}\n");
    outcome(&source, input, host)
}

fn host() -> ScriptedHost {
    ScriptedHost::new().with_template("T", "Hello, Ada!").with_template("Other", "Bye.")
}

#[test]
fn as_2_template_is_rendered_by_call_or_by_render() {
    let host = host();
    let value = run(
        "a = T({ name: input.name, list: [1, 2.5] })\nb = Other.render()\nreturn a + b.upper()",
        json!({ "name": "Ada" }),
        &host,
    );
    assert_eq!(value.result.unwrap(), json!("Hello, Ada!BYE."));
    let calls = host.template_calls();
    assert_eq!(calls.len(), 2);
    assert_eq!(calls[0].variables, json!({ "name": "Ada", "list": [1, 2.5] }));
    assert_eq!(calls[1].variables, json!({}));
    let first = &calls[0].template;
    assert_eq!((&*first.name, &*first.path, &*first.importer), ("T", "t.hbs", "main.as"));
    let names = |(name, path): &(String, String)| format!("{name}={path}");
    let all: Vec<String> = first.all.iter().map(names).collect();
    assert_eq!(all, ["T=t.hbs", "Other=parts/other.hbs"]);
    assert_eq!(calls[0].site.to_string(), "main.as:4:5");
}

#[test]
fn as_2_rendered_template_has_least_trust_of_variables() {
    let trust = |argument: &str, template: Trust| {
        let text = Supplied { value: json!("text"), label: template.into(), ..Supplied::default() };
        let host = ScriptedHost::new()
            .with_result("T", Ok(text))
            .with_answer(json!("said"))
            .with_answer(json!("done"));
        let body = format!(
            "said = generate({{ input: \"x\" }})\nt = T({argument})\nuse t\ngenerate({{ input: t }})"
        );
        run(&body, json!({ "name": "Ada" }), &host).result.unwrap();
        let call = host.generate_calls().remove(1);
        assert_eq!(call.instruction_label.trust, call.items[0].origin.trust);
        call.instruction_label.trust
    };
    assert_eq!(trust("", Trust::Program), Trust::Program);
    assert_eq!(trust("{ a: 1, b: \"literal\" }", Trust::Program), Trust::Program);
    assert_eq!(trust("{ a: input.name }", Trust::Program), Trust::User);
    assert_eq!(trust("{ a: [{ b: said }], c: input.name }", Trust::Program), Trust::Model);
    assert_eq!(trust("{ a: said }", Trust::Web), Trust::Web);
}

#[test]
fn as_29_reading_template_is_event_once() {
    let host = host();
    let body = "repeat * 3 { T({ a: 1 }) }\nparallel for x in [1, 2] max 2 { Other({ x: x }) }";
    run(body, json!({}), &host).result.unwrap();
    let events = host.events();
    let read: Vec<_> = events
        .iter()
        .filter(|event| event.kind == TraceKind::File && event.phase == Phase::End)
        .collect();
    assert_eq!(read.len(), 2);
    assert_eq!(
        read[0].data,
        json!({ "name": "T", "path": "t.hbs", "template": true, "trust": "program" })
    );
    let calls = host.template_calls();
    let first: Vec<bool> = calls.iter().map(|call| call.event.is_some()).collect();
    assert_eq!(first, [true, false, false, true, false]);
}

#[test]
fn as_9_failed_rendering_can_be_caught() {
    let failed = || {
        let mut error = HostError::new("PT3001", "t.hbs:2:5: the template needs the variable `x`");
        error.details = Some(json!({ "missing": ["x"] }));
        ScriptedHost::new().with_result("T", Err(error.with_help("give it")))
    };
    let value = run("try { T() } else err { err }", json!({}), &failed()).result.unwrap();
    assert_eq!(value["code"], "PT3001");
    assert_eq!(value["details"], json!({ "missing": ["x"] }));
    let error = run("T()", json!({}), &failed()).result.unwrap_err();
    assert_eq!((error.kind, error.help.as_deref()), (FailureKind::Effect, Some("give it")));
    assert_eq!((error.line, error.column), (4, 1));
}

#[test]
fn as_9_template_takes_one_object() {
    for (argument, kind) in [("\"x\"", "string"), ("[1]", "list"), ("none", "none")] {
        let error = run(&format!("v = {argument}\nT(v)"), json!({}), &host()).result.unwrap_err();
        assert_eq!(error.code, "AS9006");
        assert!(error.message.contains(kind), "{}", error.message);
        assert_eq!(error.help.as_deref(), Some("pass its variables by name: `T({ name: … })`"));
    }
    let error = run("T({}, {})", json!({}), &host()).result.unwrap_err();
    assert_eq!(error.code, "AS9003");
    let error = run("T.fill({})", json!({}), &host()).result.unwrap_err();
    assert_eq!(error.code, "AS9002");
}

#[test]
fn as_31_text_of_placeholders_is_placeholder() {
    let stands = Supplied {
        value: json!("⟨answer⟩"),
        label: Trust::Model.into(),
        standing: Standing::Unknown,
        ..Supplied::default()
    };
    let host = host().with_answer_result(Ok(stands)).with_answer(json!("x"));
    let body = "a = generate({ input: \"x\" })\nt = T({ a: a })\ngenerate({ input: t })";
    run(body, json!({}), &host).result.unwrap();
    assert!(host.template_calls()[0].on_placeholders);
    assert_eq!(host.generate_calls()[1].placeholders, ["the instruction"]);
    // A value of unknown shape may be an object.
    let stands = Supplied {
        value: json!("⟨a⟩"),
        label: Trust::Model.into(),
        standing: Standing::Unknown,
        ..Supplied::default()
    };
    let host = self::host().with_answer_result(Ok(stands));
    run("a = generate({ input: \"x\" })\nT(a)", json!({}), &host).result.unwrap();
    assert_eq!(host.template_calls()[0].variables, json!({}));
}

#[test]
fn as_28_agent_of_another_file_renders_that_files_templates() {
    let files = [
        ("main.as", "import agent Lib from \"lib/lib.as\"\nmain func(input) { Lib(input) }"),
        ("lib/lib.as", "import template T from \"t.hbs\"\nmain func(input) { T(input) }"),
    ];
    let loader = MemoryLoader::new().with_template("lib/t.hbs", Ok(TemplateFacts::default()));
    let program = program_with(loader, &files);
    let host = host();
    let entry = contexture_script::runtime::Entry::default();
    let options = RunOptions::default();
    let executable = compile(&program);
    let run = contexture_script::runtime::run(&executable, &entry, json!({}), &host, &options);
    assert_eq!(block_on(run).result.unwrap(), json!("Hello, Ada!"));
    assert_eq!(host.template_calls()[0].template.importer, "lib/lib.as");
}

#[test]
fn as_31_session_renders_templates_and_refuses_bad_ones() {
    let fault = |code| TemplateFault::Invalid {
        code,
        place: TemplatePlace { file: "bad.hbs".to_owned(), line: 1, column: 2 },
        message: "no template".to_owned(),
        help: None,
    };
    let loader = loader()
        .with_template("bad.hbs", Err(vec![fault("PT1001")]))
        .with_template("later.hbs", Err(vec![fault("PT2002")]));
    let mut session = Session::with_loader(RunOptions::default(), Box::new(loader));
    let host = host();
    let mut eval = |line: &str| block_on(session.eval(line, &host));
    eval("import template T from \"t.hbs\"").unwrap();
    assert_eq!(eval("T({ a: 1 })").unwrap().value, Some(json!("Hello, Ada!")));
    assert_eq!(eval("x = T.render()\nx").unwrap().value, Some(json!("Hello, Ada!")));
    let Err(SessionError::Syntax(faults)) = eval("import template Bad from \"bad.hbs\"") else {
        panic!("a bad template was taken");
    };
    assert_eq!(faults[0].code, "AS6009");
    assert_eq!(
        faults[0].message,
        "the template `Bad` can't be used: bad.hbs:1:2: no template (PT1001)"
    );
    let Err(SessionError::Syntax(faults)) = eval("import template Gone from \"gone.hbs\"") else {
        panic!("a missing template was taken");
    };
    assert_eq!(faults[0].code, "AS2013");
    // A later line may import its partial.
    eval("import template Later from \"later.hbs\"").unwrap();
    assert!(eval("Bad()").is_err());
}
