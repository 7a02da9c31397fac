use crate::support::Fixture;
use crate::{Settings, ToolLimits};
use serde_json::{Value, json};

fn paths(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|item| item["path"].as_str().unwrap()).collect()
}

fn find(fixture: &Fixture, argument: Value) -> Vec<String> {
    let value = fixture.value("sh://find", "run", argument);
    paths(&value).into_iter().map(str::to_owned).collect()
}

fn grep(fixture: &Fixture, argument: Value) -> Vec<(String, u64)> {
    let value = fixture.value("sh://grep", "run", argument);
    let items = value.as_array().unwrap().iter();
    items
        .map(|item| (item["path"].as_str().unwrap().to_owned(), item["line"].as_u64().unwrap()))
        .collect()
}

fn tree() -> Fixture {
    let fixture = Fixture::new();
    fixture
        .put("a.ts", "// TODO one\nlet a = 1\n")
        .put("src/b.ts", "x\r\n// todo two\r\n")
        .put("src/c.js", "// TODO three")
        .put("src/deep/d.ts", "nothing")
        .put("src-old/e.ts", "TODO(four)");
    fixture
}

#[test]
fn as_25_find_gives_places_in_order_of_their_paths() {
    let fixture = tree();
    assert_eq!(
        fixture.value(
            "sh://find",
            "run",
            json!({"path": ".", "name": "*.ts", "type": "file", "max": 2})
        ),
        json!([
            {"path": "a.ts", "name": "a.ts", "type": "file"},
            {"path": "src/b.ts", "name": "b.ts", "type": "file"},
        ])
    );
    let all = [
        "a.ts",
        "src",
        "src/b.ts",
        "src/c.js",
        "src/deep",
        "src/deep/d.ts",
        "src-old",
        "src-old/e.ts",
    ];
    assert_eq!(find(&fixture, json!({})), all);
    assert_eq!(find(&fixture, json!({"type": "dir"})), ["src", "src/deep", "src-old"]);
    assert_eq!(
        find(&fixture, json!({"path": "src"})),
        ["src/b.ts", "src/c.js", "src/deep", "src/deep/d.ts"]
    );
}

#[test]
fn as_25_find_globs_match_names_or_paths() {
    let fixture = tree();
    let named = |name: &str| find(&fixture, json!({"name": name, "type": "file"}));
    assert_eq!(named("*.{js,ts}").len(), 5);
    assert_eq!(named("[ab].ts"), ["a.ts", "src/b.ts"]);
    assert_eq!(named("src/*.ts"), ["src/b.ts"]);
    assert_eq!(named("./src/**/*.ts"), ["src/b.ts", "src/deep/d.ts"]);
    assert_eq!(find(&fixture, json!({"path": "src", "name": "deep/*"})), ["src/deep/d.ts"]);
    assert!(named("*.py").is_empty());
    for bad in ["", "[", "{a"] {
        assert_eq!(fixture.error("sh://find", "run", json!({"name": bad})).0, "bad_glob", "{bad}");
    }
}

#[test]
fn as_25_max_is_positive_and_reports_when_it_leaves_matches_out() {
    let fixture = tree();
    for bad in [json!(0), json!(-3), json!(2.5), json!("2"), json!(true)] {
        assert_eq!(
            fixture.error("sh://find", "run", json!({"max": bad})).0,
            "bad_argument",
            "{bad}"
        );
    }
    let some = fixture.call("sh://find", "run", json!({"name": "*.ts", "max": 3})).unwrap();
    assert!(some.truncated);
    assert_eq!(some.notes, ["there are more than the 3 files and folders returned"]);
    let all = fixture.call("sh://find", "run", json!({"name": "*.ts", "max": 4})).unwrap();
    assert!(!all.truncated && all.notes.is_empty());
    let some = fixture.call("sh://grep", "run", json!({"pattern": "TODO", "max": 1})).unwrap();
    assert!(some.truncated);
    assert_eq!(some.value.as_array().unwrap().len(), 1);
}

#[test]
fn as_25_grep_gives_path_line_and_text() {
    let fixture = tree();
    assert_eq!(
        fixture.value(
            "sh://grep",
            "run",
            json!({"path": "src", "pattern": "TODO", "include": "*.js", "max": 100})
        ),
        json!([{"path": "src/c.js", "line": 1, "text": "// TODO three"}])
    );
    let value = fixture.value("sh://grep", "run", json!({"pattern": "todo", "ignore_case": true}));
    assert_eq!(paths(&value), ["a.ts", "src/b.ts", "src/c.js", "src-old/e.ts"]);
    assert_eq!(value[1], json!({"path": "src/b.ts", "line": 2, "text": "// todo two"}));
    assert_eq!(
        grep(&fixture, json!({"path": "src/b.ts", "pattern": "todo"})),
        [("src/b.ts".into(), 2)]
    );
}

#[test]
fn as_25_grep_takes_regular_expression_or_text() {
    let fixture = Fixture::new();
    fixture.put("a", "f(x)\nfx\n\nf{x}");
    let lines = |argument: Value| -> Vec<u64> {
        grep(&fixture, argument).into_iter().map(|(_, line)| line).collect()
    };
    assert_eq!(lines(json!({"pattern": "^f(x)$"})), [2]);
    assert_eq!(lines(json!({"pattern": "f(x)", "literal": true})), [1]);
    assert_eq!(lines(json!({"pattern": "f(x)", "regex": false})), [1]);
    assert_eq!(lines(json!({"pattern": "f(x)|\\{", "regex": true})), [2, 4]);
    assert_eq!(lines(json!({"pattern": "^$"})), [3]);
    let (code, message) = fixture.error("sh://grep", "run", json!({"pattern": "f("}));
    assert_eq!(
        (code, message.as_str()),
        ("bad_pattern", "`f(` is not a regular expression: unclosed group")
    );
    let both = json!({"pattern": "f", "literal": true, "regex": true});
    assert_eq!(fixture.error("sh://grep", "run", both).0, "bad_argument");
    assert_eq!(fixture.error("sh://grep", "run", json!({"pattern": ""})).0, "bad_pattern");
    let bomb = json!({"pattern": "(((a{100}){100}){100}){100}"});
    assert_eq!(fixture.error("sh://grep", "run", bomb).0, "bad_pattern");
}

#[test]
fn as_25_file_ends_with_last_line_end() {
    let fixture = Fixture::new();
    fixture.put("a", "x\n").put("b", "x\n\n").put("c", "");
    assert_eq!(
        grep(&fixture, json!({"pattern": "^"})),
        [("a".into(), 1), ("b".into(), 1), ("b".into(), 2)]
    );
}

#[test]
fn as_25_search_passes_over_what_gitignore_names() {
    let fixture = Fixture::new();
    fixture
        .put(".gitignore", "# comment\n*.log\n/target/\nnode_modules\n")
        .put("a.txt", "x")
        .put("a.log", "x")
        .put("sub/.gitignore", "!keep.log\nlocal.txt\n")
        .put("sub/keep.log", "x")
        .put("sub/drop.log", "x")
        .put("sub/local.txt", "x")
        .put("sub/target/t.txt", "x")
        .put("target/t.txt", "x")
        .put("node_modules/m/index.js", "x")
        .put(".git/config", "x")
        .put(".contexture/runs/r.jsonl", "x")
        .put(".github/ci.yml", "x");
    let expected = [
        ".github/ci.yml",
        ".gitignore",
        "a.txt",
        "sub/.gitignore",
        "sub/keep.log",
        "sub/target/t.txt",
    ];
    assert_eq!(find(&fixture, json!({"type": "file"})), expected);
    let grepped: Vec<_> =
        grep(&fixture, json!({"pattern": "^x"})).into_iter().map(|(path, _)| path).collect();
    assert_eq!(grepped, [".github/ci.yml", "a.txt", "sub/keep.log", "sub/target/t.txt"]);
    // What is named outright is searched; rules from above still hold below it.
    assert_eq!(find(&fixture, json!({"path": "target"})), ["target/t.txt"]);
    assert_eq!(find(&fixture, json!({"path": ".git"})), [".git/config"]);
    assert_eq!(find(&fixture, json!({"path": "sub", "name": "*.log"})), ["sub/keep.log"]);
}

#[test]
fn as_25_ignore_files_above_workspace_do_not_count() {
    let fixture = Fixture::new();
    std::fs::write(fixture.outside().join(".gitignore"), "*.txt\n").unwrap();
    fixture.put("a.txt", "x");
    assert_eq!(find(&fixture, json!({})), ["a.txt"]);
}

#[test]
fn as_25_grep_passes_over_binaries_and_reads_text_that_is_not_utf8() {
    let fixture = Fixture::new();
    fixture.put("image.bin", b"TODO\0\x01").put("latin.txt", b"TODO caf\xe9\n");
    let value = fixture.value("sh://grep", "run", json!({"pattern": "TODO"}));
    assert_eq!(value, json!([{"path": "latin.txt", "line": 1, "text": "TODO caf\u{fffd}"}]));
}

#[test]
fn as_25_long_lines_are_shortened_around_match() {
    let fixture = Fixture::new();
    fixture.put("min.js", format!("{}NEEDLE{}", "é".repeat(5000), "ü".repeat(5000)));
    let output = fixture.call("sh://grep", "run", json!({"pattern": "NEEDLE"})).unwrap();
    let text = output.value[0]["text"].as_str().unwrap();
    assert!(text.contains("NEEDLE") && text.starts_with('…') && text.ends_with('…'));
    assert_eq!(text.chars().count(), 1002);
    assert_eq!(output.notes, ["1 lines are shortened to 1000 characters"]);
}

#[test]
fn as_25_files_over_limit_are_reported() {
    let limits = ToolLimits { file_bytes: 10, walk_entries: 3, ..ToolLimits::default() };
    let fixture = Fixture::with(Settings { limits, ..Settings::default() });
    fixture.put("a", "x".repeat(11)).put("b", "x");
    let output = fixture.call("sh://grep", "run", json!({"pattern": "x"})).unwrap();
    assert_eq!(paths(&output.value), ["b"]);
    assert_eq!(output.notes, ["1 files over 10 bytes are not searched"]);
    assert_eq!(
        fixture.error("sh://grep", "run", json!({"path": "a", "pattern": "x"})).0,
        "file_too_large"
    );
    fixture.put("d/c", "").put("d/e", "");
    assert_eq!(fixture.error("sh://find", "run", json!({})).0, "folder_too_large");
}

#[cfg(unix)]
#[test]
fn as_25_search_does_not_follow_symlinks() {
    let fixture = Fixture::new();
    std::fs::write(fixture.outside().join("secret"), "TODO").unwrap();
    fixture.put("real/a", "TODO").link("..", "out").link(".", "self").link("../secret", "file");
    assert_eq!(find(&fixture, json!({"type": "file"})), ["real/a"]);
    assert_eq!(find(&fixture, json!({})), ["file", "out", "real", "real/a", "self"]);
    assert_eq!(grep(&fixture, json!({"pattern": "TODO"})), [("real/a".into(), 1)]);
    for path in ["out", "file", "../"] {
        let argument = json!({"path": path, "pattern": "TODO"});
        assert_eq!(
            fixture.error("sh://grep", "run", argument).0,
            "path_outside_workspace",
            "{path}"
        );
    }
}

#[test]
fn as_25_missing_folder_is_error() {
    let fixture = tree();
    assert_eq!(fixture.error("sh://find", "run", json!({"path": "scr"})).0, "file_not_found");
    assert_eq!(
        fixture.error("sh://grep", "run", json!({"path": "scr", "pattern": "x"})).0,
        "file_not_found"
    );
    assert_eq!(fixture.error("sh://find", "run", json!({"type": "folder"})).0, "bad_argument");
}

#[test]
fn as_25_tree_of_any_depth_is_walked() {
    let fixture = Fixture::new();
    let deep = "d/".repeat(200);
    fixture.put(&format!("{deep}leaf"), "x");
    assert_eq!(find(&fixture, json!({"type": "file"})), [format!("{deep}leaf")]);
}
