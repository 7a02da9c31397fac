//! Versions, merges, the change log, pages (CP-11, CP-12).

use super::*;

fn numbered(n: u64) -> Operation {
    message(&format!("m{n}"))
}

pub fn cp_11_each_update_raises_version_by_one(make: &Make<'_>) {
    each(make, options, |twin| {
        let versions: Vec<u64> =
            (0..5).map(|n| twin.do_it(vec![set("n", json!(n)), numbered(n)]).version).collect();
        assert_eq!(versions, [1, 2, 3, 4, 5]);
        let nothing = twin.store.apply(update(vec![])).unwrap();
        assert_eq!((nothing.version, nothing.changes.len()), (5, 0));
    });
}

pub fn cp_11_a_stale_update_is_merged_when_paths_do_not_overlap(make: &Make<'_>) {
    each(make, options, |twin| {
        twin.do_it(vec![set("a.x", json!(1)), set("list", json!([1, 2]))]);
        twin.do_it(vec![set("a.x", json!(2)), message("m1")]);
        let operations = vec![set("a.y", json!(3)), set("b", json!(4)), message("m2")];
        let merged = twin.store.apply(based(1, operations)).unwrap();
        assert_eq!((merged.version, merged.merged), (3, true));
        let fresh = twin.store.apply(based(3, vec![set("a", json!({"x": 9}))])).unwrap();
        assert!(!fresh.merged);
        assert_eq!(twin.state(), json!({"a": {"x": 9}, "list": [1, 2], "b": 4}));
    });
}

pub fn cp_11_stale_update_of_same_place_is_refused_with_changes(make: &Make<'_>) {
    each(make, options, |twin| {
        twin.do_it(vec![set("a.x", json!(1)), set("list", json!([1, 2, 3])), set("c", json!(1))]);
        twin.do_it(vec![set("c", json!(2))]);
        let mut change = update(vec![set("a.x", json!(2)), set("list.2", json!(0))]);
        change.cause = Some("msg_7".to_owned());
        twin.store.apply(change).unwrap();
        for stale in [
            set("a.x", json!(5)),
            set("a", json!({})),
            set("a.x.deep", json!(1)),
            remove("a"),
            remove("list.0"),
            remove("list.2"),
            set("list.2", json!(7)),
        ] {
            let error = twin.refused(based(2, vec![set("new", json!(1)), stale.clone()]));
            let ContextError::VersionConflict { base, current, conflicting } = error else {
                panic!("{stale:?}: {error}");
            };
            assert_eq!((base, current, conflicting.len()), (2, 3, 1), "{stale:?}");
            assert_eq!(conflicting[0].cause.as_deref(), Some("msg_7"));
        }
        for merged in [set("list.1", json!(7)), set("c", json!(3)), set("list.3", json!(1))] {
            assert!(twin.store.apply(based(2, vec![merged])).unwrap().merged);
        }
        assert_eq!(twin.state()["list"], json!([1, 7, 0, 1]));
    });
}

pub fn cp_11_removed_element_moves_list(make: &Make<'_>) {
    each(make, options, |twin| {
        twin.do_it(vec![set("list", json!([1, 2, 3])), set("map", json!({"a": 1, "b": 2}))]);
        twin.do_it(vec![remove("list.0"), remove("map.a")]);
        let error = twin.refused(based(1, vec![set("list.2", json!(9))]));
        assert_eq!(error.code(), "version_conflict");
        assert!(twin.store.apply(based(1, vec![set("map.b", json!(3))])).unwrap().merged);
    });
}

pub fn cp_11_clearing_conflicts_with_messages_that_were_not_seen(make: &Make<'_>) {
    each(make, options, |twin| {
        twin.do_it(vec![timed("m1", "2025-01-01T00:00:00Z")]);
        twin.do_it(vec![timed("m2", "2025-01-03T00:00:00Z"), message("m3")]);
        let error = twin.refused(based(1, vec![clear(None)]));
        let ContextError::VersionConflict { conflicting, .. } = error else { panic!("{error}") };
        assert_eq!(conflicting.len(), 2);
        let error = twin.refused(based(1, vec![clear(Some("2025-01-04T00:00:00Z"))]));
        let ContextError::VersionConflict { conflicting, .. } = error else { panic!("{error}") };
        assert_eq!(conflicting.len(), 1);
        let before = Some("2025-01-03T00:00:00Z");
        assert!(twin.store.apply(based(1, vec![clear(before)])).unwrap().merged);
        assert!(twin.store.apply(based(2, vec![clear(before)])).unwrap().merged, "two clearings");
        assert!(twin.store.apply(based(2, vec![message("m4")])).unwrap().merged);
        assert_eq!(twin.ids(), ["m2", "m3", "m4"]);
    });
}

pub fn cp_11_a_version_that_never_was_or_is_gone_is_told(make: &Make<'_>) {
    each(make, options, |twin| {
        for n in 0..3 {
            twin.do_it(vec![set("n", json!(n))]);
        }
        let error = twin.refused(based(4, vec![message("m")]));
        assert_eq!(error, ContextError::Ahead { asked: 4, current: 3 });
        assert_eq!(
            twin.store.changes(ANN, 4, 1).unwrap_err(),
            ContextError::Ahead { asked: 4, current: 3 }
        );
        twin.store.compact(ANN, 2).unwrap();
        let error = twin.refused(based(1, vec![set("other", json!(1))]));
        assert_eq!(error, ContextError::Compacted { asked: 1, oldest: 2, current: 3 });
        assert!(twin.store.apply(based(1, vec![message("m")])).unwrap().merged);
    });
}

pub fn cp_11_log_reports_changes_since_version(make: &Make<'_>) {
    each(make, options, |twin| {
        twin.do_it(vec![message("m1"), set("a", json!(1))]);
        let mut second = update(vec![remove("a"), message("m2"), clear(None)]);
        second.cause = Some("msg_9".to_owned());
        twin.store.apply(second).unwrap();
        twin.do_it(vec![message("m3")]);
        let log = json!([
            {"version": 1, "op": "ADD_MESSAGE", "seq": 1, "message": "m1"},
            {"version": 1, "op": "UPDATE_STATE", "path": "a", "value": 1},
            {"version": 2, "op": "REMOVE_STATE", "path": "a", "cause": "msg_9"},
            {"version": 2, "op": "ADD_MESSAGE", "seq": 2, "message": "m2", "cause": "msg_9"},
            {"version": 2, "op": "CLEAR_HISTORY", "cleared": 2, "cause": "msg_9"},
            {"version": 3, "op": "ADD_MESSAGE", "seq": 3, "message": "m3"},
        ]);
        assert_eq!(twin.log(0), log);
        assert_eq!(twin.log(2), json!([log[5].clone()]));
        assert_eq!(twin.log(3), json!([]));
    });
}

pub fn cp_11_reported_changes_of_update_equal_log(make: &Make<'_>) {
    each(make, options, |twin| {
        let mut told = Vec::new();
        for n in 0..4 {
            told.extend(twin.do_it(vec![numbered(n), set("n", json!(n)), clear(None)]).changes);
        }
        assert_eq!(twin.store.changes(ANN, 0, 100).unwrap().changes, told);
    });
}

pub fn cp_11_pages_of_log_end_with_version(make: &Make<'_>) {
    each(make, options, |twin| {
        for n in 1..=4 {
            twin.do_it((0..n).map(|m| numbered(10 * n + m)).chain([set("n", json!(n))]).collect());
        }
        let sizes = |limit| {
            let (mut since, mut sizes) = (0, Vec::new());
            loop {
                let page = twin.store.changes(ANN, since, limit).unwrap();
                assert_eq!(page.version, 4);
                sizes.push(page.changes.len());
                match page.next {
                    Some(next) => since = next,
                    None => return sizes,
                }
            }
        };
        assert_eq!(sizes(1), [2, 3, 4, 5]);
        assert_eq!(sizes(5), [5, 4, 5]);
        assert_eq!(sizes(13), [9, 5]);
        assert_eq!(sizes(14), [14]);
    });
}

pub fn cp_11_times_never_go_back(make: &Make<'_>) {
    let clock = Arc::new(HandClock::default());
    clock.now.store(START, Ordering::Relaxed);
    let options = || {
        clock.now.store(START, Ordering::Relaxed);
        let stamp: Arc<dyn Stamp> = Arc::clone(&clock) as _;
        Setup { ids: Arc::new(Ids::new(stamp)), ..options() }
    };
    each(make, options, |twin| {
        twin.do_it(vec![message("m1")]);
        clock.now.store(START - 60_000_000, Ordering::Relaxed);
        let applied = twin.do_it(vec![message("m2")]);
        assert_eq!((applied.version, applied.time_us), (2, START));
        assert_eq!(twin.store.head(ANN).unwrap().last_update_us, START);
        clock.now.store(START + 1, Ordering::Relaxed);
        assert_eq!(twin.do_it(vec![message("m3")]).time_us, START + 1);
    });
}

pub fn cp_12_messages_come_in_pages(make: &Make<'_>) {
    each(make, options, |twin| {
        for n in 0..5 {
            twin.do_it(vec![message(&format!("m{n}"))]);
        }
        let page = twin.store.messages(ANN, 0, 2).unwrap();
        assert_eq!((page.messages.len(), page.next), (2, Some(2)));
        let page = twin.store.messages(ANN, 2, 3).unwrap();
        assert_eq!((page.messages[0].seq, page.messages.len(), page.next), (3, 3, None));
        let page = twin.store.messages(ANN, 5, 3).unwrap();
        assert_eq!((page.messages.len(), page.next), (0, None));
        assert_eq!(twin.store.messages(ANN, u64::MAX, 3).unwrap().messages.len(), 0);
        let last: Vec<u64> =
            twin.store.last(ANN, 2).unwrap().iter().map(|message| message.seq).collect();
        assert_eq!(last, [4, 5]);
        let page = |before: u64, limit: usize| {
            let page = twin.store.before(ANN, before, limit).unwrap();
            let seqs: Vec<u64> = page.messages.iter().map(|message| message.seq).collect();
            (seqs, page.next)
        };
        assert_eq!(page(u64::MAX, 2), (vec![4, 5], Some(4)));
        assert_eq!(page(4, 2), (vec![2, 3], Some(2)));
        assert_eq!(page(2, 2), (vec![1], None));
        assert_eq!(page(4, 3), (vec![1, 2, 3], None));
        assert_eq!((page(1, 2), page(0, 2)), ((vec![], None), (vec![], None)));
    });
}

pub fn cp_9_contexts_are_listed_in_pages(make: &Make<'_>) {
    each(make, options, |twin| {
        for n in 0..5 {
            let owner = if n == 3 { "bob" } else { "ann" };
            let update = Update::new(owner, &format!("ctx_{n}"), vec![message("m")]);
            twin.store.apply(update).unwrap();
        }
        let ids = |heads: &crate::store::contexts::Heads| -> Vec<String> {
            heads.contexts.iter().map(|head| head.context_id.clone()).collect()
        };
        let first = twin.store.list("ann", None, 3).unwrap();
        assert_eq!(ids(&first), ["ctx_0", "ctx_1", "ctx_2"]);
        let second = twin.store.list("ann", first.next.as_deref(), 3).unwrap();
        assert_eq!((ids(&second), second.next), (vec!["ctx_4".to_owned()], None));
        assert_eq!(twin.store.owners().unwrap(), ["ann", "bob"]);
        assert!(matches!(twin.store.list("ann", Some("x"), 3), Err(ContextError::Invalid { .. })));
    });
}
