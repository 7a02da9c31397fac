//! The manifest: what one model call saw, item by item, with every decision taken.
//!
//! Texts are not in it. They are stored once, by digest, so that a history grows with what is new
//! and not with calls × prompt; a message is a list of [`Piece`]s from which the exact text that
//! was sent is put together again. Trace, context store, inspector, diff and replay all read this
//! one type. Its JSON Schema stands in `schemas/manifest.schema.json` of the repository.

use crate::{Budget, ContextItem, CutRecord, Digest, Position, Trust};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version of the manifest that this crate writes.
pub const MANIFEST_VERSION: u32 = 1;

/// Texts up to this many bytes stand in a message's pieces as they are; longer ones by digest.
const INLINE_BYTES: usize = 128;

/// What one model call saw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Manifest {
    /// [`MANIFEST_VERSION`] at the time of writing.
    pub version: u32,
    /// Counts the model calls of a run from 1, in the order their prompts were built.
    pub call: u64,
    /// The place in the program that asked.
    pub site: Site,
    /// The model asked.
    pub model: ModelRef,
    /// Named parts of the prompt other than items: identity, instruction, contract.
    pub layers: Vec<Layer>,
    /// The items in prompt order, those that gave way wholly included.
    pub items: Vec<ItemRecord>,
    /// The knowledge packs that were asked for it, those with nothing to say included.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub packs: Vec<PackRecord>,
    /// The messages of the first attempt.
    pub messages: Vec<MessageRecord>,
    /// Digest of the shape's JSON Schema, if the answer has a shape.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub schema: Option<Digest>,
    /// The options of the call as the program gave them.
    pub options: Value,
    /// Tokens of the whole prompt by the model's tokenizer.
    pub tokens: u64,
    /// The whole-prompt budget, if one was set (AS-18).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub max_input: Option<u64>,
    /// Whether an item stands on a placeholder of a dry run.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub on_placeholders: bool,
}

/// The place in a program that made a model call.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
pub struct Site {
    /// The position of `generate`.
    #[serde(flatten)]
    pub position: Position,
    /// The agent that asked, if it has a name.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub agent: Option<String>,
    /// The function that asked.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub function: Option<String>,
}

impl std::fmt::Display for Site {
    /// `file:line:column`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Position { file, line, column } = &self.position;
        write!(f, "{file}:{line}:{column}")
    }
}

/// The model a call went to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelRef {
    /// The URI, without credentials.
    pub uri: String,
    /// The tokenizer that counted.
    pub tokenizer: String,
    /// False when that tokenizer stands in for one that is not public.
    pub tokenizer_exact: bool,
}

/// A named part of the prompt that is no item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Layer {
    /// `identity`, `instruction` or `contract`.
    pub name: String,
    /// Digest of its text.
    pub digest: Digest,
    /// Tokens of its text.
    pub tokens: u64,
}

/// One item of the prompt: a [`ContextItem`] with digests in place of texts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ItemRecord {
    /// Its place in the prompt, counted from 0.
    pub index: usize,
    /// The label that heads its section.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub label: Option<String>,
    /// The source expression or reference.
    pub source: String,
    /// Where it was declared.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub position: Option<Position>,
    /// How far it may be believed.
    pub trust: Trust,
    /// Digest of the text in the prompt.
    pub text: Digest,
    /// Digest of the value as canonical JSON.
    pub value: Digest,
    /// Tokens in the prompt.
    pub tokens: u64,
    /// Tokens before any cut.
    pub tokens_before: u64,
    /// False when `tokens_before` is an estimate.
    pub tokens_before_exact: bool,
    /// The item's own budget.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub budget: Option<Budget>,
    /// The order in which it yields.
    pub priority: i64,
    /// Whether something is missing.
    pub clipped: bool,
    /// Each cut with its reason.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub cuts: Vec<CutRecord>,
}

impl From<&ContextItem> for ItemRecord {
    fn from(item: &ContextItem) -> Self {
        Self {
            index: item.index,
            label: item.label.clone(),
            source: item.source.clone(),
            position: item.position.clone(),
            trust: item.trust,
            text: item.digest.clone(),
            value: item.value_digest.clone(),
            tokens: item.tokens,
            tokens_before: item.tokens_before,
            tokens_before_exact: item.tokens_before_exact,
            budget: item.budget,
            priority: item.priority,
            clipped: item.clipped,
            cuts: item.cuts.clone(),
        }
    }
}

/// What a knowledge pack gave to a prompt, and in which state it was (KN-9, KN-15).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PackRecord {
    /// Its name.
    pub name: String,
    /// Its version.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub version: Option<String>,
    /// Its status, such as `ready`.
    pub status: String,
    /// How far it was checked, as it says of itself.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub trust: Option<String>,
    /// Digest of all that it says.
    pub digest: Digest,
    /// Its effective profile.
    pub profile: String,
    /// Its effective runtime mode.
    pub runtime_mode: String,
    /// The grounding policy that applied.
    pub grounding: String,
    /// The place that asked for it: a `use`, or a reference in a text.
    pub position: Position,
    /// The most tokens that it might take.
    pub budget: u64,
    /// The tokens that were selected, its fence included; 0 when nothing in it answers.
    pub tokens: u64,
    /// The files that were taken from, with digests of what was read.
    pub files: Vec<PackFileRecord>,
    /// What was warned of.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub warnings: Vec<String>,
    /// What the instruction asks for and the pack does not have.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub missing: Vec<String>,
    /// Claims without a source.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub citation_gaps: Vec<Value>,
}

/// A file of a knowledge pack that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PackFileRecord {
    /// Its path in the pack.
    pub path: String,
    /// Digest of its text.
    pub digest: Digest,
}

/// One message as sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MessageRecord {
    /// The provider's role: `system`, `user`, `assistant`, `tool`.
    pub role: String,
    /// The parts whose concatenation is the text sent.
    pub pieces: Vec<Piece>,
    /// Digest of that text.
    pub digest: Digest,
    /// Tokens of that text.
    pub tokens: u64,
}

/// A part of a message's text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Piece {
    /// A short text, as it is.
    Text(String),
    /// A text kept in the store.
    Blob(Digest),
}

/// A text to be kept by its digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    /// Digest of `text`.
    pub digest: Digest,
    /// The text.
    pub text: String,
}

/// Splits a message's text at the given byte ranges, so that each range that holds an item or a
/// layer becomes a blob of its own and is stored once however often it is sent.
///
/// Ranges that are out of order, overlap or do not fall on character bounds are ignored: the text
/// is then kept whole, never wrong.
#[must_use]
pub fn pieces(text: &str, spans: &[std::ops::Range<usize>]) -> (Vec<Piece>, Vec<Blob>) {
    let mut out = Vec::new();
    let mut blobs = Vec::new();
    let mut at = 0;
    for span in spans {
        let (Some(glue), Some(part)) = (text.get(at..span.start), text.get(span.clone())) else {
            continue;
        };
        push_piece(glue, &mut out, &mut blobs);
        push_piece(part, &mut out, &mut blobs);
        at = span.end;
    }
    push_piece(text.get(at..).unwrap_or_default(), &mut out, &mut blobs);
    (out, blobs)
}

fn push_piece(text: &str, out: &mut Vec<Piece>, blobs: &mut Vec<Blob>) {
    if text.is_empty() {
        return;
    }
    if text.len() <= INLINE_BYTES {
        out.push(Piece::Text(text.to_owned()));
        return;
    }
    let digest = Digest::of_text(text);
    out.push(Piece::Blob(digest.clone()));
    blobs.push(Blob { digest, text: text.to_owned() });
}

/// Puts a message's text together again; `Err` names the digest that the store does not have.
///
/// # Errors
/// The digest of the first blob that `lookup` does not know.
pub fn assemble(
    pieces: &[Piece],
    mut lookup: impl FnMut(&Digest) -> Option<String>,
) -> Result<String, Digest> {
    let mut text = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(part) => text.push_str(part),
            Piece::Blob(digest) => text.push_str(&lookup(digest).ok_or_else(|| digest.clone())?),
        }
    }
    Ok(text)
}

/// The JSON Schema of [`Manifest`], as published in `schemas/`.
#[must_use]
pub fn manifest_schema() -> Value {
    schemars::schema_for!(Manifest).to_value()
}
