//! Protocols that definition files define, as the command line shows them (REF-15 to REF-19).

use super::failure;
use crate::support::{Sandbox, repository};
use serde_json::{Value, json};

const NOTE: &str = "<resource protocol=\"note\">\n<location>\nlocation ::= [a-z]+\n</location>\n\
    <params>\n| name | type | what |\n|--|--|--|\n| part | integer | which |\n</params>\n\
    <registry>\n| id | reference |\n|--|--|\n| today | `@!file://today.md` |\n\
    | rules | @file://rules.md?line=1 |\n</registry>\n</resource>\n";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(".contexture/resources/note.resource.md", NOTE);
    sandbox.write("today.md", "of today\n").write("rules.md", "first\nsecond\n");
    sandbox
}

/// The description of resource elements that the requirements come from.
fn original() -> String {
    let file = repository().join("crates/reference/tests/data/resource.tag.md");
    file.display().to_string()
}

fn protocol(list: &Value, name: &str) -> Value {
    let protocols = list["protocols"].as_array().unwrap();
    protocols.iter().find(|one| one["name"] == name).cloned().unwrap_or_default()
}

#[test]
fn ref_15_specification_is_definition_file() {
    let sandbox = Sandbox::new();
    let (file, options) = (original(), "--definitions");
    let list = sandbox.run(["ref", "list", options, &file, "--examples", "--json"]).exits(0).json();
    let thought = protocol(&list, "thought");
    assert_eq!((&thought["kind"], &thought["layer"]), (&json!("defined"), &json!("explicit")));
    assert_eq!(thought["ids"][0]["id"], "analytical");
    let target = "@file://PromptX/core/thoughts/analytical.thought.md";
    assert_eq!(thought["ids"][0]["reference"], target);
    let load = ["ref", "load", "@thought://analytical", "--examples", options, &file, "--json"];
    let (code, message) = failure(sandbox.run(load));
    assert_eq!(code, "REF3030");
    assert!(message.contains("@thought://analytical") && message.contains(target), "{message}");
    sandbox.write("PromptX/core/thoughts/analytical.thought.md", "Think in steps.\n");
    let loaded = sandbox.run(load).exits(0).json();
    assert_eq!(loaded["items"][0]["text"], "Think in steps.\n");
    assert_eq!(loaded["items"][0]["reference"], target);
    let unknown = ["ref", "load", "@thought://analitical", "--examples", options, &file, "--json"];
    let done = sandbox.run(unknown).exits(1).json();
    assert_eq!(done["error"]["code"], "REF2072");
    assert!(done["error"]["help"].as_str().unwrap().contains("analytical"), "{done}");
}

#[test]
fn ref_18_ids_resolve_and_queries_merge() {
    let sandbox = sandbox();
    let text = |reference: &str| sandbox.run(["ref", "load", reference]).exits(0).stdout;
    assert_eq!(text("@note://today"), "of today\n");
    assert_eq!(text("@note://rules"), "first\n");
    assert_eq!(text("@note://rules?line=2"), "second\n");
    assert_eq!(text("@NOTE://rules?part=1"), "first\n");
    let semantics = |reference: &str| {
        let done = sandbox.run(["ref", "explain", reference, "--json"]).exits(0).json();
        done["semantics"].as_str().unwrap().to_owned()
    };
    assert_eq!(semantics("@note://today"), "hot");
    assert_eq!(semantics("@?note://today"), "lazy");
    assert_eq!(semantics("@note://rules"), "default");
}

#[test]
fn ref_18_explain_shows_rule_registry_and_file() {
    let sandbox = sandbox();
    let done = sandbox.run(["ref", "explain", "@markdown:note://rules", "--json"]).exits(0).json();
    assert_eq!(
        done["trail"],
        json!([{
            "protocol": "note",
            "id": "rules",
            "from": "@markdown:@note://rules",
            "to": "@markdown:@file://rules.md?line=1",
            "layer": "workspace",
            "file": ".contexture/resources/note.resource.md",
            "line": 14,
            "rule_line": 3,
        }])
    );
    assert_eq!(done["levels"][0]["protocol"], "markdown");
    assert_eq!(done["levels"][1]["kind"], "source");
    assert_eq!(done["parameters"], json!({ "line": "1" }));
    // A registry's paths start in the folder of its file; there is nothing, so the workspace holds.
    assert_eq!(done["place"]["folder"], ".contexture/resources");
    assert_eq!(done["file"]["workspace_root_taken"], true);
    let shown = sandbox.run(["ref", "explain", "@note://today"]).exits(0).stdout;
    for part in
        ["→ @!file://today.md", "note.resource.md:13 (workspace)", "note.resource.md:3", "hot"]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

#[test]
fn ref_16_paths_and_parameters_are_checked_on_use() {
    let sandbox = sandbox();
    for (reference, code, part) in [
        ("@note://Today", "REF2071", "expected"),
        ("@note://tody", "REF2072", "tody"),
        ("@note://today?part=one", "REF2076", "whole number"),
        ("@note://today?prat=1", "REF3003", "prat"),
        ("@nota://today", "REF3001", "nota"),
    ] {
        let done = sandbox.run(["ref", "load", reference, "--json"]).exits(1).json();
        assert_eq!(done["error"]["code"], code, "{done}");
        let message = done["error"]["message"].as_str().unwrap();
        assert!(message.contains(part) && message.contains(reference), "{message}");
    }
    let help = |reference: &str| {
        let done = sandbox.run(["ref", "load", reference, "--json"]).exits(1).json();
        done["error"]["help"].as_str().unwrap_or_default().to_owned()
    };
    assert!(help("@note://tody").contains("did you mean `today`?"));
    assert!(help("@nota://today").contains("did you mean `note`?"));
    assert!(help("@note://today?prat=1").contains("did you mean `part`?"));
}

#[test]
fn ref_19_shadowed_layers_are_reported() {
    let sandbox = sandbox();
    let registry = |path: &str| {
        format!(
            "<resource protocol=\"note\">\n<registry>\n| id | to |\n|--|--|\n| today | @file://{path} |\n</registry>\n</resource>\n"
        )
    };
    sandbox.write("../home/.contexture/resources/n.tag.md", registry("user.md"));
    sandbox.write("../home/.contexture/resources/user.md", "of the user\n");
    let list = sandbox.run(["ref", "list", "--json"]).exits(0).json();
    assert_eq!(protocol(&list, "note")["layer"], "workspace");
    assert_eq!(list["diagnostics"][0]["code"], "REF2018");
    sandbox.write("../far/e.protocol.md", registry("far.md")).write("../far/far.md", "far\n");
    let explicit = ["ref", "load", "@note://today", "--definitions", "../far/e.protocol.md"];
    assert_eq!(sandbox.run(explicit).exits(0).stdout, "far\n");
    let shown = sandbox.run(["ref", "list"]).exits(0);
    assert!(shown.stdout.contains("note"), "{}", shown.stdout);
    let _ = shown.says("hint[REF2018]");
    std::fs::remove_file(sandbox.path(".contexture/resources/note.resource.md")).unwrap();
    assert_eq!(sandbox.run(["ref", "load", "@note://today"]).exits(0).stdout, "of the user\n");
    // That folder is for the registry alone.
    assert_eq!(failure(sandbox.run(["ref", "load", "@file://user.md", "--json"])).0, "REF3030");
}

#[test]
fn ref_19_definition_errors_are_reported_everywhere() {
    let sandbox = sandbox();
    sandbox.write(
        ".contexture/resources/bad.resource.md",
        "<resource protocol=\"file\">\nx\n</resource>\n\n<resource protocol=\"empty\"></resource>\n\n\
         <resource protocol=\"torn\">\n<registry>\n| id | to |\n| a | @file://a |\n</registry>\n</resource>\n",
    );
    sandbox.write("contexture.toml", "[references]\ndefinitions = [\"gone.resource.md\"]\n");
    let codes = |arguments: &[&str], exit: i32| {
        let done = sandbox.run([arguments, &["--json"]].concat()).exits(exit).json();
        let told = done["diagnostics"].as_array().unwrap();
        told.iter().map(|one| one["code"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let all = ["REF2021", "REF2017", "REF2011", "REF2040"];
    assert_eq!(codes(&["ref", "list"], 0), all);
    assert_eq!(codes(&["ref", "load", "@note://today"], 0), all);
    assert_eq!(codes(&["ref", "load", "@file://none"], 1), all);
    let shown = sandbox.run(["ref", "load", "@note://today"]).exits(0);
    assert_eq!(shown.stdout, "of today\n");
    let _ = shown.says("error[REF2017]: .contexture/resources/bad.resource.md:1:1: ");
    // A broken definition is not passed over in silence.
    let (code, message) = failure(sandbox.run(["ref", "load", "@empty://a", "--json"]));
    assert!(["REF3001", "REF2070"].contains(&code.as_str()), "{code}: {message}");
    let missing = sandbox.run(["ref", "list", "--definitions", "none.tag.md", "--json"]).exits(2);
    assert_eq!(missing.json()["error"]["code"], "file_unreadable");
}

#[test]
fn ref_19_records_do_not_hide_definitions() {
    let sandbox = sandbox();
    sandbox.write("p.as", "main func(input) { 1 }\n");
    let _ = sandbox.run(["run", "p.as", "--quiet"]).exits(0);
    assert!(sandbox.path(".contexture/.gitignore").exists());
    let load = |pattern: &str| {
        let done = sandbox.run(["ref", "load", pattern, "--json"]).exits(0).json();
        done["items"].as_array().unwrap().len()
    };
    assert_eq!(load("@file://.contexture/resources/*.md"), 1);
    assert_eq!(load("@file://.contexture/runs/*"), 0);
    assert_eq!(load("@file://.contexture/**/*.jsonl"), 0);
}

#[test]
fn ref_20_list_has_built_in_protocols() {
    let list = Sandbox::new().run(["ref", "list", "--json"]).exits(0).json();
    assert_eq!(list["diagnostics"], json!([]));
    for (name, kind) in [
        ("file", "source"),
        ("http", "source"),
        ("https", "source"),
        ("ftp", "source"),
        ("sftp", "source"),
        ("ssh", "source"),
        ("memory", "source"),
        ("env", "source"),
        ("context", "source"),
        ("knowledge", "source"),
        ("text", "processor"),
        ("json", "processor"),
        ("yaml", "processor"),
        ("markdown", "processor"),
        ("lines", "processor"),
        ("template", "processor"),
        ("base64", "processor"),
        ("thinking", "defined"),
        ("execution", "defined"),
    ] {
        assert_eq!(protocol(&list, name)["kind"], kind, "{name}");
    }
    let parameters = &protocol(&list, "markdown")["parameters"];
    assert_eq!(parameters[0]["name"], "section");
}

#[test]
fn ref_20_memory_and_variables() {
    let sandbox = Sandbox::new();
    sandbox.write("contexture.toml", "[references]\nenv = [\"LANG\"]\n");
    let program = "import memory Notes from \"file://.contexture/memory.jsonl\"\n\
        main func(input) { Notes.add({ key: \"tone\", text: input }) }\n";
    sandbox.write("keep.as", program);
    let keep = ["run", "keep.as", "--quiet", "--input", "\"Be brief.\""];
    let _ = sandbox.run(keep).exits(0);
    assert_eq!(sandbox.run(["ref", "load", "@memory://tone"]).exits(0).stdout, "Be brief.");
    assert_eq!(sandbox.run(["ref", "load", "@env://LANG"]).exits(0).stdout, "C.UTF-8");
    assert_eq!(failure(sandbox.run(["ref", "load", "@env://HOME", "--json"])).0, "REF3034");
    assert_eq!(failure(sandbox.run(["ref", "load", "@memory://tune", "--json"])).0, "REF3035");
    assert_eq!(failure(sandbox.run(["ref", "load", "@context://a", "--json"])).0, "REF3039");
}
