//! The contract of [`RunStore`] (AS-29).

use crate::masker::Masker;
use crate::stamp::{FixedStamp, Ids};
use crate::store::runs::{RunError, RunId, RunStore, RunWriter, select};
use contexture_context::manifest::Blob;
use contexture_context::{Digest, TRACE_VERSION, TraceEvent, TraceKind};
use serde_json::{Value, json};
use std::sync::Arc;

/// A function that creates an empty store of runs.
pub type Make<'m> = dyn Fn(Ids) -> Arc<dyn RunStore> + 'm;

struct Backend {
    store: Arc<dyn RunStore>,
}

fn ids() -> Ids {
    Ids::new(Arc::new(FixedStamp::new(1_785_542_400_000_000, 1_000_000)))
}

fn made(make: &Make<'_>) -> Backend {
    Backend { store: make(ids()) }
}

impl Backend {
    fn begin(&self) -> Box<dyn RunWriter> {
        self.store.begin(Arc::default()).unwrap()
    }
}

/// Returns an event of a trace.
#[must_use]
pub fn event(id: u64, parent: Option<u64>, duration_us: Option<u64>, data: Value) -> TraceEvent {
    let kind = if id == 1 { TraceKind::Run } else { TraceKind::Tool };
    TraceEvent { v: TRACE_VERSION, id, parent, kind, start_us: 100 + id, duration_us, data }
}

/// Returns a text with its digest.
#[must_use]
pub fn blob(text: &str) -> Blob {
    Blob { digest: Digest::of_text(text), text: text.to_owned() }
}

pub fn as_29_lines_of_event_add_up(make: &Make<'_>) {
    let backend = &made(make);
    let run = backend.begin();
    run.append(&event(1, None, None, json!({"program": "a.as"}))).unwrap();
    run.append(&event(2, Some(1), None, json!({}))).unwrap();
    run.append(&event(3, Some(2), Some(5), json!({"x": 1}))).unwrap();
    run.append(&event(2, Some(1), Some(7), json!({"done": true}))).unwrap();
    // It is there before the run ends.
    let log = backend.store.load(run.id()).unwrap();
    assert_eq!(log.events.len(), 3);
    assert_eq!(log.events[1], event(2, Some(1), Some(7), json!({"done": true})));
    assert_eq!(log.events[0].data, json!({"program": "a.as"}));
    assert_eq!(log.root().unwrap().duration_us, None);
    assert!(log.notes.is_empty());
    run.append(&event(1, None, Some(9), json!({"value": 1}))).unwrap();
    let log = backend.store.load(run.id()).unwrap();
    assert_eq!(log.root().unwrap().data, json!({"program": "a.as", "value": 1}));
    assert_eq!(log.root().unwrap().duration_us, Some(9));
    assert_eq!(log.of_kind(TraceKind::Tool).count(), 2);
}

pub fn as_29_runs_are_listed_newest_first_and_summed_up(make: &Make<'_>) {
    let backend = &made(make);
    assert_eq!(backend.store.ids().unwrap(), []);
    let first = backend.begin();
    first.append(&event(1, None, None, json!({"program": "a.as"}))).unwrap();
    first.append(&event(2, Some(1), Some(1), json!({}))).unwrap();
    let second = backend.begin();
    second.append(&event(1, None, None, json!({"program": "b.as"}))).unwrap();
    second.append(&event(1, None, Some(50), json!({"value": 3}))).unwrap();
    assert_eq!(backend.store.ids().unwrap(), [second.id().clone(), first.id().clone()]);
    let killed = backend.store.summary(first.id()).unwrap();
    assert_eq!((killed.start_us, killed.duration_us), (Some(101), None));
    assert_eq!(killed.data, json!({"program": "a.as"}));
    let done = backend.store.summary(second.id()).unwrap();
    assert_eq!((done.duration_us, &done.data["value"]), (Some(50), &json!(3)));
    assert!(done.bytes > 0);
    let empty = backend.begin();
    assert_eq!(backend.store.summary(empty.id()).unwrap().start_us, None);
}

pub fn as_29_a_run_is_found_by_id_by_part_and_by_age(make: &Make<'_>) {
    let backend = &made(make);
    assert_eq!(select(&*backend.store, "latest"), Err(RunError::None));
    let ids: Vec<RunId> = (0..3).map(|_| backend.begin().id().clone()).collect();
    let found = |asked: &str| select(&*backend.store, asked);
    assert_eq!(found("latest").as_ref(), Ok(&ids[2]));
    assert_eq!(found("last~2").as_ref(), Ok(&ids[0]));
    assert_eq!(found(&ids[1].as_str().to_uppercase()).as_ref(), Ok(&ids[1]));
    let (beginning, end) = ids[1].as_str().split_at(20);
    assert_eq!(found(beginning).as_ref(), Ok(&ids[1]));
    assert_eq!(found(end).as_ref(), Ok(&ids[1]));
    let Err(RunError::Ambiguous { candidates, .. }) = found("01") else { panic!() };
    assert_eq!(candidates, [ids[2].clone(), ids[1].clone(), ids[0].clone()]);
    let mut typo = ids[0].as_str().to_owned();
    typo.replace_range(3..4, "z");
    let unknown = found(&typo).unwrap_err();
    assert_eq!(unknown.code(), "run_unknown");
    assert_eq!(unknown.help(), format!("did you mean `{}`?", ids[0]));
    for asked in ["", "nope", "latest~3", "latest~x", "../../etc/passwd", "latest1"] {
        assert_eq!(found(asked).unwrap_err().code(), "run_unknown", "{asked}");
    }
    let missing = RunId::parse("nope").unwrap();
    assert_eq!(backend.store.load(&missing).unwrap_err().code(), "run_unknown");
    assert_eq!(backend.store.summary(&missing).unwrap_err().code(), "run_unknown");
}

pub fn as_29_texts_are_kept_by_digest(make: &Make<'_>) {
    let backend = &made(make);
    let run = backend.begin();
    let large = "large 中 ".repeat(2000);
    let odd = "\u{0}\u{2028}\"\\\n";
    run.keep(&[blob("small"), blob(&large), blob("small"), blob(""), blob(odd)]).unwrap();
    run.keep(&[blob("small"), blob("later")]).unwrap();
    for text in ["small", &large, "", odd, "later"] {
        let digest = Digest::of_text(text);
        assert_eq!(backend.store.text(run.id(), &digest).unwrap().as_deref(), Some(text));
    }
    assert_eq!(backend.store.text(run.id(), &Digest::of_text("other")).unwrap(), None);
    run.keep(&[blob("even later")]).unwrap();
    assert!(backend.store.text(run.id(), &Digest::of_text("even later")).unwrap().is_some());
}

pub fn as_29_secrets_are_masked_in_events_and_texts(make: &Make<'_>) {
    let backend = &made(make);
    let masker = Arc::new(Masker::new(["sk-12345678".to_owned()]));
    let run = backend.store.begin(Arc::clone(&masker)).unwrap();
    masker.add(["learnt-later".to_owned()]);
    run.append(&event(
        1,
        None,
        None,
        json!({"a": ["x sk-12345678"], "b": "{\"k\":\"sk-\\u00312345678\"}"}),
    ))
    .unwrap();
    let large = format!("{} learnt-later", "x".repeat(5000));
    run.keep(&[blob("key sk-12345678"), blob(&large)]).unwrap();
    let log = backend.store.load(run.id()).unwrap();
    assert_eq!(log.events[0].data, json!({"a": ["x •••"], "b": "{\"k\":\"•••\"}"}));
    let text = |text: &str| backend.store.text(run.id(), &Digest::of_text(text)).unwrap().unwrap();
    assert_eq!(text("key sk-12345678"), "key •••");
    assert!(text(&large).ends_with(" •••"));
}

pub fn as_29_events_form_tree(make: &Make<'_>) {
    let backend = &made(make);
    let run = backend.begin();
    for (id, parent) in [
        (1, None),
        (2, Some(1)),
        (4, Some(2)),
        (3, Some(2)),
        (5, Some(1)),
        (6, Some(99)),
        (7, Some(7)),
        (8, Some(9)),
        (9, Some(8)),
    ] {
        run.append(&event(id, parent, Some(0), json!({}))).unwrap();
    }
    let log = backend.store.load(run.id()).unwrap();
    let lines: Vec<_> =
        log.tree().lines().into_iter().map(|(depth, event)| (depth, event.id)).collect();
    assert_eq!(lines, [(0, 1), (1, 2), (2, 4), (2, 3), (1, 5), (0, 6), (0, 7), (0, 8), (1, 9)]);
    assert_eq!(log.tree().top().len(), 4);
}

pub fn as_29_trace_of_any_depth_is_tree(make: &Make<'_>) {
    let backend = &made(make);
    let run = backend.begin();
    for id in 1..=5000 {
        run.append(&event(id, id.checked_sub(1).filter(|id| *id > 0), Some(0), json!({}))).unwrap();
    }
    let log = backend.store.load(run.id()).unwrap();
    assert_eq!(log.tree().lines().last().unwrap().0, 4999);
}

pub fn as_29_export_contains_all_stored_texts_of_run(make: &Make<'_>) {
    let backend = &made(make);
    let run = backend.begin();
    run.keep(&[blob("one"), blob("two")]).unwrap();
    let digest = |text: &str| Digest::of_text(text).to_string();
    let data = json!({"a": [digest("two"), {"b": digest("one")}], "c": digest("gone"), "d": digest("two")});
    run.append(&event(1, None, Some(3), data.clone())).unwrap();
    let log = backend.store.load(run.id()).unwrap();
    let export = log.export(|digest| backend.store.text(run.id(), digest).unwrap());
    assert_eq!(export["version"], 1);
    assert_eq!(export["run"], run.id().as_str());
    assert_eq!(export["events"][0]["data"], data);
    assert_eq!(export["texts"], json!({digest("two"): "two", digest("one"): "one"}));
}

pub fn as_29_concurrent_runs_do_not_mix(make: &Make<'_>) {
    let backend = &made(make);
    let runs: Vec<_> = (0..4).map(|_| backend.begin()).collect();
    let shared = "shared text ".repeat(1000);
    std::thread::scope(|scope| {
        for (number, run) in runs.iter().enumerate() {
            for part in 0..2 {
                let shared = &shared;
                scope.spawn(move || {
                    for id in 0..50 {
                        let id = 1 + part * 50 + id;
                        run.append(&event(id, None, Some(0), json!({"run": number}))).unwrap();
                        run.keep(&[blob(&format!("{number} {id}")), blob(shared)]).unwrap();
                    }
                });
            }
        }
    });
    for (number, run) in runs.iter().enumerate() {
        let log = backend.store.load(run.id()).unwrap();
        assert_eq!((log.events.len(), log.notes.len()), (100, 0));
        assert!(log.events.iter().all(|event| event.data["run"] == number));
        let own = Digest::of_text(&format!("{number} 100"));
        assert!(backend.store.text(run.id(), &own).unwrap().is_some());
        assert!(backend.store.text(run.id(), &Digest::of_text(&shared)).unwrap().is_some());
    }
}

pub fn in_2_list_and_head_are_read_without_other_events(make: &Make<'_>) {
    let backend = &made(make);
    let call = |id, number: u64| TraceEvent {
        kind: TraceKind::Generate,
        ..event(
            id,
            Some(1),
            Some(4),
            json!({
                "manifest": {"version": 2, "call": number},
                "usage": {"prompt_tokens": 40 + number, "completion_tokens": number},
                "attempts": [{"finish_reason": "length"}],
            }),
        )
    };
    let run = backend.begin();
    run.append_all(&[event(1, None, None, json!({"program": "a.as"})), call(2, 1)]).unwrap();
    run.append_all(&[event(3, Some(1), Some(1), json!({"say": "a \"b\""})), call(4, 2)]).unwrap();
    run.append(&event(1, None, Some(9), json!({"outcome": "failed", "error": {"code": "X"}})))
        .unwrap();
    let other = backend.begin();
    other.append(&event(1, None, None, json!({"program": "b.as"}))).unwrap();
    let list = backend.store.list(&|entry| entry.program == "a.as", 9).unwrap();
    let [entry] = &*list.entries else { panic!("{list:?}") };
    assert_eq!((list.all, list.more, entry.run.as_str()), (2, false, run.id().as_str()));
    assert_eq!((entry.calls, entry.input, entry.output), (2, 83, 3), "without sums at its end");
    assert_eq!((entry.finish.as_deref(), entry.code.as_deref()), (Some("length"), Some("X")));
    assert!(entry.is_failed() && backend.store.list(&|_| true, 1).unwrap().more);
    let head = backend.store.head(run.id(), 2..=2).unwrap();
    let kept: Vec<u64> = head.log.events.iter().map(|event| event.id).collect();
    assert_eq!((kept, head.calls), (vec![1, 4], 2));
    assert_eq!(head.log.root().unwrap().duration_us, Some(9));
    assert!(backend.store.head(run.id(), 3..=9).unwrap().log.events.len() == 1);
    assert!(backend.store.mentions(run.id(), "a \"b").unwrap());
    assert!(!backend.store.mentions(run.id(), "nowhere").unwrap());
    let missing = RunId::parse("nope").unwrap();
    assert_eq!(backend.store.head(&missing, 1..=1).unwrap_err().code(), "run_unknown");
}

pub fn in_4_written_lines_are_read_by_parts(make: &Make<'_>) {
    let backend = &made(make);
    let run = backend.begin();
    run.append(&event(1, None, None, json!({"program": "a.as"}))).unwrap();
    let first = backend.store.written(run.id(), 0, 9_999).unwrap();
    run.append(&event(2, Some(1), Some(4), json!({}))).unwrap();
    let second = backend.store.written(run.id(), first.len() as u64, 9_999).unwrap();
    let read: TraceEvent = serde_json::from_slice(&second).unwrap();
    assert_eq!(read, event(2, Some(1), Some(4), json!({})));
    assert!(second.ends_with(b"\n"));
    assert_eq!(backend.store.written(run.id(), 3, 5).unwrap(), first[3..8]);
    let end = (first.len() + second.len()) as u64;
    assert!(backend.store.written(run.id(), end, 5).unwrap().is_empty());
    assert!(backend.store.written(run.id(), u64::MAX >> 1, 5).unwrap().is_empty());
    let missing = RunId::parse("nope").unwrap();
    assert_eq!(backend.store.written(&missing, 0, 5).unwrap_err().code(), "run_unknown");
}
