//! The reranker of the settings and that of an application (MA-7).

use crate::common::Place;
use crate::common::server::{Reply, Server};
use contexture::packs::{Options, Packs};
use contexture::{Environment, Project};
use contexture_core::reranker::InMemoryReranker;
use contexture_knowledge::resolve::{Resolution, Task};
use serde_json::{Value, json};
use std::sync::Arc;

const GUIDE: &str = "---\nname: acme\ndescription: Facts.\ntype: brand-product\nstatus: ready\n\
                     trust: official\nprofile: wiki-first\n---\n";

const FACTS: &str = "# Facts\n\n## Price list\n\nThe price of a widget stands on its box.\n\n\
                     ## Sale\n\nIn spring the widget had a price of 89 euros.\n";

const TASK: &str = "Which price has the widget?";

fn place(settings: &str) -> Place {
    Place::new(&[
        ("contexture.toml", settings),
        (".agents/knowledge/acme/KNOWLEDGE.md", GUIDE),
        (".agents/knowledge/acme/compiled/facts.md", FACTS),
    ])
}

fn project(place: &Place) -> Project {
    let keys = [("OPENAI_API_KEY", "sk-0123456789"), ("RERANK_API_KEY", "rk-9876543210")];
    Project::open(&place.path(""), Environment::of(keys)).unwrap()
}

fn ask(project: &Project, offline: bool) -> Resolution {
    let options = Options { approve_project: true, offline, ..Options::default() };
    Packs::open(project, options).resolve(&["acme"], &Task::new(TASK, 500)).unwrap()
}

fn headings(found: &Resolution) -> Vec<&str> {
    found.sections.iter().map(|section| section.heading.as_str()).collect()
}

/// The order of the words alone.
fn lexical() -> Vec<String> {
    let found = ask(&project(&place("")), false);
    let headings: Vec<String> = headings(&found).into_iter().map(str::to_owned).collect();
    assert_eq!(headings.len(), 2, "{found:#?}");
    headings
}

/// The results of a request, best first: the last text goes before all others.
fn results(request: &Value) -> Value {
    let count = request["documents"].as_array().unwrap().len();
    let row = |index: usize| json!({ "index": index, "relevance_score": index as f64 / 10.0 });
    json!({ "results": (0..count).rev().map(row).collect::<Vec<_>>() })
}

#[test]
fn ma_7_reranker_of_settings_orders_sections_with_key_of_its_own() {
    let server = Server::start(None, |_, request| Reply::Body(200, results(request)));
    let uri = format!("rerank+http://{}/v1/org/ranker", server.address);
    let place = place(&format!("[knowledge]\nreranker = \"{uri}\"\n"));
    let project = project(&place);
    assert_eq!(headings(&ask(&project, true)), lexical(), "nothing is fetched");
    assert_eq!(server.seen("POST").len(), 0);
    let found = ask(&project, false);
    assert_eq!(headings(&found), lexical().iter().rev().collect::<Vec<_>>(), "{found:#?}");
    let [asked] = server.seen("POST").try_into().unwrap();
    assert!(asked.contains("/v1/rerank") && asked.contains("\"model\":\"org/ranker\""), "{asked}");
    assert_eq!(server.keys(), ["Bearer rk-9876543210"]);
}

#[test]
fn ma_7_reranker_that_cannot_be_used_leaves_order_with_reason() {
    for (uri, reason) in [
        ("rerank+https://10.0.0.8/v1/m", "10.0.0.8, which is a private address"),
        ("rerank+http://127.0.0.1:1/v1/m", "127.0.0.1:1"),
    ] {
        let place = place(&format!("[knowledge]\nreranker = \"{uri}\"\n"));
        let found = ask(&project(&place), false);
        assert_eq!(headings(&found), lexical());
        let told = |warning: &&String| {
            warning.contains(reason) && warning.contains("keep the order of the search")
        };
        assert!(found.warnings.iter().any(|one| told(&one)), "{reason}: {:?}", found.warnings);
        assert!(!format!("{found:?}").contains("rk-9876543210"));
    }
}

#[test]
fn ma_7_reranker_of_application_wins_over_that_of_settings() {
    let place = place("[knowledge]\nreranker = \"rerank+http://127.0.0.1:1/v1/m\"\n");
    let mut project = project(&place);
    project.extensions.set_reranker(Arc::new(InMemoryReranker)).unwrap();
    let found = ask(&project, false);
    assert_eq!((headings(&found).len(), found.warnings.len()), (2, 0), "{found:#?}");
}
