use crate::support::Fixture;
use crate::{EffectKind, FileEffect, Settings, ToolLimits};
use contexture_context::{Digest, Trust};
use serde_json::{Value, json};

const FILE: &str = "file://workspace";

#[test]
fn as_25_read_gives_text_as_it_is() {
    let fixture = Fixture::new();
    fixture.put("a.md", "\u{feff}one\r\ntwo\n");
    let output = fixture.call(FILE, "read", json!({"path": "./a.md"})).unwrap();
    assert_eq!(output.value, json!("\u{feff}one\r\ntwo\n"));
    assert_eq!(output.trust, Trust::Tool);
    assert!(output.effects.is_empty() && output.notes.is_empty());
}

#[test]
fn as_25_list_gives_what_is_in_folder_by_name() {
    let fixture = Fixture::new();
    fixture
        .put("src/b.rs", "xyz")
        .put("src/a.rs", "")
        .put("src/sub/c.rs", "")
        .put("src/.hidden", "");
    assert_eq!(
        fixture.value(FILE, "list", json!({"path": "src"})),
        json!([
            {"path": "src/.hidden", "name": ".hidden", "type": "file", "size": 0},
            {"path": "src/a.rs", "name": "a.rs", "type": "file", "size": 0},
            {"path": "src/b.rs", "name": "b.rs", "type": "file", "size": 3},
            {"path": "src/sub", "name": "sub", "type": "dir", "size": 0},
        ])
    );
    assert_eq!(fixture.value(FILE, "list", json!({}))[0]["path"], "src");
    assert_eq!(fixture.error(FILE, "list", json!({"path": "src/a.rs"})).0, "not_a_folder");
}

#[test]
fn as_25_list_over_limit_is_error() {
    let limits = ToolLimits { list_entries: 2, ..ToolLimits::default() };
    let fixture = Fixture::with(Settings { limits, ..Settings::default() });
    fixture.put("a", "").put("b", "");
    assert!(fixture.call(FILE, "list", json!({})).is_ok());
    fixture.put("c", "");
    assert_eq!(fixture.error(FILE, "list", json!({})).0, "folder_too_large");
}

#[test]
fn as_25_write_returns_ok_and_effects() {
    let fixture = Fixture::new();
    let output =
        fixture.call(FILE, "write", json!({"path": "out/a.md", "content": "# A"})).unwrap();
    let after = json!({"digest": Digest::of_text("# A").to_string(), "bytes": 3});
    assert_eq!(
        output.value,
        json!({"ok": true, "effects": [
            {"kind": "create_folder", "path": "out", "before": null, "after": null},
            {"kind": "create", "path": "out/a.md", "before": null, "after": after},
        ]})
    );
    assert_eq!(output.effects[1].kind, EffectKind::Create);
    let again = fixture.value(FILE, "write", json!({"path": "out/a.md", "content": "# B"}));
    assert_eq!(again["effects"][0]["kind"], "change");
    assert_eq!(again["effects"][0]["before"]["text"], "# A");
    assert_eq!(fixture.text("out/a.md"), "# B");
}

#[test]
fn as_25_patch_is_literal() {
    let fixture = Fixture::new();
    fixture.put("a.txt", "cost: $1 (.*)\n");
    let value = fixture.value(
        FILE,
        "patch",
        json!({"path": "a.txt", "search": "(.*)", "replace": "$0\\1"}),
    );
    assert_eq!(value["ok"], true);
    assert_eq!(fixture.text("a.txt"), "cost: $1 $0\\1\n");
}

#[test]
fn as_25_patch_needs_single_place() {
    let fixture = Fixture::new();
    fixture.put("a.txt", "x\ny\nx\nx x");
    let patch = |extra: Value| {
        let mut argument = json!({"path": "a.txt", "search": "x", "replace": "zz"});
        argument.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        argument
    };
    let (code, message) = fixture.error(FILE, "patch", patch(json!({})));
    assert_eq!(code, "patch_ambiguous");
    assert_eq!(
        message,
        "patch of `a.txt`: the text of `search` occurs 4 times, at lines 1, 3, 4, 4"
    );
    fixture.value(FILE, "patch", patch(json!({"all": true})));
    assert_eq!(fixture.text("a.txt"), "zz\ny\nzz\nzz zz");
    assert_eq!(fixture.error(FILE, "patch", patch(json!({}))).0, "patch_not_found");
    assert_eq!(fixture.error(FILE, "patch", patch(json!({"search": ""}))).0, "patch_empty");
}

#[test]
fn as_25_patch_reports_why_text_is_not_found() {
    let fixture = Fixture::new();
    fixture.put("a.txt", "Alpha\r\n  beta\r\n");
    let help = |search: &str| {
        let argument = json!({"path": "a.txt", "search": search, "replace": ""});
        fixture.call(FILE, "patch", argument).unwrap_err().help.unwrap()
    };
    assert!(help("Alpha\n  beta").contains("CRLF"));
    assert!(help("Alpha beta").contains("white space"));
    assert!(help("alpha").contains("case"));
    assert!(help("gamma").contains("read the file"));
}

#[test]
fn as_25_undo_reverses_newest_first() {
    let fixture = Fixture::new();
    fixture.put("old.txt", "zero");
    let mut effects = Vec::new();
    for (path, content) in [("old.txt", "one"), ("new/a.txt", "n"), ("old.txt", "two")] {
        let written =
            fixture.call(FILE, "write", json!({"path": path, "content": content})).unwrap();
        effects.extend(written.effects);
    }
    let undone = fixture.value(FILE, "undo", json!(effects));
    assert_eq!(undone["ok"], true);
    let kinds: Vec<_> =
        undone["effects"].as_array().unwrap().iter().map(|effect| &effect["kind"]).collect();
    assert_eq!(kinds, ["change", "delete", "remove_folder", "change"]);
    assert_eq!(fixture.text("old.txt"), "zero");
    assert!(!fixture.has("new"));
}

#[test]
fn as_25_undo_can_be_undone() {
    let fixture = Fixture::new();
    let written = fixture.value(FILE, "write", json!({"path": "d/a.txt", "content": "text"}));
    let undone = fixture.value(FILE, "undo", written["effects"].clone());
    assert!(!fixture.has("d"));
    let redone = fixture.value(FILE, "undo", undone);
    assert_eq!(redone["ok"], true);
    assert_eq!(fixture.text("d/a.txt"), "text");
}

#[test]
fn as_25_undo_takes_list_result_and_single_effect() {
    let fixture = Fixture::new();
    for form in 0..3 {
        let written = fixture.value(FILE, "write", json!({"path": "a.txt", "content": "x"}));
        let argument = match form {
            0 => written["effects"].clone(),
            1 => written.clone(),
            _ => written["effects"][0].clone(),
        };
        assert_eq!(fixture.value(FILE, "undo", argument)["ok"], true);
        assert!(!fixture.has("a.txt"));
    }
    assert_eq!(fixture.value(FILE, "undo", json!([])), json!({"ok": true, "effects": []}));
}

#[test]
fn as_25_undo_is_refused_as_whole_when_file_changed_since() {
    let fixture = Fixture::new();
    fixture.put("a.txt", "a0").put("b.txt", "b0");
    let mut effects = Vec::new();
    for path in ["a.txt", "b.txt"] {
        let written = fixture.call(FILE, "write", json!({"path": path, "content": "1"})).unwrap();
        effects.extend(written.effects);
    }
    fixture.put("a.txt", "by someone else");
    let (code, message) = fixture.error(FILE, "undo", json!(effects));
    assert_eq!(code, "undo_changed");
    assert_eq!(message, "`a.txt` was changed since: its content is another");
    assert_eq!(fixture.text("b.txt"), "1");
    std::fs::remove_file(fixture.root().join("a.txt")).unwrap();
    assert!(fixture.error(FILE, "undo", json!(effects)).1.ends_with("it is gone"));
}

#[test]
fn as_25_undo_restores_bytes_that_are_not_text() {
    let fixture = Fixture::new();
    fixture.put("image", b"\x89PNG\xff\x00");
    let written = fixture.value(FILE, "write", json!({"path": "image", "content": "text"}));
    assert_eq!(written["effects"][0]["before"]["hex"], "89504e47ff00");
    fixture.value(FILE, "undo", written);
    assert_eq!(std::fs::read(fixture.root().join("image")).unwrap(), b"\x89PNG\xff\x00");
}

#[test]
fn as_25_content_too_large_to_keep_is_reported_and_not_undone() {
    let limits = ToolLimits { undo_bytes: 4, ..ToolLimits::default() };
    let fixture = Fixture::with(Settings { limits, ..Settings::default() });
    fixture.put("a.txt", "12345");
    let written = fixture.call(FILE, "write", json!({"path": "a.txt", "content": "x"})).unwrap();
    assert_eq!(written.notes.len(), 1);
    assert_eq!(fixture.error(FILE, "undo", json!(written.effects)).0, "undo_not_kept");
    assert_eq!(fixture.text("a.txt"), "x");
}

#[test]
fn as_25_forged_effects_do_nothing() {
    let fixture = Fixture::new();
    fixture.put("a.txt", "now");
    let state =
        |text: &str| json!({"digest": Digest::of_text(text).to_string(), "bytes": text.len()});
    let mut lie = state("before");
    lie["text"] = json!("something else");
    for (effect, code) in [
        (
            json!({"kind": "change", "path": "a.txt", "before": lie, "after": state("now")}),
            "effect_invalid",
        ),
        (json!({"kind": "change", "path": "a.txt", "after": state("now")}), "effect_invalid"),
        (
            json!({"kind": "create", "path": "../a.txt", "after": state("now")}),
            "path_outside_workspace",
        ),
        (json!({"kind": "delete", "path": ".git/x", "before": lie}), "effect_invalid"),
        (json!({"kind": "explode", "path": "a.txt"}), "effect_invalid"),
        (json!(7), "effect_invalid"),
    ] {
        assert_eq!(fixture.error(FILE, "undo", json!([effect])).0, code, "{effect}");
    }
    assert_eq!(fixture.error(FILE, "undo", json!("x")).0, "bad_argument");
    assert_eq!(fixture.error(FILE, "undo", json!({"path": "a"})).0, "bad_argument");
    assert_eq!(fixture.text("a.txt"), "now");
}

#[test]
fn as_25_effect_reads_back_from_json() {
    let fixture = Fixture::new();
    let written = fixture.call(FILE, "write", json!({"path": "a.txt", "content": "x"})).unwrap();
    let json = serde_json::to_string(&written.effects).unwrap();
    assert_eq!(serde_json::from_str::<Vec<FileEffect>>(&json).unwrap(), written.effects);
}

#[test]
fn as_25_arguments_are_checked() {
    let fixture = Fixture::new();
    for (method, argument, message) in [
        ("read", json!("a.md"), "file://workspace read: expected an object, found a string"),
        ("read", json!({}), "file://workspace read: the argument `path` is missing"),
        ("read", json!({"path": null}), "file://workspace read: the argument `path` is missing"),
        ("read", json!({"path": 7}), "file://workspace read: `path` must be a string, found 7"),
        (
            "read",
            json!({"path": "a", "pth": 1}),
            "file://workspace read: there is no argument `pth`",
        ),
        (
            "write",
            json!({"path": "a", "content": ["x"]}),
            "file://workspace write: `content` must be a string, found a list",
        ),
        (
            "patch",
            json!({"path": "a", "search": "x", "replace": "y", "all": "yes"}),
            "file://workspace patch: `all` must be true or false, found \"yes\"",
        ),
    ] {
        assert_eq!(fixture.error(FILE, method, argument), ("bad_argument", message.to_owned()));
    }
    let error = fixture.call(FILE, "read", json!({"paht": "a"})).unwrap_err();
    assert_eq!(error.help.unwrap(), "did you mean `path`? It takes path");
    assert_eq!(fixture.error(FILE, "raed", json!({})).0, "method_unknown");
}

#[test]
fn as_25_sed_gives_range_of_lines_as_text() {
    let fixture = Fixture::new();
    fixture.put("a.as", "1\n2\r\n3\n\n5");
    let lines = |argument: Value| fixture.value("sh://sed", "run", argument);
    let range = |start: u64, max: u64| lines(json!({"path": "a.as", "start": start, "max": max}));
    assert_eq!(range(1, 2), "1\n2");
    assert_eq!(range(2, 2), "2\r\n3");
    assert_eq!(range(3, 2), "3\n");
    assert_eq!(range(4, 9), "\n5");
    assert_eq!(range(6, 1), "");
    assert_eq!(lines(json!({"path": "a.as"})), "1\n2\r\n3\n\n5");
    assert_eq!(fixture.value("sh://read-range", "run", json!({"path": "a.as", "start": 5.0})), "5");
    let beyond = fixture.call("sh://sed", "run", json!({"path": "a.as", "start": 9})).unwrap();
    assert_eq!(beyond.notes, ["a.as has 5 lines, none from line 9 on"]);
    for bad in [json!(0), json!(-1), json!(1.5), json!("1"), json!(1e300)] {
        let argument = json!({"path": "a.as", "start": bad});
        assert_eq!(fixture.error("sh://sed", "run", argument).0, "bad_argument", "{bad}");
    }
}

#[test]
fn as_25_sed_reports_lines_that_default_leaves_out() {
    let fixture = Fixture::new();
    fixture.put("long", "x\n".repeat(2001));
    let output = fixture.call("sh://sed", "run", json!({"path": "long"})).unwrap();
    assert!(output.truncated);
    assert_eq!(output.value.as_str().unwrap().lines().count(), 2000);
}

#[test]
fn as_25_env_gives_string_or_none() {
    let environment = [("HOME", "/home/a"), ("API_TOKEN", "tok-12345678")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
    let fixture = Fixture::with(Settings { environment, ..Settings::default() });
    let get = |name: &str| fixture.call("env://process", "get", json!({"name": name})).unwrap();
    assert_eq!(get("HOME").value, "/home/a");
    assert!(get("HOME").secrets.is_empty());
    assert_eq!(get("NOPE").value, Value::Null);
    assert_eq!(get("API_TOKEN").value, "tok-12345678");
    assert_eq!(get("API_TOKEN").secrets, ["tok-12345678"]);
}

#[test]
fn gu_1_permitted_secret_is_read_with_values_to_mask() {
    use crate::paths::{Access, PathPermission, PathPolicy};
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(".env"), "TOKEN=abcdefgh-123\n").unwrap();
    let permission = PathPermission { path: ".env".to_owned(), allow: vec![Access::Read] };
    let policy = PathPolicy::new(&[permission]).unwrap();
    let workspace = crate::Workspace::with_policy(folder.path(), policy).unwrap();
    let tools = crate::Tools::new(workspace.into(), crate::Settings::default());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let call =
        |method: &str, argument| runtime.block_on(tools.call("file://workspace", method, argument));
    let read = call("read", json!({ "path": ".env" })).unwrap();
    assert_eq!(read.value, "TOKEN=abcdefgh-123\n");
    assert!(read.secrets.contains(&"abcdefgh-123".to_owned()), "{:?}", read.secrets);
    let write = call("write", json!({ "path": ".env", "content": "x" })).unwrap_err();
    assert_eq!(write.code, "PATH_PROTECTED");
}
