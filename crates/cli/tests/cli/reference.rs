//! `contexture ref`: what scripts rely on, and what people see.

#[path = "reference/bad_input.rs"]
mod bad_input;
#[path = "reference/definitions.rs"]
mod definitions;
#[path = "reference/expand.rs"]
mod expand;
#[path = "reference/plans.rs"]
mod plans;

use crate::support::{Done, Sandbox, repository};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

fn parse(reference: &str) -> Value {
    Sandbox::new().run(["ref", "parse", reference, "--json"]).exits(0).json()
}

#[test]
fn ref_2_parse_returns_levels_with_query_at_outermost() {
    assert_eq!(
        parse("@!Thinking:file://a/b.md?b=%20x&a=1+1"),
        json!({
            "semantics": "hot",
            "protocol": "Thinking",
            "path": null,
            "query": { "b": " x", "a": "1+1" },
            "inner": {
                "semantics": "default",
                "protocol": "file",
                "path": "a/b.md",
                "query": {},
                "inner": null,
                "canonical": "@file://a/b.md",
            },
            "canonical": "@!thinking:@file://a/b.md?a=1+1&b=%20x",
        })
    );
}

#[test]
fn ref_3_parse_keeps_all_values_of_repeated_parameter() {
    let parsed = parse("@https://h/p?a=1&a=2&b");
    assert_eq!(parsed["query"], json!({ "a": ["1", "2"], "b": "" }));
}

#[test]
fn ref_4_parse_errors_have_code_message_and_offset() {
    let sandbox = Sandbox::new();
    let cases = [
        ("file://a", "REF1001", 0),
        ("[@]file://a", "REF1001", 0),
        ("@1x://a", "REF1002", 1),
        ("@file:a.md", "REF1004", 6),
        ("@file://", "REF1005", 8),
        ("@文://a", "REF1002", 1),
        ("@file://a?line", "REF1010", 14),
        ("@file://a?x=1&x=2", "REF1011", 14),
        ("", "REF1001", 0),
    ];
    for (text, code, offset) in cases {
        let error = sandbox.run(["ref", "parse", text, "--json"]).exits(2).json();
        assert_eq!(error["error"]["code"], code, "{text}: {error}");
        assert_eq!(error["error"]["offset"], offset, "{text}: {error}");
        assert!(error["error"]["message"].as_str().unwrap().contains("expected"), "{error}");
    }
    let shown = sandbox.run(["ref", "parse", "@file:a.md"]).exits(2);
    let _ = shown.says("error[REF1004]").says("1 | @file:a.md\n  |       ^^^^");
}

#[test]
fn ref_5_only_parse_prints_user_info() {
    let sandbox = Sandbox::new();
    let secret = "@ftp://ann:s3cret@h.example/a.md";
    let parsed = sandbox.run(["ref", "parse", secret, "--json"]).exits(0).json();
    assert_eq!(parsed["canonical"], secret);
    assert_eq!(parsed["path"], "ann:s3cret@h.example/a.md");
    sandbox.write("a.md", format!("See {secret} and @!x:{secret} and @ftp:ann:s3cret@h/x"));
    for arguments in [
        &["ref", "scan", "a.md"][..],
        &["ref", "scan", "a.md", "--json"],
        &["ref", "plan", "a.md", "--policy", "never"],
        &["ref", "plan", "a.md", "--policy", "never", "--json"],
        &["ref", "explain", secret],
        &["ref", "explain", secret, "--json"],
        &["ref", "load", "@ftp:ann:s3cret@h/x"],
        &["ref", "load", "@ftp:ann:s3cret@h/x", "--json"],
        &["ref", "load", "@nope://ann:s3cret@h/x", "--json"],
        &["ref", "load", "@file:http://ann:s3cret@h/x", "--json"],
    ] {
        let done = sandbox.run(arguments);
        assert!(!done.stdout.contains("s3cret"), "{arguments:?}: {}", done.stdout);
        assert!(!done.stderr.contains("s3cret"), "{arguments:?}: {}", done.stderr);
    }
}

#[test]
fn ref_6_scan_returns_byte_and_column_places() {
    let sandbox = Sandbox::new();
    let text = "先读@!file://规则.md，再看 @file://b.md.\n`@file://no.md` a@b.example \\@file://no\n  (@x://y)\n";
    let done = sandbox.run_with(["ref", "scan", "-", "--json"], text).exits(0);
    let found = done.json();
    let row = |wanted: &str, line: u32, column: u32| {
        let start = text.find(wanted).unwrap();
        let end = start + wanted.len();
        json!({ "text": wanted, "start": start, "end": end, "line": line, "column": column })
    };
    let wanted =
        json!([row("@!file://规则.md", 1, 3), row("@file://b.md", 1, 21), row("@x://y", 3, 4)]);
    assert_eq!(found, wanted);
    sandbox.write("a.md", text);
    let shown = sandbox.run(["ref", "scan", "a.md"]).exits(0);
    assert_eq!(shown.stdout, "1:3   @!file://规则.md\n1:21  @file://b.md\n3:4   @x://y\n");
    assert_eq!(sandbox.run_with(["ref", "scan", "-", "--json"], "").exits(0).stdout, "[]\n");
}

#[test]
fn ref_6_malformed_references_are_warnings() {
    let sandbox = Sandbox::new();
    let text = "See @file:a.md and @file://b.md";
    let done = sandbox.run_with(["ref", "scan", "-", "--json"], text).exits(0);
    assert_eq!(done.json().as_array().unwrap().len(), 1);
    let _ = done.says("-:1:11: `@file:a.md` is not a reference").says("REF1004");
}

#[test]
fn ref_6_unreadable_texts_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", b"\xff\xfe");
    std::fs::create_dir(sandbox.path("folder")).unwrap();
    for (file, code) in
        [("none.md", "file_unreadable"), ("folder", "file_unreadable"), ("a.md", "not_utf8")]
    {
        for command in ["scan", "plan"] {
            let done = sandbox.run(["ref", command, file, "--json"]).exits(2);
            assert_eq!(done.json()["error"]["code"], code, "{file}");
        }
    }
}

#[test]
fn ref_14_load_json_has_items_and_diagnostics() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/a.md", "one\ntwo\nthree\n").write("docs/b.bin", b"\0\x01");
    sandbox.write("docs/sub/c.md", "c");
    let load = |arguments: &[&str]| {
        sandbox.run([&["ref", "load", "--json"], arguments].concat()).exits(0).json()
    };
    let loaded = load(&["@file://docs/a.md?line=2-"]);
    let digest = loaded["items"][0]["digest"].clone();
    assert!(digest.as_str().unwrap().starts_with("sha256:"), "{digest}");
    let item = json!({
        "reference": "@file://docs/a.md?line=2-",
        "media_type": "text/markdown",
        "bytes": 10,
        "tokens": 4,
        "digest": digest,
        "text": "two\nthree\n",
    });
    assert_eq!(loaded, json!({ "items": [item], "diagnostics": [] }));
    let all = load(&["@file://docs/*"]);
    let items: Vec<_> = all["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| (item["reference"].as_str().unwrap(), item["text"].as_str(), &item["tokens"]))
        .collect();
    assert_eq!(items[1], ("@file://docs/b.bin", None, &json!(0)));
    assert_eq!(items[2], ("@file://docs/sub", None, &json!(0)));
    assert_eq!(all["diagnostics"][0]["code"], "REF3011");
    assert_eq!(all["diagnostics"][0]["severity"], "warning");
    let none = load(&["@file://none/*"]);
    assert_eq!((&none["items"], &none["diagnostics"][0]["code"]), (&json!([]), &json!("REF3037")));
}

#[test]
fn ref_14_max_of_command_and_reference_limits_result() {
    let sandbox = Sandbox::new();
    sandbox.write("long.md", "word ".repeat(5_000));
    for arguments in [
        &["@file://long.md", "--max", "100"][..],
        &["@file://long.md?max=100", "--max", "2k"],
        &["@file://long.md?max=2k", "--max=100"],
    ] {
        let done = sandbox.run([&["ref", "load", "--json"], arguments].concat()).exits(0).json();
        let tokens = done["items"][0]["tokens"].as_u64().unwrap();
        assert!((50..=100).contains(&tokens), "{tokens}");
        assert_eq!(done["diagnostics"][0]["code"], "REF3014");
    }
    let _ = sandbox
        .run(["ref", "load", "@file://long.md", "--max", "0"])
        .exits(2)
        .says("not a token budget");
}

#[test]
fn ref_14_load_prints_one_text_plain_and_several_with_names() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/a.md", "no line end").write("docs/b.md", "b\u{1b}[31m\n");
    assert_eq!(sandbox.run(["ref", "load", "@file://docs/a.md"]).exits(0).stdout, "no line end");
    let done = sandbox.run(["ref", "load", "@file://docs/*.md"]).exits(0);
    assert_eq!(
        done.stdout,
        "── @file://docs/a.md · 3 tokens ──\nno line end\n\n── @file://docs/b.md · 6 tokens ──\nb\u{1b}[31m\n"
    );
}

#[test]
fn ref_21_relative_paths_start_in_document_folder() {
    let sandbox = Sandbox::new();
    sandbox.write("contexture.toml", "").write("docs/in/a.md", "near").write("a.md", "root");
    sandbox.write("docs/in/brief.md", "See @!file://a.md").write("b.md", "far");
    let text =
        |arguments: &[&str]| sandbox.run([&["ref", "load"], arguments].concat()).exits(0).stdout;
    assert_eq!(text(&["@file://a.md"]), "root");
    assert_eq!(text(&["@file://a.md", "--from", "docs/in/brief.md"]), "near");
    assert_eq!(text(&["@file://a.md", "--from", "docs/in"]), "near");
    assert_eq!(text(&["@file://b.md", "--from", "docs/in"]), "far");
    let inside = sandbox.sh("cd docs/in && contexture ref load @file://a.md").exits(0);
    assert_eq!(inside.stdout, "near");
    let plan = sandbox.run(["ref", "plan", "docs/in/brief.md", "--json"]).exits(0).json();
    assert_eq!(plan["entries"][0]["tokens"], 1);
    let explained =
        sandbox.run(["ref", "explain", "@file://b.md", "--from", "docs/in", "--json"]).exits(0);
    assert_eq!(explained.json()["file"]["workspace_root_taken"], true);
    assert_eq!(explained.json()["file"]["path"], "b.md");
    let shown = sandbox.run(["ref", "explain", "@file://b.md", "--from", "docs/in"]).exits(0);
    assert!(shown.stdout.contains("found in the workspace root"), "{}", shown.stdout);
    for (from, code) in [("/", "path_outside_workspace"), ("none.md", "file_unreadable")] {
        let done = sandbox.run(["ref", "load", "@file://a.md", "--from", from, "--json"]).exits(2);
        assert_eq!(done.json()["error"]["code"], code);
    }
}

#[test]
fn ref_11_nested_references_load_inside_out() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "# T\n\n## Use\n\nhello {{ name }}\n\n## End\n\nx\n");
    sandbox.write("a.json", r#"{"a": [{"b": "deep"}]}"#);
    let text = |reference: &str| sandbox.run(["ref", "load", reference]).exits(0).stdout;
    let use_section = "@template:markdown:file://a.md?section=Use&name=Ada";
    assert_eq!(text(use_section), "## Use\n\nhello Ada");
    assert_eq!(text("@json:@file://a.json?pointer=/a/0/b"), "deep");
    assert!(text("@thinking:@?file://a.md").contains("[not loaded: @?file://a.md]"));
    assert!(!text("@base64:file://a.md").contains("hello"));
}

#[test]
fn ref_10_closed_reader_is_not_error() {
    let sandbox = Sandbox::new();
    sandbox.write("big.md", "a line of text\n".repeat(400_000));
    let done = sandbox.sh("contexture ref load @file://big.md | head -c 1 > /dev/null; \
         contexture ref load @file://big.md --json | true");
    assert_eq!(done.exits(0).stderr, "");
    let _ = sandbox
        .sh("contexture ref load @file://big.md > /dev/full")
        .exits(1)
        .says("can't write stdout");
}

#[test]
fn ref_4_every_code_is_explained() {
    let list = Sandbox::new().run(["explain"]).exits(0).stdout;
    let known: BTreeSet<&str> = list.lines().filter_map(|line| line.split(' ').next()).collect();
    let mut named = BTreeSet::new();
    for name in ["reference", "contexture", "script"] {
        codes_in(&repository().join("crates").join(name).join("src"), &mut named);
    }
    assert!(named.len() > 60, "{named:?}");
    let missing: Vec<_> = named.iter().filter(|code| !known.contains(code.as_str())).collect();
    assert!(missing.is_empty(), "not explained: {missing:?}");
    let sandbox = Sandbox::new();
    let one = sandbox.run(["explain", "ref1004"]).exits(0).stdout;
    assert!(one.starts_with("error[REF1004]: missing-slashes\n\n"), "{one}");
    let _ = sandbox.run(["explain", "REF104"]).exits(2).says("did you mean `REF10");
}

/// The codes that the sources print; those of tests are none.
fn codes_in(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            if name != "tests" {
                codes_in(&path, found);
            }
        } else if name.ends_with(".rs") && name != "tests.rs" {
            let text = std::fs::read_to_string(&path).unwrap();
            let text = text.split("#[cfg(test)]").next().unwrap();
            let quoted = text.split("\"REF").skip(1).filter_map(|rest| rest.split('"').next());
            let numbers = quoted
                .filter(|rest| rest.len() == 4 && rest.bytes().all(|byte| byte.is_ascii_digit()));
            found.extend(numbers.map(|number| format!("REF{number}")));
        }
    }
}

/// The code of the failure of a load.
fn failure(done: Done) -> (String, String) {
    let report = done.exits(1).json();
    let word = |name: &str| report["error"][name].as_str().unwrap_or_default().to_owned();
    assert_eq!(report["items"], json!([]));
    (word("code"), word("message"))
}
