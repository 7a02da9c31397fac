//! Variables, and checks without rendering (PT-6).

use super::*;

#[test]
fn pt_6_variables_are_listed() {
    let names = |text: &str| PromptTemplate::compile(text).unwrap().variables();
    assert_eq!(names("{{b}} {{a.x}} {{b}} {{#each l}}{{item}}{{/each}}"), ["b", "a.x", "l"]);
    assert_eq!(names("{{#if c}}{{c}}{{/if}}{{#if d}}{{e}}{{/if}}"), ["e"]);
    assert_eq!(names("{{#if c}}{{c.x}}{{else}}{{c}}{{/if}}"), ["c"]);
    assert_eq!(names("{{#unless c}}{{x}}{{else}}{{c}}{{/unless}}"), ["x"]);
    assert_eq!(names("{{#if a}}{{a}}{{else if b}}{{a}}{{b}}{{else}}{{b}}{{/if}}"), ["a", "b"]);
    assert_eq!(names("{{#each l}}{{name}} {{@index}} {{this}}{{/each}}"), ["l", "name"]);
    assert_eq!(names("{{#each l}}{{name}}{{#each kids}}{{age}}{{/each}}{{/each}}"), ["l"]);
    assert_eq!(
        names("{{#each l}}{{item.name}} {{unit}}{{#each item.k}}{{x}}{{/each}}{{/each}}"),
        ["l", "unit"]
    );
    assert_eq!(
        names("{{item}} {{this.x}} {{#raw}}{{no}}{{/raw}}{{!-- {{no}} --}}\\{{no}}"),
        ["item", "this.x"]
    );
    assert_eq!(names("{{#each l}}{{else}}{{e}}{{/each}}"), ["l", "e"]);
}

#[test]
fn pt_6_requirements_have_their_need() {
    let template =
        PromptTemplate::compile("{{#if a}}{{a}}{{/if}}\n{{#each l}}{{n}}{{/each}} {{b}}").unwrap();
    let found: Vec<_> = template
        .requirements()
        .into_iter()
        .map(|one| (one.name, one.need, one.line, one.column))
        .collect();
    assert_eq!(
        found,
        [
            ("a".to_owned(), Need::Optional, 1, 7),
            ("l".to_owned(), Need::Required, 2, 9),
            ("n".to_owned(), Need::Item, 2, 14),
            ("b".to_owned(), Need::Required, 2, 29),
        ]
    );
}

#[test]
fn pt_6_variables_of_partials_count_when_registered() {
    let mut template =
        PromptTemplate::compile("{{> head}}{{> gone}}{{#each l}}{{> row}}{{/each}}").unwrap();
    assert_eq!(template.variables(), ["l"]);
    template.register_partial("head", PromptTemplate::compile("{{title}}{{> head}}").unwrap());
    template.register_partial("row", PromptTemplate::compile("{{name}}").unwrap());
    assert_eq!(template.variables(), ["title", "l"]);
    assert_eq!(template.requirements()[0].partial.as_deref(), Some("head"));
    let mut registry = PromptTemplateRegistry::new();
    registry.register("gone", "{{found}}").unwrap();
    let names: Vec<_> = registry.requirements(&template).into_iter().map(|one| one.name).collect();
    assert_eq!(names, ["title", "found", "l", "name"]);
}

#[test]
fn pt_6_missing_is_known_before_rendering() {
    let template = PromptTemplate::compile(
        "{{a}}{{#each l}}{{x}}{{y}}{{/each}}{{b.c}}{{a}}{{#each no}}{{/each}}",
    )
    .unwrap();
    let vars = ctx(json!({"l": [{"x": 1}, {"y": 2}], "b": {}}));
    assert_eq!(template.missing(&vars).unwrap(), ["a", "y", "x", "b.c", "no"]);
    let full = ctx(json!({"a": 1, "l": [], "b": {"c": 1}, "no": []}));
    assert_eq!(template.missing(&full).unwrap(), Vec::<String>::new());
    assert!(matches!(
        PromptTemplate::compile("{{#each a}}{{/each}}").unwrap().missing(&full).unwrap_err(),
        PromptError::NotAnArray(_)
    ));
}

#[test]
fn pt_6_check_reports_all_faults_at_once() {
    let report =
        check("{{#if a}}{{ b c }}{{/each}}\n{{else}}{{#eahc x}}{{/if}}{{}}{{/if}}{{d}}{{#if z}}");
    let found: Vec<_> =
        report.diagnostics.iter().map(|fault| (fault.code, fault.span.start)).collect();
    assert_eq!(
        found,
        [
            ("PT1009", 13),
            ("PT1004", 18),
            ("PT1008", 39),
            ("PT1010", 54),
            ("PT1005", 58),
            ("PT1003", 70)
        ]
    );
    assert!(report.has_errors());
    assert_eq!(report.variables(), ["d"]);
    assert!(report.diagnostics.iter().all(|fault| fault.help.is_some()));
    assert!(check(&"{{}}".repeat(100_000)).diagnostics.len() <= 100);
    assert_eq!(check(&nested(17)).diagnostics[0].code, "PT2001");
    assert!(!check(&nested(16)).has_errors());
}

#[test]
fn pt_6_check_follows_partials() {
    let mut registry = PromptTemplateRegistry::new();
    registry.register("good", "{{x}}").unwrap();
    registry.register_lazy("bad", "{{#if x}}");
    registry.register("a", "{{> b}}").unwrap();
    registry.register("b", "{{> good}}{{> a}}").unwrap();
    registry.register("self", "{{> self}}").unwrap();
    let report = check_with("{{> good}}{{> goood}}{{> bad}}{{> a}}{{> self}}{{> good}}", &registry);
    let found: Vec<_> =
        report.diagnostics.iter().map(|fault| (fault.code, fault.message.as_str())).collect();
    assert_eq!(found[0], ("PT2002", "partial `goood` is not registered"));
    assert_eq!(report.diagnostics[0].help.as_deref(), Some("did you mean `good`?"));
    assert_eq!(found[1].0, "PT2004");
    assert_eq!(found[2], ("PT2003", "partials form a cycle: a -> b -> a"));
    assert_eq!(found[3], ("PT2003", "partials form a cycle: self -> self"));
    assert_eq!(found.len(), 4);
    assert_eq!(report.partials, ["good", "goood", "bad", "a", "self"]);
    assert_eq!(report.variables(), ["x"]);
}

#[test]
fn pt_6_always_needed_variables_are_distinguished() {
    let always = |text: &str| -> Vec<String> {
        let all = PromptTemplate::compile(text).unwrap().requirements();
        all.into_iter().filter(|one| one.always).map(|one| one.name).collect()
    };
    assert_eq!(always("{{a}}{{#if b}}{{c}}{{else}}{{d}}{{/if}}"), ["a"]);
    assert_eq!(always("{{#each list}}{{name}}{{this.x}}{{else}}{{e}}{{/each}}"), ["list"]);
    assert_eq!(always("{{#if b}}{{c}}{{/if}}{{c}}"), ["c"]);
    assert_eq!(always("{{#if c}}{{c}}{{/if}}"), Vec::<String>::new());
    assert_eq!(always("{{user.name}}"), ["user.name"]);
}

#[test]
fn pt_6_partial_under_condition_is_not_always_needed() {
    let mut registry = PromptTemplateRegistry::new();
    registry.register("inner", "{{x}}").unwrap();
    let always = |text: &str| -> Vec<String> {
        let template = PromptTemplate::compile(text).unwrap();
        let all = registry.requirements(&template);
        all.into_iter().filter(|one| one.always).map(|one| one.name).collect()
    };
    assert_eq!(always("{{#if a}}{{> inner}}{{/if}}"), Vec::<String>::new());
    assert_eq!(always("{{#if a}}{{> inner}}{{/if}}{{> inner}}"), ["x"]);
}
