//! `contexture run`.

use crate::support::{Sandbox, finish};
use serde_json::{Value, json};

const SUMMARIZE: &str = "examples/summarize_file.as";
const README: &str = r#"{"path":"README.md"}"#;

fn program(text: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("p.as", text);
    sandbox
}

#[test]
fn as_31_quiet_prints_only_value_as_json() {
    let sandbox = Sandbox::with_examples();
    let done = sandbox.run(["run", "examples/hello.as", "--input", r#"{"name":"Ada"}"#, "--quiet"]);
    let done = done.exits(0);
    assert_eq!((done.stdout.as_str(), done.stderr.as_str()), ("\"Hello, Ada!\"\n", ""));
    let done = sandbox.run(["run", SUMMARIZE, "--input", README, "--quiet"]).exits(0);
    assert_eq!(done.stderr, "");
    let value = done.json();
    let readme = sandbox.read("README.md");
    assert!(readme.contains(value["title"].as_str().unwrap()), "{value:#}");
    assert!(!value["key_points"].as_array().unwrap().is_empty());
}

#[test]
fn as_31_json_has_value_run_usage_and_warnings() {
    let sandbox = Sandbox::with_examples();
    let done = sandbox.run(["run", SUMMARIZE, "--input", README, "--json"]).exits(0);
    let object = done.json();
    assert!(object["value"]["title"].is_string(), "{object:#}");
    assert!(object["run"].is_string());
    assert!(object["usage"]["prompt_tokens"].as_u64().unwrap() > 100);
    let said = "builtin://extractive: extractive stand-in, not a language model";
    assert_eq!(object["warnings"], json!([said]));
    assert_eq!(done.stderr, format!("warning: {said}\n"));
}

#[test]
fn as_31_default_output_is_indented_value_with_messages_on_stderr() {
    let sandbox = Sandbox::with_examples();
    let done = sandbox.run(["run", SUMMARIZE, "--input", README]).exits(0);
    assert!(done.stdout.starts_with("{\n  \"title\": "), "{}", done.stdout);
    let done = done.says("note: no model is set: builtin://extractive");
    assert!(done.stderr.contains("1 model call · "), "{}", done.stderr);
    assert!(done.stderr.contains("run "), "{}", done.stderr);
}

#[test]
fn as_31_input_comes_from_argument_file_or_stdin() {
    let sandbox = program("main func(input) { input }");
    let of = |arguments: &[&str], stdin: &str| {
        let arguments = ["run", "p.as", "--quiet"].iter().chain(arguments);
        sandbox.run_with(arguments, stdin).exits(0).json()
    };
    sandbox.write("in.json", "\u{feff}{\"a\": [1, 2.5, null]}");
    assert_eq!(of(&["--input", r#"{"a":1}"#], ""), json!({ "a": 1 }));
    assert_eq!(of(&["--input=-5"], ""), json!(-5));
    assert_eq!(of(&["--input", "-5"], ""), json!(-5));
    assert_eq!(of(&["--input-file", "in.json"], ""), json!({ "a": [1, 2.5, null] }));
    assert_eq!(of(&["--input", "-"], "{\"b\":2}\n"), json!({ "b": 2 }));
    assert_eq!(of(&[], "ignored"), json!({}));
}

#[test]
fn as_31_input_that_is_not_json_is_refused_with_place_and_fix() {
    let sandbox = program("main func(input) { input }");
    for input in ["", "hello", "{'a':1}", "{a:1}", "[1,", "nul", "{\"a\":1}}"] {
        let done = sandbox.run(["run", "p.as", "--input", input]).exits(2);
        assert!(done.stderr.contains("--input is not JSON"), "{}", done.stderr);
        assert!(done.stderr.contains("help:"), "{}", done.stderr);
    }
    for (text, told) in [
        ("", "an empty object is {}"),
        ("{'a':1}", "JSON uses double quotes: {\"path\":\"README.md\"}"),
        ("{a:1}", "help: an object looks like {\"path\":\"README.md\"}"),
        ("hello", "a string needs double quotes of its own: \"a text\";"),
        ("{\"a\":\"\\ud800\"}", "lone leading surrogate in hex escape (line 1, column 13)"),
    ] {
        sandbox.write("in.json", text);
        let done = sandbox.run(["run", "p.as", "--input-file", "in.json"]).exits(2).says(told);
        assert!(!done.stderr.contains("in a shell"), "{}", done.stderr);
    }
    let deep = "[".repeat(100_000);
    let done = sandbox.run_with(["run", "p.as", "--input", "-", "--json"], deep).exits(2);
    assert_eq!(done.json()["error"]["code"], "json_too_deep");
    let error = sandbox.run(["run", "p.as", "--input", "x", "--json"]).exits(2).json();
    assert_eq!(error["error"]["code"], "not_json");
    let _ = sandbox.run(["run", "p.as", "--input", "1", "--input-file", "x"]).exits(2);
    let _ = sandbox.run(["run", "p.as", "--input-file", "none.json"]).exits(2).says("none.json");
    let piped = sandbox.run_with(["run", "p.as", "--input-file", "-"], "[1,").exits(2);
    let _ = piped.says("error: stdin is not JSON");
}

#[test]
fn gr_5_input_of_file_is_taken_by_field_and_recorded_whole() {
    let sandbox = program("main func(a, b) { a.length + b }");
    let items: Vec<Value> = (0..2_000).map(|n| json!({ "n": n, "text": "文字 \" ]" })).collect();
    let input = json!({ "a": items, "b": 1 });
    sandbox.write("in.json", format!("{input:#}"));
    let command = ["run", "p.as", "--input-file", "in.json", "--json"];
    assert_eq!(sandbox.run(command).exits(0).json()["value"], 2_001);
    let shown = sandbox.run(["trace", "show", "latest", "--json"]).exits(0).json();
    let events = shown["events"].as_array().unwrap();
    let kept = events.iter().find(|event| event["kind"] == "input").unwrap();
    assert_eq!(kept["data"]["value"], input);
    sandbox.write("in.json", "{\"a\": []}");
    assert_eq!(sandbox.run(command).exits(1).json()["error"]["code"], "AS9003");
    sandbox.write("in.json", "{\"a\": [], \"b\": 1, \"bb\": 1}");
    assert_eq!(sandbox.run(command).exits(2).json()["error"]["code"], "unknown_input");
}

#[test]
fn as_31_inputs_nest_as_deep_as_values() {
    let sandbox = program("main func(input) { input.length }");
    let nested = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    let of = |depth| sandbox.run_with(["run", "p.as", "--input", "-", "--json"], nested(depth));
    assert_eq!(of(500).exits(0).json()["value"], 1);
    assert_eq!(of(600).exits(1).json()["error"]["code"], "AS9055");
}

#[cfg(unix)]
#[test]
fn as_31_endless_input_is_read_to_limit() {
    let sandbox = program("main func(input) { input }");
    for command in [&["fmt", "/dev/zero"][..], &["run", "p.as", "--input-file", "/dev/zero"]] {
        let _ = sandbox.run(command).exits(2).says("134217728 bytes");
    }
}

#[test]
fn as_31_settings_folder_is_refused() {
    let sandbox = program("main func(input) { 1 }");
    sandbox.write("contexture.toml/x", "");
    let error = sandbox.run(["run", "p.as", "--json"]).exits(2).json();
    assert_eq!(error["error"]["code"], "settings_unreadable");
}

#[test]
fn as_31_source_with_errors_exits_2_and_runs_nothing() {
    let sandbox = program("main func(input) { lenght }");
    let done = sandbox.run(["run", "p.as"]).exits(2).says("AS2001");
    assert_eq!(done.stdout, "");
    let object = sandbox.run(["run", "p.as", "--json"]).exits(2).json();
    assert_eq!(object["error"]["code"], "AS2001");
    assert_eq!(
        object["error"]["span"],
        json!({ "line": 1, "column": 20, "end_line": 1, "end_column": 26 })
    );
    assert_eq!(object["diagnostics"][0]["code"], "AS2001");
    assert_eq!(object["value"], Value::Null);
    assert!(!sandbox.path(".contexture").exists(), "nothing ran, so nothing is kept");
}

#[test]
fn as_9_failed_program_exits_1_with_place_reason_and_calls() {
    let text = "func inner(list) { list[7] }\nmain func(input) {\n  inner([1, 2])\n}\n";
    let sandbox = program(text);
    let done = sandbox.run(["run", "p.as"]).exits(1);
    assert_eq!(done.stdout, "");
    let done = done.says("p.as:1:20");
    let _ = done.says("p.as:3:3");
    let object = sandbox.run(["run", "p.as", "--json"]).exits(1).json();
    let error = &object["error"];
    assert_eq!(error["code"], "AS9007", "{object:#}");
    assert_eq!(error["file"], "p.as");
    assert_eq!(error["span"]["line"], 1);
    assert!(error["message"].is_string() && error["trace"].is_array());
    assert!(object["run"].is_string(), "a failed run keeps its trace");
    let quiet = sandbox.run(["run", "p.as", "--quiet"]).exits(1);
    assert_eq!(quiet.stdout, "");
    assert!(quiet.stderr.contains("AS9007"), "{}", quiet.stderr);
}

#[test]
fn as_28_input_of_wrong_shape_is_refused() {
    let sandbox = program("main func(input { path string, n integer }) { input.n }");
    let done = sandbox.run(["run", "p.as", "--input", r#"{"path":1}"#]).exits(2);
    assert!(done.stderr.contains("path") && done.stderr.contains('n'), "{}", done.stderr);
}

#[test]
fn as_31_agent_and_function_select_entry_point() {
    let text = "agent Other { main func(input) { \"other\" } func twice(input) { input.n * 2 } }\n\
                main agent Main { main func(input) { \"main\" } }";
    let sandbox = program(text);
    let of = |arguments: &[&str]| sandbox.run(["run", "p.as", "--quiet"].iter().chain(arguments));
    assert_eq!(of(&[]).exits(0).json(), "main");
    assert_eq!(of(&["--agent", "Other"]).exits(0).json(), "other");
    let twice = ["--agent", "Other", "--function", "twice", "--input", r#"{"n":4}"#];
    assert_eq!(of(&twice).exits(0).json(), 8);
    let _ = of(&["--agent", "Othr"]).exits(2).says("Other");
    let _ = of(&["--agent", "Other", "--function", "twic"]).exits(2).says("twice");
}

#[test]
fn as_31_dry_run_shows_all_prompts_and_changes_nothing() {
    let sandbox = Sandbox::with_examples();
    let done = sandbox.run(["run", SUMMARIZE, "--input", README, "--dry-run", "--json"]).exits(0);
    let object = done.json();
    assert_eq!(object["value"], Value::Null);
    let prompt = &object["prompts"][0];
    for field in ["site", "system", "user", "schema", "items"] {
        assert!(!prompt[field].is_null(), "{field}: {prompt:#}");
    }
    let item = &prompt["items"][0];
    for field in ["index", "label", "source", "text", "tokens", "budget", "clipped"] {
        assert!(item.get(field).is_some(), "{field}: {item:#}");
    }
    assert_eq!(item["label"], "document");
    assert!(prompt["user"].as_str().unwrap().contains(item["text"].as_str().unwrap()));
    assert!(!sandbox.path(".contexture").exists(), "a dry run writes nothing");
    let text = sandbox.run(["run", SUMMARIZE, "--input", README, "--dry-run"]).exits(0).stdout;
    assert!(text.contains("── system ──") && text.contains("Instruction:"), "{text}");
}

#[test]
fn as_24_recorded_run_is_replayed_and_miss_shows_difference() {
    let sandbox = Sandbox::with_examples();
    let run = |more: &[&str]| {
        sandbox.run(["run", SUMMARIZE, "--input", README, "--quiet"].iter().chain(more))
    };
    let first = run(&["--record", "answers.jsonl"]).exits(0).json();
    assert_eq!(run(&["--replay", "answers.jsonl"]).exits(0).json(), first);
    sandbox.write("README.md", "Another text. It is short.");
    let done = run(&["--replay", "answers.jsonl"]).exits(1);
    assert!(done.stderr.contains("record"), "{}", done.stderr);
    let _ = run(&["--replay", "none.jsonl"]).exits(2);
    let _ = run(&["--replay", "a", "--record", "b"]).exits(2);
}

#[test]
fn as_24_mock_returns_typed_placeholders_or_answers_of_file() {
    let text = "main func(input) { generate({ input: \"x\" }) -> { ok boolean, n integer } }";
    let sandbox = program(text);
    let value = sandbox.run(["run", "p.as", "--quiet", "--mock"]).exits(0).json();
    assert!(value["ok"].is_boolean() && value["n"].is_i64(), "{value}");
    sandbox.write("answers.jsonl", "{\"json\": {\"ok\": true, \"n\": 7}}\n");
    let value = sandbox.run(["run", "p.as", "--quiet", "--mock=answers.jsonl"]).exits(0).json();
    assert_eq!(value, json!({ "ok": true, "n": 7 }));
}

#[test]
fn as_17_select_finds_candidate_by_label_or_place() {
    let text = "main func(input) {\n  a = \"Tea is hot.\"\n  b = \"Snow is cold.\"\n  \
                use one of { hot: a selected cold: b none: empty } as my note\n  \
                generate({ input: \"What is it?\" }) -> { it string }\n}";
    let sandbox = program(text);
    let of = |arguments: &[&str]| sandbox.run(["run", "p.as"].iter().chain(arguments));
    let items = |arguments: &[&str]| {
        let all = [arguments, &["--dry-run", "--json"]].concat();
        of(&all).exits(0).json()["prompts"][0]["items"].clone()
    };
    assert_eq!(items(&[])[0]["text"], "Tea is hot.");
    for place in ["my note", "p.as:4:3", "p.as:4", "./p.as:4:3"] {
        let chosen = items(&["--select", &format!("{place}=cold")]);
        assert_eq!(chosen[0]["text"], "Snow is cold.", "{place}");
    }
    assert_eq!(items(&["--select", "my note=none"]), json!([]));
    let _ = of(&["--select", "my note=cold", "--quiet"]).exits(0);
    let tree = sandbox.run(["trace", "show"]).exits(0).stdout;
    assert!(tree.contains("use one of hot, cold, none as my note → cold"), "{tree}");
}

#[test]
fn as_17_unknown_selection_is_refused_with_candidates() {
    let text = "main func(input) {\n  use one of { hot: input cold: input } as note\n  \
                generate({ input: \"x\" })\n}";
    let sandbox = program(text);
    let of = |arguments: &[&str]| sandbox.run(["run", "p.as"].iter().chain(arguments));
    let done = of(&["--select", "nott=hot"]).exits(2).says("did you mean `note`?");
    let _ = done.says("`note` at p.as:2:3 (hot, cold)");
    let done = of(&["--select", "note=colt"]).exits(2).says("did you mean `cold`?");
    let _ = done.says("the candidates are hot, cold");
    let error = of(&["--select", "p.as:9:9=hot", "--json"]).exits(2).json();
    assert_eq!(error["error"]["code"], "unknown_selection");
    for wrong in ["note", "=hot", "note=", ""] {
        let _ = of(&["--select", wrong]).exits(2).says("evidence=brief");
    }
    let _ = of(&["--select", "note=hot", "--select", "note=cold"]).exits(2).says("both");
    let _ = of(&["--select", "note=hot", "--select", "p.as:2=cold"]).exits(2).says("both");
    assert!(!sandbox.path(".contexture").exists(), "nothing ran");
    let plain = program("main func(input) { 1 }");
    let _ = plain.run(["run", "p.as", "--select", "a=b"]).exits(2).says("has no choice");
}

#[test]
fn as_11_verbose_prints_calls_and_loops_ended_by_max() {
    let text = "main func(input) { n = 0 for x in [1, 2, 3] max 2 { n += x } n }";
    let sandbox = program(text);
    let done = sandbox.run(["run", "p.as", "--verbose"]).exits(0);
    assert_eq!(done.stdout, "3\n");
    let _ = done.says("warning: p.as:");
    // Without it the trace knows, and whoever reads JSON.
    let done = sandbox.run(["run", "p.as"]).exits(0);
    assert!(!done.stderr.contains("warning"), "{}", done.stderr);
    let object = sandbox.run(["run", "p.as", "--json"]).exits(0).json();
    assert!(object["warnings"][0].as_str().unwrap().contains("max"), "{object:#}");
    let lines = "for x in [1, 2, 3] max 2 { x }\n";
    assert_eq!(sandbox.run_with(["repl"], lines).exits(0).stderr, "");
    let _ = sandbox.run_with(["repl", "--verbose"], lines).exits(0).says("warning: ");
    let sandbox = Sandbox::with_examples();
    let done = sandbox.run(["run", SUMMARIZE, "--input", README, "--verbose"]).exits(0);
    let _ = done.says("tool File.read").says("generate examples/summarize_file.as:");
}

#[test]
fn as_19_debug_prints_whole_prompt_to_stderr() {
    let text = "main func(input) { note = \"Tea is hot.\" use note as note\n generate({ input: \"What is hot?\", debug: true }) }";
    let done = program(text).run(["run", "p.as", "--quiet"]).exits(0);
    assert!(
        done.stderr.contains("Instruction:") && done.stderr.contains("[note]"),
        "{}",
        done.stderr
    );
    assert_eq!(done.json(), "Tea is hot.");
}

#[test]
fn as_29_trace_prints_tree_or_writes_events_to_file() {
    let sandbox = Sandbox::with_examples();
    let done = sandbox.run(["run", SUMMARIZE, "--input", README, "--trace"]).exits(0);
    let _ = done.says("File.read").says("[document]");
    let done =
        sandbox.run(["run", SUMMARIZE, "--input", README, "--no-trace", "--trace", "t.jsonl"]);
    let _ = done.exits(0);
    for line in sandbox.read("t.jsonl").lines() {
        let event: Value = serde_json::from_str(line).unwrap();
        assert_eq!(event["v"], 1);
        assert!(event["kind"].is_string() && !event["data"].is_null());
    }
    let _ = sandbox.run(["run", SUMMARIZE, "--trace", "--no-trace"]).exits(2);
}

#[test]
fn as_29_unwritable_trace_file_is_refused_before_run() {
    let sandbox = program("main func(input) { 1 }");
    sandbox.write("file", "");
    for (path, mend) in [
        (".", "give a file, not a folder"),
        ("none/t.jsonl", "make the folder none first"),
        ("file/t.jsonl", "make the folder file first"),
        ("/dev/null/t.jsonl", "make the folder /dev/null first"),
    ] {
        let done = sandbox.run(["run", "p.as", "--trace", path]).exits(2);
        assert_eq!(done.stdout, "");
        let done = done.says("error: the trace can't be written to").says(mend);
        assert!(!done.stderr.contains("os error"), "{}", done.stderr);
    }
    let error = sandbox.run(["run", "p.as", "--trace", ".", "--json"]).exits(2).json();
    assert_eq!(error["error"]["code"], "trace_unwritable");
    let list = sandbox.run(["trace", "list"]);
    assert!(!list.stdout.contains("p.as"), "no run was begun: {list:?}");
}

#[test]
fn as_29_no_trace_stores_nothing() {
    let sandbox = program("main func(input) { 1 }");
    let object = sandbox.run(["run", "p.as", "--no-trace", "--json"]).exits(0).json();
    assert_eq!(object["run"], Value::Null);
    assert!(!sandbox.path(".contexture").exists());
}

#[test]
fn as_25_workspace_is_nearest_settings_folder_or_option() {
    let text = "import tool File from \"file://workspace\" main func(input) { File.read({ path: \"note.txt\" }) }";
    let sandbox = Sandbox::new();
    sandbox.write("a/p.as", text).write("a/note.txt", "in a").write("note.txt", "on top");
    let of = |arguments: &[&str]| sandbox.run(["run", "--quiet"].iter().chain(arguments));
    assert_eq!(of(&["a/p.as"]).exits(0).json(), "on top");
    assert_eq!(of(&["a/p.as", "--workspace", "a"]).exits(0).json(), "in a");
    let _ = of(&["a/p.as", "--workspace", "none"]).exits(2).says("is not a folder");
}

#[test]
fn as_31_invalid_settings_are_refused_with_place() {
    let sandbox = program("main func(input) { 1 }");
    sandbox.write("contexture.toml", "modle = \"x\"\n");
    let _ = sandbox.run(["run", "p.as"]).exits(2).says("contexture.toml:1:1").says("`model`");
    let error = sandbox.run(["run", "p.as", "--json"]).exits(2).json();
    assert_eq!(error["error"]["code"], "CFG1001");
}

#[test]
fn as_31_programs_of_any_bytes_never_panic() {
    let sandbox = Sandbox::new();
    let programs: [&[u8]; 7] =
        [b"", b"\xff\xfe", b"\0\0\0", b"{", b"main", b"\"", "main func(输入) { 输 }".as_bytes()];
    for text in programs {
        sandbox.write("p.as", text);
        let done = sandbox.run(["run", "p.as"]).exits(2);
        assert!(!done.stderr.contains("panicked"), "{}", done.stderr);
    }
    let _ = sandbox.run(["run", "none.as"]).exits(2).says("none.as");
    let _ = sandbox.run(["run", "."]).exits(2);
}

#[test]
fn as_31_deep_programs_are_refused_and_60_blocks_run() {
    let blocks = |count: usize| {
        format!(
            "main func(input) {{ n = 0 {} n += 1 {} n }}",
            "if true { ".repeat(count),
            "}".repeat(count)
        )
    };
    let sandbox = program(&blocks(60));
    assert_eq!(sandbox.run(["run", "p.as", "--quiet"]).exits(0).json(), 1);
    for count in [10_000, 200_000] {
        sandbox.write("p.as", blocks(count));
        let _ = sandbox.run(["run", "p.as"]).exits(2).says("AS1013");
    }
}

#[test]
fn as_3_crlf_and_bom_are_ignored() {
    let sandbox = program("\u{feff}main func(input) {\r\n  x = 1\r\n  x + 1\r\n}\r\n");
    assert_eq!(sandbox.run(["run", "p.as", "--quiet"]).exits(0).json(), 2);
}

#[test]
fn as_29_interrupted_run_exits_130_and_stores_trace() {
    let sandbox = program("main func(input) { loop until false max 9000000000000 { x = 1 } }");
    let line = "contexture run p.as & pid=$!; sleep 1; kill -INT $pid; wait $pid; echo $?";
    // A shell without job control lets its background processes ignore the interrupt.
    let done = sandbox.sh(&format!("set -m; {line}")).exits(0);
    assert!(done.stdout.ends_with("130\n"), "{done:?}");
    assert!(done.stderr.contains("cancelled"), "{done:?}");
    let asked = sandbox.sh(&line.replace("-INT", "-TERM")).exits(0);
    assert!(asked.stdout.ends_with("143\n"), "{asked:?}");
    let list = sandbox.run(["trace", "list"]).exits(0);
    assert!(list.stdout.contains("cancelled"), "{list:?}");
}

#[test]
fn as_31_vanished_reader_is_not_error() {
    let sandbox = program("main func(input) { \"x\" }");
    let done = sandbox.sh("contexture run p.as --quiet | true").exits(0);
    assert!(!done.stderr.contains("panicked"), "{done:?}");
}

#[test]
fn as_31_value_has_no_colour() {
    let sandbox = program("main func(input) { { a: \"x\" } }");
    let done = finish(sandbox.contexture(["run", "p.as", "--color", "always"]), b"").exits(0);
    assert_eq!(done.json(), json!({ "a": "x" }));
}

#[test]
fn as_31_unusable_answer_files_are_reported() {
    let sandbox = program("main func(input) { generate({ input: \"x\" }) -> { ok boolean } }");
    sandbox.write("bad.jsonl", "{\n");
    for option in ["--mock=none.jsonl", "--replay=none.jsonl", "--record=none/r.jsonl", "--mock=."]
    {
        let done = sandbox.run(["run", "p.as", option]).exits(2).says("help: check the path");
        assert!(!done.stderr.contains("os error"), "{}", done.stderr);
    }
    let _ = sandbox
        .run(["run", "p.as", "--mock=bad.jsonl"])
        .exits(2)
        .says("line 1")
        .says("fix or remove");
    sandbox.write("bad.jsonl", b"\"a\"\n\xff\n");
    let _ = sandbox.run(["run", "p.as", "--mock=bad.jsonl"]).exits(2).says("line 2").says("UTF-8");
    sandbox.write(".contexture", "");
    let _ = sandbox.run(["run", "p.as", "--mock"]).exits(2).says("`--no-trace`");
    let _ = sandbox.run(["run", "p.as", "--mock", "a.jsonl"]).exits(2).says("--mock=a.jsonl");
    let _ = sandbox.run(["run", "p.as", "--concurrency", "-1"]).exits(2).says("at least 1");
    let _ = sandbox.run(["run", "p.as", "--workspace", "none"]).exits(2).says("help: ");
}

#[test]
fn as_22_unreachable_server_is_reported() {
    let sandbox = program("main func(input) { generate({ input: \"x\" }) }");
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let model = format!("openai+http://127.0.0.1:{port}/v1/m");
    let done = sandbox.run(["run", "p.as", "--model", &model]).exits(1);
    let done = done.says("the connection is refused; is a server running there?");
    assert!(!done.stderr.contains("os error"), "{}", done.stderr);
    let done = sandbox.run(["run", "p.as", "--model", "openai://m"]).exits(1);
    let _ = done.says("needs a key").says("set OPENAI_API_KEY");
}
