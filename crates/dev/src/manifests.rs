//! The rules of the manifests: metadata of each crate, one stated version of Rust, a changelog.

use crate::generated::root;
use std::fs;

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The value of a string field of the workspace's package table.
fn of_workspace(field: &str) -> String {
    let manifest = read("Cargo.toml");
    let (_, table) = manifest.split_once("[workspace.package]\n").unwrap();
    let line = table.lines().find(|line| line.starts_with(&format!("{field} = "))).unwrap();
    line.split('"').nth(1).unwrap().to_owned()
}

#[test]
fn every_crate_has_its_metadata() {
    let shared =
        ["version", "edition", "rust-version", "license", "readme", "keywords", "categories"];
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let manifest = read(&format!("crates/{name}/Cargo.toml"));
        for field in shared {
            assert!(manifest.contains(&format!("\n{field}.workspace = true\n")), "{name}: {field}");
        }
        assert!(manifest.contains("\ndescription = \""), "{name}: description");
    }
}

#[test]
fn documents_state_the_minimum_version_of_rust() {
    let version = format!("Rust {}", of_workspace("rust-version"));
    for document in ["README.md", "CONTRIBUTING.md", "docs/quickstart.md"] {
        assert!(read(document).contains(&version), "{document}: {version}");
    }
}

#[test]
fn changelog_describes_the_version_and_what_follows_it() {
    let changelog = read("CHANGELOG.md");
    assert!(changelog.contains("\n## Unreleased\n"));
    assert!(changelog.contains(&format!("\n## {} - ", of_workspace("version"))));
}
