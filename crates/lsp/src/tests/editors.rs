//! TY-11: the grammars and extensions in `editors/` know the words, the programs and the commands that
//! the language and this server have.

use super::*;
use crate::features::words;
use contexture_context::Limits;
use contexture_script::library;
use contexture_script::syntax::{RESERVED, parse};
use std::collections::BTreeSet;

#[expect(clippy::disallowed_methods, reason = "the files of the editors are read")]
fn file(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(path)).unwrap()
}

/// Returns the strings in quotes between two marks of a text.
fn quoted(text: &str, begin: &str, end: &str) -> BTreeSet<String> {
    let (_, rest) = text.split_once(begin).unwrap_or_else(|| panic!("no {begin}"));
    let (inner, _) = rest.split_once(end).unwrap();
    inner.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

fn set<'w>(words: impl IntoIterator<Item = &'w str>) -> BTreeSet<String> {
    words.into_iter().map(str::to_owned).collect()
}

#[test]
fn ty_11_tree_sitter_grammar_has_the_words_of_the_language() {
    let grammar = file("editors/tree-sitter-agentscript/grammar.js");
    assert_eq!(quoted(&grammar, "const RESERVED = [", "]"), set(RESERVED.iter().copied()));
    let mut types = quoted(&grammar, "const TYPES = [", "]");
    types.insert("list".to_owned());
    assert_eq!(types, set(words::TYPES.iter().map(|(word, _)| *word)));
    let mut kinds = quoted(&grammar, "_import_kind: (_) =>", "),");
    kinds.insert("llm".to_owned());
    assert_eq!(kinds, set(words::IMPORTS.iter().map(|(word, _)| *word)));
}

#[test]
fn ty_11_highlights_name_the_functions_of_the_library() {
    let highlights = file("editors/tree-sitter-agentscript/queries/highlights.scm");
    let named = quoted(&highlights, "(#any-of? @function.builtin", ")");
    // `fail` is coloured as a word of the language, and `json.print` as a method.
    let functions = library::functions().iter().map(|entry| entry.name);
    assert_eq!(named, set(functions.filter(|name| !name.contains('.') && *name != "fail")));
}

#[test]
fn ty_11_corpus_of_tree_sitter_is_accepted_and_refused_by_the_own_parser() {
    let mut programs = 0;
    for name in ["items", "lines", "strings", "types", "use", "words"] {
        let corpus = file(&format!("editors/tree-sitter-agentscript/test/corpus/{name}.txt"));
        let rule = "=".repeat(80);
        let parts: Vec<&str> = corpus.split(&rule).skip(1).collect();
        for part in parts.chunks(2) {
            let (head, (program, _)) = (part[0], part[1].split_once(&"-".repeat(80)).unwrap());
            let source = SourceFile::new("corpus.as", program.trim_matches('\n'));
            let parsed = parse(&source, &Limits::default());
            let is_error = head.contains(":error");
            assert_eq!(
                parsed.is_valid(),
                !is_error,
                "{name}: {head}{program}{:?}",
                parsed.diagnostics
            );
            programs += 1;
        }
    }
    assert!(programs > 30, "{programs}");
}

/// Returns the words in all patterns of a grammar.
fn patterns(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value.as_str() {
                    Some(text) if matches!(name.as_str(), "match" | "begin" | "end") => {
                        // `\b` is not a letter of a word.
                        let text = text.replace("\\b", " ");
                        let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
                        found.extend(words.map(str::to_owned));
                    }
                    _ => patterns(value, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| patterns(item, found)),
        _ => {}
    }
}

#[test]
fn ty_11_textmate_grammar_colours_each_word_of_the_language() {
    let grammar = file("editors/vscode/syntaxes/agentscript.tmLanguage.json");
    let mut coloured = BTreeSet::new();
    patterns(&serde_json::from_str(&grammar).unwrap(), &mut coloured);
    let tables = [words::STATEMENTS, words::ITEMS, words::CLAUSES, words::IMPORTS, words::TYPES];
    let words = tables.into_iter().flatten().map(|(word, _)| *word);
    let missing: Vec<&str> =
        words.chain(RESERVED.iter().copied()).filter(|word| !coloured.contains(*word)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn ty_11_extension_has_the_commands_of_the_lenses() {
    let lenses = answer("main func(q) { generate({ input: q }) }", "textDocument/codeLens");
    let asked = set(each(&lenses, "/command/command"));
    assert_eq!(asked.len(), 3);
    let package: Value = serde_json::from_str(&file("editors/vscode/package.json")).unwrap();
    let known = set(each(&package["contributes"]["commands"], "/command"));
    assert!(asked.is_subset(&known), "{asked:?} {known:?}");
    assert_eq!(package["contributes"]["languages"][0]["extensions"], json!([".as"]));
    let extension = file("editors/vscode/src/extension.ts");
    let page = file("docs/editor.md");
    for command in &asked {
        assert!(extension.contains(&format!("registerCommand(\"{command}\"")), "{command}");
        assert!(page.contains(&format!("| `{command}` |")), "{command}");
    }
}
