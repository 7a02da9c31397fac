//! Texts to measure on.

use std::path::{Path, PathBuf};

const SIZE: usize = 1_000_000;

pub struct Corpus {
    pub name: String,
    pub text: String,
}

/// One corpus per file, or one of the repository's own documents and one of its sources.
pub fn all(files: impl Iterator<Item = String>) -> std::io::Result<Vec<Corpus>> {
    let mut corpora = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file)?;
        corpora.push(Corpus { name: file, text: to_size(&text) });
    }
    if corpora.is_empty() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for (name, extension) in [("documents", "md"), ("sources", "rs")] {
            let mut text = String::new();
            for file in files_in(&root, extension)? {
                text.push_str(&std::fs::read_to_string(file)?);
            }
            corpora.push(Corpus { name: name.to_owned(), text: to_size(&text) });
        }
        let chinese =
            "他们昨天去了北京。天气很好，大家都很高兴！Context 的预算是 8,000 个 token。\n";
        corpora.push(Corpus { name: "chinese".to_owned(), text: to_size(chinese) });
    }
    Ok(corpora)
}

/// Texts without the breaks that make cutting easy.
pub fn odd() -> Vec<Corpus> {
    [
        ("one line of one letter", "a"),
        ("one line of letters and digits", "qZ3xK9vB7mN1pL5wR2tY8uI4oE6"),
        ("blanks", " "),
        ("han without signs", "天地玄黄宇宙洪荒"),
        ("flags", "🇩🇪🇫🇷"),
        ("one grapheme", "\u{301}"),
    ]
    .map(|(name, piece)| Corpus { name: name.to_owned(), text: to_size(piece) })
    .into()
}

fn to_size(text: &str) -> String {
    let mut text = text.repeat(SIZE / text.len().max(1) + 1);
    let end = (0..=SIZE).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text.truncate(end);
    text
}

fn files_in(folder: &Path, extension: &str) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            let is_built = path.file_name().is_some_and(|name| name == "target" || name == ".git");
            if path.is_dir() && !is_built {
                open.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
