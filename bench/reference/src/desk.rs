//! A made tree of Markdown files, and a loader over it.

use contexture_context::tokens::tokenizer_for;
use contexture_reference::Loader;
use contexture_reference::protocols::Files;
use contexture_tools::Workspace;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// Files of the tree, ten in each folder.
pub(crate) const FILES: usize = 10_000;

const SENTENCE: &str = "The plan names every reference with its state and its reason.\n";

/// 1,000 folders, three levels deep, with ten Markdown files of about 1 KB each; beside them what a
/// pattern passes over: a file of another kind in every folder and a folder that is ignored.
pub(crate) fn tree() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder for the files");
    let root = folder.path();
    write(root, ".gitignore", "target/\n*.log\n");
    for index in 0..FILES {
        let (high, middle, low) = (index / 1_000, index / 100 % 10, index / 10 % 10);
        let name = format!("part-{high}/chapter-{middle}/section-{low}/page-{index:05}.md");
        write(root, &name, &format!("# Page {index}\n\n{}", SENTENCE.repeat(16)));
        if index % 10 == 0 {
            write(root, &name.replace(".md", ".png"), "no text");
            write(root, &name.replace(".md", ".log"), "ignored");
        }
    }
    for index in 0..200 {
        write(root, &format!("target/doc/{index}.md"), "ignored");
    }
    folder
}

fn write(root: &Path, name: &str, text: &str) {
    let path = root.join(name);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("the folder is made");
    std::fs::write(path, text).expect("the file is written");
}

/// A loader of the files below `root`.
pub(crate) fn loader(root: &Path) -> Loader {
    let workspace = Workspace::open(root).expect("the folder is there");
    Loader::new(tokenizer_for("gpt-4o")).with(Arc::new(Files::new(vec![Arc::new(workspace)])))
}

/// The names of 1,000 files all over the tree.
pub(crate) fn names() -> Vec<String> {
    (0..1_000)
        .map(|turn| {
            let index = turn * 7_919 % FILES;
            let (high, middle, low) = (index / 1_000, index / 100 % 10, index / 10 % 10);
            format!("part-{high}/chapter-{middle}/section-{low}/page-{index:05}.md")
        })
        .collect()
}

/// A text with a hot reference to each of them.
pub(crate) fn text(names: &[String]) -> String {
    names.iter().fold(String::new(), |mut text, name| {
        let _ = writeln!(text, "See @!file://{name} for more.");
        text
    })
}
