//! Sections in the order of a reranker (MA-7).

use super::{Project, READY};
use contexture_context::tokens::O200K_BASE;
use contexture_knowledge::resolve::{Reranking, Resolution, Resolver, Task};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

const TASK: &str = "Which price has the widget?";

const TEXT: &str = "# Facts\n\n## Price list\n\nThe price of a widget stands on its box.\n\n\
                    ## Sale\n\nIn spring the widget had a price of 89 euros.\n\n\
                    ## Colours\n\nRed and blue.\n";

fn project() -> Project {
    Project::with(READY, &[("compiled/facts.md", TEXT)])
}

fn ask(project: &Project, reranking: &Arc<Reranking>, task: &str) -> Resolution {
    let resolver = Resolver::new(&O200K_BASE, None).with_reranking(Arc::clone(reranking));
    resolver.resolve(&[project.open("acme")], &Task::new(task, 500)).unwrap()
}

fn headings(found: &Resolution) -> Vec<&str> {
    found.sections.iter().map(|section| section.heading.as_str()).collect()
}

#[test]
fn ma_7_reranker_orders_what_was_found_and_adds_nothing() {
    let project = project();
    let lexical = project.ask(TASK, 500);
    let [first, second] = headings(&lexical).try_into().unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let asked = Arc::clone(&seen);
    // The last one first.
    let reranking = Arc::new(Reranking::new("test", move |task: &str, texts: Vec<String>| {
        let relevance = (0..texts.len()).map(|place| place as f32).collect();
        asked.lock().unwrap().push((task.to_owned(), texts));
        Ok(relevance)
    }));
    let found = ask(&project, &reranking, TASK);
    assert_eq!(headings(&found), [second, first]);
    assert_eq!(found.warnings, Vec::<String>::new());
    let (task, texts) = seen.lock().unwrap().pop().unwrap();
    assert_eq!((task.as_str(), texts.len()), (TASK, 2));
    assert!(texts[0].starts_with(&format!("{first}\n")), "{texts:?}");
    // Nothing was found, or one section: there is no order.
    assert_eq!(ask(&project, &reranking, "Who was the first chairman?").context, "");
    assert_eq!(headings(&ask(&project, &reranking, "Which colours?")), ["Facts > Colours"]);
    assert_eq!(seen.lock().unwrap().len(), 0);
}

#[test]
fn ma_7_failing_reranker_leaves_order_with_warning_and_is_left_alone() {
    let project = project();
    let lexical = project.ask(TASK, 500);
    for (answer, reason) in [
        (Err("no model".to_owned()), "no model"),
        (Ok(vec![1.0]), "expected 2 numbers, found 1"),
        (Ok(vec![1.0, f32::NAN]), "a relevance is not a finite number"),
    ] {
        let calls = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&calls);
        let reranking = Arc::new(Reranking::new("test", move |_: &str, _| {
            counter.fetch_add(1, Ordering::Relaxed);
            answer.clone()
        }));
        let warning = format!(
            "`acme`: the reranker `test` failed: {reason}; sections keep the order of the search"
        );
        for _ in 0..2 {
            let found = ask(&project, &reranking, TASK);
            assert!(found.warnings.contains(&warning), "{:?}", found.warnings);
            assert_eq!((&found.context, &found.sections), (&lexical.context, &lexical.sections));
        }
        assert_eq!(calls.load(Ordering::Relaxed), 1, "a failure is not repeated at once");
    }
}
