//! Templates by name (PT-7).

use super::*;

#[test]
fn pt_7_registering_and_replacing() {
    let mut registry = PromptTemplateRegistry::new();
    registry.register("a", "one").unwrap();
    registry.register("a", "two {{x}}").unwrap();
    let vars = ctx(json!({"x": 1}));
    assert_eq!(registry.render("a", &vars).unwrap(), "two 1");
    assert!(matches!(registry.register("a", "{{"), Err(PromptError::Parse(_))));
    assert_eq!(registry.get("a").unwrap().to_string(), "two {{x}}");
    registry.register_lazy("a", "three");
    assert_eq!(registry.render("a", &vars).unwrap(), "three");
    let mut out = String::new();
    registry.render_into("a", &vars, &mut out).unwrap();
    assert_eq!(out, "three");
    for error in [registry.get("b").unwrap_err(), registry.render("b", &vars).unwrap_err()] {
        assert!(matches!(error, PromptError::PartialNotFound(name) if name == "b"));
    }
    assert_eq!(registry.names().collect::<Vec<_>>(), ["a"]);
    assert!(registry.contains("a"));
}

#[test]
fn pt_7_lazy_templates_compile_on_first_use() {
    let mut registry = PromptTemplateRegistry::new();
    registry.register_lazy("broken", "ok\n{{#if x}}");
    registry.register("main", "{{> broken}}").unwrap();
    for _ in 0..2 {
        let error = registry.get("broken").unwrap_err();
        assert_eq!(error.position(), Some((2, 1)));
        assert!(error.to_string().contains("in template `broken`, line 2, column 1"), "{error}");
    }
    assert!(matches!(registry.render("main", &ctx(json!({}))), Err(PromptError::Parse(_))));
}

#[test]
fn pt_7_own_partials_come_before_registrys() {
    let mut registry = PromptTemplateRegistry::new();
    registry.register("p", "registry").unwrap();
    registry.register("q", "[{{> p}}]").unwrap();
    let mut own = PromptTemplate::compile("{{> p}} {{> q}}").unwrap();
    let vars = TemplateContext::new();
    assert_eq!(registry.render_template(&own, &vars).unwrap(), "registry [registry]");
    own.register_partial("p", PromptTemplate::compile("own").unwrap());
    registry.register_template("main", own.clone());
    assert_eq!(registry.render("main", &vars).unwrap(), "own [own]");
    assert!(matches!(own.render(&vars), Err(PromptError::PartialNotFound(name)) if name == "q"));
}

#[test]
fn pt_7_registry_is_shared_between_threads() {
    fn shared<T: Send + Sync>(value: T) -> T {
        value
    }
    let mut registry = PromptTemplateRegistry::new();
    registry.register_lazy("a", "{{x}}!");
    let registry = shared(registry);
    let vars = ctx(json!({"x": 1}));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(registry.render("a", &vars).unwrap(), "1!"));
        }
    });
}
