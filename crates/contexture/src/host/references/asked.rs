//! The references of a call, in the order of its prompt.

use crate::host::errors::of_load;
use crate::written::place_of;
use contexture_context::Position;
use contexture_reference::Place;
use contexture_reference::scan::scan;
use contexture_reference::syntax::{Reference, ReferenceBuf, Semantics, redact};
use contexture_script::host::{GenerateCall, HostError};
use contexture_script::reference::{Layer, LiteralText, UsedResource};

/// A reference of a call.
pub(super) struct Asked {
    pub(super) reference: ReferenceBuf,
    /// The place from which relative paths start.
    pub(super) place: Place,
    /// The position in the program.
    pub(super) position: Position,
    /// The `use` that shows it; `None` for one in the text.
    pub(super) used: Option<UsedResource>,
    /// Texts with user info, and how they are sent.
    pub(super) secret: Vec<(String, String)>,
    /// The canonical form without the outermost prefix.
    key: String,
}

/// Returns the references of a call: those that are used, then those in the text, each once.
pub(super) fn asked(call: &GenerateCall) -> Result<Vec<Asked>, HostError> {
    let mut all = Vec::new();
    for used in &call.resources {
        let text = used.import.reference.as_str();
        let reference = Reference::parse(text).map_err(|error| of_load(&error.load_error(text)))?;
        all.push(Asked {
            reference: reference.to_owned(),
            place: place_of(&used.import.importer),
            position: used.position.clone(),
            used: Some(used.clone()),
            secret: Vec::new(),
            key: key(&reference),
        });
    }
    for layer in [Layer::Role, Layer::Description, Layer::Input] {
        for text in call.literals.iter().filter(|text| text.layer == layer) {
            in_text(&mut all, text)?;
        }
    }
    Ok(all)
}

fn in_text(all: &mut Vec<Asked>, text: &LiteralText) -> Result<(), HostError> {
    for found in scan(&text.text) {
        let found = match found {
            Ok(found) => found,
            Err(malformed) if !text.is_whole(malformed.start, malformed.end) => continue,
            Err(malformed) => {
                return Err(of_load(&malformed.error.load_error(malformed.text)));
            }
        };
        if text.is_whole(found.start, found.end) {
            add(all, text, &found.reference, found.start);
        }
    }
    Ok(())
}

/// Adds a reference. Of several to the same the strongest prefix holds, at the place of the first.
fn add(all: &mut Vec<Asked>, text: &LiteralText, reference: &Reference<'_>, start: usize) {
    let key = key(reference);
    let written = reference.as_str();
    let shown = redact(written);
    let secret = (shown != written).then(|| (written.to_owned(), shown.into_owned()));
    if let Some(known) = all.iter_mut().find(|known| known.key == key) {
        if strength(reference) > strength(&known.reference.as_ref()) {
            known.reference = reference.to_owned();
        }
        known.secret.extend(secret);
        return;
    }
    all.push(Asked {
        reference: reference.to_owned(),
        place: place_of(&text.file),
        position: text.position(start).cloned().unwrap_or_default(),
        used: None,
        secret: secret.into_iter().collect(),
        key,
    });
}

/// Returns the canonical form without the outermost prefix.
fn key(reference: &Reference<'_>) -> String {
    let canonical = reference.canonical();
    let prefix = reference.semantics().prefix();
    canonical.strip_prefix(prefix).map_or_else(|| canonical.clone(), str::to_owned)
}

fn strength(reference: &Reference<'_>) -> u8 {
    match reference.semantics() {
        Semantics::Lazy => 0,
        Semantics::Default => 1,
        Semantics::Hot => 2,
    }
}
