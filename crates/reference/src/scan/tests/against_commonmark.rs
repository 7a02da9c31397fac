//! The code found by the scan, compared with a CommonMark parser.

use crate::scan::scan;
use proptest::prelude::*;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};

/// Returns the places of code spans and code blocks, and whether they are blocks by their indent
/// alone.
fn code(text: &str) -> Vec<(bool, std::ops::Range<usize>)> {
    let is_indented = |event: &Event<'_>| match event {
        Event::Code(_) | Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => Some(false),
        Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)) => Some(true),
        _ => None,
    };
    Parser::new_ext(text, Options::empty())
        .into_offset_iter()
        .filter_map(|(event, range)| Some((is_indented(&event)?, range)))
        .collect()
}

/// Compares, for every planted `@x://y` that is not indented as code, whether it stands in code.
fn agrees(text: &str) -> Result<(), TestCaseError> {
    let code = code(text);
    let is_in = |at: usize, indented: bool| {
        code.iter().any(|(is_indented, range)| *is_indented == indented && range.contains(&at))
    };
    let expected: Vec<usize> = text
        .match_indices("@x://y")
        .map(|(at, _)| at)
        .filter(|at| !is_in(*at, false) && !is_in(*at, true))
        .collect();
    let found: Vec<usize> = scan(text)
        .filter_map(Result::ok)
        .map(|found| found.start)
        .filter(|at| !is_in(*at, true))
        .collect();
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
