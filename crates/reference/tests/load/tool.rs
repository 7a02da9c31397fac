use crate::support::{Echo, Fixture, run};
use contexture_reference::tool::{Offers, schema};
use contexture_reference::{Place, PlanOptions};
use serde_json::json;

fn offered(fixture: &Fixture, text: &str) -> Offers {
    let mut offers = Offers::default();
    offers.add(&fixture.plan(text, &PlanOptions::default()).entries, &Place::workspace());
    offers
}

#[test]
fn ref_10_model_loads_what_is_pending() {
    let fixture = Fixture::with(&[("c.md", "one\ntwo\n"), ("docs/a.md", "a"), ("secret.md", "s")]);
    let offers = offered(&fixture, "@?file://c.md and @?file://docs/*.md");
    let ask =
        |reference: &str| run(offers.call(&fixture.loader, &json!({ "reference": reference })));
    assert_eq!(ask("@?file://c.md").unwrap().resources[0].text(), Some("one\ntwo\n"));
    assert_eq!(ask("@file://c.md?line=2").unwrap().resources[0].text(), Some("two\n"));
    assert_eq!(ask("@file://docs/a.md").unwrap().resources[0].text(), Some("a"));
    let error = ask("@file://secret.md").unwrap_err();
    assert_eq!(error.code, "REF3051");
    assert_eq!(ask("@?file://d.md").unwrap_err().help.unwrap(), "did you mean `@?file://c.md`?");
    assert_eq!(ask("").unwrap_err().code, "REF3050");
    assert_eq!(ask("c.md").unwrap_err().code, "REF1001");
}

#[test]
fn ref_10_manifest_has_one_line_resource() {
    let fixture = Fixture::with(&[("c.md", "one")]);
    let offers = offered(&fixture, "@?file://c.md, @?file://c.md and @?memory://tone");
    let manifest = offers.manifest();
    let lines: Vec<_> = manifest.lines().skip(1).collect();
    assert_eq!(lines, ["- @?file://c.md", "- @?memory://tone"]);
    assert_eq!(schema()["required"], json!(["reference"]));
}

#[test]
fn ref_10_model_may_ask_for_part_and_not_for_another_place() {
    let fixture = Fixture::with(&[("t.md", "{{a}}-{{b}}\nx\n")]);
    let offers = offered(&fixture, "@?template:file://t.md?a=1&b=2");
    let ask =
        |reference: &str| run(offers.call(&fixture.loader, &json!({ "reference": reference })));
    let text = |reference: &str| ask(reference).unwrap().resources[0].text().unwrap().to_owned();
    assert_eq!(text("@template:file://t.md?line=1"), "1-2\n");
    assert_eq!(text("@?template:@file://t.md?a=1&b=2"), "1-2\nx\n");
    assert_eq!(text("@template:file://t.md?b=3"), "1-3\nx\n");
    assert_eq!(ask("@file://t.md").unwrap_err().code, "REF3051");
    let fixture = Fixture::with(&[]).protocol(Echo("https"));
    let offers = offered(&fixture, "@?https://u:p@example.org/p?a=1");
    let shown = offers.manifest();
    assert!(!shown.contains("u:p") && shown.contains("- @?https://example.org/p?a=1"), "{shown}");
    let ask =
        |reference: &str| run(offers.call(&fixture.loader, &json!({ "reference": reference })));
    let text = |reference: &str| ask(reference).unwrap().resources[0].text().unwrap().to_owned();
    assert_eq!(text("@https://example.org/p?a=1"), "u:p@example.org/p a=1");
    assert_eq!(text("@https://example.org/p?a=1&line=1"), "u:p@example.org/p a=1");
    for other in ["@https://example.org/p?a=2", "@https://example.org/q?a=1"] {
        assert_eq!(ask(other).unwrap_err().code, "REF3051", "{other}");
    }
}

#[test]
fn ref_10_of_many_offers_twelve_are_named() {
    let fixture = Fixture::with(&[]);
    let help = |count: usize| {
        let text: String = (0..count).map(|index| format!("@?memory://key-{index} ")).collect();
        let offers = offered(&fixture, &text);
        let asked = json!({ "reference": "@file://nowhere/else.md" });
        run(offers.call(&fixture.loader, &asked)).unwrap_err().help.unwrap()
    };
    assert_eq!(help(0), "nothing is offered here: answer with what the prompt shows");
    assert_eq!(help(2), "offered: @?memory://key-0, @?memory://key-1");
    assert!(help(12).ends_with("@?memory://key-11"), "{}", help(12));
    assert!(help(1_000).ends_with("@?memory://key-11 and 988 more"), "{}", help(1_000));
}
