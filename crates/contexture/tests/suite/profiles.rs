//! What is known of models: windows from settings and servers, and prompts that fit them (CA-4).

use crate::common::server::Server;
use crate::common::{Place, run_in};
use contexture::context::TraceKind;
use contexture::observe::Silent;
use contexture::run::RunReport;
use contexture::{Environment, Project};
use serde_json::{Value, json};
use std::sync::Arc;

const PROGRAM: &str = "import llm Local from \"openai+http://ADDRESS/v1/m\"\n\
    model Local\n\
    main func(input { text string }) {\n\
    \x20 use input.text as text\n\
    \x20 generate({ input: \"Sum it up.\", max_output: 200 })\n\
    }\n";

fn place(server: &Server, settings: &str) -> Place {
    let program = PROGRAM.replace("ADDRESS", &server.address);
    let settings = settings.replace("ADDRESS", &server.address);
    Place::new(&[("main.as", &program), ("contexture.toml", &settings)])
}

fn run(place: &Place, words: usize, dry_run: bool) -> RunReport {
    let config = contexture::Config::read(&place.path("contexture.toml")).unwrap();
    let project = Project::with_config(&place.path("."), config, Environment::default());
    let text = "the cat sat on the mat ".repeat(words / 6);
    let request = place.request("main.as", json!({ "text": text }));
    let request = contexture::run::RunRequest { dry_run, ..request };
    run_in(&project, request, Arc::new(Silent))
}

/// The manifest of the only model call.
fn manifest(place: &Place, report: &RunReport) -> Value {
    let project = place.project();
    let id = contexture::store::runs::RunId::parse(report.run.as_deref().unwrap()).unwrap();
    let log = contexture::runs(&project).load(&id).unwrap();
    let event = log.of_kind(TraceKind::Generate).next().unwrap().clone();
    event.data["manifest"].clone()
}

#[test]
fn ca_4_long_item_is_cut_to_the_window_that_a_local_server_tells() {
    let server = Server::fine(Some(json!({"default_generation_settings": {"n_ctx": 4096}})));
    let place = place(&server, "");
    let report = run(&place, 30_000, false);
    assert_eq!(report.outcome.as_ref().unwrap(), "fine");
    assert_eq!(server.seen("GET").len(), 1, "{:?}", server.seen("GET"));
    let manifest = manifest(&place, &report);
    // A fifth is spared, as the tokenizer stands for another one.
    assert_eq!(manifest["max_input"], 3_117);
    assert!(manifest["tokens"].as_u64().unwrap() <= 3_117, "{manifest}");
    assert_eq!(manifest["items"][0]["clipped"], true);
    assert_eq!(manifest["items"][0]["cuts"][0]["reason"], "prompt_budget");
    assert_eq!(manifest["model"]["tokenizer_exact"], false);
}

#[test]
fn ca_4_server_is_not_asked_for_a_small_prompt_a_dry_run_or_a_known_window() {
    let server = Server::fine(None);
    let plain = place(&server, "");
    assert!(run(&plain, 6, false).outcome.is_ok());
    assert!(run(&plain, 3_000, true).outcome.is_ok());
    assert_eq!(server.seen("GET"), Vec::<String>::new());
    let known = place(
        &server,
        "[profiles.\"openai+http://ADDRESS/v1/m\"]\nwindow = 1000\ntokenizer = \"o200k_base\"\n",
    );
    let report = run(&known, 3_000, false);
    assert!(report.outcome.is_ok());
    assert_eq!(server.seen("GET"), Vec::<String>::new());
    let manifest = manifest(&known, &report);
    assert_eq!(
        (&manifest["max_input"], &manifest["model"]["tokenizer_exact"]),
        (&json!(800), &json!(true))
    );
    let dry = run(&known, 3_000, true);
    let prompt = &dry.prompts[0];
    assert!(prompt.tokens <= 800 && prompt.tokens_exact, "{prompt:?}");
    assert!(prompt.items[0].clipped);
}

#[test]
fn ca_4_server_that_tells_nothing_leaves_the_prompt_as_it_is() {
    for props in [None, Some(json!({"default_generation_settings": "?"}))] {
        let server = Server::fine(props);
        let place = place(&server, "");
        let report = run(&place, 3_000, false);
        assert!(report.outcome.is_ok());
        assert_eq!(server.seen("GET").len(), 2);
        assert_eq!(manifest(&place, &report)["items"][0]["clipped"], false);
    }
}

#[test]
fn ca_4_instruction_that_does_not_fit_the_window_is_told_as_that() {
    let server = Server::fine(None);
    let place = place(&server, "[profiles.\"openai+http://ADDRESS/v1/m\"]\nwindow = 8\n");
    let report = run(&place, 6, false);
    let failure = report.outcome.unwrap_err();
    assert_eq!(failure.code(), "prompt_too_large");
    let told = crate::common::told(&failure);
    assert!(told.contains("the window of openai+http://"), "{told}");
    assert_eq!(server.seen("POST"), Vec::<String>::new());
}
