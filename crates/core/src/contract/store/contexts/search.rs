//! The search for contexts (WA-7).

use super::*;

fn text(id: &str, text: &str) -> Operation {
    written(json!({"messageId": id, "type": "USER_INPUT", "content": {"text": text}}))
}

fn titled(title: &str) -> Operation {
    let patch = json!({ "title": title }).as_object().unwrap().clone();
    Operation::UpdateMetadata { patch }
}

fn keep(twin: &Twin, owner: &str, context: &str, operations: Vec<Operation>) {
    twin.store.apply(Update::new(owner, context, operations)).unwrap();
}

/// Returns the ids of all contexts that hold a text, read in pages of `limit`, and the number of pages.
fn found(twin: &Twin, wanted: &str, limit: usize) -> (Vec<String>, usize) {
    let (mut ids, mut after, mut pages) = (Vec::new(), None, 0);
    loop {
        let page = twin.store.search("ann", wanted, after.as_deref(), limit).unwrap();
        assert!(page.contexts.len() <= limit);
        ids.extend(page.contexts.into_iter().map(|head| head.context_id));
        pages += 1;
        match page.next {
            Some(next) => after = Some(next),
            None => return (ids, pages),
        }
    }
}

pub fn wa_7_search_finds_titles_topics_and_texts(make: &Make<'_>) {
    each(make, options, |twin| {
        keep(twin, "ann", "title", vec![titled("Das WETTER morgen"), message("m1")]);
        keep(twin, "ann", "topic", vec![set("currentTopic", json!("Wetterbericht"))]);
        keep(twin, "ann", "text", vec![text("m1", "nichts"), text("m2", "wie ist das wetter?")]);
        keep(twin, "ann", "state", vec![set("other", json!("wetter")), message("wetter")]);
        keep(twin, "ann", "cleared", vec![text("m1", "wetter"), clear(None)]);
        let tool = json!({"messageId": "m1", "type": "X", "content": ["wetter"], "text": "wetter"});
        keep(twin, "ann", "none", vec![written(tool)]);
        keep(twin, "bob", "other", vec![text("m1", "wetter")]);
        let expected = ["title", "topic", "text", "state"].map(str::to_owned).to_vec();
        assert_eq!(found(twin, "Wetter", 10).0, expected);
        assert_eq!(found(twin, "wetter", 1).0, expected);
        assert_eq!(found(twin, "wetter?", 10).0, ["text"]);
        assert_eq!(twin.store.search("bob", "wetter", None, 9).unwrap().contexts.len(), 1);
        let page = twin.store.search("ann", "wetter", None, 10).unwrap();
        assert_eq!(page.contexts[0].title(), Some("Das WETTER morgen"));
    });
}

pub fn wa_7_search_takes_text_of_any_script_to_the_letter(make: &Make<'_>) {
    each(make, options, |twin| {
        let escaped =
            "{\"messageId\":\"m\",\"type\":\"A\",\"content\":{\"text\":\"\\u5317\\u4eac\"}}";
        let escaped = NewMessage::parse(escaped).unwrap();
        keep(twin, "ann", "a", vec![text("m1", "北京今天天气怎么样?")]);
        keep(twin, "ann", "b", vec![Operation::AddMessage(escaped)]);
        keep(twin, "ann", "c", vec![text("m1", "100% of \"it\" isn't a_b \\ c\0d")]);
        keep(twin, "ann", "d", vec![text("m1", "100 of it; aXb"), titled("ÉCOLE")]);
        assert_eq!(found(twin, "北京", 10).0, ["a", "b"]);
        assert_eq!(found(twin, "天气怎", 10).0, ["a"]);
        for wanted in ["0%", "a_b", "\"it\"", "isn't", "\\", "\0d", "\" isn't a"] {
            assert_eq!(found(twin, wanted, 10).0, ["c"], "{wanted}");
        }
        assert_eq!(found(twin, "%", 10).0, ["c"]);
        assert_eq!(found(twin, "école", 10).0, ["d"]);
        for wanted in ["' or 1=1 --", "*", "\",\"", "messageId"] {
            assert!(found(twin, wanted, 10).0.is_empty(), "{wanted}");
        }
    });
}

pub fn wa_7_search_in_long_contexts_goes_on_where_page_ended(make: &Make<'_>) {
    let limits = Limits { page: 3, ..Limits::default() };
    each(
        make,
        || Setup { limits, ..options() },
        |twin| {
            let many = |from: u64, to: u64| (from..to).map(|n| message(&format!("m{n}"))).collect();
            for context in ["one", "two"] {
                keep(twin, "ann", context, many(0, 150));
                keep(twin, "ann", context, vec![text("found", "the needle"), titled("a")]);
                keep(twin, "ann", context, many(150, 180));
            }
            let (ids, pages) = found(twin, "needle", 3);
            assert_eq!(ids, ["one", "two"]);
            assert!(pages > 3, "{pages}");
            assert_eq!(found(twin, "m179", 1).0, ["one", "two"]);
            // A context that is gone is passed over.
            let first = twin.store.search("ann", "needle", None, 3).unwrap();
            assert!(first.contexts.is_empty());
            twin.store.delete(Key { owner: "ann", context: "one" }).unwrap();
            let mut next = first.next;
            let mut last = Vec::new();
            while let Some(after) = next {
                let page = twin.store.search("ann", "needle", Some(&after), 3).unwrap();
                last.extend(page.contexts);
                next = page.next;
            }
            assert_eq!(last.len(), 1);
        },
    );
}

pub fn wa_7_search_for_nothing_or_with_wrong_place_is_refused(make: &Make<'_>) {
    each(make, options, |twin| {
        keep(twin, "ann", "a", vec![text("m1", "x")]);
        let search = |text: &str, after| twin.store.search("ann", text, after, 5).unwrap_err();
        for wanted in ["", "  ", "\n", &"x".repeat(201), &"北".repeat(201)] {
            let error = search(wanted, None);
            assert!(error.to_string().starts_with("search: expected a text"), "{error}");
        }
        assert!(twin.store.search("ann", &"北".repeat(200), None, 5).is_ok());
        for after in ["x", "-1", "1.", ".1", "1.x", "0.1", "1.2.3", "99999999999999999999"] {
            let error = search("x", Some(after));
            assert!(error.to_string().starts_with("after: expected the `next`"), "{error}");
        }
        assert!(matches!(
            twin.store.search("ann", "x", None, 0),
            Err(ContextError::Invalid { .. })
        ));
    });
}

pub fn wa_7_search_finds_sealed_texts(make: &Make<'_>) {
    each(
        make,
        || sealed::sealed(7),
        |twin| {
            keep(twin, "ann", "a", vec![text("m1", "ganz geheim")]);
            assert_eq!(found(twin, "geheim", 5).0, ["a"]);
        },
    );
}
