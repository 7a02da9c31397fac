//! `contexture context`: what it prints, keeps and refuses (CP-9, CP-10, CP-12).

use crate::support::{Done, Sandbox, repository};
use serde_json::{Value, json};

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let text = std::fs::read(repository().join("examples/serve/conversation.jsonl")).unwrap();
    sandbox.write("weather.jsonl", text);
    let _ = context(&sandbox, &["import", "weather.jsonl"]).exits(0);
    sandbox
}

fn context(sandbox: &Sandbox, arguments: &[&str]) -> Done {
    sandbox.run(["context"].iter().chain(arguments))
}

/// Imports a context of these messages, whose texts are given.
fn with_texts(sandbox: &Sandbox, id: &str, texts: &[&str]) {
    let messages: Vec<Value> = texts
        .iter()
        .enumerate()
        .map(|(at, text)| {
            json!({ "messageId": format!("m{at}"), "type": "USER_INPUT", "content": { "text": text } })
        })
        .collect();
    let whole = json!({ "contextId": id, "messages": messages });
    let _ = sandbox.run_with(["context", "import"], whole.to_string()).exits(0);
}

#[test]
fn cp_10_exported_context_imports_unchanged() {
    let sandbox = sandbox();
    let exported = context(&sandbox, &["export", "ctx_weather"]).exits(0).stdout;
    let lines: Vec<Value> =
        exported.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 5);
    assert_eq!(lines[0]["state"]["currentTopic"], "Weather in Beijing");
    assert_eq!(lines[1]["content"]["text"], "北京今天天气怎么样?");
    let again = ["context", "import", "-", "--id", "ctx_b", "--owner", "ada", "--json"];
    let head = sandbox.run_with(again, &exported).exits(0).json();
    assert_eq!((&head["owner"], &head["messageCount"]), (&json!("ada"), &json!(4)));
    let shown = |id: &str| {
        let mut shown = context(&sandbox, &["show", id, "--json"]).exits(0).json();
        for message in shown["messages"].as_array_mut().unwrap() {
            message["contextId"] = Value::Null;
        }
        json!([shown["state"], shown["messages"], shown["metadata"], shown["version"]])
    };
    assert_eq!(shown("ctx_weather"), shown("ctx_b"));
    let taken = context(&sandbox, &["import", "weather.jsonl"]).exits(2);
    assert!(taken.stderr.contains("`ctx_weather` is in use"), "{}", taken.stderr);
}

#[test]
fn cp_10_export_never_replaces_file_without_force() {
    let sandbox = sandbox();
    sandbox.write("there.jsonl", "mine");
    let to_file = ["export", "ctx_weather", "--output", "there.jsonl"];
    let _ = context(&sandbox, &to_file).exits(2).says("already exists");
    assert_eq!(sandbox.read("there.jsonl"), "mine");
    let forced = [&to_file[..], &["--force", "--json"]].concat();
    let report = context(&sandbox, &forced).exits(0).json();
    assert_eq!(report, json!({ "contextId": "ctx_weather", "file": "there.jsonl", "messages": 4 }));
    assert_eq!(sandbox.read("there.jsonl").lines().count(), 5);
    // Nothing but what was asked for is left, whatever goes wrong.
    let _ =
        context(&sandbox, &["export", "ctx_weather", "--output", "no/such/folder.jsonl"]).exits(1);
    let names = std::fs::read_dir(sandbox.path("")).unwrap().map(|one| one.unwrap().file_name());
    let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, [".contexture", "there.jsonl", "weather.jsonl"]);
}

#[test]
fn cp_9_conversation_is_shown_without_terminal_commands() {
    let sandbox = sandbox();
    let shown = context(&sandbox, &["show", "ctx_weather"]).exits(0).stdout;
    for part in [
        "ctx_weather · local · 4 messages · version 4",
        "\"units\": \"metric\"",
        "#1 user_1 · USER_INPUT  2025-12-01 09:00:00\n    北京今天天气怎么样?\n",
        "    → weather_api({\"city\":\"北京\",\"date\":\"2025-12-01\"})\n",
        "    ← call_1 {\"temperature\":\"5°C\"",
        "    STOP · 216 tokens\n",
    ] {
        assert!(shown.contains(part), "no {part:?} in {shown}");
    }
    let long = "天气".repeat(60);
    with_texts(&sandbox, "ctx_odd", &["\u{1b}]0;title\u{7}\u{202e}x", &long]);
    let odd = json!({ "contextId": "ctx_\u{1b}[31m", "messages": [] }).to_string();
    let refused = sandbox.run_with(["context", "import"], odd).exits(2);
    assert!(!refused.stderr.contains('\u{1b}'), "{}", refused.stderr);
    let commands = [
        vec!["list"],
        vec!["show", "ctx_\u{1b}[31m"],
        vec!["show", "ctx_odd"],
        vec!["show", "\u{1b}"],
    ];
    for arguments in commands {
        let done = context(&sandbox, &arguments);
        let all = format!("{}{}", done.stdout, done.stderr);
        let harms = |sign: char| (sign.is_control() && sign != '\n') || sign == '\u{202e}';
        assert!(!all.contains(harms), "{arguments:?}: {all:?}");
    }
    let shown = context(&sandbox, &["show", "ctx_odd"]).exits(0).stdout;
    assert!(shown.contains(&format!("\n    {}\n", "天气".repeat(24))), "{shown}");
}

#[test]
fn cp_9_show_prints_only_requested_part() {
    let sandbox = sandbox();
    let last = context(&sandbox, &["show", "ctx_weather", "--messages", "1"]).exits(0).stdout;
    assert!(last.contains("… 3 messages earlier") && last.contains("#4 ") && !last.contains("#3 "));
    let none = context(&sandbox, &["show", "ctx_weather", "--messages", "0", "--json"]).exits(0);
    assert_eq!(none.json()["messages"], json!([]));
    let state = |path: &str| context(&sandbox, &["show", "ctx_weather", "--state", path]);
    assert_eq!(state("userPreferences").exits(0).json()["language"], "zh-CN");
    assert_eq!(state("activeTools.0").exits(0).json(), "weather_api");
    let _ = state("activeTools.1").exits(2).says("the state has no value at `activeTools.1`");
    let _ = state("userPreference").exits(2).says("did you mean `userPreferences`?");
    let _ = state("a..b").exits(2).says("is not a path");
    let both = ["show", "ctx_weather", "--state", "a", "--messages", "1"];
    let _ = context(&sandbox, &both).exits(2);
}

#[test]
fn in_12_transcript_quotes_every_message_in_any_script() {
    let sandbox = Sandbox::new();
    with_texts(&sandbox, "ctx_a", &["北京今天天气怎么样?", "# no heading\n> no quote"]);
    let show =
        |more: &[&str]| context(&sandbox, &[&["show", "ctx_a", "--markdown"], more].concat());
    let text = show(&[]).exits(0).stdout;
    assert!(text.starts_with("# ctx\\_a\n\n`ctx_a` · "), "{text}");
    assert!(text.contains("\n> 北京今天天气怎么样?\n"), "{text}");
    assert!(text.contains("\n> # no heading\n> > no quote\n"), "{text}");
    assert_eq!(text.lines().filter(|line| line.starts_with("## ")).count(), 2, "{text}");
    let last = show(&["--messages", "1"]).exits(0).stdout;
    assert!(last.contains("no heading") && !last.contains("北京"), "{last}");
    let _ = show(&["--json"]).exits(2);
}

#[test]
fn cp_9_list_shows_all_owners_or_one_and_continues() {
    let sandbox = sandbox();
    for (at, owner) in ["ada", "ada", "grace"].iter().enumerate() {
        let whole = json!({ "contextId": format!("ctx_{at}"), "state": {} }).to_string();
        let _ = sandbox.run_with(["context", "import", "--owner", owner], whole).exits(0);
    }
    let list = |arguments: &[&str]| {
        let all = [&["list", "--json"], arguments].concat();
        context(&sandbox, &all).exits(0).json()
    };
    let ids = |list: &Value| -> Vec<String> {
        let contexts = list["contexts"].as_array().unwrap().iter();
        contexts.map(|one| one["contextId"].as_str().unwrap().to_owned()).collect()
    };
    // The newest first; the example is from another year.
    assert_eq!(ids(&list(&[])), ["ctx_2", "ctx_1", "ctx_0", "ctx_weather"]);
    assert_eq!(ids(&list(&["--owner", "ada"])), ["ctx_1", "ctx_0"]);
    let first = list(&["--limit", "3"]);
    assert_eq!(first["next"], "ctx_0");
    let rest = list(&["--limit", "3", "--after", "ctx_0"]);
    assert_eq!((ids(&rest), rest.get("next")), (vec!["ctx_weather".to_owned()], None));
    let _ =
        context(&sandbox, &["list", "--after", "ctx_9"]).exits(2).says("unknown context `ctx_9`");
    let _ = context(&sandbox, &["list", "--limit", "0"]).exits(2);
    let table = context(&sandbox, &["list"]).exits(0).stdout;
    assert!(table.contains("ctx_weather  local  "), "{table}");
    assert!(table.contains("4 messages  Weather in Beijing"), "{table}");
}

#[test]
fn cp_9_context_of_another_owner_is_not_found() {
    let sandbox = sandbox();
    for command in ["show", "export", "fork", "compact", "delete"] {
        let refused = context(&sandbox, &[command, "ctx_weather", "--owner", "eve"]).exits(2);
        assert!(refused.stderr.contains("unknown context `ctx_weather`"), "{}", refused.stderr);
    }
    let _ = context(&sandbox, &["show", "ctx_weather", "--owner", "local"]).exits(0);
}

#[test]
fn cp_9_id_of_two_owners_needs_owner() {
    let sandbox = sandbox();
    let _ = context(&sandbox, &["import", "weather.jsonl", "--owner", "ada"]).exits(0);
    let refused = context(&sandbox, &["show", "ctx_weather"]).exits(2);
    let _ = refused.says("select one with --owner: `ada`, `local`");
    let error = context(&sandbox, &["show", "ctx_weather", "--json"]).exits(2).json();
    assert_eq!(error["error"]["code"], "context_ambiguous");
    let _ = context(&sandbox, &["delete", "ctx_weather", "--owner", "ada", "--yes"]).exits(0);
    let _ = context(&sandbox, &["show", "ctx_weather"]).exits(0);
}

#[test]
fn cp_7_import_names_line_of_duplicate_message() {
    let sandbox = Sandbox::new();
    let said = r#"{"messageId":"m","type":"USER_INPUT","content":{"text":"a"}}"#;
    let import = |text: String| sandbox.run_with(["context", "import"], text).exits(2);
    let _ =
        import(format!("{{}}\n{said}\n{said}")).says("line 3: the messageId `m` stands in line 2");
    let number = said.replace("\"a\"", "\"a\",\"n\":18446744073709551616");
    let _ = import(format!("{{}}\n{number}")).says("line 2: /content/n: expected a number");
}

#[test]
fn cp_9_misspelt_id_gets_suggestion_also_in_json() {
    let sandbox = sandbox();
    for (asked, meant) in [("ctx_weater", "ctx_weather"), ("weather", "ctx_weather")] {
        let refused = context(&sandbox, &["show", asked]).exits(2);
        let _ = refused.says(&format!("did you mean `{meant}`?"));
    }
    let error = context(&sandbox, &["show", "nothing-like-it", "--json"]).exits(2).json();
    assert_eq!(error["error"]["code"], "context_not_found");
    let explained = sandbox.run(["explain", "context_not_found"]).exits(0).stdout;
    assert!(explained.contains("No context has this id"), "{explained}");
}

#[test]
fn cp_10_fork_is_independent_and_deleted_context_is_gone() {
    let sandbox = sandbox();
    let id = context(&sandbox, &["fork", "ctx_weather"]).exits(0).stdout;
    let id = id.trim();
    assert!(id.starts_with("ctx_"), "{id}");
    let head = context(&sandbox, &["fork", id, "--id", "ctx_try", "--json"]).exits(0).json();
    assert_eq!(head["metadata"]["forkedFrom"], json!({ "contextId": id, "version": 4 }));
    let _ = context(&sandbox, &["fork", id, "--id", "ctx_try"]).exits(2).says("is in use");
    // Nobody is there to be asked, and one that is missing keeps the others.
    let _ = context(&sandbox, &["delete", id]).exits(2).says("--yes");
    let _ = context(&sandbox, &["delete", id, "ctx_none", "--yes"]).exits(2).says("`ctx_none`");
    let deleted = context(&sandbox, &["delete", id, "ctx_try", id, "--yes", "--json"]).exits(0);
    assert_eq!(deleted.json(), json!({ "deleted": [id, "ctx_try"] }));
    let _ = context(&sandbox, &["show", "ctx_try"]).exits(2);
    let _ = context(&sandbox, &["show", "ctx_weather"]).exits(0);
}

#[test]
fn cp_12_log_is_compacted_up_to_existing_version() {
    let sandbox = sandbox();
    let compacted = context(&sandbox, &["compact", "ctx_weather", "--json"]).exits(0).json();
    assert_eq!((&compacted["oldestVersion"], &compacted["version"]), (&json!(4), &json!(4)));
    let _ = context(&sandbox, &["compact", "ctx_weather", "--through", "5"]).exits(2).says("ahead");
    assert_eq!(context(&sandbox, &["show", "ctx_weather", "--json"]).json()["messageCount"], 4);
}

#[test]
fn cp_10_invalid_import_is_refused_with_line_and_stores_nothing() {
    let sandbox = Sandbox::new();
    for (text, said) in [
        ("", "line 1"),
        ("{\"contextId\": \"a\"", "line 1"),
        ("[]", "expected a context"),
        ("{}\n{\"messageId\": \"m\"}", "line 2: a message without type"),
        ("{\"messageCount\": 2}\n", "line 2"),
        ("{\"state\": 7}", "state"),
        ("{\"format\": \"another/1\"}", "format"),
    ] {
        let done = sandbox.run_with(["context", "import"], text).exits(2);
        assert!(done.stderr.contains(said), "{text}: {}", done.stderr);
    }
    sandbox.write("bytes", b"{\"contextId\": \"\xff\"}");
    let _ = context(&sandbox, &["import", "bytes"]).exits(2).says("UTF-8");
    let _ = context(&sandbox, &["import", "."]).exits(2).says("is a directory");
    let _ = context(&sandbox, &["import", "none.jsonl"]).exits(2).says("no such file");
    assert_eq!(context(&sandbox, &["list", "--json"]).exits(0).json(), json!({ "contexts": [] }));
}

#[test]
fn cp_12_foreign_file_is_not_changed() {
    let sandbox = Sandbox::new();
    sandbox.write("data/contexts.db", "this is a text\n".repeat(100));
    let before = sandbox.read("data/contexts.db");
    for command in [&["list"][..], &["show", "x"], &["import", "-"]] {
        let all = [command, &["--data", "data", "--json"]].concat();
        let error = context(&sandbox, &all).exits(2).json();
        assert_eq!(error["error"]["code"], "contexts_foreign", "{command:?}: {error}");
    }
    assert_eq!(sandbox.read("data/contexts.db"), before);
    // Looking makes no file.
    let _ = context(&sandbox, &["list", "--data", "elsewhere"])
        .exits(0)
        .says("no contexts are stored here");
    let _ = context(&sandbox, &["show", "x", "--data", "elsewhere"]).exits(2);
    assert!(!sandbox.path("elsewhere").exists());
    let _ = context(&sandbox, &["list", "--workspace", "none"]).exits(2).says("is not a folder");
}
