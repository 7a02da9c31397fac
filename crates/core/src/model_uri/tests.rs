use super::*;
use proptest::prelude::*;

fn parse(text: &str) -> ModelUri {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn refuse(text: &str) -> UriError {
    text.parse::<ModelUri>().unwrap_err()
}

#[test]
fn as_24_every_form_is_read_and_written_back() {
    for text in [
        "openai://gpt-4o-mini",
        "anthropic://claude-sonnet-4-5",
        "ollama://localhost:11434/llama3.2:3b",
        "ollama://192.168.1.5:11434/hf.co/org/model:Q4_K_M",
        "ollama://llama3.2:3b",
        "ollama://hf.co/org/model",
        "ollama://[::1]:11434/qwen3",
        "openai+https://api.example.com/v1/org/model",
        "openai+http://127.0.0.1:8099/v1/tiny.gguf",
        "openai+https://host/v1beta/openai/gemini-2.0",
        "openai+http://host:1/model",
        "builtin://extractive",
        "mock",
        "replay:answers.jsonl",
        "replay:/tmp/a b.jsonl",
        "default",
    ] {
        assert_eq!(parse(text).to_string(), text);
    }
}

#[test]
fn as_24_base_ends_with_version() {
    let split = |text| match parse(text) {
        ModelUri::Compatible { base, model } => (base, model),
        other => panic!("{other}"),
    };
    let of = |base: &str, model: &str| (base.to_owned(), model.to_owned());
    assert_eq!(split("openai+https://h/v1/a/b"), of("https://h/v1", "a/b"));
    assert_eq!(split("openai+https://h/api/v1/a"), of("https://h/api/v1", "a"));
    assert_eq!(split("openai+https://h/openai/v1/m/"), of("https://h/openai/v1", "m"));
    assert_eq!(split("openai+http://h:1/v1beta/openai/g"), of("http://h:1/v1beta/openai", "g"));
    assert_eq!(split("openai+http://h/deep/path/m"), of("http://h/deep/path", "m"));
    assert_eq!(split("openai+http://h/m"), of("http://h", "m"));
}

#[test]
fn as_24_ollama_tells_hosts_from_name_spaces() {
    let split = |text| match parse(text) {
        ModelUri::Ollama { host, model } => (host, model),
        other => panic!("{other}"),
    };
    assert_eq!(split("ollama://gpu:1234/m"), (Some("gpu:1234".into()), "m".into()));
    assert_eq!(split("ollama://localhost/m"), (Some("localhost".into()), "m".into()));
    assert_eq!(split("ollama://user/m:7b"), (None, "user/m:7b".into()));
    assert_eq!(split("ollama:///m"), (None, "m".into()));
    // A tag that looks like a port is still a tag when nothing follows.
    assert_eq!(split("ollama://phi:3"), (None, "phi:3".into()));
}

#[test]
fn as_24_misspelt_schemes_get_suggestion() {
    for (text, meant) in [
        ("opnai://gpt-4o", "openai://gpt-4o"),
        ("Anthropic://claude", "anthropic://claude"),
        ("olama://m", "ollama://m"),
        ("https://host/v1/m", "openai+https://host/v1/m"),
        ("gpt-4o", "openai://gpt-4o"),
        ("claude-opus-4-6", "anthropic://claude-opus-4-6"),
        ("llama3.2", "ollama://llama3.2"),
        ("Mock", "mock"),
        ("defualt", "default"),
        ("builtin://abstractive", "builtin://extractive"),
    ] {
        assert_eq!(refuse(text).help(), Some(format!("did you mean `{meant}`?")), "{text}");
    }
    assert!(refuse("zzz").help().unwrap().contains("openai://model"));
    assert!(refuse("").help().is_some());
}

#[test]
fn as_24_what_is_missing_is_named() {
    for (text, part) in [
        ("openai://", "name is missing"),
        ("openai://a b", "white space"),
        ("openai://a?x=1", "query"),
        ("ollama://localhost", "model is missing"),
        ("openai+https://host/v1", "model is missing"),
        ("openai+https:///v1/m", "host is missing"),
        ("replay:", "name is missing"),
    ] {
        let error = refuse(text);
        assert!(error.to_string().contains(part), "{text}: {error}");
        assert!(error.help().is_some(), "{text}");
    }
}

#[test]
fn as_24_password_in_uri_is_refused_and_not_repeated() {
    for text in ["openai+https://me:hunter2@host/v1/m", "htps://me:hunter2@host/v1/m"] {
        let error = refuse(text);
        assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
    }
}

proptest! {
    #[test]
    fn as_24_any_text_is_uri_or_error(text in "\\PC{0,40}", scheme in "(openai|ollama|openai\\+http|replay|anthropic|)") {
        for uri in [text.clone(), format!("{scheme}://{text}"), format!("{scheme}:{text}")] {
            if let Ok(parsed) = uri.parse::<ModelUri>() {
                prop_assert_eq!(parsed.to_string().parse::<ModelUri>(), Ok(parsed));
            }
        }
    }
}
