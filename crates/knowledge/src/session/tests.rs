use super::*;
use crate::resolve::Resolver;
use crate::{DiscoveryOptions, Roots, discover};
use contexture_context::tokens::tokenizer_for;
use std::fs;
use std::path::Path;

const PRICES: &str = "# Prices\n\nThe widget costs 40 euros a month.\n";

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn make(folder: &Path) {
    write(
        folder,
        "acme/KNOWLEDGE.md",
        "---\nname: acme\ndescription: Facts about Acme.\ntype: brand-product\nstatus: ready\n\
         profile: wiki-first\nversion: 0.7.2\n---\n# Guide\n\nPrices and limits.\n",
    );
    write(folder, "acme/compiled/prices.md", PRICES);
    write(folder, "acme/compiled/limits.md", "# Limits\n\nAn account has at most nine seats.\n");
    write(folder, "acme/documents/long.md", &"A long story about nothing at all.\n\n".repeat(500));
}

fn open(folder: &Path) -> Vec<Pack> {
    let roots = Roots { explicit: vec![folder.to_owned()], ..Roots::default() };
    let found = discover(&roots, &DiscoveryOptions::default());
    found.packs.iter().map(|pack| found.open(&pack.item.name).unwrap()).collect()
}

fn resolver() -> Resolver {
    Resolver::new(tokenizer_for("openai://gpt-4o"), None)
}

#[test]
fn kn_14_second_activation_gives_note() {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path());
    let packs = open(folder.path());
    let mut session = Session::default();
    let first = session.activate(&packs[0]).unwrap();
    assert!(!first.repeated);
    assert!(first.text.starts_with("<knowledge_pack_guide name=\"acme\""), "{}", first.text);
    let second = session.activate(&packs[0]).unwrap();
    assert_eq!(
        (second.repeated, second.text.as_str()),
        (
            true,
            "The guide of knowledge pack `acme` was shown before in this conversation and has not \
             changed."
        )
    );
    assert_eq!(session.guides.len(), 1);
    let text = fs::read_to_string(folder.path().join("acme/KNOWLEDGE.md")).unwrap();
    write(folder.path(), "acme/KNOWLEDGE.md", &format!("{text}\nNew words.\n"));
    let third = session.activate(&open(folder.path())[0]).unwrap();
    assert!(!third.repeated && third.text.contains("New words."));
    assert_eq!((session.guides.len(), session.guides[0].text.clone()), (1, third.text));
}

#[test]
fn kn_14_texts_outlive_reload_to_letter() {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path());
    let packs = open(folder.path());
    let resolver = resolver();
    let mut session = Session::default();
    let guide = session.activate(&packs[0]).unwrap().text;
    let mut contexts = Vec::new();
    for question in ["What does the widget cost?", "How many seats has an account?"] {
        let task = Task::new(question, 1_000);
        let resolution = resolver.resolve(&packs, &task).unwrap();
        session.select(&packs, &task, &resolution);
        session.select(&packs, &task, &resolution);
        contexts.push(resolution.context);
    }
    let kept = serde_json::to_string(&session).unwrap();
    let again: Session = serde_json::from_str(&kept).unwrap();
    assert_eq!(again, session);
    assert_eq!(serde_json::to_string(&again).unwrap(), kept);
    let texts: Vec<_> = again.texts().collect();
    assert_eq!(texts, [guide.as_str(), &contexts[0], &contexts[1]]);
    // What was selected is kept, and no document.
    assert!(contexts[0].contains("40 euros") && !kept.contains("long story"));
    let source = &again.selections[0].sources[0];
    assert_eq!(
        (source.pack.as_str(), source.version.as_deref(), source.profile, source.runtime_mode),
        ("acme", Some("0.7.2"), Profile::WikiFirst, RuntimeMode::Data)
    );
    let prices = source.files.iter().find(|file| file.path == "compiled/prices.md").unwrap();
    assert_eq!(prices.digest, Digest::of_text(PRICES));
    assert_eq!(again.sources().count(), 3);
}

#[test]
fn kn_14_changed_file_is_reported_and_refreshed() {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path());
    let packs = open(folder.path());
    let resolver = resolver();
    let mut session = Session::default();
    session.activate(&packs[0]).unwrap();
    for question in ["What does the widget cost?", "How many seats has an account?"] {
        let task = Task::new(question, 1_000);
        let resolution = resolver.resolve(&packs, &task).unwrap();
        session.select(&packs, &task, &resolution);
    }
    assert_eq!(session.stale(&packs), []);
    let seats = session.selections[1].clone();

    write(
        folder.path(),
        "acme/compiled/prices.md",
        "# Prices\n\nThe widget costs 55 euros a month, and more.\n",
    );
    let stale = session.stale(&packs);
    assert_eq!(
        stale,
        [Stale {
            pack: "acme".to_owned(),
            path: "compiled/prices.md".to_owned(),
            change: Change::Changed
        }]
    );
    let mut asked = Vec::new();
    let done = session
        .refresh(&packs, |packs, task| {
            asked.push(task.text.clone());
            resolver.resolve(packs, task)
        })
        .unwrap();
    assert_eq!(asked, ["What does the widget cost?"]);
    assert_eq!((done.stale, done.texts.len(), done.dropped.len()), (stale, 1, 0));
    assert!(done.texts[0].contains("55 euros") && !done.texts[0].contains("40 euros"));
    assert_eq!(session.selections[0].text, done.texts[0]);
    assert_eq!(session.selections[1], seats);
    assert_eq!(session.stale(&packs), []);
    let nothing = session.refresh(&packs, |packs, task| resolver.resolve(packs, task)).unwrap();
    assert_eq!(nothing, Refreshed::default());
}

#[test]
fn kn_14_what_is_gone_is_dropped_and_failure_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path());
    let packs = open(folder.path());
    let resolver = resolver();
    let mut session = Session::default();
    session.activate(&packs[0]).unwrap();
    let task = Task::new("What does the widget cost?", 1_000);
    session.select(&packs, &task, &resolver.resolve(&packs, &task).unwrap());
    fs::remove_file(folder.path().join("acme/compiled/prices.md")).unwrap();
    assert_eq!(session.stale(&packs)[0].change, Change::Gone);
    let before = session.clone();
    assert_eq!(session.refresh(&packs, |_, _| Err("no")), Err("no"));
    assert_eq!(session, before);
    let done = session.refresh(&[], |packs, task| resolver.resolve(packs, task)).unwrap();
    assert!(done.stale.iter().all(|stale| stale.change == Change::PackGone));
    assert_eq!((done.dropped, session.clone()), (vec!["acme".to_owned()], Session::default()));
    let mut other = before;
    other.forget("acme");
    assert_eq!(other, Session::default());
}
