//! What is fuzzed: each target with its seeds, its words, and what must hold for any input.

mod answer;
mod flow;
mod http;
mod interference;
mod items;
mod message;
mod pack;
mod reference;
mod script;
mod template;

use super::Outcome;
use super::corpus::{Part, Source};
use contexture_diagnostic::{Diagnostic, SourceFile, Span, render};
use std::collections::BTreeSet;
use std::time::Duration;

/// The time that one input may take; a build without optimisation on a busy machine is slow.
pub(super) const LONGEST: Duration = Duration::from_secs(10);

/// Tries an input: how the target answered in a few words, or what did not hold.
pub(super) type Check = Box<dyn FnMut(&[u8]) -> Result<String, String>>;

pub(super) struct Target {
    pub(super) name: &'static str,
    pub(super) what: &'static str,
    pub(super) sources: &'static [Source],
    pub(super) words: &'static [&'static str],
    open: fn() -> Outcome<Check>,
}

impl Target {
    /// Gets ready to try inputs.
    pub(super) fn open(&self) -> Outcome<Check> {
        (self.open)()
    }
}

/// Programs of the repository.
const PROGRAMS: &[Source] = &[
    ("examples", ".as", Part::Whole),
    ("crates/script/tests/specimens", ".as", Part::Whole),
    ("crates/script/tests/run", ".rs", Part::RawStrings),
    ("docs", ".md", Part::Blocks(&["agentscript"])),
];
const FENCED: &[Source] = &[
    ("crates/context/tests/fence", ".jsonl", Part::Texts),
    ("docs/concepts.md", ".md", Part::Whole),
    ("examples", ".json", Part::Whole),
];
const REFERENCES: &[Source] = &[
    ("docs/references.md", ".md", Part::Lines),
    ("examples/references", ".md", Part::Whole),
    ("crates/reference/tests", ".rs", Part::RawStrings),
];

pub(super) const ALL: &[Target] = &[
    Target {
        name: "program",
        what: "a program is parsed, formatted (twice the same) and migrated; spans lie inside",
        sources: PROGRAMS,
        words: script::WORDS,
        open: || Ok(Box::new(script::program)),
    },
    Target {
        name: "check",
        what: "a program is checked, twice the same; spans and fixes lie inside",
        sources: PROGRAMS,
        words: script::WORDS,
        open: || Ok(Box::new(script::check)),
    },
    Target {
        name: "interpreter",
        what: "a program runs within its limits, twice the same; its value is read back as JSON",
        sources: PROGRAMS,
        words: script::WORDS,
        open: || Ok(Box::new(script::interpret)),
    },
    Target {
        name: "interference",
        what: "a program does the same on its own, whatever files, pages and an obedient model say",
        sources: &[("docs/concepts.md", ".md", Part::Lines)],
        words: &[],
        open: || Ok(Box::new(interference::interference)),
    },
    Target {
        name: "template",
        what: "a template is checked, compiled and rendered within its limits, twice the same",
        sources: &[
            ("crates/prompt/tests/specimens", ".txt", Part::Sections),
            ("docs/prompts.md", ".md", Part::Blocks(&["text", "handlebars", "md", ""])),
            ("examples", ".md", Part::Whole),
        ],
        words: template::WORDS,
        open: || Ok(Box::new(template::template)),
    },
    Target {
        name: "reference",
        what: "references are found and read; the canonical form is stable, the public one has no user",
        sources: REFERENCES,
        words: reference::WORDS,
        open: || Ok(Box::new(reference::reference)),
    },
    Target {
        name: "condition",
        what: "conditions are read back as printed, and negated; expansions keep their limit",
        sources: &[
            ("crates/flow/tests/condition/specimens.txt", ".txt", Part::Lines),
            ("docs/flows.md", ".md", Part::Lines),
        ],
        words: flow::CONDITION_WORDS,
        open: flow::condition,
    },
    Target {
        name: "message",
        what: "a message is refused with its place or read back the same; the canon is stable",
        sources: &[
            ("crates/protocol/tests/examples", ".jsonc", Part::Whole),
            ("docs/protocol.md", ".md", Part::Blocks(&["json"])),
            ("docs/serve.md", ".md", Part::Blocks(&["json"])),
        ],
        words: message::WORDS,
        open: || Ok(Box::new(message::message)),
    },
    Target {
        name: "answer",
        what: "an answer is read into a shape, read back the same, and in pieces as at once",
        sources: &[("crates/answer/tests/corpus", ".txt", Part::Sections)],
        words: answer::WORDS,
        open: || Ok(Box::new(answer::answer)),
    },
    Target {
        name: "pack",
        what: "a manifest gives an item or findings inside; the catalog shows its fields, each whole",
        sources: &[
            ("crates/knowledge", "KNOWLEDGE.md", Part::Whole),
            ("examples/knowledge", "KNOWLEDGE.md", Part::Whole),
            ("crates/knowledge/src/manifest", ".rs", Part::RawStrings),
            ("docs/knowledge.md", ".md", Part::Blocks(&["yaml", "markdown", "md"])),
        ],
        words: pack::WORDS,
        open: || Ok(Box::new(pack::pack)),
    },
    Target {
        name: "definition",
        what: "definitions of protocols are read and resolved; places lie inside",
        sources: &[
            ("crates/reference", ".md", Part::Whole),
            ("crates/reference/src/definition", ".rs", Part::RawStrings),
            ("examples/references", ".md", Part::Whole),
            ("docs/references.md", ".md", Part::Blocks(&["xml", "markdown", "md", "html"])),
        ],
        words: reference::DEFINITION_WORDS,
        open: || Ok(Box::new(reference::definition)),
    },
    Target {
        name: "flow",
        what: "a set is checked, drawn and run; its faults have places, its pictures are whole",
        sources: &[
            ("examples", ".json", Part::Whole),
            ("crates/protocol/tests/examples", ".jsonc", Part::Whole),
            ("docs/flows.md", ".md", Part::Blocks(&["json"])),
            ("crates/flow/tests", ".rs", Part::RawStrings),
        ],
        words: flow::WORDS,
        open: flow::flow,
    },
    Target {
        name: "items",
        what: "items keep their budget and their fence, whatever they hold; cuts add up",
        sources: FENCED,
        words: items::WORDS,
        open: || Ok(Box::new(items::items)),
    },
    Target {
        name: "http",
        what: "a server lives on after any head, and answers nobody by another host's name",
        sources: &[("crates/dev/fuzz/heads.txt", ".txt", Part::Sections)],
        words: http::WORDS,
        open: http::head,
    },
];

/// Returns the names of all targets.
pub(super) fn names() -> Vec<String> {
    ALL.iter().map(|target| target.name.to_owned()).collect()
}

pub(super) fn find(name: &str) -> Outcome<&'static Target> {
    let found = ALL.iter().find(|target| target.name == name);
    found.ok_or_else(|| format!("there is no target `{name}`; `cargo dev fuzz --list` names them"))
}

/// Returns an error when something does not hold.
fn hold(holds: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what()) }
}

/// Checks that faults lie inside their text and can be shown; returns their codes.
fn shown(faults: &[Diagnostic], source: &SourceFile) -> Result<String, String> {
    let mut codes = BTreeSet::new();
    for fault in faults {
        inside(fault.span, source.text(), fault.code)?;
        for label in &fault.labels {
            inside(label.span, source.text(), fault.code)?;
        }
        for edit in &fault.fix {
            inside(edit.span, source.text(), fault.code)?;
        }
        let line = render::one_line(fault, source);
        hold(!line.contains('\n'), || format!("a fault in one line has several: {line:?}"))?;
        let _ = (render::terminal(fault, source, false), render::json(fault, source));
        codes.insert(fault.code);
    }
    Ok(codes.into_iter().collect::<Vec<_>>().join(" "))
}

/// Returns the number of lines of a text, which end as editors have it.
fn lines(text: &str) -> usize {
    let text = text.replace("\r\n", "\n");
    text.split(['\n', '\r']).count()
}

/// Checks that a place lies inside a text, at the beginning of characters.
fn inside(span: Span, text: &str, what: &str) -> Result<(), String> {
    let (start, end) = (span.start as usize, span.end as usize);
    hold(start <= end && text.get(start..end).is_some(), || {
        format!("a place is outside the text: {what} at {start}..{end} of {}", text.len())
    })
}
