use crate::support::{Echo, Fixture};
use contexture_reference::Place;
use contexture_reference::syntax::Reference;

#[test]
fn ref_11_nested_references_resolve_from_inside_out() {
    let fixture = Fixture::with(&[("a.json", r##"{"doc": "# A\n\none\n\n# B\n\ntwo"}"##)]);
    let text = fixture.text("@markdown:json:file://a.json?pointer=/doc&section=B");
    assert_eq!(text, "# B\n\ntwo");
    let short = fixture.names("@markdown:json:file://a.json?pointer=/doc");
    assert_eq!(short, ["@markdown:@json:@file://a.json?pointer=/doc"]);
}

#[test]
fn ref_3_each_level_takes_parameters_it_declares() {
    let fixture = Fixture::with(&[("t.md", "skip\nHi {{name}}, {{section}}")]);
    let text = fixture.text("@template:file://t.md?line=2&name=Ann&section=x");
    assert_eq!(text, "Hi Ann, x");
    let (code, help) = fixture.refused("@file://t.md?lime=2");
    assert_eq!(code, "REF3003");
    assert_eq!(help, "did you mean `line`? It takes `ignore`, `encoding`, `line`, `max`");
}

#[test]
fn ref_12_definition_stands_around_what_it_is_given() {
    let fixture = Fixture::with(&[("m.md", "Think </thinking> hard")]);
    let text = fixture.text("@thinking:file://m.md");
    assert!(text.starts_with("<thinking source=\"@file://m.md\">"), "{text}");
    assert!(text.trim_end().ends_with("</thinking>"), "{text}");
    assert_eq!(text.matches("</thinking>").count(), 1, "{text}");
}

#[test]
fn ref_8_lazy_inner_level_stays_handle_until_something_has_to_read_it() {
    let fixture = Fixture::with(&[("m.md", "secret words")]);
    let handle = fixture.text("@!thinking:@?file://m.md");
    assert!(handle.contains("[not loaded: @?file://m.md]"), "{handle}");
    assert_eq!(fixture.text("@!text:@?file://m.md"), "secret words");
    assert!(fixture.text("@thinking:@?text:@?file://m.md").contains("[not loaded:"));
    assert!(fixture.text("@thinking:text:@?file://m.md").contains("secret words"));
}

#[test]
fn ref_12_sources_and_processors_have_their_places() {
    let fixture = Fixture::with(&[("a.md", "x")]);
    let works_on = ("REF3002", "name what it works on: @json:file://a.json".to_owned());
    assert_eq!(fixture.refused("@json://a.json"), works_on);
    assert_eq!(fixture.refused("@file:memory://tone").0, "REF3002");
    assert_eq!(fixture.refused("@fiel://a.md"), ("REF3001", "did you mean `file`?".to_owned()));
}

#[test]
fn ref_18_registered_id_leads_to_file() {
    let fixture = Fixture::with(&[("core/analytical.md", "one\ntwo\n")]).define(
        "<resource protocol=\"thought\">\n<registry>\n| id | reference |\n|--|--|\n\
         | analytical | @file://core/analytical.md |\n</registry>\n</resource>\n",
    );
    assert_eq!(fixture.text("@thought://analytical"), "one\ntwo\n");
    assert_eq!(fixture.text("@!thought://analytical?line=2"), "two\n");
    assert!(fixture.refused("@thought://analytica").1.contains("analytical"));
}

#[test]
fn ref_14_beside_server_our_parameters_are_ours_and_rest_is_passed_on() {
    let fixture = Fixture::with(&[]).protocol(Echo("https"));
    let text = |query: &str| fixture.text(&format!("@https://h/p{query}"));
    assert_eq!(text("?a=1&line=1&b=%20x&flag"), "h/p a=1&b=%20x&flag");
    // `cx.NAME` is always ours; the plain name then goes to the server.
    assert_eq!(text("?line=7&cx.line=1"), "h/p line=7");
    assert_eq!(fixture.refused("@https://h/p?cx.lime=1").0, "REF3003");
    let around = fixture.text("@markdown:https://h/p?section=x&cx.line=1");
    assert_eq!(around, "h/p section=x");
}

#[test]
fn ref_24_protocol_of_one_s_own_is_one_small_trait() {
    let fixture = Fixture::with(&[]).protocol(Echo("acme"));
    assert_eq!(fixture.text("@acme://orders/7"), "orders/7 -");
    assert_eq!(fixture.text("@lines:acme://orders/7"), "1: orders/7 -\n");
}

#[test]
fn ref_24_protocol_may_connect_unless_it_reports_otherwise() {
    let fixture = Fixture::with(&[]).protocol(Echo("acme"));
    let connects = |reference: &str| {
        let reference = Reference::parse(reference).unwrap();
        let route = fixture.loader.route(&reference, &Place::workspace()).unwrap();
        fixture.loader.connects(&route)
    };
    for local in ["@file://a.md", "@json:@memory://tone", "@thinking:env://LANG"] {
        assert!(!connects(local), "{local}");
    }
    for other in ["@acme://orders", "@thinking:lines:acme://orders"] {
        assert!(connects(other), "{other}");
    }
}
