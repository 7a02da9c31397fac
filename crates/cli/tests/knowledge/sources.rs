//! Packs that are made of a source and kept in step with it (MA-4, MA-5).

use super::packs::keys;
use crate::support::Sandbox;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Lines};
use std::process::{Child, ChildStdout, Command};

fn add(sandbox: &Sandbox, more: &[&str]) -> crate::support::Done {
    sandbox.run([&["knowledge", "add", "fish", "--json"], more].concat())
}

fn sync(sandbox: &Sandbox) -> crate::support::Done {
    sandbox.run(["knowledge", "sync", "fish", "--json"])
}

fn counts(report: &serde_json::Value) -> [u64; 4] {
    ["added", "changed", "removed", "unchanged"].map(|name| report[name].as_u64().unwrap())
}

#[test]
fn ma_4_pack_is_made_of_folder_synced_and_searched() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/care.md", "# Care\n\nFeed the zebrafish twice a day.\n");
    sandbox.write("docs/logo.png", b"\x89PNG");
    let done = add(&sandbox, &["--from", "docs"]).exits(0).json();
    assert_eq!(
        keys(&done),
        [
            "added",
            "changed",
            "failed",
            "packs",
            "read",
            "removed",
            "sections",
            "skipped",
            "unchanged"
        ]
    );
    assert_eq!((&done["read"], &done["sections"]), (&json!(["care.md"]), &json!(1)));
    assert_eq!(done["skipped"][0]["path"], "logo.png");
    let _ = sandbox.run(["knowledge", "validate", "fish"]).exits(0);

    sandbox.write("docs/tank.txt", "Sixty litres for a school of ten.\n");
    assert_eq!(counts(&sync(&sandbox).exits(0).json()), [1, 0, 0, 1]);
    assert_eq!(counts(&add(&sandbox, &["--from", "docs"]).exits(0).json()), [0, 0, 0, 2]);
    let asked = ["knowledge", "resolve-context", "--pack", "fish", "--query"];
    let found = sandbox.run([&asked[..], &["How many litres for the school?"]].concat()).exits(0);
    assert!(found.stdout.contains("Sixty litres"), "{}", found.stdout);

    let shown = sandbox.run(["knowledge", "sync"]).exits(0).says("skipped `logo.png`");
    assert_eq!(shown.stdout, "fish  2 sections of 2 files: 2 unchanged\n");
    std::fs::rename(sandbox.path("docs"), sandbox.path("gone")).unwrap();
    let failed = sync(&sandbox).exits(1).json();
    assert_eq!(failed["error"]["code"], "KN5001");
    assert_eq!(sandbox.read(".agents/knowledge/fish/wiki/tank.txt").len(), 34);
}

#[test]
fn ma_4_wrong_use_of_sources_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/care.md", "# Care\n");
    for wrong in [&["--from", "docs", "--replace"][..], &["--from"], &["--description", "x"]] {
        let _ = add(&sandbox, wrong).exits(2);
    }
    let _ = add(&sandbox, &["--from", "none"]).exits(1);
    assert!(!sandbox.path(".agents/knowledge/fish").exists());
    let _ = sandbox.run(["knowledge", "new", "fish"]).exits(0);
    assert_eq!(add(&sandbox, &["--from", "docs"]).exits(2).json()["error"]["code"], "KN5003");
    assert_eq!(sync(&sandbox).exits(2).json()["error"]["code"], "KN5003");
    let _ = sandbox.run(["knowledge", "sync", "none"]).exits(2);
    let _ = sandbox.run(["knowledge", "sync"]).exits(0).says("no pack stands on a source");
}

#[test]
fn ma_4_source_outside_the_project_is_read_when_a_person_named_it() {
    let sandbox = Sandbox::new();
    sandbox.write("site/contexture.toml", "");
    sandbox.write("docs/care.md", "# Care\n\nFeed.\n");
    let root = ["--root", "site"];
    let run = |arguments: &[&str]| sandbox.run([arguments, &root, &["--json"]].concat());
    let _ = run(&["knowledge", "add", "fish", "--from", "docs"]).exits(0);
    let _ = run(&["knowledge", "sync", "fish"]).exits(0);

    // The project comes to a computer where nobody named the source.
    let record = sandbox.path("../home/.contexture/approvals.json");
    std::fs::remove_file(record).unwrap();
    sandbox.write("docs/secret.md", "# Secret\n");
    let refused = run(&["knowledge", "sync", "fish"]).exits(2).json();
    assert_eq!(refused["error"]["code"], "KN5008");
    assert!(!sandbox.path("site/.agents/knowledge/fish/wiki/secret.md").exists());
    let all = run(&["knowledge", "sync"]);
    assert_eq!(all.exits(2).json()["error"]["code"], "KN5008");
}

#[test]
fn ma_5_page_is_found_by_the_title_of_its_front_matter() {
    let sandbox = Sandbox::new();
    sandbox
        .write("docs/p1.md", "---\ntitle: Zebrafish care\n---\nTwice a day, in small portions.\n");
    sandbox.write("docs/p2.md", "# Plants\n\nLight for ten hours.\n");
    sandbox.write(
        "docs/p3.html",
        "<html><body><script>var secretword = 1;</script><nav>menu</nav><h1>Pumps</h1>\
         <p>Clean the impeller monthly.</body></html>",
    );
    let _ = add(&sandbox, &["--from", "docs"]).exits(0);
    let ask = |query: &str| {
        let asked = ["knowledge", "resolve-context", "--pack", "fish", "--json", "--query", query];
        sandbox.run(asked).exits(0).json()
    };
    let found = ask("zebrafish care");
    assert_eq!(found["sections"][0]["path"], "wiki/p1.md", "{found}");
    assert_eq!(found["sections"][0]["heading"], "Zebrafish care");
    let found = ask("How often is the impeller cleaned?");
    assert_eq!(found["sections"][0]["path"], "wiki/p3.html.md", "{found}");
    let page = sandbox.read(".agents/knowledge/fish/wiki/p3.html.md");
    assert_eq!(page, "# Pumps\n\nClean the impeller monthly.\n");
}

#[test]
fn ma_4_files_that_are_not_indexed_are_named() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/care.md", "# Care\n\nFeed.\n");
    let _ = add(&sandbox, &["--from", "docs"]).exits(0);
    sandbox.write(".agents/knowledge/fish/documents/scan.pdf", "%PDF-1.4");
    sandbox.write("elsewhere/a.md", "# A\n");
    sandbox.write(".agents/knowledge/fish/notes/stray.md", "# Stray\n");
    let link = sandbox.path(".agents/knowledge/fish/sources");
    std::os::unix::fs::symlink("../../../elsewhere", link).unwrap();
    let done = sandbox.run(["knowledge", "index", "--pack", "fish", "--json"]).exits(0).json();
    let named = &done["packs"][0]["not_indexed"];
    assert_eq!(
        named[0],
        json!({ "path": "documents/scan.pdf", "reason": "`.pdf` files are not texts" })
    );
    assert_eq!(named[1]["path"], "notes/stray.md");
    assert_eq!(named[2]["path"], "sources");
    let shown = sandbox.run(["knowledge", "index", "--pack", "fish"]).exits(0);
    let _ = shown.says("`documents/scan.pdf` is not indexed").says("`sources` is not indexed");
    let checked = sandbox.run(["knowledge", "validate", "fish", "--json"]).exits(0).json();
    let codes: Vec<&str> = checked["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| found["code"].as_str().unwrap())
        .collect();
    assert_eq!(codes, ["KN4016", "KN4001", "KN4014"]);
}

#[test]
fn ma_5_site_root_leads_links_of_a_site_to_pages() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "docs/care.md",
        "# Care\n\n[tank](/en/tank/#size) [blog](/blog/) [gone](/en/gone/)\n",
    );
    sandbox.write("docs/tank/index.mdx", "# Tank\n\n## Size\n\nBig.\n");
    let _ = add(&sandbox, &["--from", "docs", "--site-root", "/en/"]).exits(0);
    let checked = sandbox.run(["knowledge", "validate", "fish", "--json"]).exits(0).json();
    let found = checked["diagnostics"].as_array().unwrap();
    assert_eq!(found.len(), 1, "{checked}");
    assert_eq!((&found[0]["code"], &found[0]["severity"]), (&json!("KN4015"), &json!("warning")));
    let message = found[0]["message"].as_str().unwrap();
    assert!(
        message.starts_with("`/blog/` ") && message.ends_with("; so does 1 other link"),
        "{message}"
    );
}

/// A pack that another process watches; its lines come as they are printed.
struct Watched {
    process: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Watched {
    fn begin(sandbox: &Sandbox) -> Self {
        let arguments = ["knowledge", "add", "fish", "--from", "docs", "--watch", "--json"];
        let mut process = sandbox.contexture(arguments).spawn().unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        Self { process, lines }
    }

    fn next(&mut self) -> Value {
        serde_json::from_str(&self.lines.next().unwrap().unwrap()).unwrap()
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn ma_4_watch_prints_line_for_each_sync_until_ctrl_c() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/care.md", "# Care\n");
    let mut watched = Watched::begin(&sandbox);
    let first = watched.next();
    assert_eq!((counts(&first), &first["read"]), ([1, 0, 0, 0], &json!(["care.md"])));
    sandbox.write("docs/tank.md", "# Tank\n");
    assert_eq!(counts(&watched.next()), [1, 0, 0, 1]);
    assert_eq!(sandbox.read(".agents/knowledge/fish/wiki/tank.md"), "# Tank\n");
    sandbox.write("docs/tank.md", "# Tank\n\nAt least 60 litres.\n");
    assert_eq!(counts(&watched.next()), [0, 1, 0, 1]);
    sandbox.write("docs/logo.png", "png");
    assert_eq!(watched.next()["skipped"][0]["path"], "logo.png");

    std::fs::rename(sandbox.path("docs"), sandbox.path("gone")).unwrap();
    assert_eq!(watched.next()["failed"][0]["code"], "KN5001");
    std::fs::rename(sandbox.path("gone"), sandbox.path("docs")).unwrap();
    assert_eq!(counts(&watched.next()), [0, 0, 0, 2]);

    let process = watched.process.id().to_string();
    assert!(Command::new("kill").args(["-INT", &process]).status().unwrap().success());
    assert_eq!(watched.process.wait().unwrap().code(), Some(0));
    assert!(watched.lines.next().is_none());
}

#[test]
fn ma_4_watch_of_address_or_archive_is_refused() {
    let sandbox = Sandbox::new();
    let refused = add(&sandbox, &["--from", "https://example.com/docs/", "--watch"]).exits(2);
    let error = refused.json()["error"].clone();
    assert_eq!(error["code"], "KN5007");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("`https://example.com/docs/` is an address"), "{message}");
    let _ = add(&sandbox, &["--watch"]).exits(2).says("--from");
}
