//! Lines of Rust in `crates/*/src`, without tests and contract suites.
//!
//! Not counted: files and folders named `tests` or `contract`, and each item below a `#[cfg(…)]`
//! that names `test` or `contract`, with the file of such a module.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Counts the lines of the repository at `root`.
pub(super) fn count(root: &Path) -> io::Result<usize> {
    let mut files = Vec::new();
    for entry in fs::read_dir(root.join("crates"))? {
        collect(&entry?.path().join("src"), &mut files)?;
    }
    let mut total = 0;
    let mut tests = BTreeSet::new();
    // A module is declared in a file that sorts before its own: `foo.rs`, then `foo/bar.rs`.
    files.sort_by_key(|path| (path.components().count(), path.clone()));
    for file in files {
        if file.ancestors().any(|part| tests.contains(&part.with_extension(""))) {
            continue;
        }
        let (lines, modules) = shipped(&fs::read_to_string(&file)?);
        let folder = match file.file_stem().and_then(|stem| stem.to_str()) {
            Some("lib" | "main" | "mod") | None => file.parent().unwrap_or(&file).to_path_buf(),
            Some(_) => file.with_extension(""),
        };
        tests.extend(modules.into_iter().map(|module| folder.join(module)));
        total += lines;
    }
    Ok(total)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if matches!(stem, "tests" | "contract") {
            continue;
        }
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

/// Returns how many lines of a file are shipped, and the modules of other files that are not.
fn shipped(text: &str) -> (usize, Vec<String>) {
    let mut modules = Vec::new();
    let mut count = 0;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if !is_for_tests(line) {
            count += 1;
            continue;
        }
        let indent = indent(line);
        let item = lines.by_ref().find(|line| {
            if let Some(module) = module(line) {
                modules.push(module.to_owned());
            }
            self::indent(line) == indent && line.ends_with([';', '}', ','])
        });
        if item.is_none() {
            break;
        }
    }
    (count, modules)
}

fn is_for_tests(line: &str) -> bool {
    let words = |line: &str| {
        line.split(|c: char| !c.is_alphanumeric()).any(|word| matches!(word, "test" | "contract"))
    };
    line.trim_start().strip_prefix("#[cfg(").is_some_and(words)
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Returns `name` of `mod name;`.
fn module(line: &str) -> Option<&str> {
    let (_, name) = line.split_once("mod ")?;
    name.strip_suffix(';')
}

#[cfg(test)]
mod tests {
    #[test]
    fn items_for_tests_are_not_counted() {
        let text = "use a;\n#[cfg(test)]\nmod tests;\nfn f() {\n}\n#[cfg(test)]\n#[allow(x)]\n\
                    mod inner {\n    fn g(\n    ) {\n    }\n}\n#[cfg(any(test, feature = \"contract\"))]\n\
                    use {\n    c,\n};\nfn h() {}\n";
        assert_eq!(super::shipped(text), (4, vec!["tests".to_owned()]));
    }
}
