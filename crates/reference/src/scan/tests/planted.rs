use crate::scan::scan;
use proptest::prelude::*;

/// Prose without references, in pieces that may stand before one: it ends with no ASCII letter or
/// digit, no backslash and no backtick.
fn prose() -> impl Strategy<Value = String> {
    let words = prop_oneof![
        "[a-z]{1,8} ",
        "[一-龥]{1,6}",
        "[ぁ-んァ-ヶ가-힣]{1,4}",
        Just("，".to_owned()),
        Just("。”".to_owned()),
        Just(" (".to_owned()),
        Just(" @ann: ".to_owned()),
        Just("me@example.org ".to_owned()),
        Just(" @media screen ".to_owned()),
        Just("`@file://code.md` ".to_owned()),
        Just("``@file://x ` y`` ".to_owned()),
        Just(r"\@file://none ".to_owned()),
        Just("\n\n```\n@file://fenced.md\n```\n".to_owned()),
        Just("\n\n> ~~~~\n> @file://fenced.md\n> ~~~\n\n".to_owned()),
        Just("\n\n1. x\n   ```\n   `@file://fenced.md`\n   ```\n\n".to_owned()),
        Just("\n".to_owned()),
    ];
    prop::collection::vec(words, 0..6).prop_map(|words| words.concat())
}

fn reference() -> impl Strategy<Value = String> {
    (
        "@[!?]?([a-z]{1,5}:@?[!?]?){0,2}",
        "file|https|memory|My-own_2",
        r"[a-zA-Z0-9_/*文档~-]{1,8}(\.[a-z0-9]{1,3}|\([0-9]\)|\{[a-z]{1,2},[a-z]\}){0,2}[a-z/*]",
        r"(\?line=[0-9]{1,3}-)?",
    )
        .prop_map(|(levels, protocol, path, query)| {
            // A prefix needs its sign.
            let levels = levels.replace(":!", ":@!").replace(":?", ":@?");
            format!("{levels}{protocol}://{path}{query}")
        })
}

fn end() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        " ", "\n", "，", "。", "》", "\" ", "’ ", ". ", ", ", "; ", "?\n", "!然后", ".然后", ") ",
        ")。", "\u{3000}", "\r\n", "...\n", "; 而",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn ref_6_exactly_what_was_planted_is_found(
        parts in prop::collection::vec((prose(), reference(), end()), 0..8),
        last in prose(),
    ) {
        let mut text = String::new();
        let mut planted = Vec::new();
        for (prose, reference, end) in &parts {
            text.push_str(prose);
            planted.push((text.len(), reference.as_str()));
            text.push_str(reference);
            text.push_str(end);
        }
        text.push_str(&last);
        let found: Vec<_> = scan(&text).map(|it| it.map(|it| (it.start, it.text))).collect();
        let planted: Vec<_> = planted.into_iter().map(Ok).collect();
        prop_assert_eq!(found, planted, "{}", text);
    }

    #[test]
    fn ref_6_any_text_is_searched_and_places_are_exact(text in r"([@!?a-c:/. `\n>*|()，文\\~-]|file|://|```){0,60}") {
        let mut last = 0;
        for it in scan(&text) {
            let (start, end, part) = match &it {
                Ok(found) => (found.start, found.end, found.text),
                Err(malformed) => (malformed.start, malformed.end, malformed.text),
            };
            prop_assert!(last <= start && start < end);
            prop_assert_eq!(text.get(start..end), Some(part));
            prop_assert!(part.starts_with('@'));
            if let Err(malformed) = it {
                prop_assert!(text.is_char_boundary(malformed.offset()));
            }
            last = end;
        }
    }
}
