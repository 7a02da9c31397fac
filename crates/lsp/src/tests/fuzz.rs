//! Half-written programs: all programs of the repository with a token left out, doubled or swapped, or
//! cut off. The seed is fixed; `CONTEXTURE_FUZZ_MUTATIONS` sets another number of them.
#![allow(clippy::disallowed_methods, reason = "a test reads the programs of the repository")]

use super::*;
use contexture_context::Limits;
use contexture_diagnostic::Span;
use contexture_script::syntax::parse;
use contexture_script::syntax::token::Token;
use fastrand::Rng;
use std::collections::BTreeMap;
use std::path::PathBuf;

const MUTATIONS: usize = 1_500;

/// The mutations that one program goes through before the next one is chosen.
const EACH: usize = 20;

/// What is done to a program.
const KINDS: [&str; 4] = ["left out", "doubled", "swapped", "cut off"];

fn programs() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders = vec![root.join("examples"), root.join("crates/script/tests/specimens")];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "as") {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    found.retain(|(_, text)| text.len() < 20_000);
    found.sort();
    found
}

/// Returns a change of a text: the place and what stands there then.
fn mutation(text: &str, tokens: &[Token], kind: usize, rng: &mut Rng) -> (Span, String) {
    let at = rng.usize(0..tokens.len());
    let span = tokens[at].span;
    let slice = |span: Span| text.get(span.range()).unwrap();
    match (KINDS[kind], tokens.get(at + 1)) {
        // The tokens around it stay two.
        ("left out", _) => (span, " ".to_owned()),
        ("doubled", _) => (Span::at(span.end), format!(" {}", slice(span))),
        ("swapped", Some(next)) => {
            let between = slice(Span::new(span.end, next.span.start));
            let swapped = format!("{}{between}{}", slice(next.span), slice(span));
            (Span::new(span.start, next.span.end), swapped)
        }
        _ => {
            let place = (span.start + rng.u32(0..=span.end - span.start)) as usize;
            let start = (0..=place).rev().find(|at| text.is_char_boundary(*at)).unwrap();
            let bound = |at: usize| u32::try_from(at).unwrap();
            (Span::new(bound(start), bound(text.len())), String::new())
        }
    }
}

/// Changes a place of the open document.
fn edit(state: &mut State<'_>, old: &str, span: Span, new: &str) {
    let source = SourceFile::new("", old);
    let at = |offset| {
        let (line, character) = source.utf16_position(offset);
        json!({ "line": line, "character": character })
    };
    let range = json!({ "start": at(span.start), "end": at(span.end) });
    change(state, "main.as", json!([{ "range": range, "text": new }]));
}

/// Asks for everything that an editor asks for while somebody types; returns the number of errors.
fn looked_at(state: &mut State<'_>, text: &str, rng: &mut Rng) -> usize {
    let told = features::faults(state, &uri("main.as")).unwrap();
    let source = SourceFile::new("main.as", text);
    let view = state.view(&uri("main.as")).unwrap();
    assert_eq!(view.document.text, text);
    assert_eq!(view.file.parsed, parse(&source, &Limits::default()), "{text}");
    let place = u32::try_from(rng.usize(0..=text.len())).unwrap();
    let (line, character) = source.utf16_position(place);
    let position = json!({ "line": line, "character": character });
    let range = json!({ "start": position, "end": position });
    let at =
        json!({ "textDocument": { "uri": uri("main.as") }, "position": position, "range": range });
    for method in ["hover", "completion", "signatureHelp", "codeAction", "formatting", "inlayHint"]
    {
        let answer = features::answer(state, &format!("textDocument/{method}"), at.clone());
        assert!(answer.is_ok(), "{method} at {place}: {text}");
    }
    let faults = told["diagnostics"].as_array().unwrap();
    faults.iter().filter(|fault| fault["severity"] == 1).count()
}

#[test]
fn ty_10_half_written_programs_have_answers_and_few_errors() {
    let wanted = std::env::var("CONTEXTURE_FUZZ_MUTATIONS").ok();
    let wanted = wanted.map_or(MUTATIONS, |count| count.parse().unwrap());
    let (programs, files, mut rng) = (programs(), files(&[]), Rng::with_seed(7));
    let mut counts: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut done = 0;
    while done < wanted {
        let (path, text) = &programs[rng.usize(0..programs.len())];
        let parsed = parse(&SourceFile::new("main.as", text.as_str()), &Limits::default());
        if parsed.tokens.is_empty() {
            continue;
        }
        let mut state = State::new(&files);
        open(&mut state, "main.as", text);
        // An import of what is not there is an error of its own.
        let before = looked_at(&mut state, text, &mut rng);
        for _ in 0..EACH.min(wanted - done) {
            let kind = rng.usize(0..KINDS.len());
            let (span, new) = mutation(text, &parsed.tokens, kind, &mut rng);
            let mut mutated = text.clone();
            mutated.replace_range(span.range(), &new);
            edit(&mut state, text, span, &new);
            let errors = looked_at(&mut state, &mutated, &mut rng);
            if parsed.is_valid() {
                counts.entry(KINDS[kind]).or_default().push(errors.saturating_sub(before));
            }
            let end = span.start + u32::try_from(new.len()).unwrap();
            edit(&mut state, &mutated, Span::new(span.start, end), text.get(span.range()).unwrap());
            assert_eq!(state.view(&uri("main.as")).unwrap().file.parsed, parsed, "{path:?}");
            done += 1;
        }
    }
    for (kind, counts) in &mut counts {
        counts.sort_unstable();
        let at = |percent: usize| counts[(counts.len() - 1) * percent / 100];
        println!(
            "{kind}: {} mutations, errors: median {}, 95 % {}, most {}",
            counts.len(),
            at(50),
            at(95),
            at(100)
        );
        assert!(*kind != "left out" || at(95) <= 3);
    }
}
