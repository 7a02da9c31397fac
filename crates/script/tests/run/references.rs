//! References in a run (AS-15, REF-6): the resources that a call shows, and the texts that its
//! author wrote.

use crate::support::{main_of, outcome};
use contexture_context::{Budget, Keep};
use contexture_script::host::GenerateCall;
use contexture_script::reference::{COMPUTED, Layer, LiteralText, Seam};
use contexture_script::runtime::ScriptedHost;
use serde_json::json;

fn calls(source: &str) -> Vec<GenerateCall> {
    let host = (0..9).fold(ScriptedHost::new(), |host, _| host.with_answer(json!("ok")));
    let outcome = outcome(source, json!({ "q": "Why?" }), &host);
    assert!(outcome.result.is_ok(), "{:?}", outcome.result);
    host.generate_calls()
}

const IMPORTS: &str = "import resource Docs from \"@?file://docs/*.md\"\nimport resource Tone from \"@!file://t.md\"\n";

#[test]
fn as_15_resource_is_requested_from_host_in_item_order() {
    let body = "use input.q as question\nuse Docs max 4k keep tail priority 3 as docs\nuse Tone\n\
                use \"last\"\ngenerate({ input: \"x\" })\ngenerate({ input: \"y\" })";
    let calls = calls(&format!("{IMPORTS}{}", main_of(body)));
    assert_eq!(calls.len(), 2);
    for call in &calls {
        let items: Vec<&str> = call.items.iter().map(|item| item.source.as_str()).collect();
        assert_eq!(items, ["input.q", "\"last\""]);
        let [docs, tone] = call.resources.as_slice() else { panic!("{:?}", call.resources) };
        assert_eq!((docs.before, tone.before), (1, 1));
        assert_eq!(docs.import.reference, "@?file://docs/*.md");
        assert_eq!(docs.import.importer, "main.as");
        assert_eq!(docs.budget, Some(Budget::tokens(4000).keeping(Keep::Tail)));
        assert_eq!((docs.priority, docs.label.as_deref()), (3, Some("docs")));
        assert_eq!((docs.position.line, docs.position.column), (5, 1));
        assert_eq!((tone.label.as_deref(), tone.budget, tone.keep), (None, None, Keep::Head));
    }
}

#[test]
fn as_13_resource_is_visible_like_any_use_and_variable_shadows_it() {
    let source = format!(
        "{IMPORTS}use Docs as all\nmain agent A {{\n use Tone as tone\n main func(input) {{\n\
         if true {{ use Docs as inner }}\n generate({{ input: \"x\" }})\n other()\n }}\n\
         func other() {{ Docs = \"mine\" use Docs as own\ngenerate({{ input: \"y\" }}) }}\n}}"
    );
    let calls = calls(&source);
    let labels = |call: &GenerateCall| -> Vec<String> {
        call.resources.iter().filter_map(|used| used.label.clone()).collect()
    };
    assert_eq!(labels(&calls[0]), ["all", "tone"]);
    assert_eq!(labels(&calls[1]), ["all", "tone"]);
    assert_eq!(calls[1].items[0].value, json!("mine"));
}

#[test]
fn as_17_candidate_that_is_chosen_may_be_resource() {
    let of = |candidates: &str| {
        let body = format!("use one of {{ {candidates} }} as c\ngenerate({{ input: \"x\" }})");
        calls(&format!("{IMPORTS}{}", main_of(&body))).remove(0)
    };
    let docs = of("a: input.q b: Docs max 1k selected");
    assert_eq!((docs.items.len(), docs.resources.len()), (0, 1));
    assert_eq!(docs.resources[0].budget, Some(Budget::tokens(1000)));
    let text = of("a: input.q selected b: Docs c: Tone");
    assert_eq!((text.items.len(), text.resources.len()), (1, 0));
    let none = of("a: Docs b: empty selected");
    assert_eq!((none.items.len(), none.resources.len()), (0, 0));
}

fn literals(body: &str) -> Vec<LiteralText> {
    calls(&main_of(body)).remove(0).literals.to_vec()
}

#[test]
fn ref_6_texts_without_at_sign_are_skipped() {
    assert_eq!(literals("q = \"@file://a\" role \"r\" generate({ input: \"x\" + q })"), []);
}

#[test]
fn ref_6_literal_texts_keep_joints_and_places() {
    let body = "description \"d @file://d\"\nrole \"old @file://o\"\nrole \"r @file://r\"\n\
                generate({ input: (\"a @file://a\" + input.q) + \"b\" + ('@c' + \"d\") })";
    let [input, role, description] = literals(body).try_into().unwrap();
    assert_eq!(input.layer, Layer::Input);
    assert_eq!(input.text, format!("a @file://a{COMPUTED}b@cd"));
    let seam = |start, end| Seam { start, end };
    assert_eq!(input.seams, [seam(11, 14), seam(15, 15), seam(17, 17)]);
    assert_eq!((role.layer, role.text.as_str()), (Layer::Role, "r @file://r"));
    assert_eq!(description.layer, Layer::Description);
    let at = |text: &LiteralText, offset| {
        text.position(offset).map(|position| (position.line, position.column))
    };
    assert_eq!(at(&input, 2), Some((5, 23)));
    assert_eq!(at(&input, 15), Some((5, 55)));
    assert_eq!(at(&input, 3), None);
    assert_eq!(at(&description, 2), Some((2, 16)));
}

#[test]
fn ref_6_reference_at_joint_is_not_whole() {
    let [text] = literals("generate({ input: \"@a b@\" + input.q + \"@c\" + \"@d e\" })")
        .try_into()
        .unwrap();
    assert_eq!(text.text, format!("@a b@{COMPUTED}@c@d e"));
    let whole = |part: &str| {
        let start = text.text.find(part).unwrap();
        text.is_whole(start, start + part.len())
    };
    assert_eq!(["@a", "b@", "@c", "@d"].map(whole), [true, false, false, true]);
}

#[test]
fn ref_6_place_in_block_is_that_of_line() {
    let body = "generate({ input: \"\"\"\n      读 @a\n\n        then\\t@b\n    \"\"\" })";
    let [text] = literals(body).try_into().unwrap();
    assert_eq!(text.text, "读 @a\n\n  then\t@b");
    let places: Vec<_> = text.places.iter().map(|(_, at)| (at.line, at.column)).collect();
    assert_eq!(places, [(3, 9), (5, 15)]);
}
