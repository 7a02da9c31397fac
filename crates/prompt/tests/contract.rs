//! The specified properties of this crate: its errors, its independence, its limits.

use contexture_prompt::{PromptError, PromptTemplate, TemplateContext};

#[test]
fn pt_13_prompt_does_not_depend_on_other_crates() {
    let manifest = include_str!("../Cargo.toml");
    for above in ["contexture-llm", "contexture-script", "contexture-store", "tokio", "reqwest"] {
        assert!(!manifest.contains(above), "{above}");
    }
}

#[test]
fn pt_14_errors_keep_their_shapes_and_have_help() {
    let io = std::io::Error::new(std::io::ErrorKind::NotFound, "a.md: gone");
    let errors = [
        (PromptError::Parse("line 1, column 2: x".to_owned()), "parse error: line 1, column 2: x"),
        (
            PromptError::VariableNotFound("a.b".to_owned()),
            "variable `a.b` not found: pass a value, or test it with {{#if a.b}} first",
        ),
        (PromptError::PartialNotFound("p".to_owned()), "template `p` is not registered"),
        (
            PromptError::NotAnArray("l".to_owned()),
            "`l` is not an array, so {{#each l}} can't iterate over it",
        ),
        (PromptError::MaxDepthReached(16), "blocks and partials are nested more than 16 deep"),
        (PromptError::Render("why".to_owned()), "rendering failed: why"),
        (PromptError::InvalidSequence("why".to_owned()), "invalid message sequence: why"),
        (PromptError::from(io), "file error: a.md: gone"),
    ];
    for (error, wanted) in errors {
        assert_eq!(error.to_string(), wanted);
    }
}

#[test]
fn pt_15_edge_cases() {
    let vars = r#"{"t": true, "f": false, "e": "", "n": null, "s": "x", "l": [1, 2], "el": [],
        "o": {"k": "v", "l": [[1], []]}, "名": "字", "ll": [[{"a": 1}], []]}"#;
    let vars = TemplateContext::from_json_str(vars).unwrap();
    for (template, wanted) in [
        ("", Ok("")),
        ("文本", Ok("文本")),
        ("{{名}}{{ 名 }}", Ok("字字")),
        ("{{e}}{{n}}", Ok("")),
        ("{{#if t}}{{#if f}}a{{else}}b{{/if}}{{/if}}", Ok("b")),
        ("{{#if t}}{{#each l}}{{item}}{{/each}}{{/if}}", Ok("12")),
        ("{{#each l}}{{#if item}}{{item}}{{/if}}{{/each}}", Ok("12")),
        ("{{#each ll}}[{{#each item}}{{a}}{{/each}}]{{/each}}", Ok("[1][]")),
        ("{{#each o.l}}{{#each this}}{{this}}{{else}}-{{/each}}{{/each}}", Ok("1-")),
        ("{{#each el}}x{{/each}}", Ok("")),
        ("{{#each el}}x{{else}}none{{/each}}", Ok("none")),
        ("{{#if el}}x{{else}}y{{/if}}{{#if e}}x{{else}}y{{/if}}", Ok("yy")),
        ("{{#if gone}}{{gone}}{{/if}}", Ok("")),
        ("{{#raw}}{{#if}}{{/raw}}", Ok("{{#if}}")),
        ("{{#raw}}{{/raw}}", Ok("")),
        ("\\{{名}}", Ok("{{名}}")),
        ("}}{{s}}}}", Ok("}}x}}")),
        ("{{o}}", Ok(r#"{"k":"v","l":[[1],[]]}"#)),
        ("{{l.0}}{{o.l.0.0}}", Ok("11")),
        ("{{ s", Err("line 1, column 1")),
        ("{{#if s}}", Err("unclosed `{{#if s}}`")),
        ("{{#each l}}{{/if}}", Err("does not close `{{#each l}}`")),
        ("{{/each}}", Err("unmatched `{{/each}}`")),
        ("{{gone}}", Err("variable `gone` not found")),
        ("{{s.k}}", Err("variable `s.k` not found")),
        ("{{#each s}}{{/each}}", Err("`s` is not an array")),
        ("{{#each gone}}{{/each}}", Err("variable `gone` not found")),
        ("{{> gone}}", Err("`gone` is not registered")),
        ("{{}}", Err("missing name")),
    ] {
        let outcome = PromptTemplate::compile(template).and_then(|template| template.render(&vars));
        match (outcome, wanted) {
            (Ok(text), Ok(wanted)) => assert_eq!(text, wanted, "{template}"),
            (Err(error), Err(wanted)) => {
                assert!(error.to_string().contains(wanted), "{template}: {error}");
            }
            (outcome, wanted) => panic!("{template}: {outcome:?}, not {wanted:?}"),
        }
    }
}
