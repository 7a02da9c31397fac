//! Who may read a pack (KN-8).

use super::packs::{acme, knowledge, manifest, pack, sandbox};
use crate::support::Sandbox;

const QUERY: [&str; 3] = ["resolve-context", "--query", "what is the price"];

fn priced(status: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let _ =
        pack(&sandbox, "prices", &manifest("prices", status, ""), "# Prices\n\nThe price is 29.\n");
    sandbox
}

fn ask(sandbox: &Sandbox, more: &[&str]) -> crate::support::Done {
    knowledge(sandbox, &[&QUERY[..], &["--pack", "prices"], more].concat())
}

#[test]
fn kn_8_root_or_name_approves_pack_only_for_command() {
    let sandbox = sandbox();
    let _ = knowledge(&sandbox, &["activate", "acme-product-brief"]).exits(0);
    let inside = sandbox.sh("cd site && contexture knowledge activate acme-product-brief").exits(0);
    assert!(inside.stdout.contains("<knowledge_pack_guide "), "{}", inside.stdout);
    let approvals = sandbox.path("../home/.contexture/approvals.json");
    assert!(!approvals.exists(), "nothing is approved for later");
}

#[test]
fn kn_8_drafts_and_disputed_packs_need_permission() {
    for status in ["draft", "disputed"] {
        let sandbox = priced(status);
        let refused = ask(&sandbox, &["--json"]).exits(2).json();
        assert_eq!(refused["error"]["code"], "pack_not_allowed", "{refused}");
        assert!(refused["error"]["message"].as_str().unwrap().contains(status), "{refused}");
        let allowance = refused["error"]["allow"].as_str().unwrap().to_owned();
        assert!(refused["error"]["help"].as_str().unwrap().contains(&allowance), "{refused}");
        let _ = ask(&sandbox, &[]).exits(2).says(&format!("--allow-pack {allowance}"));
        let _ = knowledge(&sandbox, &["activate", "prices"]).exits(2).says("--allow-pack");

        let allowed = ask(&sandbox, &["--json", "--allow-pack", &allowance]).exits(0).json();
        assert!(allowed["context"].as_str().unwrap().contains("The price is 29."));
        if status == "disputed" {
            assert!(allowed["warnings"].to_string().contains("disputed"), "{allowed}");
        }
        let _ = knowledge(&sandbox, &["activate", "prices", "--allow-pack", &allowance]).exits(0);

        // What was allowed was a state of the pack, not a name.
        sandbox
            .write("site/.agents/knowledge/prices/compiled/briefing.md", "# Prices\n\nIt is 1.\n");
        let _ = ask(&sandbox, &["--allow-pack", &allowance]).exits(2).says("--allow-pack");
    }
}

#[test]
fn kn_8_permission_of_another_pack_does_not_apply() {
    let sandbox = priced("draft");
    let refused = ask(&sandbox, &["--json"]).exits(2).json();
    let allowance = refused["error"]["allow"].as_str().unwrap();
    let (_, digest) = allowance.split_once('@').unwrap();
    let _ = ask(&sandbox, &["--allow-pack", &format!("other@{digest}")]).exits(2).says("draft");
    for bad in ["prices", "prices@", "prices@sha256:12", "prices@xyzxyzxyzxyz", "@0123456789ab"] {
        let _ = ask(&sandbox, &["--allow-pack", bad]).exits(2).says("--allow-pack");
    }
}

#[test]
fn kn_5_archived_packs_are_used_on_request() {
    let sandbox = priced("archived");
    let _ = ask(&sandbox, &[]).exits(2).says("is archived");
    let _ = ask(&sandbox, &["--query", " "]).exits(2);
    let _ = knowledge(&sandbox, &["activate", "prices"]).exits(2);
    let used = ask(&sandbox, &["--archived", "--json"]).exits(0).json();
    assert!(used["context"].as_str().unwrap().contains("The price is 29."));
}

#[test]
fn kn_5_minor_problems_are_warnings() {
    for (status, word) in [("stale", "stale"), ("needs-review", "review")] {
        let sandbox = priced(status);
        let done = ask(&sandbox, &["--json"]).exits(0).json();
        assert!(done["warnings"].to_string().contains(word), "{done}");
    }
    for trust in ["unreviewed", "external"] {
        let sandbox = Sandbox::new();
        let text = manifest("prices", "ready", "").replace("official", trust);
        let _ = pack(&sandbox, "prices", &text, "# Prices\n\nThe price is 29.\n");
        let done = ask(&sandbox, &["--json"]).exits(0).json();
        assert!(done["warnings"].to_string().contains(trust), "{done}");
    }
}

#[test]
fn kn_8_metadata_is_shown_without_consent() {
    let sandbox = priced("draft");
    let _ = acme(&sandbox);
    let catalog = knowledge(&sandbox, &["to-catalog"]).exits(0).stdout;
    assert!(catalog.contains("<name>prices</name>"), "{catalog}");
    assert!(!catalog.contains("The price is"), "{catalog}");
}
