//! What a run may spend: calls are admitted or refused before they are sent (CA-5).

use crate::common::server::{Reply, Server, chat};
use crate::common::{Place, run_in, told};
use contexture::llm::SpendLimit;
use contexture::observe::Silent;
use contexture::ports::profile::Money;
use contexture::run::{RunReport, RunRequest};
use contexture::{Config, Environment, Project};
use serde_json::{Value, json};
use std::sync::Arc;

/// A call of at most 1,000 + 100 tokens, which cost 0.003 dollars.
const ASK: &str = "generate({ input: \"Go.\", max_input: 1000, max_output: 100 }) -> { a string }";

const PRICED: &str = "[profiles.\"openai+http://ADDRESS/v1/m\"]\nprice_input = 2\nprice_cached = 1\nprice_output = 10\n";

fn place(server: &Server, body: &str, settings: &str) -> Place {
    let program = format!(
        "import llm Local from \"openai+http://{}/v1/m\"\nmodel Local\nmain func(input) {{\n{}\n}}\n",
        server.address,
        body.replace("ASK", ASK)
    );
    let settings = settings.replace("ADDRESS", &server.address);
    Place::new(&[("main.as", &program), ("contexture.toml", &settings)])
}

fn run(place: &Place, spend: SpendLimit) -> RunReport {
    let config = Config::read(&place.path("contexture.toml")).unwrap();
    let project = Project::with_config(&place.path("."), config, Environment::default());
    let request = RunRequest { spend, ..place.request("main.as", json!({})) };
    run_in(&project, request, Arc::new(Silent))
}

fn tokens(tokens: u64) -> SpendLimit {
    SpendLimit { tokens: Some(tokens), ..SpendLimit::default() }
}

fn dollars(dollars: f64) -> SpendLimit {
    SpendLimit { money: Money::of_dollars(dollars), ..SpendLimit::default() }
}

/// A server that takes the most that the requests of these tests allow.
fn greedy() -> Server {
    Server::start(None, |_, body| {
        Reply::Body(200, chat("{\"a\": \"x\"}", 1_000, body["max_tokens"].as_u64().unwrap()))
    })
}

fn code(report: &RunReport) -> &str {
    report.outcome.as_ref().unwrap_err().code()
}

#[test]
fn ca_5_call_that_does_not_fit_is_refused_before_it_is_sent() {
    let server = greedy();
    let place = place(&server, "ASK", PRICED);
    for limit in [tokens(1_099), dollars(0.002_9)] {
        let report = run(&place, limit);
        assert_eq!(code(&report), "COST_LIMIT", "{limit:?}");
        assert_eq!(report.cost.actual, Some(0.0));
    }
    assert_eq!(server.seen("POST"), Vec::<String>::new());
    for limit in [tokens(1_100), dollars(0.003)] {
        let report = run(&place, limit);
        assert_eq!(report.outcome.as_ref().unwrap(), &json!({"a": "x"}), "{limit:?}");
        assert_eq!((report.cost.worst, report.cost.actual), (Some(0.003), Some(0.003)));
        assert!(report.cost.priced);
    }
}

#[test]
fn ca_5_loop_ends_at_the_call_that_does_not_fit_what_is_left() {
    let server = greedy();
    let place = place(&server, "repeat * 9 { x = ASK }\n1", PRICED);
    let report = run(&place, tokens(3_500));
    assert_eq!(code(&report), "COST_LIMIT");
    assert_eq!(server.seen("POST").len(), 3);
    let failure = told(report.outcome.as_ref().unwrap_err());
    assert!(failure.contains("may take 1100 tokens, and 200 of the limit of 3500"), "{failure}");
    assert_eq!(report.cost.actual, Some(0.009));
}

#[test]
fn ca_5_calls_side_by_side_reserve_their_worst_case() {
    let server = greedy();
    let body = "parallel for i in [1, 2, 3, 4, 5, 6, 7, 8] max 8 {\n\
                try { ASK } else err { { a: err.code } }\n}";
    let place = place(&server, body, PRICED);
    let report = run(&place, dollars(0.01));
    let value = report.outcome.unwrap();
    let refused = value.as_array().unwrap().iter().filter(|one| one["a"] == "COST_LIMIT").count();
    assert_eq!((server.seen("POST").len(), refused), (3, 5), "{value}");
    assert_eq!(report.cost.actual, Some(0.009));
    let place = self::place(&server, "parallel for i in [1, 2, 3] max 3 { ASK }", PRICED);
    assert_eq!(code(&run(&place, dollars(0.007))), "COST_LIMIT");
    assert_eq!(server.seen("POST").len(), 5);
}

#[test]
fn ca_5_refusal_with_a_status_is_free_and_a_broken_connection_counts_at_its_worst() {
    let refusing = Server::start(None, |number, _| match number {
        0 => Reply::Body(503, json!({"error": "busy"})),
        _ => Reply::Body(200, chat("{\"a\": \"x\"}", 1_000, 100)),
    });
    let settings = format!("[retry]\ntimes = 2\nmax_wait_ms = 10\n{PRICED}");
    let free = place(&refusing, "ASK", &settings);
    let report = run(&free, tokens(1_100));
    assert!(report.outcome.is_ok(), "{}", told(report.outcome.as_ref().unwrap_err()));
    assert_eq!((refusing.seen("POST").len(), report.cost.actual), (2, Some(0.003)));
    let breaking = Server::start(None, |number, _| match number {
        0 => Reply::Break,
        _ => Reply::Body(200, chat("{\"a\": \"x\"}", 1_000, 100)),
    });
    let lost = place(&breaking, "ASK", &settings);
    let report = run(&lost, tokens(2_199));
    assert_eq!(code(&report), "COST_LIMIT");
    assert_eq!(breaking.seen("POST").len(), 1);
    assert_eq!((report.cost.worst, report.cost.actual), (Some(0.006), Some(0.003)));
}

#[test]
fn ca_5_model_without_price_or_bound_is_refused_with_the_setting_that_helps() {
    let server = greedy();
    let unpriced = place(&server, "ASK", "");
    let report = run(&unpriced, dollars(9.0));
    assert_eq!(code(&report), "COST_LIMIT");
    let failure = report.outcome.unwrap_err();
    let contexture::run::RunFailure::Program { error, .. } = &failure else { panic!("{failure}") };
    let help = error.help.clone().unwrap();
    assert!(help.contains("[profiles.\"openai+http://"), "{help}");
    let open = place(&server, "generate({ input: \"Go.\" })", PRICED);
    let report = run(&open, tokens(9_000));
    assert_eq!(code(&report), "COST_LIMIT");
    assert_eq!(server.seen("POST"), Vec::<String>::new());
    let free = run(&unpriced, SpendLimit::default());
    assert_eq!((free.cost.actual, free.cost.worst, free.cost.priced), (None, None, false));
}

#[test]
fn ca_5_cached_tokens_cost_what_they_cost_and_settings_limit_a_run() {
    let server = Server::start(None, |_, _| {
        let mut answer = chat("{\"a\": \"x\"}", 1_000, 100);
        answer["usage"]["prompt_tokens_details"] = json!({"cached_tokens": 400});
        Reply::Body(200, answer)
    });
    let place = place(&server, "ASK", &format!("[limits]\nmax_tokens = \"1.1k\"\n{PRICED}"));
    let report = run(&place, SpendLimit::default());
    assert!(report.outcome.is_ok());
    assert_eq!(report.cost.actual, Some(0.002_6));
    let project = place.project();
    let id = contexture::store::runs::RunId::parse(report.run.as_deref().unwrap()).unwrap();
    let log = contexture::runs(&project).load(&id).unwrap();
    let found = log.of_kind(contexture::context::TraceKind::Generate).next().unwrap();
    assert_eq!(found.data["cost"]["micros"], 2_600);
    let run_event = log.of_kind(contexture::context::TraceKind::Run).next().unwrap();
    assert_eq!(run_event.data["ceiling"]["money"], 0.003);
    place.write(
        "contexture.toml",
        &format!("[limits]\nmax_cost = 0.002\n{PRICED}").replace("ADDRESS", &server.address),
    );
    assert_eq!(code(&run(&place, SpendLimit::default())), "COST_LIMIT");
    let wins = run(&place, dollars(0.003));
    assert!(wins.outcome.is_ok(), "the request wins over the settings");
}

#[test]
fn ca_5_account_of_a_client_limits_all_its_runs_together() {
    let server = greedy();
    let place = place(&server, "ASK", PRICED);
    let config = Config::read(&place.path("contexture.toml")).unwrap();
    let project = Project::with_config(&place.path("."), config, Environment::default());
    let client = Arc::new(contexture::llm::Ledger::new(tokens(2_500), None));
    let codes: Vec<Value> = (0..3)
        .map(|_| {
            let ledger = Some(Arc::clone(&client));
            let request = RunRequest { ledger, ..place.request("main.as", json!({})) };
            let report = run_in(&project, request, Arc::new(Silent));
            report.outcome.unwrap_or_else(|failure| failure.code().into())
        })
        .collect();
    assert_eq!(codes, [json!({"a": "x"}), json!({"a": "x"}), json!("COST_LIMIT")]);
}

#[test]
fn ca_5_what_a_model_took_before_it_was_passed_over_comes_on_top_of_the_worst_case() {
    let server = Server::start(None, |number, body| match (body["model"].as_str(), number) {
        (Some("m"), 1) => Reply::Body(503, json!({"error": "busy"})),
        _ => Reply::Body(200, chat("none of it", 1_000, 100)),
    });
    let ask = ASK.replace("max_output", "attempts: 2, max_output");
    let settings = format!("[retry]\ntimes = 0\n{PRICED}{}", PRICED.replace("/v1/m", "/v1/n"));
    let place = place(&server, &ask, &settings);
    let other = format!("/v1/m\" or \"openai+http://{}/v1/n\"", server.address);
    place.write("main.as", &place.read("main.as").replace("/v1/m\"", &other));
    let report = run(&place, SpendLimit::default());
    assert_eq!(code(&report), "unusable_answer");
    assert_eq!((report.calls[0].requests, report.calls[0].passed_over[0].requests), (4, 2));
    // Two answers of the second model, and one of the first.
    assert_eq!(report.cost.actual, Some(0.009));
    assert_eq!(report.cost.worst, Some(0.009));
}
