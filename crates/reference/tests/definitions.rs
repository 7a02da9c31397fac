//! Definition files as a whole: the source document of resource elements, and any text at all.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

use contexture_diagnostic::SourceFile;
use contexture_reference::definition::{Definitions, Layer, Limits, Options, Origin};
use contexture_reference::syntax::Reference;
use proptest::prelude::*;

const SPECIMEN: &str = include_str!("data/resource.tag.md");

fn load(text: &str, examples: bool) -> Definitions {
    let mut definitions = Definitions::built_in();
    let options = Options { examples, ..Options::default() };
    let origin = Origin::new(Layer::Explicit, "resource.tag.md");
    assert_eq!(definitions.add(origin, text, &options), vec![]);
    definitions
}

fn resolved(definitions: &Definitions, text: &str) -> String {
    let reference = Reference::parse(text).unwrap();
    definitions.resolve(&reference).unwrap().reference.to_string()
}

#[test]
fn ref_18_source_document_loads_as_definition_file() {
    let definitions = load(SPECIMEN, true);
    assert_eq!(
        resolved(&definitions, "@thought://analytical"),
        "@file://PromptX/core/thoughts/analytical.thought.md"
    );
    assert_eq!(
        resolved(&definitions, "@!thinking:@?thought://creative?line=5-10"),
        "@!thinking:@?file://PromptX/core/thoughts/creative.thought.md?line=5-10"
    );
    let unknown = Reference::parse("@thought://analitycal").unwrap();
    let error = definitions.resolve(&unknown).unwrap_err();
    assert_eq!(error.help().unwrap(), "did you mean `analytical`?");
    let outside = Reference::parse("@thought://9").unwrap();
    assert_eq!(definitions.resolve(&outside).unwrap_err().code(), "REF2071");
}

#[test]
fn ref_15_source_document_with_fence_needs_examples() {
    let fenced = SPECIMEN
        .replace("<resource protocol=\"thought\">", "```xml\n<resource protocol=\"thought\">")
        .replace("</registry>\n</resource>", "</registry>\n</resource>\n```");
    assert!(load(&fenced, false).get("thought").is_none());
    let definitions = load(&fenced, true);
    assert!(resolved(&definitions, "@thought://creative").ends_with("creative.thought.md"));
    let indented: String = SPECIMEN.lines().map(|line| format!("    {line}\n")).collect();
    assert!(load(&indented, false).get("thought").is_none());
    assert!(load(&indented, true).get("thought").is_some());
}

/// Texts that come near to definitions.
fn texts() -> impl Strategy<Value = String> {
    let pieces = [
        "<resource protocol=\"a\">",
        "<resource protocol=\"b\">",
        "<resource",
        "</resource>",
        "\n",
        "\r\n",
        "\r",
        "    ",
        "<location>",
        "</location>",
        "<params>",
        "</params>",
        "<registry>",
        "</registry>",
        "| a | b | c |",
        "|---|---|---|",
        "|-|-|",
        "| x | @file://x |",
        "| y | @a://y |",
        "| `x\\|y` |",
        "```",
        "~~~~",
        "- ",
        "<!--",
        "-->",
        "`",
        "location ::= 'a' {id}",
        "id ::= [a-z]+",
        "(*",
        "*)",
        "::=",
        "词",
        "\u{feff}",
        "\\",
        "|",
        "<params/>",
        " x=\"",
        "\"",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..60)
        .prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn ref_15_any_text_is_read_and_every_fault_has_place(
        text in prop_oneof![texts(), any::<String>()],
        examples in any::<bool>(),
    ) {
        let mut definitions = Definitions::built_in();
        let limits = Limits { diagnostics: 20, ..Limits::default() };
        let options = Options { examples, limits };
        let origin = Origin::new(Layer::Workspace, "a.md");
        let faults = definitions.add(origin, &text, &options);
        prop_assert!(faults.len() <= 21);
        let source = SourceFile::new("a.md", text.as_str());
        for fault in faults {
            let range = fault.span.range();
            prop_assert!(range.start <= range.end && range.end <= text.len());
            prop_assert!(text.is_char_boundary(range.start) && text.is_char_boundary(range.end));
            prop_assert!(source.position(fault.span.start).line >= 1);
        }
        for reference in ["@a://x", "@!b://y?line=1", "@a:b://词"] {
            let _ = definitions.resolve(&Reference::parse(reference).unwrap());
        }
    }
}

/// Each text is long enough that reading it in squared time would not end.
#[test]
fn ref_15_hostile_texts_are_read_once() {
    let many = 100_000;
    for text in [
        "```a\n".repeat(many),
        "<resource protocol=\"a\">\n".repeat(many),
        format!("<resource protocol=\"a\">\n{}", "<location>\n".repeat(many)),
        format!("<resource protocol=\"a\">\n{}", "`".repeat(many)),
        format!("<resource protocol=\"a\">\n{}", "` ".repeat(many)),
        format!("<resource protocol=\"a\">\n{}", "<!-- ".repeat(many)),
        "<!--\n".repeat(many),
        format!(
            "<resource protocol=\"a\">\n<location>\nlocation ::= (\n{}</location>\n</resource>",
            "| 'a'\n".repeat(many)
        ),
        format!(
            "<resource protocol=\"a\">\n<params>\n{}\n</params>\n</resource>",
            "|".repeat(many)
        ),
        format!(
            "<resource protocol=\"a\">\n<params>\n{}\n</params>\n</resource>",
            "|a\n".repeat(many)
        ),
    ] {
        for examples in [false, true] {
            let mut definitions = Definitions::default();
            let options = Options { examples, ..Options::default() };
            definitions.add(Origin::new(Layer::User, "u.md"), &text, &options);
            assert!(definitions.names().count() <= 1);
        }
    }
}
