//! The syntax of templates (PT-1).

use super::*;

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
fn pt_1_fields_of_item_come_before_outer_names() {
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
fn pt_1_comments_end_at_dashes() {
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
    // Only the text beside the tag is trimmed, not text beyond another tag or a value.
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
