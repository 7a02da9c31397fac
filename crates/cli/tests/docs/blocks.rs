//! The fenced blocks of the documents.

use crate::support::repository;
use std::path::{Path, PathBuf};

/// A fenced block.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    /// The document, relative to the repository.
    pub file: String,
    /// The line of its first line of text.
    pub line: usize,
    /// The first word after the fence.
    pub language: String,
    /// The other words after the fence.
    pub marks: Vec<String>,
    /// Its lines.
    pub text: String,
    /// The JSON block that follows with nothing but blank lines between.
    pub value: Option<String>,
}

impl Block {
    /// Whether it is marked with a word.
    pub(crate) fn has(&self, mark: &str) -> bool {
        self.marks.iter().any(|word| word == mark)
    }

    /// The value of a mark `name=value`.
    pub(crate) fn mark(&self, name: &str) -> Option<&str> {
        self.marks.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
    }
}

/// The Markdown files of a folder of the repository and of its subfolders.
fn documents(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(repository().join(folder)).unwrap();
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.unwrap();
        let path = folder.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            found.extend(documents(&path));
        } else if path.extension().is_some_and(|end| end == "md") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// All blocks of `README.md` and of the documents in `docs/`.
pub(crate) fn all() -> Vec<Block> {
    let mut files = vec![PathBuf::from("README.md")];
    files.extend(documents(Path::new("docs")));
    files
        .iter()
        .flat_map(|file| {
            let text = std::fs::read_to_string(repository().join(file)).unwrap();
            read(&file.display().to_string(), &text)
        })
        .collect()
}

/// The blocks of one document.
pub(crate) fn read(file: &str, text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open: Option<(String, Block)> = None;
    let mut adjacent = false;
    for (at, line) in text.lines().enumerate() {
        let mut words = line.split_whitespace();
        let first = words.next().unwrap_or_default();
        let ticks = first.len() - first.trim_start_matches('`').len();
        match &mut open {
            Some((fence, _)) if line.trim() == fence => {
                let (_, block) = open.take().unwrap();
                match blocks.last_mut() {
                    Some(before) if adjacent && block.language == "json" => {
                        before.value = Some(block.text);
                    }
                    _ => blocks.push(block),
                }
                adjacent = true;
            }
            Some((_, block)) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            None if ticks >= 3 => {
                let block = Block {
                    file: file.to_owned(),
                    line: at + 2,
                    language: first[ticks..].to_owned(),
                    marks: words.map(str::to_owned).collect(),
                    text: String::new(),
                    value: None,
                };
                open = Some((first[..ticks].to_owned(), block));
            }
            None => adjacent &= line.trim().is_empty(),
        }
    }
    assert!(open.is_none(), "{file}: a fence is not closed");
    blocks
}

#[test]
fn blocks_know_their_marks_their_place_and_the_value_that_follows() {
    let text = "a\n\n```agentscript error=AS2001 x\n1 + 1\n```\n\n```json\n2\n```\n\ntext\n\n```json\n3\n```\n";
    let blocks = read("a.md", text);
    assert_eq!(blocks.len(), 2);
    assert_eq!(blocks[0].line, 4);
    assert_eq!(blocks[0].mark("error"), Some("AS2001"));
    assert!(blocks[0].has("x"));
    assert_eq!(blocks[0].value.as_deref(), Some("2\n"));
    assert_eq!(blocks[1].text, "3\n");
}
