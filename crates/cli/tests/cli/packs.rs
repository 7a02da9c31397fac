//! Programs that read knowledge packs: what is allowed, asked, shown and kept (KN-8, KN-13, KN-15).

use crate::support::{Done, Sandbox};
use serde_json::Value;

const ASK: &str = "import knowledge Port from \"knowledge://port\"\n\
    main func(input) {\n  use Port max 500 as facts\n\
    reply = generate({ input: \"On which port does the server listen?\" }) -> { answer string }\n\
    reply.answer\n}\n";

/// A workspace with a program and a pack in this state.
pub(crate) fn workspace(status: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("ask.as", ASK);
    pack(&sandbox, status);
    sandbox
}

pub(crate) fn pack(sandbox: &Sandbox, status: &str) {
    let guide = format!(
        "---\nname: port\ndescription: Which ports the server uses.\ntype: domain-reference\n\
         status: {status}\nprofile: wiki-first\n---\n# Ports\n"
    );
    sandbox.write(".agents/knowledge/port/KNOWLEDGE.md", guide);
    let facts = "# Ports\n\n## Server\n\nThe server listens on port 7878.\n\n## Coffee\n\n\
                 The kitchen has a coffee machine.\n";
    sandbox.write(".agents/knowledge/port/compiled/ports.md", facts);
}

/// The allowance that a refusal names.
fn allowance(done: &Done) -> String {
    let (_, rest) = done.stderr.split_once("--allow-pack ").unwrap();
    rest.split(['`', '\n', ' ']).next().unwrap().to_owned()
}

fn run<'a>(sandbox: &Sandbox, more: impl IntoIterator<Item = &'a str>) -> Done {
    sandbox.run(["run", "ask.as", "--quiet"].into_iter().chain(more))
}

#[test]
fn ca_11_allow_pack_holds_for_run_and_knowledge_allow_until_revoked() {
    let sandbox = workspace("ready");
    let refused = run(&sandbox, []).exits(2).says("nobody here has approved");
    let allowance = allowance(&refused);
    assert!(allowance.starts_with("port@sha256:"), "{allowance}");
    assert_eq!(sandbox.run(["trace", "list"]).stdout, "", "nothing ran");
    let refused = run(&sandbox, ["--json"]).exits(2).json();
    assert_eq!(refused["error"]["code"], "pack_not_allowed");
    let done = run(&sandbox, ["--allow-pack", &allowance]).exits(0);
    assert_eq!(done.json(), Value::from("The server listens on port 7878."));
    let _ = run(&sandbox, []).exits(2).says("nobody here has approved");
    let allow = |more: &[&str]| sandbox.run([&["knowledge", "allow"], more].concat());
    assert_eq!(allow(&["--list", "--json"]).exits(0).json(), serde_json::json!({ "approved": [] }));
    let _ = allow(&["prot"]).exits(2).says("port");
    let _ = allow(&["port@sha256:000000000000"]).exits(2);
    let done = allow(&["port"]).exits(0);
    assert_eq!(done.stdout.trim_end(), format!("approved {allowance}"));
    let _ = run(&sandbox, []).exits(0);
    assert_eq!(allow(&["--list", "--json"]).exits(0).json()["approved"][0]["id"], *allowance);
    let _ = allow(&["--revoke", "prot"]).exits(2).says("did you mean `port`");
    let _ = allow(&["--revoke", &allowance]).exits(0);
    let _ = run(&sandbox, []).exits(2).says("nobody here has approved");
    let _ = allow(&[&allowance]).exits(0);
    let _ = allow(&["--revoke", "port"]).exits(0);
    let _ = allow(&["--revoke", "port"]).exits(2).says("nothing is approved under `port`");
    let _ = allow(&["port"]).exits(0);
    sandbox.write(".agents/knowledge/port/compiled/more.md", "# More\n");
    let _ = run(&sandbox, []).exits(2).says("nobody here has approved");
    let _ = run(&sandbox, ["--allow-pack", &allowance]).exits(2).says("it has changed since");
    let _ = run(&sandbox, ["--allow-pack", "port"]).exits(2).says("name@sha256:DIGITS");
}

#[test]
fn kn_8_drafts_and_disputed_packs_need_permission_each_time() {
    for status in ["draft", "disputed"] {
        let sandbox = workspace(status);
        let refused = run(&sandbox, []).exits(2).says(status);
        let allowance = allowance(&refused);
        let _ = run(&sandbox, ["--allow-pack", &allowance]).exits(0);
        let _ = run(&sandbox, []).exits(2).says(status);
    }
    let _ = run(&workspace("archived"), []).exits(2).says("archived");
}

#[test]
fn kn_8_user_pack_is_read_without_question() {
    let sandbox = workspace("ready");
    let home = sandbox.path("../home/.agents");
    std::fs::rename(sandbox.path(".agents"), home).unwrap();
    let done = run(&sandbox, []).exits(0);
    assert_eq!(done.json(), Value::from("The server listens on port 7878."));
}

#[test]
fn kn_15_run_logs_one_line_and_dry_run_none() {
    let sandbox = workspace("stale");
    let refused = run(&sandbox, ["--dry-run"]).exits(2);
    let allowance = allowance(&refused);
    let dry = sandbox
        .run(["run", "ask.as", "--dry-run", "--json", "--allow-pack", &allowance])
        .exits(0)
        .json();
    let user = dry["prompts"][0]["user"].as_str().unwrap();
    assert!(user.contains("<knowledge_pack name=\"port\" status=\"stale\""), "{user}");
    assert!(!user.contains("coffee"), "{user}");
    assert!(dry["warnings"].to_string().contains("stale"), "{}", dry["warnings"]);
    assert!(!sandbox.path(".contexture/usage.jsonl").exists());
    let _ = run(&sandbox, ["--allow-pack", &allowance]).exits(0);
    let line: Value = serde_json::from_str(sandbox.read(".contexture/usage.jsonl").trim()).unwrap();
    assert_eq!(line["selected_files"], serde_json::json!(["compiled/ports.md"]));
    assert_eq!(line["status"], "stale");
}

#[test]
fn kn_9_trace_shows_selection_and_reasons() {
    let sandbox = workspace("needs-review");
    sandbox.write("contexture.toml", "");
    let allowed = allowance(&run(&sandbox, []).exits(2));
    let _ = run(&sandbox, ["--allow-pack", &allowed]).exits(0);
    let shown = sandbox.run(["trace", "show"]).exits(0).stdout;
    let lines: Vec<&str> =
        shown.lines().map(|line| line.trim_start_matches(['│', '└', '├', ' '])).collect();
    let at = lines.iter().position(|line| line.starts_with("[facts] knowledge://port")).unwrap();
    assert!(lines[at + 1].starts_with("port needs-review · "), "{shown}");
    assert!(lines[at + 1].contains(" of 500 tokens · sha256:"), "{shown}");
    let section = lines[at + 2];
    assert!(section.starts_with("compiled/ports.md › Ports > Server · "), "{shown}");
    assert!(section.contains(" tokens · score "), "{shown}");
    assert!(lines[at + 3..].iter().any(|line| line.starts_with("warning: ")), "{shown}");
    assert!(!shown.contains("Coffee"), "{shown}");

    let told = sandbox.run(["trace", "show", "--json"]).exits(0).json();
    let events = told["events"].as_array().unwrap();
    let call = events
        .iter()
        .find(|event| event["kind"] == "generate" && event["data"]["manifest"].is_object());
    let data = &call.unwrap_or_else(|| panic!("{told}"))["data"];
    assert_eq!(data["manifest"]["packs"][0]["files"][0]["path"], "compiled/ports.md");
    assert!(data["manifest"]["packs"][0]["warnings"].as_array().is_some_and(|all| !all.is_empty()));
    let section = &data["knowledge"][0]["sections"][0];
    assert!(section["reason"].as_str().is_some_and(|why| !why.is_empty()), "{section}");
}

#[test]
fn as_32_check_reports_missing_packs() {
    let sandbox = workspace("ready");
    let _ = sandbox.run(["check", "ask.as"]).exits(0);
    sandbox.write("ask.as", ASK.replace("knowledge://port", "knowledge://prot"));
    let done = sandbox.run(["check", "ask.as"]).exits(2);
    let told = format!("{}{}", done.stdout, done.stderr);
    assert!(told.contains("KN1201") && told.contains("did you mean `port`?"), "{told}");
    let _ = sandbox.run(["explain", "KN1201"]).exits(0);
}
