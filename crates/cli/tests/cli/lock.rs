//! `contexture lock`: what prompts can hold, pinned (EV-14).

use crate::support::Sandbox;
use serde_json::{Value, json};

const PROGRAM: &str = "\
import llm Fast from \"openai://gpt-4o-mini\"
import file Notes from \"./notes.md\"
import template Form from \"./form.md\"
import resource Page from \"@file://page.md\"

main func(input) {
  use Notes max 1k as notes
  use Page max 1k as page
  model Fast
  generate({ input: Form({ name: \"Ada\" }) }) -> { answer string }
}
";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("ask.as", PROGRAM).write("notes.md", "one").write("page.md", "a page");
    sandbox.write("form.md", "Hello {{name}}. {{> part}}").write("part.md", "A part.");
    sandbox
}

fn drift(sandbox: &Sandbox) -> Vec<(String, String)> {
    let found = sandbox.run(["lock", "--check", "--json"]).exits(1).json();
    let word = |one: &Value, name: &str| one[name].as_str().unwrap().to_owned();
    let drift = found["drift"].as_array().unwrap();
    drift.iter().map(|one| (word(one, "kind"), word(one, "name"))).collect()
}

#[test]
fn ev_14_lock_pins_all_that_prompts_can_hold_and_tells_drift() {
    let sandbox = sandbox();
    let none = sandbox.run(["lock", "--check", "--json"]).exits(1).json();
    assert_eq!(none["error"]["code"], "not_pinned");
    let _ = sandbox.run(["check", "ask.as"]).exits(0);
    let pinned = sandbox.run(["lock", "--json"]).exits(0).json();
    let kinds: Vec<_> = pinned["pins"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(kinds, ["files", "models", "references", "templates"], "{pinned}");
    let models = pinned["pins"]["models"].as_object().unwrap();
    assert!(models["openai://gpt-4o-mini"].as_str().unwrap().contains("USD in"), "{pinned}");
    assert_eq!(pinned["pins"]["templates"].as_object().unwrap().len(), 2, "{pinned}");
    let _ = sandbox.run(["lock", "--check"]).exits(0);
    let _ = sandbox.run(["check", "ask.as"]).exits(0);

    sandbox.write("notes.md", "two").write("page.md", "b").write("part.md", "Another part.");
    let expected =
        [("files", "notes.md"), ("references", "@file://page.md"), ("templates", "part.md")];
    assert_eq!(drift(&sandbox), expected.map(|(kind, name)| (kind.to_owned(), name.to_owned())));
    let checked = sandbox.run(["check", "ask.as", "--json"]).exits(2).json();
    let codes: Vec<_> =
        checked["diagnostics"].as_array().unwrap().iter().map(|it| &it["code"]).collect();
    assert_eq!(codes, [&json!("lock_drift"); 3], "{checked}");
    let _ = sandbox.run(["lock"]).exits(1);
    let _ = sandbox.run(["lock", "--update"]).exits(0);
    let _ = sandbox.run(["check", "ask.as"]).exits(0);
    let text = sandbox.read("contexture.lock");
    let _ = sandbox.run(["lock", "--update"]).exits(0);
    assert_eq!(sandbox.read("contexture.lock"), text, "the same pins are the same bytes");
}

#[test]
fn ev_14_prices_of_settings_are_pinned() {
    let sandbox = sandbox();
    let _ = sandbox.run(["lock"]).exits(0);
    let price = "[profiles.\"openai://gpt-4o-mini\"]\nprice_input = 9.0\nprice_output = 9.0\n";
    sandbox.write("contexture.toml", price);
    assert_eq!(drift(&sandbox), [("models".to_owned(), "openai://gpt-4o-mini".to_owned())]);
}
