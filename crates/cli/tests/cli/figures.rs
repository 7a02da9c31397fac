//! The tables of `docs/figures.md` that evals of the repository give (EV-8).

use crate::support::{Sandbox, copy, repository};

/// A file of tests, from the folder that it runs in, and the mark before its table.
const TABLES: [(&str, &str); 4] = [
    ("retrieval.test.yaml", "crates/knowledge/tests/packs/retrieval.test.yaml"),
    ("off-topic.test.yaml", "crates/knowledge/tests/packs/off-topic.test.yaml"),
    ("bench/evals/cuts.test.yaml", "bench/evals/cuts.test.yaml"),
    ("bench/evals/conversation.test.yaml", "bench/evals/conversation.test.yaml"),
];

/// Returns a document with the table after a mark replaced.
fn with_table(document: &str, mark: &str, table: &str) -> String {
    let (before, after) = document.split_once(mark).unwrap_or_else(|| panic!("no {mark}"));
    let rest = after.trim_start().lines().skip_while(|line| line.starts_with('|'));
    let rest: String = rest.map(|line| format!("{line}\n")).collect();
    format!("{before}{mark}\n\n{table}\n{}", rest.trim_start_matches('\n'))
}

/// With `CONTEXTURE_FIGURES=write` in the environment the tables are written.
#[test]
fn ev_8_tables_of_figures_are_those_of_evals() {
    let sandbox = Sandbox::new();
    copy(&repository().join("crates/knowledge/tests/packs"), &sandbox.path(""));
    copy(&repository().join("bench/evals"), &sandbox.path("bench/evals"));
    for text in ["LICENSE-APACHE", "docs/security.md"] {
        sandbox.write(text, std::fs::read(repository().join(text)).unwrap());
    }
    for pack in ["qinghe-tea-machine", "harbor-bikes-operations", "breeze-one-monitor"] {
        let _ = sandbox.run(["knowledge", "allow", pack]).exits(0);
    }
    let file = repository().join("docs/figures.md");
    let document = std::fs::read_to_string(&file).unwrap();
    let mut fresh = document.clone();
    for (eval, name) in TABLES {
        // What is not found is what the figure is about.
        let report = sandbox.run(["test", eval, "--markdown"]).exits(1).stdout;
        let lines = report.lines().skip_while(|line| !line.starts_with("| Variant"));
        let lines = lines.take_while(|line| line.starts_with('|'));
        let table: String = lines.map(|line| format!("{line}\n")).collect();
        assert!(table.lines().count() > 3, "{report}");
        fresh = with_table(&fresh, &format!("<!-- contexture test {name} --markdown -->"), &table);
    }
    if std::env::var_os("CONTEXTURE_FIGURES").is_some_and(|word| word == "write") {
        std::fs::write(&file, &fresh).unwrap();
    }
    let written = std::fs::read_to_string(&file).unwrap();
    assert!(written == fresh, "run this test with CONTEXTURE_FIGURES=write and commit the file");
}
