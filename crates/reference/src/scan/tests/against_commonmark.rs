//! The code found by the scan, compared with a CommonMark parser.

use crate::scan::scan;
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};

/// Returns the places of code spans and code blocks.
fn code(text: &str) -> Vec<std::ops::Range<usize>> {
    let is_code =
        |event: &Event<'_>| matches!(event, Event::Code(_) | Event::Start(Tag::CodeBlock(_)));
    let events = Parser::new_ext(text, Options::empty()).into_offset_iter();
    events.filter(|(event, _)| is_code(event)).map(|(_, range)| range).collect()
}

/// Compares, for every planted `@x://y`, whether it stands in code.
fn agrees(text: &str) -> Result<(), TestCaseError> {
    let code = code(text);
    let expected: Vec<usize> = text
        .match_indices("@x://y")
        .map(|(at, _)| at)
        .filter(|at| !code.iter().any(|range| range.contains(at)))
        .collect();
    let found: Vec<usize> = scan(text).filter_map(Result::ok).map(|found| found.start).collect();
    prop_assert_eq!(found, expected, "{:?} {:?}", text, code);
    Ok(())
}

// No tabs: that parser reads a `>` behind one as a quote, which CommonMark does not.
proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1024) })]

    #[test]
    fn ref_6_code_is_what_commonmark_takes_for_code(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "\n", "\n", "\n\n", "\n    ", "\n  ", "\n> ", "\n- ", "\n1. ", "\n2) ", "\n   ", "\n>",
                "```", "````", "~~~", "`", "`", "``", " ", "x", " @x://y ", " @x://y ", " @x://y ", "# ", "---", "===",
                "* ", "> ", "- ", "\\", "文",
            ]),
            0..24,
        )
    ) {
        agrees(&parts.concat())?;
    }
}
