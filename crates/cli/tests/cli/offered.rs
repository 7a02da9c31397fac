//! The tools that a model is offered are part of its prompt (CA-6).

use crate::support::Sandbox;
use serde_json::{Value, json};

fn program(options: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let text = format!(
        "import tool File from \"file://workspace\"\nimport tool Grep from \"sh://grep\"\n\
         main func() {{\n  note = \"The key lies below the third pot on the left.\"\n  use note as note\n  \
         generate({{ input: \"Where is it?\", tools: [File, Grep]{options} }})\n}}"
    );
    sandbox.write("p.as", text);
    sandbox.write("answers.jsonl", "\"Below the pot.\"\n");
    sandbox
}

fn dry(sandbox: &Sandbox) -> Value {
    let object = sandbox.run(["run", "p.as", "--dry-run", "--json"]).exits(0).json();
    assert_eq!(object["total_tokens"], object["prompts"][0]["total_tokens"]);
    object["prompts"][0].clone()
}

fn sum(tools: &Value) -> u64 {
    tools.as_array().unwrap().iter().map(|tool| tool["tokens"].as_u64().unwrap()).sum()
}

#[test]
fn ca_6_dry_run_shows_and_counts_definitions_of_tools() {
    let sandbox = program("");
    let prompt = dry(&sandbox);
    let tools = prompt["tools"].as_array().unwrap();
    let names: Vec<&Value> = tools.iter().map(|tool| &tool["name"]).collect();
    assert!(
        names.contains(&&json!("File_read")) && names.contains(&&json!("Grep_run")),
        "{names:?}"
    );
    for tool in tools {
        assert_eq!(tool["schema"]["type"], "object", "{tool}");
        assert!(tool["tokens"].as_u64().unwrap() > 10, "{tool}");
    }
    let messages = prompt["tokens"].as_u64().unwrap();
    assert_eq!(prompt["total_tokens"], messages + sum(&prompt["tools"]));
    let text = sandbox.run(["run", "p.as", "--dry-run"]).exits(0).stdout;
    assert!(text.contains(&format!("· {} tokens", prompt["total_tokens"])), "{text}");
    assert!(text.contains("── tools ──\nFile_read · "), "{text}");
    let schema = &tools[0]["schema"];
    assert!(text.contains(&schema.to_string()), "{text}");
}

#[test]
fn ca_6_max_input_counts_definitions_of_tools() {
    let refused = program(", max_input: 90");
    for mode in ["--dry-run", "--mock"] {
        let error = refused.run(["run", "p.as", "--json", mode]).exits(1).json();
        assert!(
            error["error"]["message"].as_str().unwrap().contains("definitions of tools"),
            "{error}"
        );
        assert_eq!(error["error"]["code"], "prompt_too_large");
    }
    // The note has to give way to the definitions, and to nothing else.
    let whole = dry(&program(""));
    let total = whole["total_tokens"].as_u64().unwrap();
    let exact = dry(&program(&format!(", max_input: {total}")));
    assert_eq!(
        (&exact["total_tokens"], &exact["items"][0]["clipped"]),
        (&json!(total), &json!(false))
    );
    let less = dry(&program(&format!(", max_input: {}", total - 1)));
    assert_eq!(less["items"][0]["clipped"], true);
    assert!(less["total_tokens"].as_u64().unwrap() < total);
    assert_eq!(sum(&less["tools"]), sum(&whole["tools"]));
}

#[test]
fn ca_6_record_has_definitions_as_they_were_sent_and_replays() {
    let sandbox = program("");
    let run = ["run", "p.as", "--quiet", "--mock=answers.jsonl", "--record", "calls.jsonl"];
    let value = sandbox.run(run).exits(0).json();
    let line: Value = serde_json::from_str(sandbox.read("calls.jsonl").trim()).unwrap();
    let sent = &line["request"]["tools"];
    assert!(sent.is_array(), "{line}");
    let shown = sandbox.run(["trace", "prompt", "latest", "1", "--json"]).exits(0).json();
    assert_eq!(&shown["requests"][0]["tools"], sent);
    let text = sandbox.run(["trace", "prompt", "latest", "1"]).exits(0).stdout;
    assert!(text.contains("── tools ──\n"), "{text}");
    for definition in sent.as_array().unwrap() {
        assert!(text.contains(&definition.to_string()), "{definition}\n{text}");
    }
    let events = sandbox.run(["trace", "export", "latest", "--json"]).exits(0).json();
    let events = events["events"].as_array().unwrap();
    let manifest = events.iter().find_map(|event| event["data"].get("manifest")).unwrap();
    assert_eq!(manifest["tokens"], dry(&sandbox)["total_tokens"]);
    let of = |tool: &Value| (tool["function"].clone(), tool["tokens"].clone());
    let recorded: Vec<_> = manifest["tools"].as_array().unwrap().iter().map(of).collect();
    let dry = dry(&sandbox);
    let of = |tool: &Value| (tool["name"].clone(), tool["tokens"].clone());
    let built: Vec<_> = dry["tools"].as_array().unwrap().iter().map(of).collect();
    assert_eq!(recorded, built);
    let again = sandbox.run(["run", "p.as", "--quiet", "--replay", "calls.jsonl"]).exits(0);
    assert_eq!(again.json(), value);
}

#[test]
fn ca_6_prompt_without_tools_has_none() {
    let sandbox = Sandbox::new();
    sandbox.write("p.as", "main func() { generate({ input: \"x\" }) }");
    let prompt = dry(&sandbox);
    assert_eq!(prompt["tools"], json!([]));
    assert_eq!(prompt["tokens"], prompt["total_tokens"]);
}
