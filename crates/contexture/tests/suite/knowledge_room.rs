//! Knowledge packs in a prompt with too little room (AS-16, AS-18, KN-11, KN-12).

use crate::common::{Allowing, Place, told};
use contexture::context::Manifest;
use contexture::inspect::Kept;
use contexture::run::RunRequest;
use contexture::runs;
use contexture::store::runs::{RunStore as _, select};
use serde_json::json;
use std::sync::Arc;

fn place() -> Place {
    let place = Place::new(&[]);
    let guide = "---\nname: acme\ndescription: Facts.\ntype: brand-product\nstatus: ready\n\
                 profile: wiki-first\n---\nThe guide.\n";
    let sections = (1..=9).map(|number| {
        format!(
            "## Widget {number}\n\nThe widget number {number} costs {number}9 euros.\n\n\
             Its price holds for a year. [source: sources/prices.md]\n\n"
        )
    });
    place.write(".agents/knowledge/acme/KNOWLEDGE.md", guide);
    place.write(".agents/knowledge/acme/sources/prices.md", "Prices.\n");
    let text = format!("# Prices\n\n{}", sections.collect::<String>());
    place.write(".agents/knowledge/acme/compiled/facts.md", &text);
    place
}

/// The prompt and its manifest, under a budget for the whole prompt.
fn ask(place: &Place, budget: &str, max_input: Option<u64>) -> (String, Manifest) {
    let most = max_input.map(|most| format!(", max_input: {most}")).unwrap_or_default();
    let program = format!(
        "import knowledge Acme from \"knowledge://acme\"\n\
             main func(input) {{\n  use Acme {budget} as facts\n\
             generate({{ input: \"What is the price of the widget?\"{most} }})\n}}"
    );
    refer(place, &program)
}

#[test]
fn as_18_a_pack_gives_way_in_whole_sections() {
    for budget in ["", "max 900", "max 3k chars"] {
        let place = place();
        let (whole, all) = ask(&place, budget, None);
        assert_eq!(whole.matches("costs").count(), 9, "{whole}");
        assert!(all.items[0].cuts.is_empty());
        let mut before = 9;
        for less in [10, 60, 120, 200, 280] {
            let (text, manifest) = ask(&place, budget, Some(all.tokens - less));
            assert!(manifest.tokens <= all.tokens - less);
            assert!(!text.contains("[clipped"), "{text}");
            let shown = text.matches("costs").count();
            assert!((1..=before).contains(&shown), "{less}: {text}");
            before = shown;
            // Every paragraph that begins also ends.
            assert_eq!(shown, text.matches("9 euros.").count(), "{text}");
            assert_eq!(text.matches("Its price").count(), text.matches("for a year.").count());
            assert_eq!(text.matches("</knowledge_pack>").count(), 1, "{text}");

            let item = &manifest.items[0];
            let [cut] = item.cuts.as_slice() else { panic!("{:?}", item.cuts) };
            assert_eq!(serde_json::to_value(cut.reason).unwrap(), "prompt_budget");
            assert!(item.clipped && item.tokens < item.tokens_before && !cut.left_out);
            let [pack] = manifest.packs.as_slice() else { panic!("{:?}", manifest.packs) };
            assert_eq!((pack.budget, pack.tokens), (cut.budget.limit, pack.tokens));
            assert!(pack.tokens <= item.tokens && pack.files[0].path == "compiled/facts.md");
        }
        assert!(before < 9);
        let usage = place.read(".contexture/usage.jsonl");
        assert_eq!(usage.lines().count(), 6, "a line for each call, whatever was tried: {usage}");
    }
}

#[test]
fn as_18_a_pack_without_room_is_left_out_and_not_said_to_be_used() {
    let place = place();
    let (_, all) = ask(&place, "", None);
    let (text, manifest) = ask(&place, "", Some(all.tokens - all.items[0].tokens + 20));
    assert!(!text.contains("knowledge_pack") && !text.contains("euros"), "{text}");
    assert!(manifest.items[0].cuts.iter().all(|cut| cut.left_out));
    let pack = &manifest.packs[0];
    assert_eq!((pack.tokens, pack.files.len()), (0, 0));
    assert!(pack.warnings.iter().any(|told| told.contains("no room")), "{:?}", pack.warnings);
    assert_eq!(place.read(".contexture/usage.jsonl").lines().count(), 1);
}

/// The prompt of a program, and its manifest.
fn refer(place: &Place, program: &str) -> (String, Manifest) {
    place.write("a.as", program);
    let request = RunRequest {
        stand_in: contexture::models::StandIn::Mock,
        ..place.request("a.as", json!({}))
    };
    let report = place.run_observed(request, Arc::new(Allowing));
    assert!(report.outcome.is_ok(), "{}", told(report.outcome.as_ref().unwrap_err()));
    let store = runs(&place.project());
    let log = store.load(&select(&store, "latest").unwrap()).unwrap();
    let kept = Kept { store: &store, log: &log };
    let text = kept.prompt(1).unwrap()[0].messages.last().unwrap().text.clone();
    (text, kept.calls()[0].manifest.clone())
}

const QUESTION: &str = "@!knowledge://acme?query=price+of+the+widget";

fn whole(text: &str) -> usize {
    assert!(!text.contains("[clipped"), "{text}");
    let shown = text.matches("costs").count();
    assert_eq!(shown, text.matches("9 euros.").count(), "{text}");
    assert_eq!(text.matches("Its price").count(), text.matches("for a year.").count(), "{text}");
    shown
}

#[test]
fn as_18_pack_answer_of_reference_is_cut_by_whole_sections() {
    let in_text = |most: &str| {
        format!("main func(input) {{ generate({{ input: \"Say {QUESTION}\"{most} }}) }}")
    };
    let used = |most: &str| {
        format!(
            "import resource Prices from \"{QUESTION}\"\nmain func(input) {{\n  use Prices as facts\n\
             generate({{ input: \"How much?\"{most} }})\n}}"
        )
    };
    for program in [&in_text as &dyn Fn(&str) -> String, &used] {
        let place = place();
        let (text, all) = refer(&place, &program(""));
        assert_eq!(whole(&text), 9, "{text}");
        let mut before = 9;
        for less in [10, 120, 280] {
            let most = all.tokens - less;
            let (text, manifest) = refer(&place, &program(&format!(", max_input: {most}")));
            assert!(manifest.tokens <= most);
            let shown = whole(&text);
            assert!((1..=before).contains(&shown), "{less}: {text}");
            assert_eq!(text.matches("</knowledge_pack>").count(), 1, "{text}");
            before = shown;
            let [cut] = manifest.items[0].cuts.as_slice() else { panic!("{:?}", manifest.items) };
            assert_eq!(serde_json::to_value(cut.reason).unwrap(), "prompt_budget");
            let [pack] = manifest.packs.as_slice() else { panic!("{:?}", manifest.packs) };
            assert_eq!((pack.budget, pack.files.len()), (cut.budget.limit, 1));
            assert!(pack.tokens <= manifest.items[0].tokens);
        }
        assert!(before < 9);
        let usage = place.read(".contexture/usage.jsonl");
        assert_eq!(usage.lines().count(), 4, "a line for each call: {usage}");
    }
}

#[test]
fn as_16_answer_of_pack_fits_budget_of_use_in_whole_sections() {
    for (budget, least) in [("max 300", 2), ("max 900 chars", 2), ("max 140", 1)] {
        let place = place();
        let (text, manifest) = refer(
            &place,
            &format!(
                "import resource Prices from \"{QUESTION}\"\nmain func(input) {{\n\
                 use Prices {budget} as facts\n  generate({{ input: \"How much?\" }})\n}}"
            ),
        );
        let shown = whole(&text);
        assert!((least..9).contains(&shown), "{budget}: {text}");
        let [item] = manifest.items.as_slice() else { panic!("{:?}", manifest.items) };
        assert!(item.cuts.is_empty() && item.tokens <= 300, "{item:?}");
        let [pack] = manifest.packs.as_slice() else { panic!("{:?}", manifest.packs) };
        assert!(pack.warnings.iter().any(|told| told.contains("did not fit")), "{pack:?}");
    }
    // A budget that holds no section shows nothing of it, and says what would do.
    let place = place();
    let (text, manifest) = refer(
        &place,
        &format!(
            "import resource Prices from \"{QUESTION}\"\nmain func(input) {{\n\
             use Prices max 30 as facts\n  generate({{ input: \"How much?\" }})\n}}"
        ),
    );
    assert!(!text.contains("knowledge_pack") && manifest.items.is_empty(), "{text}");
    assert!(manifest.packs[0].files.is_empty());
    assert!(manifest.packs[0].warnings.iter().any(|told| told.contains("at least")));
}

#[test]
fn as_18_file_of_pack_is_cut_by_whole_sections() {
    for reference in [
        "@!knowledge://acme/compiled/facts.md",
        "@!file://.agents/knowledge/acme/compiled/facts.md",
    ] {
        let ask = |most: &str| {
            format!("main func(input) {{ generate({{ input: \"Say {reference}\"{most} }}) }}")
        };
        let place = place();
        let (text, all) = refer(&place, &ask(""));
        assert_eq!(whole(&text), 9, "{text}");
        let mut before = 9;
        for less in [30, 120, 200] {
            let most = all.tokens - less;
            let (text, manifest) = refer(&place, &ask(&format!(", max_input: {most}")));
            assert!(manifest.tokens <= most);
            let shown = text.matches("costs").count();
            assert!((1..before).contains(&shown), "{less}: {text}");
            assert_eq!(shown, text.matches("for a year.").count(), "{text}");
            let left = format!("… [clipped: {} of 9 sections]", 9 - shown);
            assert!(text.contains(&left), "{text}");
            before = shown;
            let [cut] = manifest.items[0].cuts.as_slice() else { panic!("{:?}", manifest.items) };
            assert_eq!(serde_json::to_value(cut.reason).unwrap(), "prompt_budget");
        }
    }
}

#[test]
fn as_16_file_of_pack_fits_budget_of_use_in_whole_sections() {
    let place = place();
    for budget in ["max 200", "max 700 chars"] {
        let program = format!(
            "import resource Prices from \"@!knowledge://acme/compiled/facts.md\"\nmain func(input) {{\n\
             use Prices {budget} as facts\n  generate({{ input: \"How much?\" }})\n}}"
        );
        let (text, manifest) = refer(&place, &program);
        let shown = text.matches("costs").count();
        assert!((1..9).contains(&shown), "{budget}: {text}");
        assert_eq!(shown, text.matches("for a year.").count(), "{text}");
        let left = format!("… [clipped: {} of 9 sections]", 9 - shown);
        assert!(text.contains(&left), "{budget}: {text}");
        let [item] = manifest.items.as_slice() else { panic!("{:?}", manifest.items) };
        let [cut] = item.cuts.as_slice() else { panic!("{item:?}") };
        assert_eq!(serde_json::to_value(cut.reason).unwrap(), "item_budget");
        assert!(item.clipped && item.tokens <= 300, "{item:?}");
        assert!(item.tokens < item.tokens_before, "{item:?}");
    }
}

#[test]
fn as_16_file_of_pack_fits_max_of_its_reference_in_whole_sections() {
    let place = place();
    let reference = "@!knowledge://acme/compiled/facts.md?max=160";
    let program = format!("main func(input) {{ generate({{ input: \"Say {reference}\" }}) }}");
    let (text, _) = refer(&place, &program);
    let shown = text.matches("costs").count();
    assert!((1..9).contains(&shown), "{text}");
    assert_eq!(shown, text.matches("for a year.").count(), "{text}");
    assert!(text.contains(&format!("… [clipped: {} of 9 sections]", 9 - shown)), "{text}");
}
