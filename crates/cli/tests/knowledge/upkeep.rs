//! Making packs, checking them, measuring them, adding those of others.

use super::packs::{age, keys, knowledge, list, manifest, names, pack, sandbox};
use crate::support::Sandbox;
use serde_json::{Value, json};
use std::os::unix::fs::symlink;

#[test]
fn kn_17_new_pack_of_each_profile_is_valid() {
    for profile in ["document-first", "wiki-first", "hybrid"] {
        let sandbox = Sandbox::new();
        std::fs::create_dir(sandbox.path("site")).unwrap();
        let done = knowledge(&sandbox, &["new", "our-handbook", "--profile", profile, "--json"]);
        let done = done.exits(0).json();
        assert_eq!(keys(&done), ["files", "name", "root"]);
        let listed = list(&sandbox);
        assert_eq!(names(&listed), ["our-handbook"]);
        assert_eq!(listed["packs"][0]["profile"], profile);
        assert_eq!(listed["packs"][0]["status"], "draft");
        let checked = knowledge(&sandbox, &["validate", "our-handbook", "--json"]).exits(0).json();
        assert_eq!((&checked["ok"], &checked["packs"][0]["errors"]), (&json!(true), &json!(0)));
        let again = knowledge(&sandbox, &["new", "our-handbook"]).exits(2);
        let _ = again.says("already there");
    }
}

#[test]
fn kn_17_new_pack_has_given_properties() {
    let sandbox = Sandbox::new();
    let about = "Facts: \"prices\" & <b> wording\nof it # all";
    let _ = sandbox
        .run(["knowledge", "new", "widget", "--description", about, "--type", "custom:widgets"])
        .exits(0)
        .says("contexture knowledge validate widget");
    let item = sandbox.run(["knowledge", "read-properties", "widget"]).exits(0).json();
    assert_eq!((&item["description"], &item["type"]), (&json!(about), &json!("custom:widgets")));
    let _ = sandbox.run(["knowledge", "new", "mine", "--scope", "user"]).exits(0);
    assert!(sandbox.path("../home/.agents/knowledge/mine/KNOWLEDGE.md").is_file());
    for bad in ["../out", "A", "a b", "a/b", "", "-x", "知识"] {
        let done = sandbox.run(["knowledge", "new", "--json", "--", bad]).exits(2);
        assert!(done.json()["error"]["message"].is_string(), "{bad}");
    }
    assert!(!sandbox.path("../out").exists());
}

#[test]
fn kn_17_validate_exits_1_with_errors() {
    let sandbox = sandbox();
    let good = knowledge(&sandbox, &["validate", "acme-product-brief", "--json"]).exits(0).json();
    assert_eq!(keys(&good), ["diagnostics", "ok", "packs", "status"]);
    assert_eq!(good["ok"], true, "{good}");

    let file = "site/.agents/knowledge/acme-product-brief/compiled/briefing.md";
    sandbox.write(file, "# 概要\n\n没有这个来源。[source: documents/none.md#x]\n");
    let bad = knowledge(&sandbox, &["validate", "acme-product-brief", "--json"]).exits(1).json();
    assert_eq!(bad["ok"], false);
    let told = bad["diagnostics"].as_array().unwrap();
    assert!(told.iter().any(|one| one["path"].as_str().unwrap().ends_with("briefing.md")), "{bad}");
    let shown = knowledge(&sandbox, &["validate"]).exits(1);
    assert!(shown.stdout.starts_with("error    acme-product-brief  "), "{}", shown.stdout);
    let _ = shown.says("briefing.md:3");

    // Packs that can't be used at all can be checked by name and by path.
    let _ = pack(&sandbox, "broken", "---\nname: [\n---\n", "text");
    for target in ["broken", "./site/.agents/knowledge/broken"] {
        let done = knowledge(&sandbox, &["validate", target, "--json"]).exits(1).json();
        assert_eq!(done["diagnostics"][0]["code"], "KN1105", "{done}");
    }
    let _ = knowledge(&sandbox, &["validate", "none"]).exits(2);
    for target in ["./none", "site/.agents/knowledge/acme-product-brief/compiled/briefing.md"] {
        let _ = knowledge(&sandbox, &["validate", target]).exits(1);
    }
    sandbox.write("empty/a.md", "");
    let _ = sandbox.run(["knowledge", "validate", "./empty"]).exits(1);
}

#[test]
fn kn_17_records_are_checked_against_their_schemas() {
    let sandbox = sandbox();
    let map = "site/.agents/knowledge/acme-product-brief/indexes/source-map.json";
    sandbox.write(map, "{\"claims\": 7}");
    let bad = sandbox.run(["knowledge", "validate-run", map, "--json"]).exits(1).json();
    assert_eq!((&bad["ok"], &bad["kind"]), (&json!(false), &json!("source-map")));
    assert!(bad["diagnostics"][0]["message"].is_string(), "{bad}");
    for (file, text, code) in
        [("a.json", "{", 2), ("b.json", "[1, 2]", 1), ("c.json", "{}", 1), ("d.json", "", 2)]
    {
        sandbox.write(file, text);
        let done = sandbox.run(["knowledge", "validate-run", file]);
        assert_eq!(done.code, Some(code), "{file}: {done:?}");
    }
    let _ = sandbox.run(["knowledge", "validate-run", "none.json"]).exits(2);
    let query = ["resolve-context", "--pack", "acme-product-brief", "--query", "标准版多少钱"];
    let _ = knowledge(&sandbox, &query).exits(0);
    let log = sandbox.run(["knowledge", "validate-run", "site/.contexture/usage.jsonl"]).exits(0);
    assert!(log.stdout.starts_with("ok  usage, 1 record"), "{}", log.stdout);
}

#[test]
fn kn_17_evals_measure_selection() {
    let sandbox = sandbox();
    let cases = json!({
        "pack_name": "acme-product-brief",
        "cases": [
            { "id": "price", "prompt": "Acme Widget 的产品价格是多少?", "expected": "select" },
            { "id": "song", "prompt": "Sing happy birthday.", "expected": "reject" },
        ],
    });
    sandbox.write("cases.json", cases.to_string());
    let done = knowledge(&sandbox, &["eval", "cases.json", "--json"]).exits(0).json();
    assert_eq!(done["ok"], true, "{done}");
    for figure in ["precision", "recall", "warning_accuracy"] {
        assert_eq!(done["summary"][figure], 1.0, "{done}");
    }
    let shown = knowledge(&sandbox, &["eval", "cases.json"]).exits(0).stdout;
    assert!(shown.contains("2 of 2 cases passed · precision 1.00 · recall 1.00"), "{shown}");
    sandbox.write("wrong.json", cases.to_string().replace("reject", "select"));
    let done = knowledge(&sandbox, &["eval", "wrong.json", "--json"]).exits(1).json();
    assert_eq!((&done["ok"], &done["summary"]["recall"]), (&json!(false), &json!(0.5)));
    sandbox.write("other.json", cases.to_string().replace("acme-product-brief", "none"));
    for file in ["other.json", "none.json"] {
        let _ = knowledge(&sandbox, &["eval", file]).exits(2);
    }
}

#[test]
fn kn_17_index_reports_counts_and_follows_changes() {
    let sandbox = sandbox();
    age(&sandbox.path("site/.agents"));
    let index = |more: &[&str]| {
        let done = knowledge(&sandbox, &[&["index", "--json"], more].concat()).exits(0).json();
        done["packs"][0].clone()
    };
    let first = index(&[]);
    assert_eq!(first["pack"], "acme-product-brief");
    assert!(first["sections"].as_u64().unwrap() >= 6, "{first}");
    assert_eq!(first["read"], first["files"]);
    assert!(first["folder"].as_str().unwrap().contains(".contexture/cache/knowledge"), "{first}");
    assert_eq!(index(&[])["read"], 0);
    sandbox.write(
        "site/.agents/knowledge/acme-product-brief/compiled/briefing.md",
        "# 概要\n\n新的。\n",
    );
    assert_eq!(index(&[])["read"], 1);
    assert_eq!(index(&["--rebuild"])["read"], first["files"]);
    let _ = pack(&sandbox, "new", &manifest("new", "draft", ""), "# A\n\nText.\n");
    let both = knowledge(&sandbox, &["index", "--json"]).exits(0).json();
    assert_eq!(both["skipped"][0]["pack"], "new", "{both}");
    let _ = knowledge(&sandbox, &["index", "--pack", "new"]).exits(2).says("--allow-pack");
}

/// Packs `site/.agents/knowledge/acme-product-brief` into an archive.
fn archive(sandbox: &Sandbox, name: &str) {
    let line = format!("tar czf {name} -C site/.agents/knowledge acme-product-brief");
    let _ = sandbox.sh(&line).exits(0);
}

#[test]
fn kn_16_archive_is_added_to_project_or_user() {
    let sandbox = sandbox();
    archive(&sandbox, "acme.tar.gz");
    std::fs::create_dir(sandbox.path("other")).unwrap();
    let add = |more: &[&str]| {
        sandbox.run([&["knowledge", "add", "acme.tar.gz", "--root", "other"], more].concat())
    };
    let done = add(&["--json"]).exits(0).json();
    assert_eq!(done["packs"][0]["name"], "acme-product-brief", "{done}");
    let listed = sandbox.run(["knowledge", "list", "--root", "other", "--json"]).exits(0).json();
    assert_eq!(names(&listed), ["acme-product-brief"]);
    let _ = add(&[]).exits(2).says("--replace");
    let _ = add(&["--replace"]).exits(0);
    let _ = add(&["--scope", "user"]).exits(0);
    assert!(sandbox.path("../home/.agents/knowledge/acme-product-brief/KNOWLEDGE.md").is_file());
}

#[test]
fn kn_16_folder_as_archive_is_refused_with_command_to_make_one() {
    let sandbox = sandbox();
    let folder = "site/.agents/knowledge/acme-product-brief";
    let _ = sandbox.run(["knowledge", "add", folder]).exits(2).says("is a folder").says("tar czf");
    let done = sandbox.run(["knowledge", "add", folder, "--json"]).exits(2).json();
    assert_eq!(done["error"]["code"], "KN3001");
    assert!(!sandbox.path(".agents").exists(), "nothing is made for what can't be added");
    let _ = sandbox.run(["knowledge", "add", "gone.tar.gz"]).exits(2).says("gone.tar.gz");
    let _ = sandbox.sh(&format!("tar czf packs.tar.gz -C {folder} .")).exits(0);
    let done = sandbox.run(["knowledge", "add", "packs.tar.gz", "--json"]).exits(0).json();
    assert_eq!(done["packs"][0]["name"], "acme-product-brief");
}

#[test]
fn kn_16_malicious_archive_leaves_no_files() {
    let sandbox = sandbox();
    sandbox.write("evil/acme/KNOWLEDGE.md", manifest("acme", "ready", ""));
    symlink("/etc/passwd", sandbox.path("evil/acme/passwd")).unwrap();
    let _ = sandbox.sh("tar czf link.tar.gz -C evil acme").exits(0);
    std::fs::remove_file(sandbox.path("evil/acme/passwd")).unwrap();
    let _ = sandbox.sh("tar czf up.tar.gz -C evil --transform 's,^acme,../out,' -P acme").exits(0);
    let _ = sandbox
        .sh("tar czf root.tar.gz -P --transform 's,^evil,/tmp/contexture-evil,' evil")
        .exits(0);
    sandbox.write("none/readme.md", "no pack");
    let _ = sandbox.sh("tar czf empty.tar.gz -C none readme.md").exits(0);
    let _ = sandbox.sh("head -c 3000000000 /dev/zero | gzip -1 > bomb.tar.gz").exits(0);
    sandbox
        .write("rubbish.tar.gz", "rubbish")
        .write("rubbish.zip", "PK rubbish")
        .write("a.rar", "x");
    std::fs::create_dir(sandbox.path("other")).unwrap();
    let archives = [
        "link.tar.gz",
        "up.tar.gz",
        "root.tar.gz",
        "empty.tar.gz",
        "bomb.tar.gz",
        "rubbish.tar.gz",
        "rubbish.zip",
        "a.rar",
        "none.zip",
    ];
    for archive in archives {
        let done = sandbox.run(["knowledge", "add", archive, "--root", "other", "--json"]);
        assert!(matches!(done.code, Some(1 | 2)), "{archive}: {done:?}");
        let error = &done.json()["error"];
        assert!(error["code"].is_string() && error["message"].is_string(), "{archive}: {error}");
        let listed =
            sandbox.run(["knowledge", "list", "--root", "other", "--json"]).exits(0).json();
        assert_eq!(listed["packs"], Value::Array(Vec::new()), "{archive}");
    }
    assert!(!sandbox.path("out").exists() && !sandbox.path("other/out").exists());
    assert!(!std::path::Path::new("/tmp/contexture-evil").exists());
}

/// The path of the pack of the sandbox.
const PACK: &str = "site/.agents/knowledge/acme-product-brief";

#[test]
fn ma_6_commands_take_path_of_pack_where_they_take_name() {
    let sandbox = sandbox();
    // A second pack of that name elsewhere: the path says which one is meant.
    let copy = "elsewhere/acme-product-brief";
    std::fs::create_dir_all(sandbox.path(copy)).unwrap();
    let guide = std::fs::read_to_string(sandbox.path(format!("{PACK}/KNOWLEDGE.md"))).unwrap();
    sandbox.write(format!("{copy}/KNOWLEDGE.md"), guide);
    sandbox.write(format!("{copy}/compiled/briefing.md"), "# 价格\n\n标准版每月 77 元。\n");
    let run = |arguments: &[&str]| sandbox.run([&["knowledge"], arguments].concat());
    let query = ["--query", "标准版多少钱", "--max", "2k"];
    for target in [vec![copy], vec!["--pack", copy]] {
        let asked = run(&[&["resolve-context"], &target[..], &query[..], &["--json"]].concat());
        let asked = asked.exits(0).json();
        assert!(asked["context"].as_str().unwrap().contains("77 元"), "{asked}");
    }
    let guide = run(&["activate", copy, "--json"]).exits(0).json();
    assert!(guide["pack_root"].as_str().unwrap().ends_with(copy), "{guide}");
    let catalog = run(&["to-catalog", copy, "--format", "json"]).exits(0).json().to_string();
    assert_eq!(catalog.matches("\"name\":\"acme-product-brief\"").count(), 1, "{catalog}");
    let index = run(&["index", "--pack", copy, "--json"]).exits(0).json();
    assert_eq!(index["packs"][0]["files"], 1, "{index}");
    let _ = run(&["usage", "--pack", copy, "--json"]).exits(0);
    for command in ["activate", "to-catalog", "resolve-context"] {
        let more = if command == "resolve-context" { &query[..] } else { &[] };
        for missing in ["./none", "./elsewhere"] {
            let _ = run(&[&[command, missing], more].concat()).exits(2);
        }
    }
}

#[test]
fn ma_6_eval_takes_pack_by_path_and_suite_relative_to_it() {
    let sandbox = sandbox();
    let suite = json!({ "pack_name": "acme-product-brief", "cases": [
        { "id": "song", "prompt": "Sing happy birthday.", "expected": "reject" } ] });
    sandbox.write(format!("{PACK}/evals/own.json"), suite.to_string());
    let run = |suite: &str| sandbox.run(["knowledge", "eval", PACK, "--suite", suite, "--json"]);
    assert_eq!(run("evals/own.json").exits(0).json()["summary"]["passed"], 1);
    let _ = run("evals/none.json").exits(2);
    sandbox.write(format!("{PACK}/evals/own.json"), suite.to_string().replace("reject", "select"));
    let _ = run("evals/own.json").exits(1);
}

#[test]
fn ma_8_eval_of_questions_reports_recall_beside_bm25() {
    let sandbox = sandbox();
    let questions = json!({ "pack_name": "acme-product-brief", "language": "zh", "questions": [
        { "id": "price", "kind": "words", "query": "标准版多少钱", "answers": ["标准版每月 29 元"] },
        { "id": "off", "kind": "off-topic", "query": "红烧肉怎么炖?" } ] });
    sandbox.write(format!("{PACK}/evals/questions.json"), questions.to_string());
    let run = |more: &[&str]| {
        let start = ["knowledge", "eval", PACK, "--suite", "evals/questions.json"];
        sandbox.run([&start[..], more].concat())
    };
    let done = run(&["--json"]).exits(0).json();
    assert_eq!((&done["ok"], &done["rows"][0]["questions"]), (&json!(true), &json!(1)));
    assert_eq!(done["rows"][0]["resolver"]["answer_recall"], 1.0, "{done}");
    assert!(done["rows"][0]["bm25"]["answer_recall"].is_number(), "{done}");
    assert!(run(&[]).exits(0).stdout.contains("BM25: sections"));
}

#[test]
fn ma_10_search_prints_hits_best_first() {
    let sandbox = sandbox();
    let found = knowledge(&sandbox, &["search", "标准版多少钱", "--json"]).exits(0).json();
    let first = &found["hits"][0];
    assert_eq!(keys(first), ["anchor", "heading", "pack", "path", "score", "text"]);
    assert_eq!(found["warnings"], json!([]), "{found}");
    assert_eq!(first["path"], "compiled/splits/product-brief/pricing.md", "{found}");
    assert!(first["text"].as_str().unwrap().contains("29 元"), "{first}");
    assert!(
        first["anchor"].as_str().unwrap().starts_with("compiled/splits/product-brief/pricing.md#L")
    );
    let shown = knowledge(&sandbox, &["search", "标准版多少钱", "--limit", "1"]).exits(0);
    assert_eq!(shown.stdout.lines().count(), 2, "{}", shown.stdout);
    let _ = knowledge(&sandbox, &["search", "足球比赛", "--json"]).exits(0).says("");
    let settings = "[knowledge]\nembedder = \"openai+http://127.0.0.1:1/v1/m\"\n";
    sandbox.write("site/contexture.toml", settings);
    let told = "the embedder `openai+http://127.0.0.1:1/v1/m` failed: ";
    let _ = knowledge(&sandbox, &["search", "标准版多少钱"]).exits(0).says(told);
    let found = knowledge(&sandbox, &["search", "标准版多少钱", "--json"]).exits(0).json();
    assert!(found["warnings"][0].as_str().unwrap().contains(told), "{found}");
    for bad in [["search", ""], ["search", "--limit=0"]] {
        let _ = knowledge(&sandbox, &bad).exits(2);
    }
}
