use crate::support::{Desk, Echo};
use contexture_reference::Place;
use contexture_reference::syntax::Reference;

#[test]
fn ref_11_nested_references_resolve_from_the_inside_out() {
    let desk = Desk::with(&[("a.json", r##"{"doc": "# A\n\none\n\n# B\n\ntwo"}"##)]);
    let text = desk.text("@markdown:json:file://a.json?pointer=/doc&section=B");
    assert_eq!(text, "# B\n\ntwo");
    let short = desk.names("@markdown:json:file://a.json?pointer=/doc");
    assert_eq!(short, ["@markdown:@json:@file://a.json?pointer=/doc"]);
}

#[test]
fn ref_3_each_level_takes_the_parameters_it_declares() {
    let desk = Desk::with(&[("t.md", "skip\nHi {{name}}, {{section}}")]);
    let text = desk.text("@template:file://t.md?line=2&name=Ann&section=x");
    assert_eq!(text, "Hi Ann, x");
    let (code, help) = desk.refused("@file://t.md?lime=2");
    assert_eq!(code, "REF3003");
    assert_eq!(help, "did you mean `line`? It takes `ignore`, `encoding`, `line`, `max`");
}

#[test]
fn ref_12_a_definition_stands_around_what_it_is_given() {
    let desk = Desk::with(&[("m.md", "Think </thinking> hard")]);
    let text = desk.text("@thinking:file://m.md");
    assert!(text.starts_with("<thinking source=\"@file://m.md\">"), "{text}");
    assert!(text.trim_end().ends_with("</thinking>"), "{text}");
    assert_eq!(text.matches("</thinking>").count(), 1, "{text}");
}

#[test]
fn ref_8_a_lazy_inner_level_stays_a_handle_until_something_has_to_read_it() {
    let desk = Desk::with(&[("m.md", "secret words")]);
    let handle = desk.text("@!thinking:@?file://m.md");
    assert!(handle.contains("[not loaded: @?file://m.md]"), "{handle}");
    assert_eq!(desk.text("@!text:@?file://m.md"), "secret words");
    assert!(desk.text("@thinking:@?text:@?file://m.md").contains("[not loaded:"));
    assert!(desk.text("@thinking:text:@?file://m.md").contains("secret words"));
}

#[test]
fn ref_12_sources_and_processors_have_their_places() {
    let desk = Desk::with(&[("a.md", "x")]);
    let works_on = ("REF3002", "name what it works on: @json:file://a.json".to_owned());
    assert_eq!(desk.refused("@json://a.json"), works_on);
    assert_eq!(desk.refused("@file:memory://tone").0, "REF3002");
    assert_eq!(desk.refused("@fiel://a.md"), ("REF3001", "did you mean `file`?".to_owned()));
}

#[test]
fn ref_18_a_registered_id_leads_to_its_file() {
    let desk = Desk::with(&[("core/analytical.md", "one\ntwo\n")]).define(
        "<resource protocol=\"thought\">\n<registry>\n| id | reference |\n|--|--|\n\
         | analytical | @file://core/analytical.md |\n</registry>\n</resource>\n",
    );
    assert_eq!(desk.text("@thought://analytical"), "one\ntwo\n");
    assert_eq!(desk.text("@!thought://analytical?line=2"), "two\n");
    assert!(desk.refused("@thought://analytica").1.contains("analytical"));
}

#[test]
fn ref_14_beside_a_server_our_parameters_are_ours_and_the_rest_is_passed_on() {
    let desk = Desk::with(&[]).protocol(Echo("https"));
    let text = |query: &str| desk.text(&format!("@https://h/p{query}"));
    assert_eq!(text("?a=1&line=1&b=%20x&flag"), "h/p a=1&b=%20x&flag");
    // `cx.NAME` is always ours; the plain name then goes to the server.
    assert_eq!(text("?line=7&cx.line=1"), "h/p line=7");
    assert_eq!(desk.refused("@https://h/p?cx.lime=1").0, "REF3003");
    let around = desk.text("@markdown:https://h/p?section=x&cx.line=1");
    assert_eq!(around, "h/p section=x");
}

#[test]
fn ref_24_a_protocol_of_one_s_own_is_one_small_trait() {
    let desk = Desk::with(&[]).protocol(Echo("acme"));
    assert_eq!(desk.text("@acme://orders/7"), "orders/7 -");
    assert_eq!(desk.text("@lines:acme://orders/7"), "1: orders/7 -\n");
}

#[test]
fn ref_24_a_protocol_may_connect_unless_it_says_otherwise() {
    let desk = Desk::with(&[]).protocol(Echo("acme"));
    let connects = |reference: &str| {
        let reference = Reference::parse(reference).unwrap();
        let route = desk.loader.route(&reference, &Place::workspace()).unwrap();
        desk.loader.connects(&route)
    };
    for local in ["@file://a.md", "@json:@memory://tone", "@thinking:env://LANG"] {
        assert!(!connects(local), "{local}");
    }
    for other in ["@acme://orders", "@thinking:lines:acme://orders"] {
        assert!(connects(other), "{other}");
    }
}
