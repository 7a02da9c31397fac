//! Depth, cycles and limits (PT-4).

use super::*;
use crate::limits::MAX_DEPTH;

/// Registers partials: `p1` includes `p2` and so on; the last one contains `inner`.
fn chain(partials: usize, inner: &str) -> PromptTemplateRegistry {
    let mut registry = PromptTemplateRegistry::new();
    for at in 1..partials {
        registry.register(&format!("p{at}"), &format!("{{{{> p{}}}}}", at + 1)).unwrap();
    }
    registry.register(&format!("p{partials}"), inner).unwrap();
    registry.register("main", "{{> p1}}").unwrap();
    registry
}

#[test]
fn pt_4_depth_16_passes_and_17_is_error() {
    assert_eq!(render(&nested(16), json!({"a": 1})), "x");
    assert!(matches!(fails(&nested(17), json!({"a": 1})), PromptError::MaxDepthReached(16)));
    let vars = ctx(json!({"a": 1}));
    assert_eq!(chain(16, "y").render("main", &vars).unwrap(), "y");
    let error = chain(17, "y").render("main", &vars).unwrap_err();
    assert!(matches!(error, PromptError::MaxDepthReached(MAX_DEPTH)));
    assert_eq!(chain(10, &nested(6)).render("main", &vars).unwrap(), "x");
    let error = chain(10, &nested(7)).render("main", &vars).unwrap_err();
    assert!(matches!(error, PromptError::MaxDepthReached(16)));
}

#[test]
fn pt_4_unreached_partials_do_not_count_as_depth() {
    assert_eq!(render(&nested(1000), json!({"a": false})), "");
    assert!(matches!(fails(&nested(100_000), json!({"a": 1})), PromptError::MaxDepthReached(16)));
    let long = format!("{{{{#if a}}}}{}{{{{else}}}}end{{{{/if}}}}", "{{else if a}}".repeat(50_000));
    assert_eq!(render(&long, json!({})), "end");
    let each = "{{#each l}}{{else if a}}{{else if b}}y{{/each}}";
    let deep = format!("{}{each}{}", "{{#if b}}".repeat(15), "{{/if}}".repeat(15));
    assert_eq!(render(&deep, json!({"l": [], "b": 1})), "y");
}

#[test]
fn pt_4_cycle_of_partials_names_path() {
    let mut registry = PromptTemplateRegistry::new();
    registry.register("a", "{{> b}}").unwrap();
    registry.register("b", "{{#if x}}{{> c}}{{/if}}").unwrap();
    registry.register("c", "{{> a}}").unwrap();
    let vars = ctx(json!({"x": 1}));
    let error = registry.render("a", &vars).unwrap_err();
    assert!(
        matches!(&error, PromptError::Render(why) if why.contains("a -> b -> c -> a")),
        "{error}"
    );
    let mut alone = PromptTemplate::compile("{{> me}}").unwrap();
    alone.register_partial("me", PromptTemplate::compile("{{> me}}").unwrap());
    let error = alone.render(&vars).unwrap_err();
    assert!(matches!(&error, PromptError::Render(why) if why.contains("me -> me")), "{error}");
    // The same partial twice in a row is not a cycle.
    registry.register("twice", "{{> leaf}}{{> leaf}}").unwrap();
    registry.register("leaf", "l").unwrap();
    assert_eq!(registry.render("twice", &vars).unwrap(), "ll");
}

#[test]
fn pt_4_partials_see_scope_they_are_included_in() {
    let mut template = PromptTemplate::compile("{{#each l}}{{> row}}{{/each}}").unwrap();
    template.register_partial("row", PromptTemplate::compile("{{@index}}{{name}}{{g}} ").unwrap());
    let vars = ctx(json!({"l": [{"name": "a"}, {"name": "b"}], "g": "!"}));
    assert_eq!(template.render(&vars).unwrap(), "0a! 1b! ");
    assert!(matches!(
        PromptTemplate::compile("{{> nope}}").unwrap().render(&vars).unwrap_err(),
        PromptError::PartialNotFound(name) if name == "nope"
    ));
    assert_eq!(render("{{#if x}}{{> nope}}{{/if}}", json!({})), "");
}

#[test]
fn pt_4_limits_on_output_and_steps() {
    let limits = RenderLimits { output_bytes: 10, steps: 20 };
    let compile = |text: &str| PromptTemplate::compile(text).unwrap().with_limits(limits);
    let vars = ctx(json!({"s": "12345", "l": [1, 2, 3, 4, 5, 6, 7], "n": 1.5}));
    assert_eq!(compile("{{s}}{{s}}").render(&vars).unwrap(), "1234512345");
    for template in ["{{s}}{{s}}.", "{{s}}{{l}}", "{{s}}123{{n}}"] {
        let error = compile(template).render(&vars).unwrap_err();
        assert!(error.to_string().contains("more than 10 bytes"), "{template}: {error}");
    }
    let error = compile("{{#each l}}{{#each l}}{{/each}}{{/each}}").render(&vars).unwrap_err();
    assert!(error.to_string().contains("more than 20 steps"), "{error}");
}
