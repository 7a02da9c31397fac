use super::*;
use contexture_context::Trust;
use contexture_core::reference::Place;
use std::collections::BTreeMap;

fn run(name: &str, text: &str, parameters: &[(&str, &str)]) -> Result<String, LoadError> {
    let processors = built_in();
    let processor = processors.iter().find(|one| one.name() == name).unwrap();
    let taken: BTreeMap<_, _> =
        parameters.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let input = [Resource::of_text("@file://a", "text/plain", text, Trust::Resource)];
    let request = Request {
        reference: "@x:file://a",
        path: "",
        parameters: &Parameters { taken, passed_on: None },
        input: &input,
        place: &Place::workspace(),
        max_bytes: 1 << 20,
        max_resources: 10,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let loaded = runtime.block_on(processor.load(request))?;
    let resource = loaded.resources.first().unwrap();
    assert_eq!(resource.reference, format!("@{name}:@file://a"));
    Ok(resource.text().unwrap().to_owned())
}

fn help(name: &str, text: &str, parameters: &[(&str, &str)]) -> (&'static str, String) {
    let error = run(name, text, parameters).unwrap_err();
    (error.code, error.help.unwrap())
}

#[test]
fn ref_12_json_shows_part_at_pointer() {
    let data = r#"{"a": [{"b/c": "words", "n": 3}]}"#;
    assert_eq!(run("json", data, &[("pointer", "/a/0/b~1c")]).unwrap(), "words");
    assert_eq!(run("json", data, &[("pointer", "/a/0/n")]).unwrap(), "3");
    // As a whole it stays as it is written: no digit and no name is lost.
    let whole = "{\"z\": 12345678901234567890123, \"a\":1.10}";
    assert_eq!(run("json", whole, &[]).unwrap(), whole);
}

#[test]
fn ref_12_pointer_to_nothing_reports_what_there_is() {
    let data = r#"{"items": [1, 2]}"#;
    let near = ("REF3024", "did you mean `items`?".to_owned());
    assert_eq!(help("json", data, &[("pointer", "/item")]), near);
    let list = ("REF3024", "there is a list: take an index from 0 to 1".to_owned());
    assert_eq!(help("json", data, &[("pointer", "/items/2")]), list);
    assert_eq!(help("json", data, &[("pointer", "/items/01")]), list);
    let slash = ("REF3023", "begin with a slash: /items".to_owned());
    assert_eq!(help("json", data, &[("pointer", "items")]), slash);
    assert_eq!(help("json", "{", &[]).0, "REF3021");
}

#[test]
fn ref_12_yaml_becomes_json() {
    let data = "name: 合同\nitems:\n  - 1\n";
    assert_eq!(run("yaml", data, &[("pointer", "/name")]).unwrap(), "合同");
    assert_eq!(help("yaml", "a: [", &[]).0, "REF3022");
}

const DOCUMENT: &str = "# Top\n\nintro\n\n## Usage of `it`\n\none\n\n```md\n## Not this\n```\n\n### Inner\n\ntwo\n\n设置\n----\n\n三\n\n# Next\n";

#[test]
fn ref_12_markdown_gives_section_under_heading() {
    let section = |name| run("markdown", DOCUMENT, &[("section", name)]).unwrap();
    assert_eq!(
        section("usage  OF it"),
        "## Usage of `it`\n\none\n\n```md\n## Not this\n```\n\n### Inner\n\ntwo"
    );
    assert_eq!(section("Inner"), "### Inner\n\ntwo");
    assert_eq!(section("设置"), "设置\n----\n\n三");
    assert_eq!(section("Next"), "# Next");
}

#[test]
fn ref_12_section_that_is_not_there_is_error_with_nearest() {
    let near = ("REF3026", "did you mean `Inner`?".to_owned());
    assert_eq!(help("markdown", DOCUMENT, &[("section", "Iner")]), near);
    let none = ("REF3026", "it has no headings".to_owned());
    assert_eq!(help("markdown", "text", &[("section", "x")]), none);
    assert!(help("markdown", DOCUMENT, &[("section", "Not this")]).1.starts_with("its headings"));
}

#[test]
fn ref_12_lines_base64_and_text() {
    assert_eq!(run("lines", "a\r\n中\n", &[]).unwrap(), "1: a\n2: 中\n");
    assert_eq!(run("base64", "hi", &[]).unwrap(), "aGk=");
    assert_eq!(run("text", "hi", &[]).unwrap(), "hi");
}

#[test]
fn ref_12_template_is_rendered_with_query() {
    assert_eq!(run("template", "Hi {{name}}!", &[("name", "张三")]).unwrap(), "Hi 张三!");
    assert_eq!(help("template", "Hi {{name}}!", &[]).0, "REF3025");
}
