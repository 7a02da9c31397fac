//! `contexture context verify`, `salvage`, `backup` and `restore` (GU-12).

use crate::support::{Done, Sandbox, repository};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

const DATA: &str = ".contexture/data";

/// A project with contexts of two owners, a token and a kept flow.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let text = std::fs::read(repository().join("examples/serve/conversation.jsonl")).unwrap();
    sandbox.write("weather.jsonl", text);
    sandbox.write(
        "hello.json",
        std::fs::read(repository().join("examples/flows/hello.json")).unwrap(),
    );
    let _ = context(&sandbox, &["import", "weather.jsonl"]).exits(0);
    let _ = context(&sandbox, &["import", "weather.jsonl", "--owner", "ada"]).exits(0);
    let _ = sandbox.run(["token", "add", "Ada", "--owner", "ada"]).exits(0);
    let _ = sandbox.run(["flow", "run", "hello.json"]).exits(0);
    sandbox
}

fn context(sandbox: &Sandbox, arguments: &[&str]) -> Done {
    sandbox.run(["context"].iter().chain(arguments))
}

/// The files of a folder with their contents.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
    let files = entries.filter(|entry| entry.path().is_file());
    // What SQLite makes anew, and what shows that somebody is there.
    let name = |name: std::ffi::OsString| name.into_string().unwrap();
    let is_kept = |name: &String| !name.ends_with("-shm") && !name.ends_with(".lock");
    files
        .map(|entry| (name(entry.file_name()), std::fs::read(entry.path()).unwrap()))
        .filter(|(name, _)| is_kept(name))
        .collect()
}

/// What tells the files of a folder from changed ones.
fn digests(folder: &Path) -> BTreeMap<String, u64> {
    let digest = |bytes: Vec<u8>| {
        let mut hasher = std::hash::DefaultHasher::new();
        std::hash::Hasher::write(&mut hasher, &bytes);
        std::hash::Hasher::finish(&hasher)
    };
    files(folder).into_iter().map(|(name, bytes)| (name, digest(bytes))).collect()
}

/// Changes bytes in the middle of the text of a message.
fn damage(sandbox: &Sandbox, data: &str) {
    let path = sandbox.path(format!("{data}/contexts.db"));
    let mut bytes = std::fs::read(&path).unwrap();
    let text = "北京今天天气怎么样".as_bytes();
    let at = bytes.windows(text.len()).position(|part| part == text).unwrap();
    bytes[at..at + 3].copy_from_slice("东".as_bytes());
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn gu_12_whole_folder_verifies_and_changed_message_is_named() {
    let sandbox = sandbox();
    let whole = context(&sandbox, &["verify", "--json"]).exits(0).json();
    assert_eq!((&whole["whole"], &whole["contexts"]), (&json!(true), &json!(2)));
    assert!(whole["auditLines"].as_u64() >= Some(3), "{whole}");
    damage(&sandbox, DATA);
    let before = digests(&sandbox.path(DATA));
    let found = context(&sandbox, &["verify", "--json"]).exits(1).json();
    let finding = &found["findings"][0];
    assert_eq!(finding["kind"], "broken", "{found}");
    assert!(finding["entry"].as_str().unwrap().starts_with("message 1"), "{found}");
    let told = context(&sandbox, &["verify"]).exits(1);
    assert!(told.stdout.contains("message 1, version"), "{}", told.stdout);
    assert_eq!(digests(&sandbox.path(DATA)), before, "looking changes nothing");
    let _ = context(&sandbox, &["verify", "--data", "nowhere"]).exits(2);
    let refused = context(&sandbox, &["backup", "copy"]).exits(1);
    assert!(refused.stderr.contains("context salvage"), "{}", refused.stderr);
    assert!(!sandbox.path("copy").exists());
}

#[test]
fn gu_12_salvage_saves_rest_and_does_not_change_damaged_folder() {
    let sandbox = sandbox();
    damage(&sandbox, DATA);
    let before = digests(&sandbox.path(DATA));
    let saved = context(&sandbox, &["salvage", "saved", "--json"]).exits(1).json();
    assert_eq!(saved["contexts"], 2, "{saved}");
    assert_eq!(digests(&sandbox.path(DATA)), before);
    let _ = context(&sandbox, &["verify", "--data", "saved"]).exits(0);
    let shown = |owner: &str| {
        let arguments = ["show", "ctx_weather", "--owner", owner, "--data", "saved", "--json"];
        context(&sandbox, &arguments).exits(0).json()["messageCount"].as_u64().unwrap()
    };
    assert_eq!(shown("local") + shown("ada"), 7, "one of eight messages is lost");
    let again = context(&sandbox, &["salvage", "saved"]).exits(2);
    assert!(again.stderr.contains("is not empty"), "{}", again.stderr);
    let token = sandbox.run(["token", "list", "--data", "saved", "--json"]).exits(0);
    assert!(token.stdout.contains("Ada"), "{}", token.stdout);
}

#[test]
fn gu_12_backup_is_restored_only_as_it_was_written() {
    let sandbox = sandbox();
    let list = context(&sandbox, &["backup", "copy", "--json"]).exits(0).json();
    let names: Vec<&str> = list["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "audit.jsonl",
            "audit.jsonl-marks",
            "contexts.db",
            "contexts.db-marks",
            "flows.db",
            "flows.db-marks",
            "tokens.json"
        ]
    );
    #[cfg(unix)]
    for path in [
        sandbox.path("copy"),
        sandbox.path("copy/contexts.db"),
        sandbox.path("copy/backup.json"),
        sandbox.path("copy/tokens.json"),
    ] {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o077, 0, "{}", path.display());
    }
    let _ = context(&sandbox, &["backup", "copy"]).exits(2);
    let refused = context(&sandbox, &["restore", "copy"]).exits(2);
    assert!(refused.stderr.contains("--force"), "{}", refused.stderr);
    let _ = context(&sandbox, &["delete", "ctx_weather", "--owner", "ada", "--yes"]).exits(0);
    let restored = context(&sandbox, &["restore", "copy", "--force", "--json"]).exits(0).json();
    let earlier = restored["earlier"].as_str().unwrap();
    assert!(Path::new(earlier).join("contexts.db").exists(), "{restored}");
    let _ = context(&sandbox, &["verify"]).exits(0);
    let listed = context(&sandbox, &["list", "--json"]).exits(0).json();
    assert_eq!(listed["contexts"].as_array().unwrap().len(), 2);
    assert!(sandbox.run(["flow", "list"]).exits(0).stdout.contains("COMPLETED"));
    // Whatever is changed in the backup, nothing is put into the place.
    for file in files(&sandbox.path("copy")).into_keys() {
        let path = sandbox.path(format!("copy/{file}"));
        let whole = std::fs::read(&path).unwrap();
        let mut other = whole.clone();
        let middle = other.len() / 2;
        other[middle] ^= 1;
        for bytes in [other, whole[..whole.len() / 2].to_vec(), Vec::new()] {
            std::fs::write(&path, bytes).unwrap();
            let refused = context(&sandbox, &["restore", "copy", "--data", "elsewhere"]);
            let is_list = file == "backup.json";
            assert!(is_list || refused.code != Some(0), "{file}");
            if refused.code != Some(0) {
                assert!(!sandbox.path("elsewhere").exists(), "{file}: {}", refused.stderr);
            }
            drop(std::fs::remove_dir_all(sandbox.path("elsewhere")));
        }
        std::fs::remove_file(&path).unwrap();
        let refused = context(&sandbox, &["restore", "copy", "--data", "elsewhere"]);
        assert_ne!(refused.code, Some(0), "{file}");
        std::fs::write(&path, whole).unwrap();
    }
    let list = sandbox.read("copy/backup.json").replace("tokens.json", "../tokens.json");
    sandbox.write("copy/backup.json", list);
    let refused = context(&sandbox, &["restore", "copy", "--data", "elsewhere"]).exits(1);
    assert!(refused.stderr.contains("is not a file of a backup"), "{}", refused.stderr);
}

#[test]
fn gu_12_garbage_in_any_file_is_reported_and_salvaged_without_crash() {
    let sandbox = sandbox();
    let whole = files(&sandbox.path(DATA));
    for file in ["contexts.db", "contexts.db-marks", "flows.db", "tokens.json", "audit.jsonl"] {
        for kind in ["empty", "garbage", "half", "folder"] {
            drop(std::fs::remove_dir_all(sandbox.path("copy")));
            drop(std::fs::remove_dir_all(sandbox.path("saved")));
            whole.iter().for_each(|(name, bytes)| _ = sandbox.write(format!("copy/{name}"), bytes));
            let path = sandbox.path(format!("copy/{file}"));
            let bytes = whole[file].clone();
            match kind {
                "empty" => std::fs::write(&path, "").unwrap(),
                "garbage" => std::fs::write(&path, [0xa7, 3, 255].repeat(5_000)).unwrap(),
                "half" => std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap(),
                _ => {
                    std::fs::remove_file(&path).unwrap();
                    std::fs::create_dir(&path).unwrap();
                }
            }
            let told = context(&sandbox, &["verify", "--data", "copy", "--json"]);
            // An empty database or log is one without entries, and says nothing about itself.
            let is_silent = kind == "empty" && ["flows.db", "audit.jsonl"].contains(&file)
                || (kind, file) == ("half", "contexts.db-marks");
            assert!(is_silent || told.code != Some(0), "{kind} {file}: {}", told.stdout);
            assert!(told.code < Some(3) && !told.stderr.contains("panicked"), "{}", told.stderr);
            let saved = context(&sandbox, &["salvage", "saved", "--data", "copy", "--json"]);
            assert!(
                saved.code < Some(3) && !saved.stderr.contains("panicked"),
                "{kind} {file}: {}",
                saved.stderr
            );
            if saved.code < Some(2) && file != "audit.jsonl" {
                let _ = context(&sandbox, &["verify", "--data", "saved"]).exits(0);
            }
            let backup = context(&sandbox, &["backup", "copied", "--data", "copy"]);
            assert!(
                backup.code < Some(3) && !backup.stderr.contains("panicked"),
                "{}",
                backup.stderr
            );
            drop(std::fs::remove_dir_all(sandbox.path("copied")));
        }
    }
}

#[cfg(unix)]
#[test]
fn gu_12_files_that_can_not_be_read_are_told_and_nothing_is_left() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = sandbox();
    let lock = |file: &str, mode: u32| {
        let path = sandbox.path(format!("{DATA}/{file}"));
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    for file in ["contexts.db", "flows.db", "tokens.json", "audit.jsonl"] {
        lock(file, 0o000);
        // Who may do everything reads it all the same.
        if std::fs::read(sandbox.path(format!("{DATA}/{file}"))).is_err() {
            let told = context(&sandbox, &["verify"]);
            assert_ne!(told.code, Some(0), "{file}: {}", told.stdout);
            assert_ne!(context(&sandbox, &["backup", "copy"]).code, Some(0), "{file}");
            assert!(!sandbox.path("copy").exists(), "{file}");
        }
        lock(file, 0o600);
    }
    let _ = context(&sandbox, &["verify"]).exits(0);
}

/// With a real file system of a few megabytes: `.ci/checks/contexts.sh` mounts one.
#[test]
fn gu_12_backup_to_full_disk_is_reported_and_leaves_nothing() {
    let Some(folder) = std::env::var_os("CONTEXTURE_TINY_DISK") else { return };
    let folder = Path::new(&folder);
    let sandbox = sandbox();
    let text = "x".repeat(900_000);
    let messages: Vec<Value> = (0..20)
        .map(|at| json!({"messageId": format!("m{at}"), "type": "USER_INPUT", "content": {"text": text}}))
        .collect();
    let large = json!({ "contextId": "ctx_large", "messages": messages }).to_string();
    let _ = sandbox.run_with(["context", "import"], large).exits(0);
    let target = folder.join("copy").display().to_string();
    let full = context(&sandbox, &["backup", &target]);
    assert!(full.code < Some(3), "{}", full.stderr);
    assert!(full.stderr.contains("full") || full.stderr.contains("space"), "{}", full.stderr);
    assert_eq!(
        std::fs::read_dir(folder)
            .unwrap()
            .filter(|entry| entry.as_ref().unwrap().file_name() != "lost+found")
            .count(),
        0
    );
}

#[test]
fn gu_12_folder_with_tokens_and_audit_log_alone_is_backed_up() {
    let sandbox = Sandbox::new();
    let _ = sandbox.run(["token", "add", "Ada", "--owner", "ada"]).exits(0);
    let _ = context(&sandbox, &["backup", "copy"]).exits(0);
    let copied = files(&sandbox.path("copy"));
    assert!(copied.contains_key("tokens.json") && copied.contains_key("audit.jsonl"));
    std::fs::create_dir(sandbox.path("empty")).unwrap();
    let told = context(&sandbox, &["backup", "other", "--data", "empty"]);
    assert!(told.code != Some(0) && told.stderr.contains("nothing is stored"), "{}", told.stderr);
}

#[test]
fn gu_6_decisions_of_flow_are_shown_by_trace_why() {
    let sandbox = Sandbox::new();
    let set = json!({ "instructions": [{
        "instructionId": "write", "action": "file_write",
        "parameters": { "path": "out.txt", "content": "x" }
    }] });
    sandbox.write("set.json", set.to_string());
    let _ = sandbox.run(["flow", "run", "set.json"]).exits(0);
    let effects = sandbox.run(["trace", "why", "latest", "--json"]).exits(0).json();
    let effect = &effects[0];
    assert_eq!((&effect["effect"], &effect["step"]), (&json!("file_write"), &json!("write")));
    assert_eq!((&effect["decision"], &effect["class"]), (&json!("allow"), &json!("write")));
    let event = effect["event"].as_u64().unwrap().to_string();
    let one = sandbox.run(["trace", "why", "latest", event.as_str(), "--json"]).exits(0).json();
    assert_eq!(&one, effect);
    let told = sandbox.run(["trace", "why"]).exits(0).stdout;
    assert!(told.contains("file_write (write): allowed by the policy"), "{told}");
    let unknown = sandbox.run(["trace", "why", "flow_nosuch"]).exits(2);
    assert!(unknown.stderr.contains("flow_nosuch"), "{}", unknown.stderr);
}

#[test]
fn wa_11_data_copy_gives_equal_exports_and_leaves_the_first_folder() {
    let sandbox = sandbox();
    let before = digests(&sandbox.path(DATA));
    let counts = sandbox.run(["data", "copy", DATA, "sqlite:other", "--json"]).exits(0).json();
    let told = (&counts["contexts"], &counts["runs"], &counts["waits"], &counts["journals"]);
    assert_eq!(told, (&json!(2), &json!(1), &json!(0), &json!(0)), "{counts}");
    assert_eq!(digests(&sandbox.path(DATA)), before, "nothing is written there");
    let id = "ctx_weather";
    let exported = |data: &str| {
        let export = ["export", id, "--owner", "ada", "--data", data];
        context(&sandbox, &export).exits(0).stdout
    };
    assert_eq!(exported(DATA), exported("other"));
    assert_eq!(
        context(&sandbox, &["verify", "--data", "other", "--json"]).exits(0).json()["contexts"],
        2
    );
    let tokens = |data: &str| std::fs::read(sandbox.path(format!("{data}/tokens.json"))).unwrap();
    assert_eq!(tokens(DATA), tokens("other"));
}

#[test]
fn wa_11_data_copy_refuses_places_that_are_empty_in_use_or_filled() {
    let sandbox = sandbox();
    let copy = |from: &str, to: &str| sandbox.run(["data", "copy", from, to]);
    let refused = copy(DATA, DATA).exits(2).stderr;
    assert!(refused.contains("is not empty") && refused.contains("name another"), "{refused}");
    std::fs::create_dir(sandbox.path("empty")).unwrap();
    let refused = copy("empty", "other").exits(2).stderr;
    assert!(refused.contains("nothing is stored in empty"), "{refused}");
    let lock = std::fs::File::create(sandbox.path(DATA).join("serve.lock")).unwrap();
    lock.lock().unwrap();
    let refused = copy(DATA, "other").exits(2).stderr;
    assert!(refused.contains("another server has the folder"), "{refused}");
    assert!(refused.contains("end the server, and start it on the new place"), "{refused}");
    drop(lock);
    damage(&sandbox, DATA);
    let refused = copy(DATA, "other").exits(1).stderr;
    assert!(refused.contains("context salvage"), "{refused}");
    assert!(!sandbox.path("other").exists());
}
