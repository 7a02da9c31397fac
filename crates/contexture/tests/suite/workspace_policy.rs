//! The policy about paths (GU-1) at every door of a program and a flow: one table of cases, and what
//! only one door has.

use crate::common::{Place, told, value};
use crate::flows::support::{instructions, outcome, run as run_set};
use contexture::contract::paths::{CASES, LINKS, PathCase, text};
use contexture::models::StandIn;
use contexture::protocol::content::Status;
use contexture::reference::Place as Where;
use contexture::reference::syntax::Reference;
use contexture::references::{Options, References};
use contexture::run::RunRequest;
use serde_json::{Value, json};

/// A workspace with the files of all cases and a program.
fn workspace(program: &str) -> Place {
    let place = Place::new(&[]);
    for case in &CASES {
        place.write(case.file, &text(case));
    }
    for (name, target) in LINKS {
        std::os::unix::fs::symlink(target, place.path(name)).unwrap();
    }
    place.write("main.as", program);
    place
}

/// The value of a program, or its failure in words.
fn attempt(place: &Place, input: Value) -> Result<Value, String> {
    place.run(place.request("main.as", input)).outcome.map_err(|failure| told(&failure))
}

fn assert_read(door: &str, case: &PathCase, found: Result<String, String>) {
    match found {
        Ok(found) => {
            let marker = found.to_lowercase().contains(&text(case));
            assert!(case.is_readable() && marker, "{door}: {case:?} gave {found}");
        }
        // It was read, and is not in the form that its name promises.
        Err(error) if error.contains("file_invalid") => {
            assert!(case.is_readable(), "{door}: {case:?}")
        }
        Err(error) => {
            let class = format!("is {}", case.class.as_str());
            assert!(!case.is_readable(), "{door}: {case:?} failed with {error}");
            assert!(
                error.contains(&class) && error.contains("programs may not read"),
                "{door}: {error}"
            );
        }
    }
}

const TOOLS: &str = r#"
import tool File from "file://workspace"
import tool Lines from "sh://sed"
import tool Grep from "sh://grep"
main func(input) {
  if input.door == "read" { return File.read({ path: input.path }) }
  if input.door == "sed" { return Lines.run({ path: input.path }) }
  if input.door == "grep" { return Grep.run({ path: input.path, pattern: "marker" }) }
  File.write({ path: input.path, content: "changed" })
}
"#;

#[test]
fn gu_1_tools_read_and_write_by_table() {
    let place = workspace(TOOLS);
    for case in &CASES {
        for door in ["read", "sed", "grep"] {
            let found = attempt(&place, json!({ "door": door, "path": case.path }));
            assert_read(door, case, found.map(|found| found.to_string()));
        }
        let written = attempt(&place, json!({ "door": "write", "path": case.path }));
        assert_eq!(written.is_ok(), case.is_writable(), "{case:?}: {written:?}");
        assert_eq!(place.read(case.file) == "changed", case.is_writable(), "{case:?}");
        place.write(case.file, &text(case));
    }
}

#[test]
fn gu_1_imports_and_references_read_by_table() {
    for case in &CASES {
        let path = case.path;
        let file = format!("import file It from \"{path}\"\nmain func() {{ It }}");
        let found = attempt(&workspace(&file), json!({}));
        assert_read("import file", case, found.map(|found| found.to_string()));

        let template = format!("import template It from \"{path}\"\nmain func() {{ It() }}");
        let found = attempt(&workspace(&template), json!({}));
        assert_read("import template", case, found.map(|found| found.to_string()));
    }
    let place = workspace("main func() { 1 }");
    let references = References::open(&place.project(), &Options::default()).unwrap();
    for case in &CASES {
        let reference = format!("@file://{}", case.path);
        let reference = Reference::parse(&reference).unwrap();
        let loader = references.loader();
        let route = loader.route(&reference, &Where::workspace()).unwrap();
        let found = crate::common::tokio().block_on(loader.walk(&route));
        let found = found.map(|found| found.resources[0].text().unwrap_or_default().to_owned());
        let found = found.map_err(|error| {
            assert_eq!(error.code, "PATH_PROTECTED", "{error}");
            error.to_string()
        });
        assert_read("@file", case, found);
    }
}

#[test]
fn gu_1_patterns_and_listings_skip_what_is_not_read() {
    let program = r#"
        import tool File from "file://workspace"
        import tool Grep from "sh://grep"
        import tool Find from "sh://find"
        main func() { [File.list({}), Grep.run({ pattern: "marker" }), Find.run({})] }"#;
    let place = workspace(program);
    let shown = attempt(&place, json!({})).unwrap().to_string();
    let references = References::open(&place.project(), &Options::default()).unwrap();
    let load = |reference: &str| {
        let reference = Reference::parse(reference).unwrap();
        let route = references.loader().route(&reference, &Where::workspace()).unwrap();
        crate::common::tokio().block_on(references.loader().walk(&route)).unwrap()
    };
    let loaded = [load("@file://**"), load("@file://.*"), load("@file://.*/**")];
    let named: Vec<&str> =
        loaded.iter().flat_map(|one| &one.resources).map(|one| one.reference.as_str()).collect();
    let named = named.join(" ");
    for case in CASES.iter().filter(|case| !case.is_readable() && case.path == case.file) {
        assert!(!shown.contains(&text(case)) && !shown.contains(case.file), "{case:?} in {shown}");
        assert!(!named.contains(case.file), "{case:?} in {named}");
    }
    for shown in [shown, named] {
        assert!(shown.contains("CLAUDE.md") && shown.contains("notes/today.md"), "{shown}");
    }
    let notes: String =
        loaded.iter().flat_map(|one| &one.notes).map(|note| note.message.as_str()).collect();
    assert!(notes.contains("`.env` is secret") && !notes.contains(".contexture/"), "{notes}");
}

#[test]
fn gu_1_flow_actions_read_and_write_by_table() {
    let place = workspace("main func() { 1 }");
    let step = |id: String, action: &str, parameters: Value| json!({ "instructionId": id, "action": action, "parameters": parameters, "continueOnError": true });
    for case in &CASES {
        let path = case.path;
        let read =
            instructions(&json!([step("read".into(), "file_read", json!({ "path": path }))]));
        let write = instructions(&json!([step(
            "write".into(),
            "file_write",
            json!({ "path": path, "content": "changed" })
        )]));
        let report = run_set(&place, read);
        let read = outcome(&report, "read");
        assert_eq!(read.status == Status::Completed, case.is_readable(), "{case:?}: {read:?}");
        if let Some(error) = read.error {
            assert_eq!(error.code, "PATH_PROTECTED", "{case:?}");
        }
        let report = run_set(&place, write);
        let write = outcome(&report, "write");
        assert_eq!(write.status == Status::Completed, case.is_writable(), "{case:?}: {write:?}");
        assert_eq!(place.read(case.file) == "changed", case.is_writable(), "{case:?}");
        place.write(case.file, &text(case));
    }
}

#[test]
fn gu_1_flow_queries_no_private_or_secret_database() {
    let place = workspace("main func() { 1 }");
    for path in
        [".contexture/data/contexts.db", "open/data/contexts.db", ".aws/credentials", ".env"]
    {
        let query = json!([{ "instructionId": "q", "action": "QUERY_DATA",
            "parameters": { "query": "select 1", "database": path } }]);
        let found = outcome(&run_set(&place, instructions(&query)), "q");
        assert_eq!(found.error.unwrap().code, "PATH_PROTECTED", "{path}");
    }
    let make = json!([{ "instructionId": "q", "action": "database_create", "parameters":
        { "database": ".github/x.db", "script": "create table t (a)" } }]);
    let found = outcome(&run_set(&place, instructions(&make)), "q");
    assert_eq!(found.error.unwrap().code, "PATH_PROTECTED");
}

#[test]
fn gu_1_memory_reaches_only_its_own_files() {
    let program = |uri: &str| {
        format!("import memory M from \"{uri}\"\nmain func() {{ M.add({{ text: \"x\" }}) }}")
    };
    for uri in [
        "file://.contexture/memory.jsonl",
        "sqlite://.contexture/research.db#notes",
        "file://notes.jsonl",
    ] {
        let place = Place::new(&[("main.as", &program(uri))]);
        attempt(&place, json!({})).unwrap_or_else(|error| panic!("{uri}: {error}"));
    }
    for uri in [
        "file://.contexture/runs/run_1.jsonl",
        "file://.contexture/usage.jsonl",
        "file://.contexture/data/audit.jsonl",
        "sqlite://.contexture/data/contexts.db#x",
        "sqlite://open/data/contexts.db#x",
        "sqlite://.env#x",
        "sqlite://.git/x.db#x",
        "file://.github/x.jsonl",
    ] {
        let place = workspace(&program(uri));
        let error = attempt(&place, json!({})).unwrap_err();
        assert!(error.contains("programs may not write"), "{uri}: {error}");
    }
}

#[test]
fn gu_1_program_does_not_rewrite_itself() {
    let program = r#"
        import tool File from "file://workspace"
        import agent Helper from "lib/helper.as"
        import template Letter from "letter.hbs"
        import file Rules from "rules.md"
        main func(input) { File.write({ path: input.path, content: "main func() { 2 }" }) }"#;
    let files = [
        ("main.as", program),
        ("lib/helper.as", "main agent Helper { main func() { 1 } }"),
        ("letter.hbs", "Dear"),
        ("rules.md", "Be kind."),
        ("other.as", "main func() { 1 }"),
    ];
    let place = Place::new(&files);
    std::os::unix::fs::symlink("main.as", place.path("link.as")).unwrap();
    for path in
        ["main.as", "./lib/../main.as", "lib/helper.as", "letter.hbs", "rules.md", "link.as"]
    {
        let error = attempt(&place, json!({ "path": path })).unwrap_err();
        assert!(error.contains("is protected: programs may not write"), "{path}: {error}");
    }
    attempt(&place, json!({ "path": "other.as" })).unwrap();
    for (path, text) in &files[..4] {
        assert_eq!(place.read(path), *text);
    }
}

#[test]
fn gu_1_model_with_file_tool_gets_no_run_record() {
    let program = r#"
        import tool File from "file://workspace"
        main func() { generate({ prompt: "Look." }) tools: [File] }"#;
    let place = workspace(&program.replace("generate({ prompt: \"Look.\" }) tools: [File]", CALL));
    let asked = |name: &str, path: &str| json!({ "tool_calls": [{ "name": name, "arguments": { "path": path } }] });
    let answers = json!([
        asked("File_read", ".contexture/runs/run_1.jsonl"),
        asked("File_read", ".env"),
        "done"
    ]);
    place.write("answers.json", &answers.to_string());
    let report = place.run(RunRequest {
        stand_in: StandIn::Answers(place.path("answers.json")),
        ..place.request("main.as", json!({}))
    });
    let shown = format!("{:?}", report.prompts);
    value(report);
    assert!(!shown.contains("marker -contexture") && !shown.contains("marker -env"), "{shown}");
}

const CALL: &str = "generate({ input: \"Look.\", tools: [File] })";

#[test]
fn gu_1_permissions_of_settings_allow_single_files() {
    let place = workspace(TOOLS);
    place.write(".env", "PASSWORD=hunter2-hunter2\n");
    place.write(
        "contexture.toml",
        "[policy]\nfiles = [\n  { path = \".env\", allow = [\"read\"] },\n  { path = \".github/**\", allow = [\"write\"] },\n]\n",
    );
    let read = |path: &str| attempt(&place, json!({ "door": "read", "path": path }));
    let write = |path: &str| attempt(&place, json!({ "door": "write", "path": path }));
    assert!(read(".env").is_ok() && read(".env.local").is_err());
    assert!(write(".github/workflows/x.yml").is_ok() && write(".vscode/tasks.json").is_err());
    assert!(write(".env").is_err() && read(".contexture/runs/run_1.jsonl").is_err());
    // What was read is masked wherever it is kept.
    for kept in place.kept() {
        let text = std::fs::read_to_string(&kept).unwrap_or_default();
        assert!(!text.contains("hunter2-hunter2"), "{}", kept.display());
    }
    for (files, part) in [
        ("{ path = \".contexture/**\", allow = [\"read\"] }", "private"),
        ("{ path = \"../x\", allow = [\"read\"] }", "`..`"),
        ("{ path = \"x\", allow = [] }", "neither"),
        ("{ path = \"x\", allow = [\"execute\"] }", "execute"),
        ("{ path = \"x\" }", "allow"),
    ] {
        place.write("contexture.toml", &format!("[policy]\nfiles = [{files}]\n"));
        let root = place.path("");
        let error = contexture::Project::open(&root, contexture::Environment::default());
        let error = error.unwrap_err().to_string();
        assert!(error.contains(part), "{files}: {error}");
    }
}

#[test]
fn gu_1_permission_for_one_file_makes_its_folders_and_nothing_else_there() {
    let place = Place::new(&[]);
    place.write("main.as", TOOLS);
    place.write(
        "contexture.toml",
        "[policy]\nfiles = [{ path = \".github/workflows/x.yml\", allow = [\"write\"] }]\n",
    );
    let write = |path: &str| attempt(&place, json!({ "door": "write", "path": path }));
    let other = write(".github/workflows/y.yml").unwrap_err();
    assert!(other.contains("`.github/workflows/y.yml` is protected"), "{other}");
    assert!(!place.path(".github").exists());
    assert!(write(".github/workflows/x.yml").is_ok());
    std::os::unix::fs::symlink(".github", place.path("link")).unwrap();
    for path in [".github/workflows/new/y.yml", "link/new/x.yml", ".github/x.yml"] {
        assert!(write(path).unwrap_err().contains("protected"), "{path}");
    }
    assert!(!place.path(".github/workflows/new").exists() && !place.path(".github/new").exists());
}

#[test]
fn gu_1_hard_link_is_not_written_through() {
    let place = workspace(TOOLS);
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("there"), "kept").unwrap();
    std::fs::hard_link(outside.path().join("there"), place.path("here.txt")).unwrap();
    let error = attempt(&place, json!({ "door": "write", "path": "here.txt" })).unwrap_err();
    assert!(error.contains("hard links"), "{error}");
    assert!(attempt(&place, json!({ "door": "read", "path": "here.txt" })).is_ok());
    assert_eq!(std::fs::read_to_string(outside.path().join("there")).unwrap(), "kept");
}

#[test]
fn gu_1_data_folder_of_settings_is_private() {
    let place = workspace(TOOLS);
    place.write("var/data/tokens.json", "marker");
    let read = |path: &str| attempt(&place, json!({ "door": "read", "path": path }));
    assert!(read("var/data/tokens.json").is_ok());
    place.write("contexture.toml", "[serve]\ndata = \"var/data\"\n");
    assert!(read("var/data/tokens.json").unwrap_err().contains("is private"));
}

#[test]
fn gu_1_dry_run_refuses_same_writes_as_run() {
    let place = workspace(TOOLS);
    let pretend = |path: &str| {
        let request = place.request("main.as", json!({ "door": "write", "path": path }));
        place.run(RunRequest { dry_run: true, ..request }).outcome.map_err(|failure| told(&failure))
    };
    assert!(pretend("notes/new.md").is_ok());
    assert!(pretend("CLAUDE.md").unwrap_err().contains("programs may not write"));
}
