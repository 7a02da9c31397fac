use super::*;
use crate::limits::MAX_DEPTH;
use proptest::prelude::*;
use serde_json::{Value, json};

fn ctx(value: Value) -> TemplateContext {
    TemplateContext::from_json(&value).unwrap()
}

fn render(template: &str, vars: Value) -> String {
    PromptTemplate::compile(template).unwrap().render(&ctx(vars)).unwrap()
}

fn fails(template: &str, vars: Value) -> PromptError {
    PromptTemplate::compile(template).unwrap().render(&ctx(vars)).unwrap_err()
}

fn refused(template: &str) -> String {
    match PromptTemplate::compile(template).unwrap_err() {
        PromptError::Parse(message) => message,
        other => panic!("{other}"),
    }
}

#[test]
fn pt_1_variables_and_dotted_paths() {
    let vars = json!({"name": "Ada", "a": {"b": [{"c": 1}, "two"]}, "变量": "值", "x-y_1": "z"});
    assert_eq!(render("{{name}}{{ name }}{{\n name\t}}", vars.clone()), "AdaAdaAda");
    assert_eq!(render("{{a.b.0.c}} {{a.b.1}} {{a.b}}", vars.clone()), r#"1 two [{"c":1},"two"]"#);
    assert_eq!(render("{{变量}}|{{x-y_1}}", vars), "值|z");
}

#[test]
fn pt_1_prototype_like_names_are_plain_names() {
    let vars = json!({"constructor": "c", "__proto__": "p", "toString": "t"});
    assert_eq!(render("{{constructor}}{{__proto__}}{{toString}}", vars), "cpt");
    assert!(matches!(
        fails("{{ constructor }}", json!({})),
        PromptError::VariableNotFound(name) if name == "constructor"
    ));
}

#[test]
fn pt_1_if_else_chain_and_unless() {
    let template = "{{#if a}}A{{else if b}}B{{else if c}}C{{else}}D{{/if}}";
    for (vars, wanted) in [
        (json!({"a": 1, "b": 1}), "A"),
        (json!({"b": 1, "c": 1}), "B"),
        (json!({"c": 1}), "C"),
        (json!({}), "D"),
    ] {
        assert_eq!(render(template, vars), wanted);
    }
    assert_eq!(render("{{#if a}}A{{else if b}}B{{/if}}.", json!({})), ".");
    assert_eq!(render("{{#unless a}}no{{else}}yes{{/unless}}", json!({"a": true})), "yes");
    assert_eq!(render("{{#unless a}}no{{else if b}}b{{/unless}}", json!({"a": 1, "b": 1})), "b");
    assert_eq!(render("{{#unless a}}no{{/unless}}", json!({})), "no");
}

#[test]
fn pt_1_nested_if_and_each() {
    let template = "{{#each rows}}{{#if on}}{{#each cells}}{{item}}{{#if @last}};{{else}},{{/if}}\
                    {{/each}}{{else}}off;{{/if}}{{/each}}";
    let vars =
        json!({"rows": [{"on": true, "cells": [1, 2]}, {"on": false}, {"on": 1, "cells": []}]});
    assert_eq!(render(template, vars), "1,2;off;");
}

#[test]
fn pt_1_item_this_and_counters() {
    let vars = json!({"l": ["a", "b", "c"]});
    assert_eq!(
        render("{{#each l}}{{@index}}{{item}}{{this}}{{@first}}{{@last}} {{/each}}", vars.clone()),
        "0aatruefalse 1bbfalsefalse 2ccfalsetrue "
    );
    assert_eq!(render("{{#each l}}{{#if @index}}{{item}}{{/if}}{{/each}}", vars), "abc");
    let nested = json!({"m": [[1, 2], [3]]});
    assert_eq!(
        render(
            "{{#each m}}{{@index}}:{{#each this}}{{@index}}={{item}} {{/each}}{{@index}};{{/each}}",
            nested
        ),
        "0:0=1 1=2 0;1:0=3 1;"
    );
    assert!(matches!(
        fails("{{@index}}", json!({})),
        PromptError::VariableNotFound(name) if name == "@index"
    ));
    assert_eq!(render("{{item}} {{this.x}}", json!({"item": 1, "this": {"x": 2}})), "1 2");
}

#[test]
fn pt_1_fields_of_the_item_come_before_outer_names() {
    let vars = json!({
        "name": "outer", "only": "o",
        "l": [{"name": "inner", "l2": [{"x": 1}, {"name": "innermost", "x": 2}]}, {"l2": []}]
    });
    assert_eq!(
        render(
            "{{#each l}}{{name}}{{only}}{{#each l2}}[{{name}}{{x}}]{{/each}} {{/each}}{{name}}",
            vars
        ),
        "innero[inner1][innermost2] outero outer"
    );
    // `item` is the loop's own name, whatever fields the item has; a null field is a field.
    let vars = json!({"l": [{"item": "field", "v": null}], "v": "outer"});
    assert_eq!(render("{{#each l}}{{item.item}}{{v}}{{/each}}", vars), "field");
}

#[test]
fn pt_1_each_else_for_empty() {
    let template = "{{#each l}}{{item}}{{else}}none{{/each}}";
    assert_eq!(render(template, json!({"l": []})), "none");
    assert_eq!(render(template, json!({"l": [1]})), "1");
    let chain = "{{#each l}}{{item}}{{else if b}}b{{else}}c{{/each}}";
    assert_eq!(render(chain, json!({"l": [], "b": true})), "b");
    assert_eq!(render(chain, json!({"l": []})), "c");
    // In the else there is no item.
    let inner = "{{#each a}}{{#each b}}{{else}}{{item.n}}{{/each}}{{/each}}";
    assert_eq!(render(inner, json!({"a": [{"n": 7, "b": []}]})), "7");
}

#[test]
fn pt_1_raw_is_verbatim() {
    assert_eq!(render("{{#raw}} {{literal}} {{/raw}}", json!({})), " {{literal}} ");
    assert_eq!(
        render("{{#raw}}{{#if x}} \\{{ {{!-- c --}} {{~y~}} {{#raw}} }}{{/raw}}|", json!({})),
        "{{#if x}} \\{{ {{!-- c --}} {{~y~}} {{#raw}} }}|"
    );
    assert_eq!(render("a {{~#raw~}}  x  {{~ / raw ~}} b", json!({})), "axb");
    assert_eq!(render("{{#raw}}{{{/raw}}{{x}}", json!({"x": 1})), "{1");
}

#[test]
fn pt_1_comments_end_at_the_dashes() {
    assert_eq!(render("a{{!-- }} {{x}} -- --}}b", json!({})), "ab");
    assert_eq!(render("a {{~!-- c --~}} b{{!----}}", json!({})), "ab");
    assert!(refused("a{{!-- x }} y").contains("`--}}` is missing"));
    assert!(refused("{{!--}}").contains("comment"));
    assert!(refused("{{! x }}").contains("{{!-- … --}}"));
}

#[test]
fn pt_1_escaped_braces_and_stray_braces_are_text() {
    assert_eq!(render(r"\{{ name }} {{x}}", json!({"x": 1})), "{{ name }} 1");
    assert_eq!(render(r"\{{{{x}}}} }} } { {x}", json!({"x": 1})), "{{1}} }} } { {x}");
    assert_eq!(render(r"{{x}}\{{x}}\{{~x}}", json!({"x": 1})), "1{{x}}{{~x}}");
    assert_eq!(render("{\"a\": {\"b\": {{x}}}}", json!({"x": 1})), "{\"a\": {\"b\": 1}}");
    assert_eq!(render(r"a\b \ {{x}}", json!({"x": 1})), r"a\b \ 1");
}

#[test]
fn pt_1_white_space_control() {
    let vars = json!({"x": "X", "l": [1, 2]});
    assert_eq!(render("a \n\t{{~x~}}\n\u{3000} b {{ x }} c", vars.clone()), "aXb X c");
    assert_eq!(render("{{#each l ~}}\n  {{item}}\n{{~/each}}\n", vars.clone()), "12\n");
    assert_eq!(render("a {{~#if x~}} b {{~else~}} c {{~/if~}} d", vars.clone()), "abd");
    // Only the text beside the tag is trimmed, not what is beyond another tag or a value.
    assert_eq!(render("a {{!-- c --}} {{~x}}", vars.clone()), "a X");
    assert_eq!(render("{{x}} \\{{ {{~x}}", vars.clone()), "X {{X");
    assert_eq!(render("{{x~}} {{x}} {{~x}}", vars), "XXX");
    assert_eq!(render("line\n{{#if x}}\nmore\n{{/if}}\n", json!({"x": 1})), "line\n\nmore\n\n");
}

#[test]
fn pt_1_nothing_is_escaped() {
    let vars = json!({"h": "<a href=\"x\">&'</a> {{h}}"});
    assert_eq!(render("{{h}}", vars), "<a href=\"x\">&'</a> {{h}}");
    assert_eq!(render("a\r\nb{{#if x}}\r\n{{/if}}\r\n", json!({"x": 1})), "a\r\nb\r\n\r\n");
}

#[test]
fn pt_2_display_gives_the_raw_text() {
    let text = "你是{{role}}。\\{{ {{!-- c --}}{{#raw}}{{x}}{{/raw}}";
    let template = PromptTemplate::compile(text).unwrap();
    assert_eq!(template.to_string(), text);
    assert_eq!(template.source(), text);
    assert_eq!(text.parse::<PromptTemplate>().unwrap().to_string(), text);
}

#[test]
fn pt_2_render_into_any_sink() {
    let template = PromptTemplate::compile("{{a}} {{b}}").unwrap();
    let mut out = String::from("> ");
    template.render_into(&ctx(json!({"a": 1, "b": [true]})), &mut out).unwrap();
    assert_eq!(out, "> 1 [true]");

    struct Full;
    impl fmt::Write for Full {
        fn write_str(&mut self, _: &str) -> fmt::Result {
            Err(fmt::Error)
        }
    }
    let error = template.render_into(&ctx(json!({"a": 1, "b": 2})), &mut Full).unwrap_err();
    assert!(matches!(error, PromptError::Render(why) if why.contains("sink")));
}

#[test]
fn pt_2_unclosed_and_mismatched_tags_name_what_closes_what() {
    for (template, wanted) in [
        ("a {{ name", "line 1, column 3: a tag `{{` is never closed: `}}` is missing"),
        ("{{ a {{b}}", "line 1, column 1: a tag `{{` is never closed"),
        ("{{#if user}}x", "line 1, column 1: `{{#if user}}` is never closed: `{{/if}}` is missing"),
        (
            "x\n{{#each a}}{{#if b}}{{/if}}",
            "line 2, column 1: `{{#each a}}` is never closed: `{{/each}}` is missing",
        ),
        (
            "{{#if 名字}}\n {{/each}}",
            "line 2, column 2: `{{/each}}` does not close `{{#if 名字}}`, which is still open (opened at line 1, column 1); `{{#if 名字}}` is closed by `{{/if}}`",
        ),
        ("{{#if a}}{{else if b}}{{/unless}}", "does not close `{{#if a}}`"),
        ("{{/if}}", "`{{/if}}` closes nothing: no block is open"),
        ("{{/raw}}", "`{{/raw}}` closes nothing"),
        ("{{#raw}} {{/ra}}", "`{{#raw}}` is never closed: `{{/raw}}` is missing"),
        ("{{else}}", "`{{else}}` stands in no block"),
        ("{{else if x}}", "`{{else if}}` stands in no block"),
        (
            "{{#if a}}{{else}}{{else}}{{/if}}",
            "`{{else}}` comes after the `{{else}}` of `{{#if a}}` (the `{{else}}` stands at line 1, column 10)",
        ),
        ("{{#if a}}{{else}}{{else if b}}{{/if}}", "`{{else if}}` comes after the `{{else}}`"),
        ("{{#eahc a}}{{/eahc}}", "unknown block `{{#eahc}}`; did you mean `#each`?"),
        ("{{#with a}}{{/with}}", "unknown block `{{#with}}`; blocks are"),
        ("{{#if}}{{/if}}", "`{{#if}}` needs the name of a variable"),
        ("{{#if a}}{{else if}}{{/if}}", "`{{else if}}` needs the name"),
        ("{{#if a}}{{else b}}{{/if}}", "`{{else}}` takes `if` or nothing"),
        ("{{#if a b}}{{/if}}", "' ' can't stand in it"),
        ("{{#raw x}}{{/raw}}", "`{{#raw}}` takes no name"),
        ("{{}}", "`{{ }}` holds no name"),
        ("{{~}}", "`{{ }}` holds no name"),
        ("{{ a..b }}", "has a dot without a name"),
        ("{{ ../a }}", "without `../`"),
        ("{{ .a }}", "has a dot without a name"),
        ("{{ @key }}", "unknown name `@key`"),
        ("{{> }}", "names no partial"),
        ("{{> a b=c}}", "is no name of a partial"),
        ("{{{x}}}", "two braces are enough"),
        ("{{\"a\": 1}}", "literal braces"),
        ("{{a[0]}}", "list.0.name"),
        ("{{a}", "is never closed"),
    ] {
        let message = refused(template);
        assert!(message.contains(wanted), "{template}: {message}");
    }
}

#[test]
fn pt_2_positions_are_lines_and_characters() {
    for (template, place) in [
        ("{{", (1, 1)),
        ("你好 {{#if 名}}", (1, 4)),
        ("a\r\nb\n\n  {{/each}}", (4, 3)),
        ("😀{{ a b }}", (1, 6)),
        ("x\n{{ ok }}\n{{ é! }}", (3, 5)),
    ] {
        let error = PromptTemplate::compile(template).unwrap_err();
        assert_eq!(error.position(), Some(place), "{template}: {error}");
    }
    assert_eq!(PromptError::VariableNotFound("line 1, column 2: x".into()).position(), None);
    assert_eq!(PromptError::Parse("no place".into()).position(), None);
}

#[test]
fn pt_2_rendering_errors_can_be_located() {
    let mut template = PromptTemplate::compile("一\n {{> p}}").unwrap();
    template.register_partial("p", PromptTemplate::compile("{{ok}}\n\n  {{gone}}").unwrap());
    let located = template.render_located(&ctx(json!({"ok": 1}))).unwrap_err();
    assert_eq!((located.line, located.column), (3, 5));
    assert_eq!(located.partial.as_deref(), Some("p"));
    assert_eq!(
        located.to_string(),
        "line 3, column 5 of partial `p`: variable `gone` not found: give it a value, or test it with {{#if gone}} first"
    );
    let located = template.render_located(&TemplateContext::new()).unwrap_err();
    assert_eq!((located.line, located.column), (1, 3));
    let located =
        PromptTemplate::compile("\n{{> q}}").unwrap().render_located(&ctx(json!({}))).unwrap_err();
    assert_eq!(located.to_string(), "line 2, column 5: template `q` is not registered");
}

#[test]
fn pt_3_what_is_false() {
    let template = "{{#if v}}true{{else}}false{{/if}}";
    for value in [json!(null), json!(false), json!(""), json!([])] {
        assert_eq!(render(template, json!({"v": value})), "false", "{value}");
    }
    for value in [
        json!(0),
        json!(0.0),
        json!("0"),
        json!("false"),
        json!(" "),
        json!({}),
        json!([null]),
        json!(true),
    ] {
        assert_eq!(render(template, json!({"v": value})), "true", "{value}");
    }
    assert_eq!(render(template, json!({})), "false");
    assert_eq!(render("{{#if a.b.c}}x{{else}}y{{/if}}", json!({"a": 1})), "y");
}

#[test]
fn pt_3_missing_variables_and_no_arrays() {
    assert!(
        matches!(fails("{{a.b}}", json!({"a": {}})), PromptError::VariableNotFound(n) if n == "a.b")
    );
    assert!(
        matches!(fails("{{a.3}}", json!({"a": [1]})), PromptError::VariableNotFound(n) if n == "a.3")
    );
    assert!(matches!(fails("{{a.b}}", json!({"a": "text"})), PromptError::VariableNotFound(_)));
    assert!(matches!(
        fails("{{#each l}}{{/each}}", json!({})),
        PromptError::VariableNotFound(n) if n == "l"
    ));
    for value in [json!(null), json!("text"), json!(""), json!({"a": 1}), json!(3), json!(true)] {
        let error = fails("{{#each a.l}}{{/each}}", json!({"a": {"l": value}}));
        assert!(matches!(error, PromptError::NotAnArray(n) if n == "a.l"));
    }
}

#[test]
fn pt_3_how_values_print() {
    let vars = json!({
        "t": true, "f": false, "i": -42, "z": 0, "big": u64::MAX, "d": 1.5, "one": 1.0, "e": 1e30,
        "n": null, "s": "a\"b", "l": [1, "x\n\u{1}\"\\é", null, [true]], "o": {"b": 1, "a": {"z": "y"}},
        "el": [], "eo": {}
    });
    assert_eq!(
        render("{{t}} {{f}} {{i}} {{z}} {{big}} {{d}} {{one}} {{e}} [{{n}}] {{s}}", vars.clone()),
        "true false -42 0 18446744073709551615 1.5 1.0 1e+30 [] a\"b"
    );
    assert_eq!(
        render("{{l}} {{o}} {{el}} {{eo}}", vars.clone()),
        r#"[1,"x\n\u0001\"\\é",null,[true]] {"b":1,"a":{"z":"y"}} [] {}"#
    );
    assert_eq!(render("{{l}}", vars.clone()), serde_json::to_string(&vars["l"]).unwrap());
}

#[test]
fn pt_3_numbers_print_as_written() {
    let text = r#"{"n": [1.10, 1e400, -0, 12345678901234567890123, 0.1, 7, 1E5], "p": 1.10}"#;
    let ctx = TemplateContext::from_json_str(text).unwrap();
    let template = PromptTemplate::compile("{{p}} {{n}} {{n.1}}").unwrap();
    assert_eq!(
        template.render(&ctx).unwrap(),
        "1.10 [1.10,1e400,-0,12345678901234567890123,0.1,7,1E5] 1e400"
    );
    let mut floats = TemplateContext::new();
    floats.insert("a", 2.0);
    floats.insert("b", 0.1 + 0.2);
    floats.insert("c", f64::NAN);
    floats.insert("d", vec![f64::INFINITY]);
    let template = PromptTemplate::compile("{{a}} {{b}} {{c}} {{d}}").unwrap();
    assert_eq!(template.render(&floats).unwrap(), "2.0 0.30000000000000004 NaN [null]");
}

fn nested(blocks: usize) -> String {
    format!("{}x{}", "{{#if a}}".repeat(blocks), "{{/if}}".repeat(blocks))
}

/// `p1` includes `p2` and so on; the last one holds `inner`.
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
fn pt_4_depth_16_passes_and_17_is_an_error() {
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
fn pt_4_what_is_not_come_to_has_no_depth() {
    assert_eq!(render(&nested(1000), json!({"a": false})), "");
    assert!(matches!(fails(&nested(100_000), json!({"a": 1})), PromptError::MaxDepthReached(16)));
    let long = format!("{{{{#if a}}}}{}{{{{else}}}}end{{{{/if}}}}", "{{else if a}}".repeat(50_000));
    assert_eq!(render(&long, json!({})), "end");
    let each = "{{#each l}}{{else if a}}{{else if b}}y{{/each}}";
    let deep = format!("{}{each}{}", "{{#if b}}".repeat(15), "{{/if}}".repeat(15));
    assert_eq!(render(&deep, json!({"l": [], "b": 1})), "y");
}

#[test]
fn pt_4_a_cycle_of_partials_tells_its_path() {
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
    // The same partial twice in a row is no cycle.
    registry.register("twice", "{{> leaf}}{{> leaf}}").unwrap();
    registry.register("leaf", "l").unwrap();
    assert_eq!(registry.render("twice", &vars).unwrap(), "ll");
}

#[test]
fn pt_4_partials_see_the_scope_they_are_included_in() {
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

#[test]
fn pt_5_values_convert() {
    let mut vars = TemplateContext::new();
    vars.insert("str", "a");
    vars.insert(String::from("string"), String::from("b"));
    vars.insert("bool", true);
    vars.insert("int", 3);
    vars.insert("long", -9_i64);
    vars.insert("size", 4_usize);
    vars.insert("float", 2.5);
    vars.insert("list", vec!["x", "y"]);
    vars.insert("mixed", vec![TemplateValue::Null, 1.into()]);
    vars.insert("json", json!({"z": 1, "a": [null]}));
    vars.insert("none", None::<bool>);
    let text = vars.iter().map(|(name, _)| format!("{{{{{name}}}}}")).collect::<Vec<_>>().join("|");
    let template = PromptTemplate::compile(&text).unwrap();
    assert_eq!(
        template.render(&vars).unwrap(),
        r#"a|b|true|3|-9|4|2.5|["x","y"]|[null,1]|{"z":1,"a":[null]}|"#
    );
    assert_eq!(vars.get("int"), Some(&TemplateValue::from(3)));
    assert_eq!(vars.get("gone"), None);
    vars.insert("int", "now text");
    assert_eq!(vars.iter().nth(3).unwrap(), ("int", &TemplateValue::from("now text")));
}

#[test]
fn pt_5_contexts_from_json_maps_and_structs() {
    #[derive(serde::Serialize)]
    struct User {
        name: String,
        tags: Vec<u8>,
        nick: Option<String>,
    }
    let user = User { name: "Ada".into(), tags: vec![1, 2], nick: None };
    let vars = TemplateContext::from_serialize(&user).unwrap();
    assert_eq!(
        PromptTemplate::compile("{{name}}{{tags}}{{nick}}").unwrap().render(&vars).unwrap(),
        "Ada[1,2]"
    );
    let map = std::collections::HashMap::from([
        ("b".to_string(), TemplateValue::from(1)),
        (
            "a".to_string(),
            TemplateValue::from(std::collections::HashMap::from([
                ("y".to_string(), 1),
                ("x".to_string(), 2),
            ])),
        ),
    ]);
    let vars = TemplateContext::from_map(map);
    assert_eq!(vars.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(
        PromptTemplate::compile("{{a}}").unwrap().render(&vars).unwrap(),
        r#"{"x":2,"y":1}"#
    );
    for value in [json!([1]), json!("x"), json!(null)] {
        let error = TemplateContext::from_json(&value).unwrap_err();
        assert!(matches!(error, PromptError::Render(why) if why.contains("must be an object")));
    }
    assert!(TemplateContext::from_serialize(&[1]).is_err());
    let error = TemplateContext::from_json_str("{\"a\":\n  tru }").unwrap_err();
    assert_eq!(error.position().map(|(line, _)| line), Some(2), "{error}");
    let bom = TemplateContext::from_json_str("\u{feff} {\"a\" : [ ] , \"b\":{ } } ").unwrap();
    assert_eq!(bom.get("a"), Some(&TemplateValue::Array(Vec::new())));
    let twice = TemplateContext::from_json_str(r#"{"a":1,"b":2,"a":3}"#).unwrap();
    assert_eq!(twice.iter().next().unwrap(), ("a", &TemplateValue::from(3)));
}

#[test]
fn pt_5_depth_of_values_is_limited() {
    let deep = format!("{{\"a\":{}1{}}}", "[".repeat(127), "]".repeat(127));
    let vars = TemplateContext::from_json_str(&deep).unwrap();
    let text = PromptTemplate::compile("{{a}}").unwrap().render(&vars).unwrap();
    assert_eq!(text.len(), 255);
    let deeper = format!("{{\"a\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let error = TemplateContext::from_json_str(&deeper).unwrap_err();
    assert!(error.to_string().contains("128 arrays and objects deep"), "{error}");
    let mut value = json!(1);
    for _ in 0..1000 {
        value = json!([value]);
    }
    assert!(TemplateContext::from_json(&json!({"a": value})).is_err());
    let mut vars = TemplateContext::new();
    vars.insert("a", value);
    let error = PromptTemplate::compile("{{a}}").unwrap().render(&vars).unwrap_err();
    assert!(error.to_string().contains("deep"), "{error}");
    assert_eq!(
        PromptTemplate::compile("{{#if a.0.0}}y{{/if}}").unwrap().render(&vars).unwrap(),
        "y"
    );
}

#[test]
fn pt_5_large_objects_keep_their_order() {
    let mut object = TemplateObject::new();
    for at in 0..100 {
        object.insert(format!("k{at}"), at);
    }
    object.insert("k3", "again");
    assert_eq!(object.len(), 100);
    assert_eq!(object.get("k99"), Some(&TemplateValue::from(99)));
    assert_eq!(object.iter().nth(3).unwrap(), ("k3", &TemplateValue::from("again")));
    let reversed: TemplateObject =
        object.iter().collect::<Vec<_>>().into_iter().rev().map(|(k, v)| (k, v.clone())).collect();
    assert_eq!(object, reversed);
}

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
fn pt_6_requirements_tell_how_much() {
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
fn pt_6_check_tells_all_faults_at_once() {
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
fn pt_7_own_partials_come_before_the_registrys() {
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
fn pt_7_a_registry_is_shared_between_threads() {
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

fn prose() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop::sample::select(vec![
            "{{",
            "}}",
            "{",
            "}",
            "#if ",
            "#each ",
            "#unless ",
            "#raw",
            "/if",
            "/each",
            "/raw",
            "else",
            "else if ",
            "~",
            "!--",
            "--",
            "> ",
            "\\",
            "a",
            "b.0",
            "item",
            "this",
            "@index",
            " ",
            "\n",
            "中",
            "{{#if a}}",
            "{{/if}}",
            "{{#each a}}",
            "{{/each}}",
            "{{a}}",
            "{{else}}",
            "{{> p}}",
            "'",
            "é\u{301}",
        ]),
        0..40,
    )
    .prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn pt_2_compile_never_panics(text in any::<String>(), tags in prose()) {
        let vars = ctx(json!({"a": [1, {"b": [2]}], "b": ["x"]}));
        for text in [text, tags] {
            let report = check(&text);
            match PromptTemplate::compile(&text) {
                Ok(template) => {
                    prop_assert!(report.diagnostics.iter().all(|fault| fault.code == "PT2001"));
                    prop_assert_eq!(template.to_string(), text);
                    let rendered = template.render(&vars);
                    if let (Ok(missing), Ok(_)) = (template.missing(&vars), &rendered) {
                        prop_assert!(missing.is_empty());
                    }
                }
                Err(error) => {
                    prop_assert!(report.has_errors());
                    let (line, column) = error.position().unwrap();
                    prop_assert!(line >= 1 && column >= 1);
                }
            }
        }
    }

    #[test]
    fn pt_1_text_without_tags_is_itself(text in "[^{]*") {
        prop_assert_eq!(render(&text, json!({})), text);
    }

    #[test]
    fn pt_1_raw_text_is_itself(text in any::<String>()) {
        prop_assume!(!text.contains("{{"));
        prop_assert_eq!(render(&format!("{{{{#raw}}}}{text}\n{{{{/raw}}}}"), json!({})), format!("{text}\n"));
    }

    #[test]
    fn pt_3_strings_print_as_they_are_and_json_as_serde_does(text in any::<String>(), n in any::<i64>()) {
        let vars = json!({"s": text, "l": [text, n]});
        let wanted = format!("{text}|{}|{n}", vars["l"]);
        prop_assert_eq!(render("{{s}}|{{l}}|{{l.1}}", vars), wanted);
    }

    #[test]
    fn pt_5_json_text_and_json_value_agree(text in any::<String>(), f in any::<f64>(), n in any::<i64>()) {
        let value = json!({text.as_str(): [text, n, {"f": f, "b": [true, false, null]}], "e": {}});
        let read = TemplateContext::from_json_str(&serde_json::to_string_pretty(&value).unwrap()).unwrap();
        prop_assert_eq!(read, ctx(value.clone()));
        prop_assert_eq!(TemplateValue::from(value.clone()), TemplateValue::from(&value));
    }

    #[test]
    fn pt_5_any_text_as_variables_is_no_panic(text in any::<String>(), json in "[\\[\\]{}\",:0-9a-z\\\\ u-]{0,40}") {
        for text in [text, json] {
            prop_assert_eq!(
                TemplateContext::from_json_str(&text).is_ok(),
                serde_json::from_str::<serde_json::Map<String, Value>>(&text).is_ok()
            );
        }
    }
}
