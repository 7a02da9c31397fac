//! `ARCHITECTURE.md` names every crate, what it depends on, and every library.
//!
//! Decision: the document is written by hand, so that it gives reasons; a test compares it with the
//! manifests, so that it stays true.

use crate::generated::root;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

type Names = BTreeSet<String>;

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The names of the entries of a section of a manifest.
fn section(manifest: &str, name: &str) -> Names {
    let head = format!("[{name}]");
    let lines = manifest.lines().skip_while(|line| **line != *head).skip(1);
    lines
        .take_while(|line| !line.starts_with('['))
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split(['.', ' ', '=']).next())
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The crates of ours with what each depends on of ours.
fn crates() -> BTreeMap<String, Names> {
    let folders = fs::read_dir(root().join("crates")).unwrap();
    let names = folders.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names
        .map(|name| {
            let manifest = read(&format!("crates/{name}/Cargo.toml"));
            let all = section(&manifest, "dependencies");
            let ours = all.iter().filter_map(|name| match name.as_str() {
                "contexture" => Some(name.clone()),
                other => other.strip_prefix("contexture-").map(str::to_owned),
            });
            (name, ours.collect())
        })
        .collect()
}

/// The arrows of the document: `a, b → c (why), d`.
fn arrows(document: &str) -> BTreeMap<String, Names> {
    let (_, rest) = document.split_once("Arrows run downwards only").unwrap();
    let block = rest.split("```").nth(1).unwrap();
    let lines = block.lines().filter_map(|line| line.split_once('→'));
    lines
        .flat_map(|(from, to)| {
            let mut bare = String::new();
            for (at, part) in to.split(['(', ')']).enumerate() {
                if at % 2 == 0 {
                    bare.push_str(part);
                }
            }
            let names = |text: &str| text.split(',').map(|name| name.trim().to_owned()).collect();
            let to: Names = if to.trim() == "none of ours" { Names::new() } else { names(&bare) };
            let from: Names = names(from);
            from.into_iter().map(move |from| (from, to.clone())).collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn the_document_names_each_crate_and_what_it_depends_on() {
    let document = read("ARCHITECTURE.md");
    let crates = crates();
    for name in crates.keys() {
        assert!(document.contains(&format!("\n| `{name}` | ")), "no row in The house: {name}");
    }
    assert_eq!(arrows(&document), crates);
}

#[test]
fn ho_7_files_that_document_names_exist() {
    let document = read("ARCHITECTURE.md");
    let (_, rest) = document.split_once("## To add a …").unwrap();
    let quoted = rest.split('`').skip(1).step_by(2);
    let roots = ["crates/", "docs/", "examples/", "clients/"];
    let paths: Vec<&str> =
        quoted.filter(|text| roots.iter().any(|root| text.starts_with(root))).collect();
    assert!(paths.len() > 40, "{paths:?}");
    let missing: Vec<&&str> = paths.iter().filter(|path| !root().join(path).exists()).collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md names files that do not exist: {missing:?}");
}

#[test]
fn the_document_names_each_library() {
    let document = read("ARCHITECTURE.md");
    let all = section(&read("Cargo.toml"), "workspace.dependencies");
    let missing: Vec<&String> = all
        .iter()
        .filter(|name| !name.starts_with("contexture") && !document.contains(&format!("`{name}`")))
        .collect();
    assert!(missing.is_empty(), "no line in Libraries: {missing:?}");
}
