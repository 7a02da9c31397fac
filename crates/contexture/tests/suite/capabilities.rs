//! The checker's table of tools, memories and models agrees with the crates that do the work.

use contexture_llm::ModelUri;
use contexture_script::capability::{self, Argument, ArgumentType, Arguments, Effect};
use contexture_store::memory::MemoryUri;
use contexture_tools::{Effect as Does, MethodInfo, ToolKind, Tools};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const TOOLS: [&str; 7] = [
    "sh://find",
    "sh://grep",
    "sh://sed",
    "sh://read-range",
    "file://workspace",
    "env://process",
    "https://api.example.com",
];

/// The JSON Schema that a type of the checker's table stands for.
fn schema_of(kind: ArgumentType) -> Value {
    match kind {
        ArgumentType::Text => json!({ "type": "string" }),
        ArgumentType::Count => json!({ "type": "integer", "minimum": 1 }),
        ArgumentType::Flag => json!({ "type": "boolean" }),
        ArgumentType::Choice(words) => json!({ "type": "string", "enum": words }),
        ArgumentType::Budget => json!({ "type": ["integer", "string"] }),
        ArgumentType::Object => json!({ "type": "object" }),
        ArgumentType::Any => json!({}),
    }
}

/// Argument name → schema without its words and its upper bound, and whether it is required.
fn known(fields: &[Argument]) -> BTreeMap<String, (Value, bool)> {
    fields
        .iter()
        .map(|field| (field.name.to_owned(), (schema_of(field.kind), field.required)))
        .collect()
}

fn offered(info: &MethodInfo) -> BTreeMap<String, (Value, bool)> {
    let required = info.schema["required"].as_array().unwrap();
    let properties = info.schema["properties"].as_object().unwrap();
    properties
        .iter()
        .map(|(name, schema)| {
            let mut schema = schema.as_object().unwrap().clone();
            for left_out in ["description", "maximum", "additionalProperties"] {
                schema.remove(left_out);
            }
            (name.clone(), (Value::Object(schema), required.contains(&json!(name))))
        })
        .collect()
}

#[test]
fn as_25_the_checker_knows_the_methods_and_arguments_that_the_tools_have() {
    for uri in TOOLS {
        let checked = capability::tool(uri).unwrap();
        let real = Tools::describe(uri).unwrap();
        let names: Vec<&str> = real.iter().map(|method| method.name).collect();
        let expected: Vec<&str> = checked.methods.iter().map(|method| method.name).collect();
        assert_eq!(expected, names, "{uri}");
        for (method, real) in checked.methods.iter().zip(&real) {
            let name = method.name;
            if method.arguments == Arguments::Value {
                assert_eq!((uri, name), ("file://workspace", "undo"));
                continue;
            }
            assert_eq!(known(method.arguments.fields()), offered(real), "{uri} {name}");
        }
    }
}

#[test]
fn as_10_the_checker_knows_what_the_tools_change() {
    for uri in TOOLS {
        for method in capability::tool(uri).unwrap().methods {
            let does = Tools::effect(uri, method.name).unwrap();
            // AS-10 lets a `parallel for` make no request but GET, although HEAD changes nothing.
            if method.name == "head" {
                assert_eq!((method.effect, does), (Effect::Write, Does::Fetch));
                continue;
            }
            assert_eq!(
                method.effect == Effect::Write,
                does == Does::Write,
                "{uri} {}",
                method.name
            );
        }
    }
}

#[test]
fn as_25_the_checker_and_the_tools_accept_the_same_uris() {
    let mut uris: Vec<String> = TOOLS.iter().map(|uri| (*uri).to_owned()).collect();
    for scheme in ["http", "https", "HTTP", "sh", "SH", "file", "env", "mcp", "frontend", "ftp", ""]
    {
        for rest in [
            "",
            "/",
            "host",
            "host/",
            "host:80",
            "host:",
            "host:0",
            "host:99999",
            "host:80x",
            ":80",
            "host/path",
            "host?q",
            "host#f",
            "user@host",
            "user:pw@host",
            "ho st",
            "127.0.0.1:8080",
            "[::1]:8080",
            "[::1]",
            "[::1",
            "例え.jp",
            "-host",
            "host..com",
            "a_b.com",
            "bash",
            "sh",
            "ZSH",
            "find",
            "Find",
            "process",
            "workspace",
            "workspace/",
        ] {
            uris.push(format!("{scheme}://{rest}"));
            uris.push(rest.to_owned());
        }
    }
    for uri in uris {
        let (checked, real) = (capability::tool(&uri), ToolKind::parse(&uri));
        // Servers have a crate of their own, and settings that name them; clients run the others.
        if capability::server(&uri) != Ok(None) || capability::frontend(&uri) != Ok(None) {
            assert!(real.is_err(), "{uri}");
            continue;
        }
        // The tools take a path to start from; a program imports an origin (AS-25).
        if uri.ends_with("host/path") {
            assert!(checked.is_err(), "{uri}");
            continue;
        }
        assert_eq!(checked.is_ok(), real.is_ok(), "{uri}: {checked:?} {real:?}");
    }
}

#[test]
fn as_26_the_checker_and_the_memories_accept_the_same_uris() {
    for scheme in ["file", "sqlite", "FILE", "SQLite", "redis", ""] {
        for rest in [
            "",
            "a.jsonl",
            "a.JSONL",
            "./data/a.jsonl",
            ".jsonl",
            "a/.jsonl",
            "a.json",
            "a.jsonl#x",
            "a.db",
            "a.db#x",
            "a.db#",
            "#x",
            "a.db#x#y",
            "a b.db#x y",
            "a.db#团队",
            "/abs/a.jsonl",
        ] {
            for uri in [format!("{scheme}://{rest}"), rest.to_owned()] {
                let (checked, real) = (capability::memory(&uri), MemoryUri::parse(&uri));
                // A program names the part of the database that it means (AS-26).
                if uri.starts_with("sqlite://") && !uri.contains('#') {
                    assert!(checked.is_err(), "{uri}");
                    continue;
                }
                assert_eq!(checked.is_ok(), real.is_ok(), "{uri}: {checked:?} {real:?}");
            }
        }
    }
}

#[test]
fn as_24_the_checker_and_the_providers_accept_the_same_uris() {
    let schemes = [
        "openai",
        "anthropic",
        "ollama",
        "openai+https",
        "openai+http",
        "builtin",
        "replay",
        "mock",
        "default",
        "OpenAI",
        "opneai",
        "http",
        "",
    ];
    let rests = [
        "",
        "/",
        "//",
        "model",
        "model/",
        "/model",
        "a b",
        " model",
        "model ",
        "m?q",
        "m#f",
        "m\u{1}",
        "extractive",
        "org/model",
        "host/v1/model",
        "host/v1/",
        "host/v1",
        "host/v1/openai",
        "host/v1beta/openai/m",
        "host/",
        "/v1/model",
        "user@host/v1/m",
        "ho st/v1/m",
        "host?/m",
        "127.0.0.1:8080/v1/m",
        "localhost",
        "localhost/",
        "localhost:11434",
        "localhost:11434/",
        "localhost:11434/qwen2.5:7b",
        "192.168.1.5",
        "[::1]:11434/m",
        "模型",
    ];
    let mut uris: Vec<String> = Vec::new();
    for scheme in schemes {
        for rest in rests {
            uris.push(format!("{scheme}://{rest}"));
            uris.push(format!("{scheme}:{rest}"));
            uris.push(format!("{scheme}{rest}"));
            uris.push(format!(" {scheme}://{rest} "));
        }
    }
    for uri in uris {
        let (checked, real) = (capability::model(&uri), uri.parse::<ModelUri>());
        assert_eq!(checked.is_ok(), real.is_ok(), "{uri:?}: {checked:?} {real:?}");
    }
}
