//! References, and the definitions of their protocols.

use super::{hold, lines, shown};
use contexture_diagnostic::SourceFile;
use contexture_reference::definition::{Definitions, Layer, Options, Origin};
use contexture_reference::scan::scan;
use contexture_reference::syntax::{Reference, redact};

pub(super) const WORDS: &[&str] = &[
    "@file://",
    "@!memory://a?line=1-2",
    "@https://a.b/c",
    "@a:@b://c?x=1&y=2",
    "`",
    "```",
    "%41",
    "@?env://X",
    "?",
    "&",
    "#",
    "@",
    "://",
    "user:pw@",
    "@ssh://h/p",
    "\\@",
];
pub(super) const DEFINITION_WORDS: &[&str] = &[
    "<resource",
    "</resource>",
    "protocol=\"a\"",
    "location",
    "parameters",
    "registry",
    "| id | ",
    "|---|",
    "pattern",
    "EBNF",
    "::=",
    "<location>",
    "`",
    "```",
    "\"",
    "required",
    "default",
];

pub(super) fn reference(input: &[u8]) -> Result<String, String> {
    let text = String::from_utf8_lossy(input);
    let whole = read(&text)?;
    let (mut end, mut kinds) = (0, Vec::new());
    for found in scan(&text) {
        let (start, stop, written) = match &found {
            Ok(found) => (found.start, found.end, found.text),
            Err(fault) => (fault.start, fault.end, fault.text),
        };
        hold(start >= end && text.get(start..stop) == Some(written), || {
            format!("a place is outside the text: {start}..{stop}")
        })?;
        end = stop;
        kinds.push(read(written)?);
    }
    kinds.sort();
    kinds.dedup();
    Ok(format!("{whole} {}", kinds.join(" ")))
}

fn read(text: &str) -> Result<String, String> {
    let reference = match Reference::parse(text) {
        Ok(reference) => reference,
        Err(error) => {
            hold(text.is_char_boundary(error.offset), || {
                format!("a place is outside the text: {} of {text:?}", error.offset)
            })?;
            let _ = (error.public(text), error.message());
            return Ok(error.code.to_owned());
        }
    };
    let canonical = reference.canonical();
    let again = Reference::parse(&canonical)
        .map_err(|error| format!("the canonical form is refused: {canonical:?}: {error:?}"))?;
    hold(again.canonical() == canonical, || {
        format!("the canonical form is not stable: {canonical:?} becomes {:?}", again.canonical())
    })?;
    hold(again.depth() == reference.depth(), || format!("levels differ: {canonical:?}"))?;
    let public = reference.public();
    let redacted = redact(&public);
    hold(redacted.contains("•••") || redacted == public, || {
        format!("the public form shows user info: {public:?}")
    })?;
    let _ = (reference.levels().count(), reference.query());
    let (depth, has_query) = (reference.depth(), reference.raw_query().is_some());
    Ok(format!("{depth}{has_query}{}", reference.semantics().as_str()))
}

pub(super) fn definition(input: &[u8]) -> Result<String, String> {
    let text = String::from_utf8_lossy(input);
    let mut seen = Vec::new();
    for examples in [false, true] {
        let mut known = Definitions::built_in();
        let options = Options { examples, ..Options::default() };
        let faults = known.add(Origin::new(Layer::Workspace, "input.md"), &text, &options);
        seen.push(shown(&faults, &SourceFile::new("input.md", text.as_ref()))?);
        let names: Vec<String> = known.names().take(20).map(str::to_owned).collect();
        for name in names {
            let asked = format!("@{name}://a/b.md?line=1");
            let Ok(reference) = Reference::parse(&asked) else {
                return Err(format!(
                    "a definition has a name that no reference can have: {name:?}"
                ));
            };
            match known.resolve(&reference) {
                Ok(_) => seen.push("resolved".to_owned()),
                Err(error) => seen.push(error.code().to_owned()),
            }
            let Some(definition) = known.get(&name) else { continue };
            let line = definition.line() as usize;
            let is_own = definition.origin().layer == Layer::Workspace;
            hold(!is_own || line <= lines(&text), || {
                format!("a place is outside the text: {line}")
            })?;
            let _ = (definition.wrap("a", &text), definition.check_path(&text));
        }
    }
    seen.sort();
    seen.dedup();
    Ok(seen.join(" "))
}
