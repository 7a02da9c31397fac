//! Sections found by meaning beside words (HO-2).

use super::{Project, READY};
use contexture_context::tokens::O200K_BASE;
use contexture_knowledge::resolve::{Embedding, Resolution, Resolver, Task};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const MEANINGS: [&[&str]; 3] =
    [&["refund", "money", "repaid"], &["price", "costs", "euros"], &["warranty", "years"]];

const TEXT: &str = "# Facts\n\n## Returns\n\nUnhappy buyers are repaid within a month.\n\n\
                    ## Price\n\nThe widget costs 89 euros.\n\n## Colours\n\nRed and blue.\n";

fn vectors(texts: &[String]) -> Vec<Vec<f32>> {
    let count = |text: &String, words: &[&str]| {
        let text = text.to_lowercase();
        words.iter().map(|word| f32::from(u8::from(text.contains(word)))).sum()
    };
    texts.iter().map(|text| MEANINGS.iter().map(|words| count(text, words)).collect()).collect()
}

fn ask(project: &Project, embedding: &Arc<Embedding>, text: &str) -> Resolution {
    let resolver = Resolver::new(&O200K_BASE, None).with_embedding(Arc::clone(embedding));
    resolver.resolve(&[project.open("acme")], &Task::new(text, 500)).unwrap()
}

fn project() -> Project {
    Project::with(READY, &[("compiled/facts.md", TEXT)])
}

#[test]
fn ho_2_embedder_finds_section_that_shares_no_word_with_query() {
    let project = project();
    let task = "Do customers get their refund?";
    assert_eq!(project.ask(task, 500).context, "");
    let embedding = Arc::new(Embedding::new("test", |texts: Vec<String>| Ok(vectors(&texts))));
    let found = ask(&project, &embedding, task);
    assert_eq!(found.sections.len(), 1, "{found:#?}");
    assert_eq!(found.sections[0].heading, "Facts > Returns");
    assert_eq!(found.sections[0].reason, "its meaning is close to that of the task");
    assert!(found.context.contains("repaid within a month"));
    assert!(found.missing.is_empty(), "{:?}", found.missing);
}

#[test]
fn ho_2_section_near_in_words_and_meaning_goes_first() {
    let project = project();
    let embedding = Arc::new(Embedding::new("test", |texts: Vec<String>| Ok(vectors(&texts))));
    let found = ask(&project, &embedding, "What price has the widget?");
    assert_eq!(found.sections[0].heading, "Facts > Price", "{found:#?}");
    // What has nothing to do with the task stays out.
    assert!(!found.context.contains("Red and blue"));
    let nothing = ask(&project, &embedding, "Who was the first chairman?");
    assert_eq!(nothing.context, "", "{nothing:#?}");
}

#[test]
fn ho_2_vectors_are_kept_for_process_by_text() {
    let project = project();
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let embedding = Arc::new(Embedding::new("test", move |texts: Vec<String>| {
        counter.fetch_add(texts.len(), Ordering::Relaxed);
        Ok(vectors(&texts))
    }));
    ask(&project, &embedding, "Do customers get their refund?");
    assert_eq!(asked.swap(0, Ordering::Relaxed), 4, "the task and three sections");
    ask(&project, &embedding, "Do customers get their refund?");
    assert_eq!(asked.swap(0, Ordering::Relaxed), 0);
    project.write("acme", "compiled/facts.md", &TEXT.replace("a month", "two months"));
    let found = ask(&project, &embedding, "Do customers get their refund?");
    assert_eq!(asked.load(Ordering::Relaxed), 1, "the section that changed");
    assert!(found.context.contains("two months"));
}

#[test]
fn ho_2_failing_embedder_leaves_what_words_find_with_warning() {
    let project = project();
    let task = "What price has the widget?";
    let lexical = project.ask(task, 500);
    let embedding = Arc::new(Embedding::new("test", |_| Err("no model".to_owned())));
    let found = ask(&project, &embedding, task);
    let warning =
        "`acme`: the embedder `test` failed: no model; sections were found by words alone";
    assert!(found.warnings.contains(&warning.to_owned()), "{:?}", found.warnings);
    assert!(found.uses[0].warnings.contains(&warning.to_owned()));
    assert_eq!((&found.context, &found.sections), (&lexical.context, &lexical.sections));
}
