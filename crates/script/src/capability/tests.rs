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
        assert_eq!(model(uri, &[]), Ok(()), "{uri}");
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
        assert!(model(uri, &[]).is_err(), "{uri}");
    }
    assert_eq!(
        model("gpt-4o", &[]),
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
    assert_eq!(tool("sh://gerp"), Err(UriFault::Unknown("did you mean `sh://grep`?".to_owned())));
}

#[test]
fn cp_13_front_end_tools_are_named_by_their_tool_id() {
    assert_eq!(frontend("frontend://highlight_element"), Ok(Some("highlight_element")));
    assert_eq!(frontend("frontend://acme/pick.file-2"), Ok(Some("acme/pick.file-2")));
    assert_eq!(tool("frontend://geolocation"), Ok(FRONTEND));
    for other in ["https://tool", "frontend:tool", "tool", ""] {
        assert_eq!(frontend(other), Ok(None), "{other}");
    }
    let long = format!("frontend://{}", "x".repeat(129));
    for bad in ["frontend://", "Frontend://tool", "frontend://a b", "frontend://a\u{7}", &long] {
        assert!(matches!(frontend(bad), Err(UriFault::Malformed(_))), "{bad}");
        assert!(matches!(tool(bad), Err(UriFault::Malformed(_))), "{bad}");
    }
}

#[test]
fn as_25_servers() {
    assert_eq!(server("mcp://fs"), Ok(Some(("fs", None))));
    assert_eq!(server("mcp://my-fs.2/read_file"), Ok(Some(("my-fs.2", Some("read_file")))));
    assert_eq!(server("mcp://fs/admin/list"), Ok(Some(("fs", Some("admin/list")))));
    assert_eq!(tool("mcp://fs/read_file"), Ok(SERVER));
    for other in ["https://fs", "mcp:fs", "fs", ""] {
        assert_eq!(server(other), Ok(None), "{other}");
    }
    let long = format!("mcp://{}", "x".repeat(65));
    for bad in [
        "mcp://",
        "mcp:///a",
        "mcp://fs/",
        "mcp://a b",
        "mcp://fs/a b",
        "mcp://fs?x",
        "MCP://fs",
        &long,
    ] {
        assert!(matches!(server(bad), Err(UriFault::Malformed(_))), "{bad}");
        assert!(matches!(tool(bad), Err(UriFault::Malformed(_))), "{bad}");
    }
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
fn as_10_writing_calls_are_found() {
    let writes = |capability: &Signature| -> Vec<&str> {
        let all = capability.methods.iter().filter(|method| !method.runs_in_parallel());
        all.map(|method| method.name).collect()
    };
    assert_eq!(writes(&FILE), ["write", "patch", "undo"]);
    assert_eq!(writes(&HTTP), ["head", "post", "put", "patch", "delete"]);
    assert_eq!(writes(&MEMORY), ["add", "update", "delete"]);
    for reader in [FIND, GREP, SED, ENV] {
        assert!(writes(&reader).is_empty());
    }
}

#[test]
fn as_2_packs() {
    for (uri, name) in [
        ("knowledge://acme-product-brief", "acme-product-brief"),
        ("knowledge://产品简介", "产品简介"),
        ("knowledge://v1.2_x", "v1.2_x"),
    ] {
        assert_eq!(pack(uri), Ok(name));
    }
    let long = format!("knowledge://{}", "a".repeat(201));
    for uri in [
        "",
        "acme",
        "knowledge:acme",
        "knowledge://",
        "knowledge://a/b",
        "knowledge://a/",
        "knowledge://..",
        "knowledge://a?b",
        "knowledge://a b",
        "knowledge://a\nb",
        "knowledge://a\\b",
        "knowledge://a%2fb",
        "Knowledge://a",
        "@knowledge://a",
        &long,
    ] {
        assert!(matches!(pack(uri), Err(UriFault::Malformed(_))), "{uri}");
    }
}

#[test]
fn kn_9_budgets_are_numbers_of_tokens() {
    for (text, tokens_of) in [
        ("500", 500),
        ("3k", 3_000),
        ("1.5k", 1_500),
        (" 2 K ", 2_000),
        ("0.25k", 250),
        ("2.0", 2),
        ("1.125k", 1_125),
    ] {
        assert_eq!(tokens(text), Some(tokens_of), "{text}");
    }
    for text in [
        "",
        "k",
        "0",
        "0k",
        "-1",
        "1.5",
        "1.2345k",
        "3kk",
        "3 tokens",
        ".5k",
        "1.k",
        "9999999999999999999k",
        "٣",
    ] {
        assert_eq!(tokens(text), None, "{text}");
    }
}
