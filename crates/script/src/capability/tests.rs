use super::*;

#[test]
fn as_24_models() {
    let good = [
        "openai://gpt-4o",
        "anthropic://claude",
        "ollama://localhost:11434/qwen2.5:7b",
        "ollama://qwen",
        "openai+https://h/v1/m",
        "openai+http://127.0.0.1:8080/v1/m",
        "default",
        "mock",
        "builtin://extractive",
        "replay:answers.jsonl",
    ];
    for uri in good {
        assert_eq!(model(uri), Ok(()), "{uri}");
    }
    for uri in [
        "",
        "gpt-4o",
        "openai://",
        "opneai://x",
        "openai+https://host",
        "replay:",
        "Default",
        "http://x",
    ] {
        assert!(model(uri).is_err(), "{uri}");
    }
    assert_eq!(
        model("gpt-4o"),
        Err(UriFault::Unknown("did you mean `openai://gpt-4o`?".to_owned()))
    );
}

#[test]
fn as_25_tools() {
    for uri in [
        "sh://find",
        "sh://grep",
        "sh://sed",
        "sh://read-range",
        "file://workspace",
        "env://process",
    ] {
        assert!(tool(uri).is_ok(), "{uri}");
    }
    assert_eq!(tool("https://api.example.com"), Ok(HTTP));
    assert_eq!(tool("http://localhost:8080"), Ok(HTTP));
    for uri in ["https://", "https://host/path", "https://user:pw@host", "http://a b"] {
        assert!(matches!(tool(uri), Err(UriFault::Malformed(_))), "{uri}");
    }
    for uri in
        ["sh://sh", "sh://bash", "sh://zsh", "sh://fish", "sh://BASH", "bash", "sh:///bin/sh"]
    {
        assert_eq!(tool(uri), Err(UriFault::Shell), "{uri}");
    }
    for uri in ["mcp://server/tool", "frontend://tool"] {
        assert!(matches!(tool(uri), Err(UriFault::Unavailable(..))), "{uri}");
    }
    assert_eq!(tool("sh://gerp"), Err(UriFault::Unknown("did you mean `sh://grep`?".to_owned())));
}

#[test]
fn as_26_memories() {
    assert_eq!(memory("file://lessons.jsonl"), Ok(MEMORY));
    assert_eq!(memory("sqlite://a/b.db#lessons"), Ok(MEMORY));
    for uri in
        ["file://lessons.json", "sqlite://a.db", "sqlite://a.db#", "sqlite://#x", "redis://x", ""]
    {
        assert!(memory(uri).is_err(), "{uri}");
    }
}

#[test]
fn as_10_what_writes() {
    let writes = |capability: &Capability| -> Vec<&str> {
        let all = capability.methods.iter().filter(|method| method.effect == Effect::Write);
        all.map(|method| method.name).collect()
    };
    assert_eq!(writes(&FILE), ["write", "patch", "undo"]);
    assert_eq!(writes(&HTTP), ["head", "post", "put", "patch", "delete"]);
    assert_eq!(writes(&MEMORY), ["add", "update", "delete"]);
    for reader in [FIND, GREP, SED, ENV] {
        assert!(writes(&reader).is_empty());
    }
}
