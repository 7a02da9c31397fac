//! The embedder of the settings (MA-7).

use crate::common::Place;
use crate::common::server::{Reply, Server};
use contexture::packs::{Options, Packs, RegisterError, register_embedder};
use contexture::{Environment, Project};
use contexture_knowledge::resolve::{FoundBy, Resolution, Task};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const GUIDE: &str = "---\nname: acme\ndescription: Facts.\ntype: brand-product\nstatus: ready\n\
                     trust: official\nprofile: wiki-first\n---\n";

const FACTS: &str = "# Facts\n\n## Returns\n\nUnhappy buyers are repaid within a month.\n\n\
                     ## Price\n\nThe widget costs 89 euros.\n";

const TASK: &str = "Do customers get their refund?";

fn place(settings: &str) -> Place {
    Place::new(&[
        ("contexture.toml", settings),
        (".agents/knowledge/acme/KNOWLEDGE.md", GUIDE),
        (".agents/knowledge/acme/compiled/facts.md", FACTS),
    ])
}

fn ask(place: &Place, task: &str, offline: bool) -> Resolution {
    let key = [("OPENAI_API_KEY", "sk-0123456789")];
    let project = Project::open(&place.path(""), Environment::of(key)).unwrap();
    let options = Options { approve_project: true, offline, ..Options::default() };
    Packs::open(&project, options).resolve(&["acme"], &Task::new(task, 500)).unwrap()
}

/// The vectors of a request: a first number for what is about money that comes back, a second one
/// for prices.
fn embeddings(request: &Value) -> Value {
    let count = |text: &str, words: [&str; 2]| {
        let has = |word: &&str| text.contains(*word);
        f64::from(u8::from(words.iter().any(has)))
    };
    let row = |(index, text): (usize, &Value)| {
        let text = text.as_str().unwrap();
        let vector = [count(text, ["refund", "repaid"]), count(text, ["price", "costs"])];
        json!({ "index": index, "embedding": vector })
    };
    let rows: Vec<Value> =
        request["input"].as_array().unwrap().iter().enumerate().map(row).collect();
    json!({ "data": rows, "usage": { "prompt_tokens": 3 } })
}

#[test]
fn ma_7_model_of_settings_finds_section_without_words_of_task() {
    let server = Server::start(None, |_, request| Reply::Body(200, embeddings(request)));
    let uri = format!("openai+http://{}/v1/e5", server.address);
    let place = place(&format!("[knowledge]\nembedder = \"{uri}\"\n"));
    let found = ask(&place, TASK, false);
    assert_eq!(found.sections.len(), 1, "{found:#?}");
    let section = &found.sections[0];
    assert_eq!((&*section.heading, section.found_by), ("Facts > Returns", FoundBy::Dense));
    let asked = server.seen("POST");
    assert!(asked[0].contains("\"model\":\"e5\""), "{asked:?}");
    let before = asked.len();
    ask(&place, TASK, false);
    assert_eq!(server.seen("POST").len(), before + 1, "the vectors of the pack are kept");
    assert_eq!(ask(&place, TASK, true).context, "", "nothing is asked where nothing is fetched");
    assert_eq!(server.seen("POST").len(), before + 1);
}

#[test]
fn ma_7_embedder_that_cannot_be_used_leaves_words_with_reason() {
    let words = ask(&place(""), "What price has the widget?", false);
    let missing = if cfg!(feature = "embedder") {
        "tokenizer.json can't be read"
    } else {
        "this build of contexture has no reader of local embedding models: build contexture with \
         the feature `embedder`"
    };
    for (setting, reason) in [
        ("folder:models/none", missing),
        ("openai+https://10.0.0.8/v1/e5", "10.0.0.8, which is a private address"),
        ("openai+http://127.0.0.1:1/v1/e5", "127.0.0.1:1"),
    ] {
        let place = place(&format!("[knowledge]\nembedder = \"{setting}\"\n"));
        let found = ask(&place, "What price has the widget?", false);
        assert_eq!(found.context, words.context);
        let told = |warning: &&String| warning.contains(reason) && warning.contains("words alone");
        assert!(found.warnings.iter().any(|one| told(&one)), "{reason}: {:?}", found.warnings);
        assert!(!format!("{found:?}").contains("sk-0123456789"));
    }
}

#[test]
fn ma_7_zeros_of_a_server_are_refused_and_not_kept() {
    let has_failed = Arc::new(AtomicBool::new(true));
    let is_failing = Arc::clone(&has_failed);
    let server = Server::start(None, move |_, request| {
        let mut answer = embeddings(request);
        if is_failing.load(Ordering::Relaxed) {
            for row in answer["data"].as_array_mut().unwrap() {
                row["embedding"] = json!([0.0, 0.0]);
            }
        }
        Reply::Body(200, answer)
    });
    let uri = format!("openai+http://{}/v1/e5", server.address);
    let place = place(&format!("[knowledge]\nembedder = \"{uri}\"\n"));
    let found = ask(&place, TASK, false);
    let told = format!(
        "`acme`: the embedder `{uri}` failed: a vector holds nothing but zeros; sections were found \
         by words alone"
    );
    assert!(found.warnings.contains(&told), "{:?}", found.warnings);
    has_failed.store(false, Ordering::Relaxed);
    assert_eq!(ask(&place, TASK, false).sections[0].heading, "Facts > Returns");
}

/// A static model of two tokens with two numbers each.
fn model(place: &Place, folder: &str) {
    let header = r#"{"embeddings":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}}"#;
    let length = (header.len() as u64).to_le_bytes();
    let weights = [&length[..], header.as_bytes(), &[0; 16]].concat();
    std::fs::create_dir_all(place.path(folder)).unwrap();
    let tokenizer = r#"{"version": "1.0", "truncation": null, "padding": null,
        "added_tokens": [], "normalizer": null, "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": null, "decoder": null,
        "model": {"type": "WordLevel", "unk_token": "[UNK]", "vocab": {"[UNK]": 0, "refund": 1}}}"#;
    for (name, bytes) in [
        ("tokenizer.json", tokenizer.as_bytes()),
        ("model.safetensors", &weights),
        ("config.json", br#"{"normalize": true}"#),
    ] {
        std::fs::write(place.path(&format!("{folder}/{name}")), bytes).unwrap();
    }
}

#[test]
fn ma_7_local_model_is_registered_or_what_is_missing_is_told() {
    let settings = "# Ours.\n[knowledge]\nlang = \"en\"\n";
    let place = place(settings);
    model(&place, "models/wl");
    let project = Project::open(&place.path(""), Environment::default()).unwrap();
    let text = || std::fs::read_to_string(place.path("contexture.toml")).unwrap();
    if !cfg!(feature = "embedder") {
        let error = register_embedder(&project, &place.path("models/wl")).unwrap_err();
        assert!(matches!(error, RegisterError::Missing(_)), "{error}");
        assert_eq!(text(), settings);
        return;
    }
    let error = register_embedder(&project, &place.path("models")).unwrap_err();
    assert!(matches!(error, RegisterError::NotAModel(_)), "{error}");
    assert_eq!(text(), settings);
    let made = register_embedder(&project, &place.path("models/wl")).unwrap();
    assert_eq!((&*made.setting, made.dimension), ("folder:models/wl", 2));
    let wanted = "# Ours.\n[knowledge]\nembedder = \"folder:models/wl\"\nlang = \"en\"\n";
    assert_eq!(text(), wanted);
    register_embedder(&project, &place.path("models/wl")).unwrap();
    assert_eq!(text(), wanted);
}
