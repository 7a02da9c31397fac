//! AS-29 and AS-30: events and their order.

use crate::support::{main_of, outcome, outcome_with};
use contexture_context::TraceKind;
use contexture_script::host::{Event, HostError, Phase};
use contexture_script::runtime::{RunOptions, ScriptedHost};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const SOURCE: &str = "
import file Notes from \"notes.md\"
import tool Grep from \"sh://grep\"
import memory Lessons from \"file://lessons.jsonl\"
use Notes as notes
agent Helper {
    main func(input { q string }) {
        Grep.run({ pattern: input.q })
    }
}
main agent Boss {
    main func(input) {
        total = 0
        repeat * 100 { total += 1 }
        for word in [\"a\", \"b\"] max 2 {
            Helper({ q: word })
        }
        Lessons.add({ text: \"x\" })
        answers = parallel for n in [1, 2] max 9 {
            use n as number
            generate({ input: \"x\" }) -> { t string }
        }
        try { [][0] } else err { err }
        loop until true max 2 { Grep.run({}) }
        answers.length
    }
}";

fn host() -> ScriptedHost {
    ScriptedHost::new()
        .with_answer(json!({ "t": "1" }))
        .with_answer(json!({ "t": "2" }))
        .with_tool("Grep.run", json!([]))
        .with_memory("Lessons.add", json!({ "id": "1" }))
        .with_file("notes.md", json!("notes"))
}

/// Prints the events as a tree: an indented line each, from the last report of every event.
pub(crate) fn tree(events: &[Event]) -> String {
    let mut last: BTreeMap<u64, &Event> = BTreeMap::new();
    for event in events {
        last.insert(event.id, event);
    }
    let mut text = String::new();
    for event in last.values() {
        let mut depth = 0;
        let mut above = event.parent;
        while let Some(id) = above {
            depth += 1;
            above = last.get(&id).and_then(|event| event.parent);
        }
        let kind = serde_json::to_value(event.kind).unwrap();
        let open = if event.phase == Phase::Begin { " (open)" } else { "" };
        text.push_str(&format!(
            "{:indent$}{} {}{open}\n",
            "",
            kind.as_str().unwrap(),
            event.data,
            indent = depth * 2
        ));
    }
    text
}

#[test]
fn as_29_events_are_children_of_their_cause() {
    let host = host();
    let outcome = outcome(SOURCE, json!({ "in": 1 }), &host);
    assert_eq!(outcome.result, Ok(json!(2)));
    insta::assert_snapshot!("as_29_tree", tree(&host.events()));
}

#[test]
fn as_29_every_begun_event_ends_and_ids_count_up() {
    let host = host();
    assert!(outcome(SOURCE, json!({}), &host).result.is_ok());
    let events = host.events();
    let mut open: BTreeMap<u64, &Event> = BTreeMap::new();
    let mut next = 1;
    for event in &events {
        match event.phase {
            Phase::Begin | Phase::Instant => {
                assert_eq!(event.id, next, "numbered as they happen");
                next += 1;
                if let Some(parent) = event.parent {
                    assert!(open.contains_key(&parent), "{event:?} below something that is over");
                }
                if event.phase == Phase::Begin {
                    open.insert(event.id, event);
                }
            }
            Phase::End => {
                let begun = open.remove(&event.id).unwrap();
                assert_eq!((begun.kind, begun.parent), (event.kind, event.parent));
                for (name, value) in begun.data.as_object().unwrap() {
                    assert_eq!(event.data.get(name), Some(value), "the end repeats the beginning");
                }
            }
        }
    }
    assert_eq!(open.len(), 0, "{open:?}");
    assert_eq!(events[0].kind, TraceKind::Run);
    assert_eq!(
        host.generate_calls()[0].event,
        events.iter().find(|event| event.kind == TraceKind::Generate).unwrap().id
    );
}

#[test]
fn as_29_plain_loop_leaves_no_events() {
    let host = ScriptedHost::new();
    let source = "func plain(n) { n + 1 } ".to_owned()
        + &main_of("n = 0 repeat * 1000 { n = plain(n) } for x in [1, 2] max 9 { n += x } n");
    assert_eq!(outcome(&source, json!({}), &host).result, Ok(json!(1003)));
    assert!(
        host.events()
            .iter()
            .all(|event| !matches!(event.kind, TraceKind::For | TraceKind::Iteration))
    );
}

#[test]
fn as_29_loop_that_can_reach_effect_through_call_has_events() {
    let source = "import tool T from \"sh://grep\"
        func deep(x) { T.run({}) } func mid(x) { deep(x) }
        main func(input) { [1].map(mid) for x in [1] max 1 { if false { mid(x) } } for x in [1] max 1 { [x].map(mid) } }";
    let host = ScriptedHost::new().with_tool("T.run", json!(1));
    assert!(outcome(source, json!({}), &host).result.is_ok());
    let loops = host
        .events()
        .iter()
        .filter(|event| event.kind == TraceKind::For && event.phase == Phase::Begin)
        .count();
    assert_eq!(loops, 2);
}

#[test]
fn as_29_failed_run_keeps_and_closes_trace() {
    let source =
        "import tool T from \"sh://grep\" func f(x) { for y in [1] max 1 { T.run({}) {}[\"x\"] } }
        main func(input) { repeat * 1 { f(0) } }";
    let host = ScriptedHost::new().with_tool("T.run", json!(1));
    assert_eq!(outcome(source, json!({}), &host).result.unwrap_err().code, "AS9004");
    insta::assert_snapshot!("as_29_failed", tree(&host.events()));
}

#[test]
fn as_29_return_and_try_close_events_they_leave() {
    let source = "import tool T from \"sh://grep\"
        func early(list) { for x in list max 9 { T.run({}) if x == 2 { return x } } }
        func fails(list) { for x in list max 9 { repeat * 1 { T.run({}) x.nope } } }
        main func(input) {
            a = early([1, 2, 3])
            b = try { fails([1]) } else err { err.code }
            T.run({ last: true })
            [a, b]
        }";
    let host = ScriptedHost::new().with_tool("T.run", json!(1));
    assert_eq!(outcome(source, json!({}), &host).result, Ok(json!([2, "AS9004"])));
    insta::assert_snapshot!("as_29_left_early", tree(&host.events()));
}

#[test]
fn as_29_failed_effect_is_recorded() {
    let host = ScriptedHost::new().with_result("T.run", Err(HostError::new("denied", "no")));
    let source = "import tool T from \"sh://grep\" main func(input) { T.run({ a: 1 }) }";
    assert!(outcome(source, json!({}), &host).result.is_err());
    let events = host.events();
    let tool = events.iter().rfind(|event| event.kind == TraceKind::Tool).unwrap();
    assert_eq!(tool.data["error"], json!({ "code": "denied", "message": "no" }));
    assert_eq!(tool.data["arguments"], json!({ "a": 1 }));
}

/// Returns the events without their ids.
fn shape(events: &[Event]) -> Vec<(TraceKind, Phase, Value)> {
    events.iter().map(|event| (event.kind, event.phase, event.data.clone())).collect()
}

#[test]
fn as_30_same_run_gives_same_trace() {
    let (first, second) = (host(), host());
    assert!(outcome(SOURCE, json!({}), &first).result.is_ok());
    assert!(outcome(SOURCE, json!({}), &second).result.is_ok());
    assert_eq!(first.events(), second.events());
}

#[test]
fn as_30_waiting_changes_only_order_of_iterations() {
    let (first, second) = (host(), host().with_waits(3));
    let options = RunOptions { concurrency: 1, ..RunOptions::default() };
    assert!(outcome_with(SOURCE, json!({}), &first, &options).result.is_ok());
    assert!(outcome_with(SOURCE, json!({}), &second, &options).result.is_ok());
    assert_eq!(shape(&first.events()), shape(&second.events()));
}
