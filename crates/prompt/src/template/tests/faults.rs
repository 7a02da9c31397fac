//! Compiling, its faults and their places (PT-2).

use super::*;
use std::fmt;

#[test]
fn pt_2_display_gives_raw_text() {
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
fn pt_2_unclosed_and_mismatched_tags_name_their_counterpart() {
    for (template, wanted) in [
        ("a {{ name", "line 1, column 3: unclosed tag `{{`: `}}` is missing"),
        ("{{ a {{b}}", "line 1, column 1: unclosed tag `{{`"),
        ("{{#if user}}x", "line 1, column 1: unclosed `{{#if user}}`: `{{/if}}` is missing"),
        (
            "x\n{{#each a}}{{#if b}}{{/if}}",
            "line 2, column 1: unclosed `{{#each a}}`: `{{/each}}` is missing",
        ),
        (
            "{{#if 名字}}\n {{/each}}",
            "line 2, column 2: `{{/each}}` does not close `{{#if 名字}}`, which is still open (opened at line 1, column 1); close `{{#if 名字}}` with `{{/if}}`",
        ),
        ("{{#if a}}{{else if b}}{{/unless}}", "does not close `{{#if a}}`"),
        ("{{/if}}", "unmatched `{{/if}}`: no block is open"),
        ("{{/raw}}", "unmatched `{{/raw}}`"),
        ("{{#raw}} {{/ra}}", "unclosed `{{#raw}}`: `{{/raw}}` is missing"),
        ("{{else}}", "`{{else}}` outside a block"),
        ("{{else if x}}", "`{{else if}}` outside a block"),
        (
            "{{#if a}}{{else}}{{else}}{{/if}}",
            "`{{else}}` comes after the `{{else}}` of `{{#if a}}` (the `{{else}}` is at line 1, column 10)",
        ),
        ("{{#if a}}{{else}}{{else if b}}{{/if}}", "`{{else if}}` comes after the `{{else}}`"),
        ("{{#eahc a}}{{/eahc}}", "unknown block `{{#eahc}}`; did you mean `#each`?"),
        ("{{#with a}}{{/with}}", "unknown block `{{#with}}`; blocks are"),
        ("{{#if}}{{/if}}", "`{{#if}}` needs the name of a variable"),
        ("{{#if a}}{{else if}}{{/if}}", "`{{else if}}` needs the name"),
        ("{{#if a}}{{else b}}{{/if}}", "`{{else}}` takes `if` or nothing"),
        ("{{#if a b}}{{/if}}", "it contains ' '"),
        ("{{#raw x}}{{/raw}}", "`{{#raw}}` takes no name"),
        ("{{}}", "missing name in `{{ }}`"),
        ("{{~}}", "missing name in `{{ }}`"),
        ("{{ a..b }}", "has a dot without a name"),
        ("{{ ../a }}", "without `../`"),
        ("{{ .a }}", "has a dot without a name"),
        ("{{ @key }}", "unknown name `@key`"),
        ("{{> }}", "missing partial in `{{> }}`"),
        ("{{> a b=c}}", "is not a name of a partial"),
        ("{{{x}}}", "write two braces"),
        ("{{\"a\": 1}}", "literal braces"),
        ("{{a[0]}}", "list.0.name"),
        ("{{a}", "unclosed tag"),
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
        "line 3, column 5 of partial `p`: variable `gone` not found: pass a value, or test it with {{#if gone}} first"
    );
    let located = template.render_located(&TemplateContext::new()).unwrap_err();
    assert_eq!((located.line, located.column), (1, 3));
    let located =
        PromptTemplate::compile("\n{{> q}}").unwrap().render_located(&ctx(json!({}))).unwrap_err();
    assert_eq!(located.to_string(), "line 2, column 5: template `q` is not registered");
}
