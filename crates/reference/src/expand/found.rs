//! The references of a document, and the imports of files for agents (MA-3).

use crate::codes;
use crate::scan::{Import, Malformed, imports, scan};
use crate::syntax::{Reference, ReferenceBuf, Semantics};
use contexture_core::reference::LoadError;

/// The names of files in which `@docs/a.md` imports a file.
const AGENT_FILES: [&str; 4] = ["AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md"];

/// Something in a document that names something else.
pub(super) struct Found {
    /// Its place in the text, in bytes.
    pub(super) span: (usize, usize),
    /// What it names; an error for what is not a reference.
    pub(super) reference: Result<ReferenceBuf, LoadError>,
    /// The prefix that it has.
    pub(super) semantics: Semantics,
    /// True if it may be a mention, such as `@ann`: it names something only if something is there.
    pub(super) is_mention: bool,
}

/// Reports whether a file is one for agents, whose `@path` is an import.
pub(super) fn has_imports(name: &str) -> bool {
    let reference = Reference::parse(name);
    let path = reference.as_ref().map_or(name, |reference| reference.path());
    AGENT_FILES.contains(&path.rsplit('/').next().unwrap_or(path))
}

/// Returns what a document names, in order.
pub(super) fn found(text: &str, with_imports: bool) -> Vec<Found> {
    let mut all: Vec<Found> = scan(text)
        .filter(|one| one.as_ref().err().is_none_or(|malformed| !is_bare(malformed)))
        .map(|one| match one {
            Ok(found) => Found {
                span: (found.start, found.end),
                reference: Ok(found.reference.to_owned()),
                semantics: found.reference.semantics(),
                is_mention: false,
            },
            Err(malformed) => Found {
                span: (malformed.start, malformed.end),
                reference: Err(malformed.error.load_error(malformed.text)),
                semantics: prefix(malformed.text),
                is_mention: false,
            },
        })
        .collect();
    if with_imports {
        all.extend(imports(text).map(imported));
        all.sort_by_key(|one| one.span);
    }
    all
}

/// Reports whether something names only a protocol, as prose about references does: `@!role://`.
fn is_bare(malformed: &Malformed<'_>) -> bool {
    malformed.error.code == codes::EMPTY_PATH.code && malformed.text.ends_with("://")
}

fn prefix(text: &str) -> Semantics {
    let known = [Semantics::Hot, Semantics::Lazy];
    known.into_iter().find(|one| text.starts_with(one.prefix())).unwrap_or_default()
}

fn imported(import: Import<'_>) -> Found {
    let shown = format!("@{}", import.path);
    let reference = if import.path.starts_with("~/") {
        let message = format!("`{}` lies in the home folder, outside the workspace", import.path);
        Err(LoadError::new(codes::OUTSIDE_ROOTS.code, &shown, message)
            .with_help("put the file into the workspace"))
    } else {
        let path = import.path.replace("\\ ", " ");
        ReferenceBuf::parse(format!("@file://{path}")).map_err(|error| error.load_error(&shown))
    };
    Found {
        span: (import.start, import.end),
        reference,
        semantics: Semantics::Default,
        is_mention: !import.is_path,
    }
}
