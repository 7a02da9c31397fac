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
    let resolver = Resolver::new(&O200K_BASE, None).with_embedding(embedding);
    let hits = resolver.search(&[project.open("acme")], &Task::new(task, 500), 5).unwrap();
    assert_eq!((hits.hits.len(), &*hits.warnings), (1, &[warning.to_owned()][..]));
    assert_eq!((&found.context, &found.sections), (&lexical.context, &lexical.sections));
}

fn with_cache(project: &Project, embedding: &Arc<Embedding>) -> Resolver {
    Resolver::new(&O200K_BASE, Some(project.cache())).with_embedding(Arc::clone(embedding))
}

/// An embedding of that id that counts the texts it is asked for.
fn counting(id: &str, asked: &Arc<AtomicUsize>) -> Arc<Embedding> {
    let counter = Arc::clone(asked);
    Arc::new(Embedding::new(id, move |texts: Vec<String>| {
        counter.fetch_add(texts.len(), Ordering::Relaxed);
        Ok(vectors(&texts))
    }))
}

#[test]
fn ma_7_vectors_are_kept_beside_index_by_text_and_model() {
    let project = project();
    let asked = Arc::new(AtomicUsize::new(0));
    let pack = [project.open("acme")];
    let task = Task::new("Do customers get their refund?", 500);
    let resolve = |id: &str| {
        let resolver = with_cache(&project, &counting(id, &asked));
        resolver.resolve(&pack, &task).unwrap();
        asked.swap(0, Ordering::Relaxed)
    };
    assert_eq!(resolve("one"), 4, "three sections and the task");
    assert_eq!(resolve("one"), 1, "another process asks for its task alone");
    assert_eq!(resolve("two"), 4, "another model has other vectors");
    project.write("acme", "compiled/facts.md", &TEXT.replace("89", "95"));
    assert_eq!(resolve("one"), 2, "the section that changed, and the task");
    for entry in std::fs::read_dir(project.cache()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "vectors") {
            std::fs::write(path, "damaged").unwrap();
        }
    }
    assert_eq!(resolve("one"), 4, "damaged files are made again");
}

#[test]
fn ma_7_index_makes_vectors_before_first_question() {
    let project = project();
    project.write("acme", "sources/interview.md", "# Interview\n\nThey want their money.\n");
    let asked = Arc::new(AtomicUsize::new(0));
    let pack = project.open("acme");
    let report = with_cache(&project, &counting("one", &asked)).index(&pack, false).unwrap();
    assert_eq!((asked.swap(0, Ordering::Relaxed), &*report.warnings), (4, &[][..]));
    let resolver = with_cache(&project, &counting("one", &asked));
    let task = Task { evidence: true, ..Task::new("Do they want their money?", 500) };
    let found = resolver.resolve(&[pack], &task).unwrap();
    assert_eq!(asked.load(Ordering::Relaxed), 1, "the task");
    assert!(found.context.contains("They want their money"), "{}", found.context);
}

#[test]
fn ma_7_large_numbers_of_a_vector_keep_its_direction() {
    let project = project();
    let large = |mut vectors: Vec<Vec<f32>>| {
        vectors.iter_mut().flatten().for_each(|number| *number *= 1e30);
        vectors
    };
    let embed = move |texts: Vec<String>| Ok(large(vectors(&texts)));
    let found = ask(&project, &Arc::new(Embedding::new("large", embed)), "A refund?");
    assert_eq!(found.sections[0].heading, "Facts > Returns", "{found:#?}");
}

#[test]
fn ma_7_vectors_that_cannot_be_compared_leave_words_alone() {
    let project = project();
    let task = "What price has the widget?";
    let lexical = project.ask(task, 500);
    for (wrong, reason) in [
        (
            vec![vec![1.0_f32, f32::NAN]; 4],
            "a vector is empty or holds a number that is not finite",
        ),
        (vec![vec![]; 4], "a vector is empty or holds a number that is not finite"),
        (vec![vec![1.0]], "expected 3 vectors, found 1"),
        (
            vec![vec![1.0], vec![1.0, 2.0], vec![1.0]],
            "expected vectors of 1 numbers, found one of 2",
        ),
    ] {
        let embedding = Arc::new(Embedding::new("odd", move |texts: Vec<String>| {
            Ok(wrong.iter().take(texts.len()).cloned().collect())
        }));
        let found = ask(&project, &embedding, task);
        assert_eq!(found.context, lexical.context);
        let warning = format!("the embedder `odd` failed: {reason}; sections");
        assert!(found.warnings.iter().any(|told| told.contains(&warning)), "{:?}", found.warnings);
    }
}
