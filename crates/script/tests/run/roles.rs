//! TY-7: computed roles and descriptions, and those of one call.

use crate::support::{outcome, program, value};
use contexture_context::{Label, Limits, Trust};
use contexture_diagnostic::SourceFile;
use contexture_script::analysis::check;
use contexture_script::format::format;
use contexture_script::host::{Standing, Supplied};
use contexture_script::runtime::ScriptedHost;
use serde_json::json;

/// Returns role and description of each call of a program.
fn told(source: &str) -> Vec<(Option<String>, Option<String>)> {
    let faults = check(&program(source));
    assert!(faults.iter().all(|fault| fault.code == "AS4004"), "{source}: {faults:?}");
    let host = ScriptedHost::new()
        .with_template("T", "careful")
        .with_answer(json!("1"))
        .with_answer(json!("2"));
    let done = outcome(source, json!({ "tone": "kind" }), &host);
    assert!(done.result.is_ok(), "{source}: {:?}", done.result);
    host.generate_calls().into_iter().map(|call| (call.role, call.description)).collect()
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn ty_7_role_of_function_is_computed_when_model_is_asked() {
    let source = "main func(input) {
        tone = \"rude\"
        role \"a \\(tone) editor\" description \"You are \" + tone + \".\"
        generate({ input: \"x\" })
        tone = \"calm\"
        generate({ input: \"x\" })
    }";
    assert_eq!(
        told(source),
        [
            (some("a rude editor"), some("You are rude.")),
            (some("a calm editor"), some("You are calm.")),
        ]
    );
}

#[test]
fn ty_7_role_of_agent_may_be_a_template_and_sees_no_variables() {
    let source = "import template T from \"t.hbs\"
        func kind() { \"editor\" }
        main agent A {
            role \"a \\(T()) \\(kind())\"
            main func(input) { generate({ input: \"x\" }) }
        }";
    assert_eq!(told(source), [(some("a careful editor"), None)]);
    let faults = check(&program(
        "main agent A { role \"\\(x)\" main func(input) { x = 1 generate({ input: \"x\" }) } }",
    ));
    assert_eq!(faults.iter().map(|fault| fault.code).collect::<Vec<_>>()[0], "AS2001");
}

#[test]
fn ty_7_option_of_call_comes_before_setting() {
    let source = "main func(input) {
        role \"a \\(input.tone) editor\"
        description \"Short.\"
        generate({ input: \"x\", role: \"a judge\" })
        generate({ input: \"x\", role: [].first(), description: input.tone })
    }";
    assert_eq!(
        told(source),
        [(some("a judge"), some("Short.")), (some("a kind editor"), some("kind"))]
    );
}

#[test]
fn ty_7_role_from_outside_is_refused_until_program_trusts_it() {
    let run = |role: &str| {
        let source = format!(
            "import tool Http from \"https://a.b\" main func(input) {{ page = Http.get(\"/\")\n{role}\ngenerate({{ input: \"x\" }}) }}"
        );
        let page = Supplied {
            value: json!("king"),
            label: Label::of("https://a.b", Trust::Web),
            standing: Standing::Real,
            ..Supplied::default()
        };
        let host = ScriptedHost::new().with_result("Http.get", Ok(page)).with_answer(json!("1"));
        outcome(&source, json!({}), &host).result.map_err(|error| (error.code, error.message))
    };
    let message = "`role` holds what came from outside: it would be an instruction";
    assert_eq!(run("role \"a \\(page)\""), Err(("AS9018".to_owned(), message.to_owned())));
    assert_eq!(run("role \"a \\(trust(page, \"checked\"))\""), Ok(json!("1")));
}

#[test]
fn ty_7_role_that_is_no_text_is_error() {
    let body = "try { generate({ input: \"x\", role: [1].first() }) } else e { e.code }";
    assert_eq!(value(body), json!("AS9018"));
}

#[test]
fn ty_7_formatter_keeps_computed_settings() {
    let source = "main func(input) {\n  role \"a \\(input.b)\"\n  description \"b\" + input.c\n  generate({ input: \"x\" })\n}\n";
    let file = SourceFile::new("main.as", source);
    assert_eq!(format(&file, &Limits::default()).expect("it is valid"), source);
}
