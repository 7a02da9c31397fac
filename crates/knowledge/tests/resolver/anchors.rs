//! Anchors are checked, claims without one are reported (KN-12).

use super::{Project, READY};
use contexture_knowledge::Grounding;
use contexture_knowledge::resolve::{Resolution, Task};

fn required(project: &Project, text: &str) -> Resolution {
    project.asks(&Task { grounding: Some(Grounding::Required), ..Task::new(text, 2_000) })
}

fn gaps(answer: &Resolution) -> Vec<(u32, &str)> {
    answer.citation_gaps.iter().map(|gap| (gap.line, gap.text.as_str())).collect()
}

#[test]
fn kn_12_every_claim_line_without_anchor_is_flagged() {
    let text = "# Widget\n\nIt is blue. [source: sources/a.md#L1]\nIt is round.\n\n- item one\n- item \
                two [source: sources/a.md#L2]\n\nWhat is it?\n\nThese follow:\n\n```\ncode.\n```\n\n\
                | head | head |\n|---|---|\n| row | 1 |\n| row | [source: sources/a.md#L1] |\n";
    let files = [("compiled/a.md", text), ("sources/a.md", "one\ntwo\n")];
    let project = Project::with(READY, &files);
    let answer = required(&project, "widget");
    assert_eq!(gaps(&answer), [(4, "It is round."), (6, "item one"), (19, "| row | 1 |")]);
    assert!(answer.context.contains("\nSources:\n- sources/a.md#L1\n- sources/a.md#L2\n"));
    // Where grounding is only recommended nothing is flagged.
    assert_eq!(project.ask("widget", 2_000).citation_gaps, []);
}

#[test]
fn kn_12_anchors_are_checked_to_exist() {
    let good = [
        "sources/a.md#L2",
        "sources/a.md#L1-L2",
        "sources/a.md#定价-边界",
        "sources/r.pdf#page=4",
        "sources/c.vtt#t=00:12:33",
        "sources/a.md#Fine%20Print",
        "https://example.com/x#y",
        "sources/a.md",
    ];
    let bad = [
        "sources/a.md#L99",
        "sources/a.md#L0",
        "sources/none.md#L1",
        "sources/a.md#nothing",
        "sources/r.pdf#page=x",
        "sources/c.vtt#t=1:99",
        "../../etc/passwd#L1",
    ];
    let mut text = String::from("# Widget\n\n");
    for anchor in good.iter().chain(&bad) {
        text.push_str(&format!("It is so. [source: {anchor}]\n\n"));
    }
    let source = "first\n# 定价 边界\n\n## Fine Print\n\nx\n";
    let files = [
        ("compiled/a.md", text.as_str()),
        ("sources/a.md", source),
        ("sources/r.pdf", "%PDF"),
        ("sources/c.vtt", "WEBVTT\n"),
    ];
    let answer = required(&Project::with(READY, &files), "widget");
    let flagged: Vec<&str> = answer.citation_gaps.iter().map(|gap| gap.text.as_str()).collect();
    assert_eq!(flagged, bad);
    assert_eq!(answer.citation_gaps[0].line, 3 + 2 * good.len() as u32);
    assert!(answer.warnings.iter().any(|w| w.contains("`sources/a.md` has 6 lines, no line 99")));
    // What leads nowhere is no source.
    assert_eq!(answer.source_anchors, good);
}

#[test]
fn kn_12_source_map_grounds_claims() {
    let map = r#"{"claims": [
        {"claim_id": "c1", "text": "Widget works offline.", "status": "confirmed",
         "source": {"path": "sources/a.md", "anchor": "L1"}, "compiled_into": ["compiled/a.md"]},
        {"claim_id": "c2", "text": "Widget is cheap.", "status": "disputed",
         "source": {"path": "sources/a.md", "anchor": "L9"}, "compiled_into": ["compiled/a.md"]}]}"#;
    let files = [
        (
            "compiled/a.md",
            "# Widget\n\nWidget works offline.\n\nWidget is cheap.\n\nWidget is new.\n",
        ),
        ("indexes/source-map.json", map),
        ("sources/a.md", "one\n"),
    ];
    let project = Project::with(READY, &files);
    let answer = required(&project, "widget");
    assert_eq!(gaps(&answer), [(3, "sources/a.md#L9"), (7, "Widget is new.")]);
    assert_eq!(answer.source_anchors, ["sources/a.md#L1"]);
    assert!(answer.warnings.iter().any(|w| w.contains("`Widget is cheap.` is disputed")));
    let used: Vec<&str> = answer.uses[0].files.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(used, ["compiled/a.md", "indexes/source-map.json"]);
    project.write("acme", "indexes/source-map.json", "{ not json");
    assert_eq!(gaps(&required(&project, "widget")).len(), 3);
}

#[test]
fn kn_9_findings_of_runs_come_with_evidence() {
    let run = r#"{"run_id": "r1", "trigger": "manual", "status": "needs-review", "inputs": [],
        "outputs": [], "diagnostics": [{"severity": "warning", "path": "compiled/a.md",
        "message": "The price is old."}]}"#;
    let frontmatter =
        format!("{READY}\nmetadata:\n  producedBy:\n    kind: tool\n    name: builder");
    let files = [("compiled/a.md", "# Price\n\nNine euro.\n"), ("runs/2026-01.json", run)];
    let project = Project::with(&frontmatter, &files);
    assert_eq!(project.ask("price", 900).findings, []);
    let answer = project.ask("verify the price", 900);
    assert_eq!(answer.findings[0].message, "The price is old.");
    assert_eq!(answer.findings[0].about.as_deref(), Some("compiled/a.md"));
    assert_eq!(answer.provenance[0].produced_by.name.as_deref(), Some("builder"));
}

#[test]
fn kn_12_anchors_that_lead_nowhere_are_gaps_and_no_sources() {
    let text = "# Widget\n\nIt is blue. [source: sources/a.md#L1]\n\nIt is round. [source: \
                sources/none.md#L1]\n\nIt is old. [source: sources/a.md#page=4]\n\n```\nAs in \
                [source: sources/example.md#L9].\n```\n";
    let files = [("compiled/a.md", text), ("sources/a.md", "one\ntwo\n")];
    let answer = required(&Project::with(READY, &files), "widget");
    assert_eq!(answer.source_anchors, ["sources/a.md#L1"]);
    assert_eq!(answer.sections[0].anchors, ["sources/a.md#L1"]);
    assert!(answer.context.contains("\nSources:\n- sources/a.md#L1\n</"), "{}", answer.context);
    // What stands in code is an example, as `validate` takes it.
    assert_eq!(gaps(&answer), [(5, "sources/none.md#L1"), (7, "sources/a.md#page=4")]);
}

#[test]
fn ma_11_heading_cannot_forge_anchor_and_control_characters_are_shown() {
    let text = "# Price [source: compiled/gone.md#L1]\n\nThe widget costs 89 euros.\u{1b}[2J \
                [source: sources/a.md#L1]\n\n# Widget price [source: sources/a.md#L2]\n\nIt is fair.\n";
    let files = [("compiled/a.md", text), ("sources/a.md", "one\ntwo\n")];
    let answer = required(&Project::with(READY, &files), "What is the price of the widget?");
    assert!(
        answer
            .context
            .contains("## Price \\[source: compiled/gone.md#L1] [source: compiled/a.md#L3]\n")
    );
    assert!(
        answer
            .context
            .contains("## Widget price [source: sources/a.md#L2] [source: compiled/a.md#L7]")
    );
    assert!(answer.context.contains("89 euros.\u{fffd}[2J [source"), "{}", answer.context);
    assert!(!answer.context.contains('\u{1b}'));
    assert_eq!(answer.source_anchors, ["sources/a.md#L1"]);
    let headings: Vec<&str> = answer.sections.iter().map(|one| one.heading.as_str()).collect();
    assert!(headings.contains(&"Price \\[source: compiled/gone.md#L1]"), "{headings:?}");
}
