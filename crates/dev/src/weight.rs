//! `cargo dev weight`: what the product weighs, beside its limits.

mod lines;

use crate::generated::root;
use crate::usage;
use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{fs, io};
use tempfile::TempDir;

pub(crate) type Measured<T> = Result<T, String>;

/// Lines of Rust by the rule of [`lines`] before weight was limited.
const LINES_BEFORE: usize = 159_948;
const PROGRAM: &str = "examples/summarize_file.as";
const INPUT: &str = r#"{"path":"README.md"}"#;
const HELLO: &str = "main func(input) { \"hello\" }\n";

/// A row of the table.
struct Row {
    what: &'static str,
    before: String,
    now: String,
    limit: String,
}

impl Row {
    fn new(what: &'static str, before: &str, now: String, limit: &str) -> Self {
        Self { what, before: before.to_owned(), now, limit: limit.to_owned() }
    }
}

/// Answers `cargo dev weight` with `arguments`.
pub(crate) fn run(arguments: &[&str]) -> Option<Measured<Vec<String>>> {
    match arguments {
        [] => Some(table(false)),
        ["--build"] => Some(table(true)),
        _ => None,
    }
}

fn table(with_build: bool) -> Measured<Vec<String>> {
    let mut rows = binary()?;
    rows.extend(packages()?);
    rows.push(rust()?);
    if with_build {
        rows.extend(build()?);
    }
    let mut table = vec!["| | before | now | limit |".to_owned(), "|---|---|---|---|".to_owned()];
    table.extend(
        rows.iter()
            .map(|row| format!("| {} | {} | {} | {} |", row.what, row.before, row.now, row.limit)),
    );
    Ok(table)
}

/// Builds the binary that is shipped and returns its path.
pub(crate) fn shipped() -> Measured<PathBuf> {
    cargo(&["build", "--release", "--package", "contexture-cli"], &[])?;
    Ok(target().join("release").join("contexture"))
}

/// Measures the shipped binary and two runs of it.
fn binary() -> Measured<Vec<Row>> {
    let binary = shipped()?;
    let size = fs::metadata(&binary).map_err(|e| format!("{}: {e}", binary.display()))?.len();
    let project = project().map_err(|e| e.to_string())?;
    let program = binary.to_string_lossy();
    let peak = |arguments: &[&str]| {
        let command = [&[program.as_ref(), "run", "--quiet"], arguments].concat();
        usage::measure(&command, project.path(), &[]).map(|usage| mega(usage.peak_bytes))
    };
    Ok(vec![
        Row::new("shipped binary", "118 MB", mega(size), "40 MB, at most 45"),
        Row::new(
            "memory of a run that counts tokens",
            "87 MB",
            peak(&[PROGRAM, "--input", INPUT])?,
            "25 MB",
        ),
        Row::new("memory of a run that says hello", "17 MB", peak(&["hello.as"])?, ""),
    ])
}

/// Counts the packages of `cargo tree`.
fn packages() -> Measured<Vec<Row>> {
    let count = |arguments: &[&str]| -> Measured<String> {
        let tree = ["tree", "--edges", "normal", "--prefix", "none", "--package"];
        let listed = cargo(&[&tree, arguments].concat(), &[])?;
        let names: BTreeSet<&str> =
            listed.lines().map(|line| line.trim_end_matches(" (*)")).collect();
        Ok(names.len().to_string())
    };
    Ok(vec![
        Row::new(
            "packages, library without features",
            "398",
            count(&["contexture", "--no-default-features"])?,
            "120",
        ),
        Row::new("packages, library", "398", count(&["contexture"])?, "300"),
        Row::new("packages, binary", "452", count(&["contexture-cli"])?, "400"),
    ])
}

fn rust() -> Measured<Row> {
    let now = lines::count(&root()).map_err(|e| e.to_string())?;
    let limit = LINES_BEFORE * 95 / 100;
    let what = "lines of Rust without tests and contract suites";
    Ok(Row::new(what, &LINES_BEFORE.to_string(), now.to_string(), &limit.to_string()))
}

/// Runs the README's two commands with an empty target folder; the tests are built and not run.
fn build() -> Measured<Vec<Row>> {
    let target = tempfile::tempdir().map_err(|e| e.to_string())?;
    let environment = [("CARGO_TARGET_DIR", target.path())];
    let first = ["cargo", "run", "--quiet", "--", "run", PROGRAM, "--input", INPUT, "--quiet"];
    let usage = usage::measure(&first, &root(), &environment)?;
    cargo(&["test", "--workspace", "--no-run", "--quiet"], &environment)?;
    let size = size(target.path(), &mut BTreeSet::new()).map_err(|e| e.to_string())?;
    let seconds = |time: std::time::Duration| format!("{} s", time.as_secs());
    Ok(vec![
        Row::new(
            "README's first command from nothing",
            "296 s",
            seconds(usage.wall),
            "150 s on two idle cores",
        ),
        Row::new("the same, processor time", "511 s", seconds(usage.processor), "280 s"),
        Row::new("target after both of README's commands", "", mega(size), "4,000 MB"),
    ])
}

/// Runs cargo in the repository and returns what it prints.
fn cargo(arguments: &[&str], environment: &[(&str, &Path)]) -> Measured<String> {
    let output = Command::new("cargo")
        .args(arguments)
        .current_dir(root())
        .envs(environment.iter().copied())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|e| format!("cargo: {e}"))?;
    if !output.status.success() {
        return Err(format!("cargo {}: {}", arguments.join(" "), output.status));
    }
    String::from_utf8(output.stdout).map_err(|e| e.to_string())
}

fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// Makes a folder with the two programs and what they read.
fn project() -> io::Result<TempDir> {
    let folder = tempfile::tempdir()?;
    fs::create_dir(folder.path().join("examples"))?;
    for file in [PROGRAM, "README.md"] {
        fs::copy(root().join(file), folder.path().join(file))?;
    }
    fs::write(folder.path().join("hello.as"), HELLO)?;
    Ok(folder)
}

/// Adds up the files below `folder`; one with several names counts once.
fn size(folder: &Path, seen: &mut BTreeSet<u64>) -> io::Result<u64> {
    let mut total = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let about = entry.metadata()?;
        if about.is_dir() {
            total += size(&entry.path(), seen)?;
        } else if seen.insert(about.ino()) {
            total += about.len();
        }
    }
    Ok(total)
}

fn mega(bytes: u64) -> String {
    let tenths = bytes / 100_000;
    format!("{}.{} MB", tenths / 10, tenths % 10)
}
