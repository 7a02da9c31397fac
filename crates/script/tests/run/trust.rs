//! Trust travels with values (AS-20): an item in a prompt has the least trust of its parts.

use crate::support::{main_of, outcome};
use contexture_context::Trust;
use contexture_script::host::{HostError, Supplied};
use contexture_script::runtime::ScriptedHost;
use serde_json::{Value, json};

fn supplied(value: Value, trust: Trust) -> Result<Supplied, HostError> {
    Ok(Supplied { value, label: trust.into(), ..Supplied::default() })
}

fn host() -> ScriptedHost {
    ScriptedHost::new()
        .with_answer(json!({ "said": "m" }))
        .with_answer(json!("last"))
        .with_tool("Grep.run", json!([{ "text": "t", "n": 1, "tool key": 2 }]))
        .with_result("Http.get", supplied(json!({ "body": "w", "status": 200 }), Trust::Web))
        .with_memory("Notes.query", json!([{ "text": "r" }]))
        .with_result("out.md", supplied(json!("x"), Trust::External))
        .with_tool("File.read", json!("f"))
        .with_result("File.list", Err(HostError::new("failed", "from outside")))
}

/// Returns the trust of an item from an expression.
fn trust(expression: &str) -> Trust {
    let source = format!(
        "import tool Grep from \"sh://grep\" import tool Http from \"https://a.b\" import memory Notes from \"file://n.jsonl\"
        import tool File from \"file://workspace\" import file Out from \"out.md\"
        func id(x) {{ x }} agent A {{ main func(input) {{ {{ got: input }} }} }} func text(o) {{ o.text }}
        main agent {{ {} }}",
        main_of(&format!(
            "model_said = generate({{ input: \"first\" }}) -> {{ said string }}
            hits = Grep.run({{}})
            page = Http.get({{ url: \"/\" }})
            past = Notes.query({{}})
            file = File.read({{ path: \"a\" }})
            value = {expression}
            use value
            generate({{ input: \"second\" }})"
        ))
    );
    let host = host();
    let outcome = outcome(&source, json!({ "q": "user" }), &host);
    assert!(outcome.result.is_ok(), "{expression}: {:?}", outcome.result);
    host.generate_calls()[1].items[0].origin.trust
}

#[test]
fn as_20_every_source_has_trust() {
    assert_eq!(trust("\"literal\""), Trust::Program);
    assert_eq!(trust("input.q"), Trust::User);
    assert_eq!(trust("model_said.said"), Trust::Model);
    assert_eq!(trust("past[0].text"), Trust::Memory);
    assert_eq!(trust("file"), Trust::Tool);
    assert_eq!(trust("Out"), Trust::External);
    assert_eq!(trust("page.body"), Trust::Web);
    assert_eq!(trust("42"), Trust::Program);
}

#[test]
fn as_20_concatenation_takes_least() {
    assert_eq!(trust("\"a\" + input.q"), Trust::User);
    assert_eq!(trust("input.q + file + \"a\""), Trust::Tool);
    assert_eq!(trust("file + page.body"), Trust::Web);
    assert_eq!(trust("1 + file"), Trust::Tool);
    assert_eq!(trust("[input.q, file].join(\", \")"), Trust::Tool);
    assert_eq!(trust("[\"a\", \"b\"].join(file)"), Trust::Tool);
    assert_eq!(trust("\"a b\".replace(\"b\", page.body)"), Trust::Web);
    assert_eq!(trust("\"a b\".replace(\"z\", page.body)"), Trust::Web, "whatever is found");
    assert_eq!(trust("file.split(\",\")[0].upper().trim()"), Trust::Tool);
    assert_eq!(trust("file.lines()"), Trust::Tool);
}

#[test]
fn as_20_item_has_least_trust_of_parts() {
    assert_eq!(trust("{ a: \"x\", b: [input.q, { c: past[0].text }] }"), Trust::Memory);
    assert_eq!(trust("{ a: \"x\", b: 1 }"), Trust::Program);
    assert_eq!(trust("[hits, input.q]"), Trust::Tool);
    assert_eq!(trust("hits.summary"), Trust::Tool);
    assert_eq!(trust("id(page)"), Trust::Web);
    assert_eq!(trust("A(page.body)"), Trust::Web);
    assert_eq!(trust("hits.map(text)"), Trust::Tool);
}

#[test]
fn as_20_keys_count_as_well() {
    assert_eq!(trust("hits[0].keys()"), Trust::Tool);
    assert_eq!(trust("try { o = {} o[page.body] = 1 o } else e { 0 }"), Trust::Web);
    assert_eq!(trust("page"), Trust::Web);
}

#[test]
fn as_20_message_of_failed_effect_has_trust_of_source() {
    assert_eq!(trust("try { File.list({}) } else err { err.message }"), Trust::Tool);
    assert_eq!(trust("try { [][0] } else err { err.message }"), Trust::Program);
    assert_eq!(
        trust("try { parallel for x in [1] max 1 { File.list({}) } } else err { err }"),
        Trust::Tool
    );
}

#[test]
fn as_20_instruction_has_trust_too() {
    let source = main_of("generate({ input: \"Answer: \" + input.q })");
    let host = ScriptedHost::new().with_answer(json!("ok"));
    assert!(outcome(&source, json!({ "q": "why" }), &host).result.is_ok());
    assert_eq!(host.generate_calls()[0].instruction_label.trust, Trust::User);
}
