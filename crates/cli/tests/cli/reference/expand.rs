//! `contexture ref expand`: documents with the references inside them loaded (MA-1 to MA-3).

use crate::support::Sandbox;
use serde_json::{Value, json};

/// A repository of roles in the form of PromptX: its registry leads nowhere, its files are named by
/// their kind.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let row = json!({
        "id": "nuwa",
        "protocol": "role",
        "reference": "@package://resource/role/nuwa/nuwa.role.md",
        "metadata": { "fileType": "role" },
    });
    let registry = json!({ "version": "2.0.0", "resources": [row] }).to_string();
    sandbox
        .write("packages/r/package.registry.json", registry)
        .write(
            "packages/r/role/nuwa/nuwa.role.md",
            "# 女娲\n@!thought://first\n@!knowledge://spec\n",
        )
        .write("packages/r/role/nuwa/thought/first.thought.md", "Think.\n")
        .write("packages/r/role/nuwa/knowledge/spec.knowledge.md", "Know `@!a://b`.\n")
        .write(
            "contexture.toml",
            "[references]\nregistries = [\"packages/**/*.registry.json\"]\n[references.globs]\n\
             role = \"**/{id}.role.md\"\nthought = \"**/{id}.thought.md\"\n\
             knowledge = \"**/{id}.knowledge.md\"\n",
        );
    sandbox
}

/// The reference, the depth and the state of each entry.
fn states(done: &Value) -> Vec<(&str, u64, &str)> {
    let entries = done["entries"].as_array().unwrap().iter();
    let state = |one| -> (&str, u64, &str) {
        let text = |name: &str| Value::as_str(Value::get(one, name).unwrap()).unwrap();
        (text("reference"), Value::as_u64(&one["depth"]).unwrap(), text("state"))
    };
    entries.map(state).collect()
}

#[test]
fn ma_3_role_of_repository_is_expanded_as_it_lies() {
    let sandbox = sandbox();
    let done = sandbox.run(["ref", "expand", "@!role://nuwa", "--json"]).exits(0).json();
    assert_eq!(done["text"], "# 女娲\nThink.\nKnow `@!a://b`.");
    assert_eq!(
        states(&done),
        [
            ("@!role://nuwa", 0, "loaded"),
            ("@!thought://first", 1, "loaded"),
            ("@!knowledge://spec", 1, "loaded"),
        ]
    );
    assert!(done["entries"][1]["tokens"].as_u64().unwrap() > 0);
    assert_eq!(done["diagnostics"][0]["code"], "REF3043");
    let shown = sandbox.run(["ref", "expand", "@!role://nuwa"]).exits(0);
    assert_eq!(shown.stdout, "# 女娲\nThink.\nKnow `@!a://b`.\n");
    assert!(shown.stderr.contains("2 references inside: 2 loaded"), "{}", shown.stderr);
}

#[test]
fn ma_1_failed_hot_reference_of_a_file_exits_1() {
    let sandbox = Sandbox::new();
    sandbox
        .write("doc/a.md", "@!file://b.md @!file://none.md @file://gone.md\n")
        .write("doc/b.md", "B\n");
    let done = sandbox.run(["ref", "expand", "doc/a.md", "--json"]).exits(1).json();
    assert_eq!(done["text"], "B @!file://none.md @file://gone.md\n");
    let inside: Vec<_> = states(&done).into_iter().map(|one| one.2).collect();
    assert_eq!(inside, ["loaded", "loaded", "failed", "failed"]);
    assert_eq!(done["entries"][2]["error"]["code"], "REF3030");
    let soft =
        sandbox.run_with(["ref", "expand", "-", "--json"], "@file://gone.md").exits(0).json();
    assert_eq!(states(&soft)[1], ("@file://gone.md", 1, "failed"));
    let missing = sandbox.run(["ref", "expand", "@file://gone.md", "--json"]).exits(1).json();
    assert_eq!(states(&missing), [("@file://gone.md", 0, "failed")]);
}

#[test]
fn ma_1_bomb_ends_at_limits_and_exits_1() {
    let sandbox = Sandbox::new();
    for index in 0..20 {
        let next = format!("@!file://{}.md ", index + 1).repeat(2);
        sandbox.write(format!("{index}.md"), next);
    }
    let done = sandbox.run(["ref", "expand", "0.md", "--depth", "2", "--json"]).exits(1).json();
    let beyond = states(&done).into_iter().filter(|one| one.2 == "limit").count();
    assert_eq!((beyond, &done["entries"][3]["error"]["code"]), (8, &json!("REF3044")));
    sandbox.write("self.md", "@!file://self.md @!file://self.md");
    let done = sandbox.run(["ref", "expand", "self.md", "--json"]).exits(0).json();
    assert_eq!(states(&done)[1].2, "cycle");
}

#[test]
fn ma_2_list_and_explain_show_rows_globs_and_skills() {
    let sandbox = sandbox();
    sandbox.write("skills/notes/SKILL.md", "---\nname: notes\ndescription: Writes notes.\n---\n");
    let list = sandbox.run(["ref", "list", "--json"]).exits(0).json();
    assert_eq!(list["globs"]["thought"], "**/{id}.thought.md");
    assert_eq!((&list["rows"][0]["id"], &list["rows"][0]["line"]), (&json!("nuwa"), &json!(1)));
    assert_eq!(list["skills"][0]["description"], "Writes notes.");
    let text = sandbox.run(["ref", "list"]).exits(0).stdout;
    assert!(text.contains("1 row of packages/r/package.registry.json"), "{text}");
    let explained = sandbox.run(["ref", "explain", "@thought://first"]).exits(0).stdout;
    assert!(explained.contains("named by the glob **/{id}.thought.md"), "{explained}");
    let pack = sandbox.run(["ref", "explain", "@knowledge://spec", "--json"]).exits(0).json();
    assert_eq!(pack["fallback"], "@file://**/spec.knowledge.md");
}
