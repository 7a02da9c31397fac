//! `contexture token`: what it makes, shows and takes back (CP-1, CP-19).

use crate::support::{Done, Sandbox};
use serde_json::{Value, json};

fn token(sandbox: &Sandbox, arguments: &[&str]) -> Done {
    sandbox.run(["token"].iter().chain(arguments))
}

#[test]
fn cp_19_token_is_shown_once_and_stored_as_digest() {
    let sandbox = Sandbox::new();
    let added = token(&sandbox, &["add", "phone"]).exits(0);
    let secret = added.stdout.trim();
    assert!(
        secret.starts_with("ctx_tok_") && added.stdout.lines().count() == 1,
        "{}",
        added.stdout
    );
    assert!(added.stderr.contains("shown only once"), "{}", added.stderr);
    let kept = std::fs::read_to_string(sandbox.path(".contexture/data/tokens.json")).unwrap();
    assert!(!kept.contains(secret) && kept.contains("sha256"), "{kept}");
    let listed = token(&sandbox, &["list"]).exits(0).stdout;
    assert!(listed.contains("phone") && listed.contains("active") && !listed.contains(secret));
    let audit = std::fs::read_to_string(sandbox.path(".contexture/data/audit.jsonl")).unwrap();
    assert!(audit.contains("token_added") && !audit.contains(secret), "{audit}");
}

#[test]
fn cp_1_token_has_owner_senders_scopes_and_expiry() {
    let sandbox = Sandbox::new();
    let arguments = [
        "add",
        "robot",
        "--owner",
        "ann",
        "--sender",
        "user,model",
        "--scope",
        "read",
        "--expires",
        "30d",
        "--data",
        "elsewhere",
        "--json",
    ];
    let made = token(&sandbox, &arguments).exits(0).json();
    assert!(made["token"].as_str().unwrap().len() > 40);
    assert_eq!((&made["name"], &made["owner"]), (&json!("robot"), &json!("ann")));
    assert_eq!((&made["senders"], &made["scopes"]), (&json!(["USER", "MODEL"]), &json!(["read"])));
    let listed = token(&sandbox, &["list", "--data", "elsewhere", "--json"]).exits(0).json();
    let mut shown = made.clone();
    shown.as_object_mut().unwrap().remove("token");
    assert_eq!(listed, json!({ "tokens": [shown] }));
    let (made, ends) = (&listed["tokens"][0]["created"], &listed["tokens"][0]["expires"]);
    assert!(made.as_str().unwrap() < ends.as_str().unwrap());
    assert_eq!(token(&sandbox, &["list", "--json"]).exits(0).json(), json!({ "tokens": [] }));
}

#[test]
fn cp_19_revoked_token_stays_listed() {
    let sandbox = Sandbox::new();
    let id = token(&sandbox, &["add", "phone", "--json"]).exits(0).json()["id"].clone();
    let taken = token(&sandbox, &["add", "phone"]).exits(2);
    assert!(taken.stderr.contains("already") && taken.stdout.is_empty(), "{}", taken.stderr);
    let _ = token(&sandbox, &["revoke", id.as_str().unwrap()]).exits(0);
    let listed = token(&sandbox, &["list", "--all", "--json"]).exits(0).json();
    assert_eq!(listed["tokens"][0]["state"], "revoked");
    assert!(token(&sandbox, &["list"]).exits(0).stdout.is_empty());
    let again = token(&sandbox, &["revoke", "phone", "--json"]).exits(2).json();
    let said: &Value = &again["error"];
    assert_eq!(said["code"], "SRV1007");
    assert!(said["message"].as_str().unwrap().contains("revoked before"), "{said}");
    let unknown = token(&sandbox, &["revoke", "fone"]).exits(2);
    assert!(unknown.stderr.contains("no token `fone`"), "{}", unknown.stderr);
}

#[test]
fn cp_19_token_arguments_are_checked() {
    let sandbox = Sandbox::new();
    for (arguments, expected) in [
        (&["add", "a b"][..], "letters, digits"),
        (&["add", "x", "--sender", "robot"], "USER, MODEL, SYSTEM or TOOL"),
        (&["add", "x", "--scope", "all"], "read, write, run or inspect"),
        (&["add", "x", "--expires", "soon"], "30d"),
        (&["add", "x", "--expires", "2020-01-01T00:00:00Z"], "over already"),
        (&["add", "x", "--owner", ""], "owner"),
    ] {
        let done = token(&sandbox, arguments).exits(2);
        assert!(done.stderr.contains(expected), "{arguments:?}: {}", done.stderr);
    }
    assert!(!sandbox.path(".contexture/data/tokens.json").exists());
}
