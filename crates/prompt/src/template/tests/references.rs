//! Texts that are included by reference (PT-1, REF-7).

use super::*;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

fn texts<const N: usize>(pairs: [(&str, &str); N]) -> BTreeMap<String, String> {
    pairs.into_iter().map(|(name, text)| (name.to_owned(), text.to_owned())).collect()
}

fn wanted(template: &PromptTemplate) -> Vec<String> {
    template.references().into_iter().map(|one| one.reference).collect()
}

#[test]
fn pt_1_reference_extends_to_closing_braces() {
    for (tag, reference, rest) in [
        ("{{> @file://parts/tone.md }}", "@file://parts/tone.md", ""),
        ("{{>@file://a.md}}", "@file://a.md", ""),
        ("{{ > @!file://a.md}} b", "@!file://a.md", " b"),
        ("{{>@?markdown:file://a.md?section=A }}", "@?markdown:file://a.md?section=A", ""),
        ("{{>\n@file://a.md\n}}x", "@file://a.md", "x"),
        ("{{> @file://my notes/a b.md }}", "@file://my notes/a b.md", ""),
        ("{{> @file://中文/《a》.md }}", "@file://中文/《a》.md", ""),
        ("{{> @https://h/p?a=1&b={x} }}", "@https://h/p?a=1&b={x}", ""),
        ("{{> @file://docs/*.{md,txt} }}", "@file://docs/*.{md,txt}", ""),
        ("{{> @file://docs/*.{md,txt}}}", "@file://docs/*.{md,txt}", ""),
        ("{{> @file://docs/*.{md,txt}}}}", "@file://docs/*.{md,txt}", "}"),
        ("{{> @file://{a,{b,c}}}}", "@file://{a,{b,c}}", ""),
        ("{{> @file://{a,{b,c}}/d}}}", "@file://{a,{b,c}}/d", "}"),
        ("{\"tone\": {{> @file://a.md}}}", "@file://a.md", "}"),
        ("{{> @file://a}.md }}", "@file://a}.md", ""),
        // An unbalanced brace takes nothing of the following text.
        ("{{> @file://a{b }} c }}", "@file://a{b", " c }}"),
        ("{{> @file://a{b }}\nc }}", "@file://a{b", "\nc }}"),
        ("{{> @file://a{b}} {{x}}", "@file://a{b", " 1"),
    ] {
        let template =
            PromptTemplate::compile(tag).unwrap_or_else(|error| panic!("{tag}: {error}"));
        assert_eq!(wanted(&template), [reference], "{tag}");
        let rendered = template.render_with(&ctx(json!({"x": 1})), &texts([(reference, "T")]));
        let before = tag.split("{{").next().unwrap();
        assert_eq!(rendered.unwrap(), format!("{before}T{rest}"), "{tag}");
        assert_eq!(template.to_string(), tag);
    }
}

#[test]
fn pt_1_white_space_control_does_not_change_included_text() {
    let template = PromptTemplate::compile("a \n {{~> @file://a.md ~}} \n b {{> @file://a.md}} c");
    let rendered =
        template.unwrap().render_with(&ctx(json!({})), &texts([("@file://a.md", " T\n")]));
    assert_eq!(rendered.unwrap(), "a T\nb  T\n c");
}

#[test]
fn pt_1_included_text_is_never_parsed_as_template() {
    let text = "{{x}} {{> @file://a.md}} {{#if}} \\{{ {{!-- --}} {{> p}} }} ~";
    let mut template = PromptTemplate::compile("{{> @file://a.md}}|{{> p}}").unwrap();
    template.register_partial("p", PromptTemplate::compile("({{> @file://a.md}})").unwrap());
    let rendered = template.render_with(&ctx(json!({"x": 1})), &texts([("@file://a.md", text)]));
    assert_eq!(rendered.unwrap(), format!("{text}|({text})"));
    assert_eq!(wanted(&template), ["@file://a.md", "@file://a.md"]);
}

#[test]
fn pt_1_nothing_is_reference_in_raw_comments_and_escapes() {
    let text =
        "{{#raw}}{{> @file://a.md}}{{/raw}}{{!-- {{> @file://b.md}} --}}\\{{> @file://c.md}}";
    let template = PromptTemplate::compile(text).unwrap();
    assert_eq!(wanted(&template), [""; 0]);
    let rendered = template.render(&ctx(json!({}))).unwrap();
    assert_eq!(rendered, "{{> @file://a.md}}{{> @file://c.md}}");
}

#[test]
fn pt_2_invalid_reference_is_reported_with_place() {
    for (template, code, place, words) in [
        ("x {{> @ }}", "PT1012", (1, 7), "`@` is not a reference"),
        ("{{> @tone }}", "PT1012", (1, 5), "expected `@protocol://path`"),
        ("{{> @://a }}", "PT1012", (1, 5), "not a reference"),
        ("{{> @!1:a }}", "PT1012", (1, 5), "not a reference"),
        ("中\n{{> @file://{{name}}.md }}", "PT1012", (2, 13), "tag inside a reference"),
        ("{{> @file://a.md and {{x}}", "PT1001", (1, 1), "unclosed tag"),
        ("{{> @file://a.md", "PT1001", (1, 1), "unclosed tag"),
        ("{{> @file://a.{md,txt} }", "PT1001", (1, 1), "unclosed tag"),
    ] {
        let error = PromptTemplate::compile(template).unwrap_err();
        assert_eq!(error.position(), Some(place), "{template}: {error}");
        assert!(error.to_string().contains(words), "{template}: {error}");
        let report = check(template);
        assert_eq!(report.diagnostics[0].code, code, "{template}");
        assert!(report.diagnostics[0].help.is_some());
    }
    let report = check("{{> @file://{{name}}.md }} {{> @tone}} {{x}}");
    assert_eq!(report.diagnostics.len(), 2);
    assert_eq!(report.variables(), ["x"]);
}

#[test]
fn pt_14_reference_without_text_is_typed_error_with_place_and_help() {
    let mut template =
        PromptTemplate::compile("{{#if a}}\n  {{> @file://a.md}}{{/if}}{{> p}}").unwrap();
    let partial = "中 {{> @sftp://ann:secret@host/b.md}}";
    template.register_partial("p", PromptTemplate::compile(partial).unwrap());
    let vars = ctx(json!({"a": true}));
    let alone = template.render(&vars).unwrap_err();
    assert_eq!(alone.code(), "PT3004");
    assert_eq!(
        alone.to_string(),
        "`@file://a.md` can't be included: no references are loaded here"
    );
    assert!(alone.help().unwrap().contains("render_with"));

    let located = template.render_with(&vars, &texts([])).unwrap_err();
    assert_eq!((located.line, located.column, located.partial.as_deref()), (2, 7, None));
    let located = template.render_with(&vars, &texts([("@file://a.md", "")])).unwrap_err();
    assert_eq!((located.line, located.column, located.partial.as_deref()), (1, 7, Some("p")));
    assert!(!format!("{located} {located:?}").contains("secret"), "{located:?}");
    assert!(located.to_string().contains("`@sftp://host/b.md` can't be included"), "{located}");
    assert!(located.error.help().unwrap().contains("references()"));
}

#[test]
fn ref_7_only_reached_references_are_requested() {
    let text = "{{#if a}}{{> @file://a.md}}{{else}}{{> @?file://b.md}}{{/if}}{{#each l}}{{> @file://c.md}}{{/each}}";
    let template = PromptTemplate::compile(text).unwrap();
    let included = |vars: Value| -> Vec<String> {
        let included = template.included(&ctx(vars)).unwrap();
        included.into_iter().map(|one| one.reference).collect()
    };
    assert_eq!(included(json!({"a": 1, "l": []})), ["@file://a.md"]);
    assert_eq!(included(json!({"l": [1, 2]})), ["@?file://b.md", "@file://c.md"]);
    assert_eq!(wanted(&template), ["@file://a.md", "@?file://b.md", "@file://c.md"]);
    let given = texts([("@?file://b.md", "B"), ("@file://c.md", "c")]);
    let vars = ctx(json!({"l": [1, 2]}));
    assert_eq!(template.render_with(&vars, &given).unwrap(), "Bcc");
    let given: HashMap<String, String> = given.into_iter().collect();
    assert_eq!(template.render_with(&vars, &given).unwrap(), "Bcc");
    assert!(matches!(
        template.included(&ctx(json!({}))).unwrap_err().error,
        PromptError::VariableNotFound(name) if name == "l"
    ));
    // Variables are missing.
    assert_eq!(template.missing(&ctx(json!({"a": 1}))).unwrap(), ["l"]);
}

#[test]
fn pt_7_references_of_partials_name_their_text() {
    let mut registry = PromptTemplateRegistry::new();
    registry.register("tone", "{{> @file://t.md}}{{> deep}}").unwrap();
    registry.register_lazy("deep", "\n{{> @file://t.md}}{{> tone}}");
    let template =
        PromptTemplate::compile("{{> @file://t.md}} {{> @file://t.md}}{{> tone}}{{> no}}");
    let template = template.unwrap();
    let found: Vec<_> = registry
        .references(&template)
        .into_iter()
        .map(|one| (one.partial, one.line, one.column))
        .collect();
    let partial = |name: &str| Some(name.to_owned());
    assert_eq!(found, [(None, 1, 5), (partial("tone"), 1, 5), (partial("deep"), 2, 5)]);
    assert_eq!(check_with("{{> deep}}", &registry).references.len(), 2);
    assert_eq!(check("{{> deep}}").references, []);

    struct Places;
    impl References for Places {
        fn text(&self, include: Include<'_>) -> Result<Arc<str>, ReferenceError> {
            Ok(format!("{}:{}", include.partial.unwrap_or("-"), include.reference).into())
        }
    }
    let template = PromptTemplate::compile("{{> @file://a}} {{> one}}").unwrap();
    registry.register("one", "{{> @file://b}}").unwrap();
    let vars = TemplateContext::new();
    let rendered = registry.render_template_with(&template, &vars, &Places).unwrap();
    assert_eq!(rendered, "-:@file://a one:@file://b");
    let included = registry.included(&template, &vars).unwrap();
    let asked: Vec<_> = included.iter().map(Included::include).collect();
    assert_eq!(
        asked,
        [
            Include { reference: "@file://a", partial: None },
            Include { reference: "@file://b", partial: Some("one") }
        ]
    );
}

#[test]
fn pt_2_limits_hold_for_included_text() {
    let limits = RenderLimits { output_bytes: 10, ..RenderLimits::default() };
    let template = PromptTemplate::compile("{{> @file://a}}{{> @file://a}}").unwrap();
    let template = template.with_limits(limits);
    let vars = TemplateContext::new();
    assert_eq!(
        template.render_with(&vars, &texts([("@file://a", "12345")])).unwrap(),
        "1234512345"
    );
    let error = template.render_with(&vars, &texts([("@file://a", "123456")])).unwrap_err();
    assert!(error.to_string().contains("more than 10 bytes"), "{error}");
    assert_eq!((error.line, error.column), (1, 20));
}
