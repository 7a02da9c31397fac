//! `contexture ref plan`: semantics at every level, budgets, failures.

use crate::support::Sandbox;
use serde_json::{Value, json};

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "one two three\n").write("long.md", "word ".repeat(3_000));
    sandbox
}

fn plan(sandbox: &Sandbox, text: &str, more: &[&str], exit: i32) -> Value {
    let arguments = [&["ref", "plan", "-", "--json"], more].concat();
    sandbox.run_with(arguments, text).exits(exit).json()
}

fn states(plan: &Value) -> Vec<&str> {
    let entries = plan["entries"].as_array().unwrap();
    entries.iter().map(|entry| entry["state"].as_str().unwrap()).collect()
}

#[test]
fn ref_9_plan_lists_references_with_state_size_and_reason() {
    let sandbox = sandbox();
    let text = "See @!file://a.md, @file://a.md, @?file://none.md and @file://none.md.";
    let plan = plan(&sandbox, text, &[], 0);
    assert_eq!(states(&plan), ["loaded", "loaded", "pending", "failed"]);
    let first = &plan["entries"][0];
    assert_eq!(
        *first,
        json!({
            "reference": "@!file://a.md",
            "semantics": "hot",
            "state": "loaded",
            "tokens": 4,
            "reason": "hot: loaded at once",
            "inner": null,
            "start": 4,
            "end": 17,
        })
    );
    let failed = &plan["entries"][3];
    assert_eq!((&failed["tokens"], &failed["error"]["code"]), (&json!(null), &json!("REF3030")));
    assert!(failed["reason"].as_str().unwrap().contains("none.md"), "{failed}");
}

#[test]
fn ref_7_policy_applies_to_plain_references() {
    let sandbox = sandbox();
    let text = "@file://a.md @file://long.md @file://a.md @!file://long.md";
    let of = |more: &[&str]| {
        let plan = plan(&sandbox, text, more, 0);
        states(&plan).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let (loaded, pending) = ("loaded", "pending");
    assert_eq!(of(&[]), [loaded, loaded, loaded, loaded]);
    assert_eq!(of(&["--budget", "1k"]), [loaded, pending, loaded, loaded]);
    assert_eq!(of(&["--budget", "5"]), [loaded, pending, pending, loaded]);
    for policy in ["model", "never"] {
        assert_eq!(of(&["--policy", policy]), [pending, pending, pending, loaded]);
    }
    sandbox.write("contexture.toml", "[references]\nbudget = 5\n");
    assert_eq!(of(&[]), [loaded, pending, pending, loaded]);
    assert_eq!(of(&["--budget", "8k"]), [loaded, loaded, loaded, loaded]);
    let _ = sandbox.run(["ref", "plan", "a.md", "--policy", "always"]).exits(2).says("budget");
}

#[test]
fn ref_8_each_level_has_its_own_entry() {
    let sandbox = sandbox();
    let plan = plan(&sandbox, "@!thinking:@?file://a.md @!markdown:@?file://a.md", &[], 0);
    let levels: Vec<_> = plan["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| {
            let inner = &entry["inner"];
            (
                entry["state"].as_str().unwrap(),
                inner["semantics"].as_str().unwrap(),
                inner["state"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(levels, [("loaded", "lazy", "pending"), ("loaded", "lazy", "loaded")]);
    assert_eq!(plan["entries"][0]["inner"]["reference"], "@?file://a.md");
}

#[test]
fn ref_7_failing_hot_reference_fails_and_drops_nothing() {
    let sandbox = sandbox();
    let text = "@!file://none.md @file://a.md @!file:oops";
    let plan = plan(&sandbox, text, &[], 1);
    assert_eq!(states(&plan), ["failed", "loaded", "failed"]);
    assert_eq!(plan["entries"][2]["error"]["code"], "REF1004");
    let shown = sandbox.run_with(["ref", "plan", "-"], text).exits(1);
    assert!(shown.stdout.contains("failed   ·  @!file://none.md"), "{}", shown.stdout);
    let _ = shown.says("3 references: 1 loaded (4 tokens), 2 failed");
    // Lazy and default ones stay in the plan.
    let lazy = self::plan(&sandbox, "@?file://none.md @file://none.md", &[], 0);
    assert_eq!(states(&lazy), ["pending", "failed"]);
}

#[test]
fn ref_9_thousand_references_keep_order() {
    let sandbox = sandbox();
    for number in 0..200 {
        sandbox.write(format!("n/{number}.md"), format!("text {number}"));
    }
    let text: String = (0..1_000).map(|at| format!("@!file://n/{}.md\n", at % 200)).collect();
    let plan = plan(&sandbox, &text, &[], 0);
    let entries = plan["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 1_000);
    for (at, entry) in entries.iter().enumerate() {
        assert_eq!(entry["reference"], format!("@!file://n/{}.md", at % 200));
        assert_eq!(entry["state"], "loaded");
    }
}

#[test]
fn ref_9_plan_tree_is_readable() {
    let sandbox = sandbox();
    let text = "@!markdown:text:@file://a.md and @?file://long.md";
    let shown = sandbox.run_with(["ref", "plan", "-"], text).exits(0);
    assert_eq!(
        shown.stdout,
        "loaded   4  @!markdown:@text:@file://a.md  hot: loaded at once\n\
         loaded   ·  └ @text:@file://a.md           read by the level around it\n\
         loaded   ·    └ @file://a.md               read by the level around it\n\
         pending  ·  @?file://long.md               lazy: loaded when asked for\n"
    );
    let coloured = sandbox.run_with(["ref", "plan", "-", "--color", "always"], text).exits(0);
    assert!(coloured.stdout.contains("\u{1b}[32mloaded "), "{}", coloured.stdout);
    let _ = sandbox.run_with(["ref", "plan", "-"], "nothing").exits(0).says("no reference");
}
