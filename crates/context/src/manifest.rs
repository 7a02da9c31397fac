//! The manifest: the record of one model call, item by item, with every decision taken.
//!
//! Texts are not in it. They are stored once, by digest, so that a history grows with new texts and
//! not with calls × prompt; a message is a list of [`Piece`]s from which the exact text that was
//! sent is assembled. Trace, context store, inspector, diff and replay all read this one type. Its
//! JSON Schema is `schemas/manifest.schema.json` of the repository.

use crate::budget::Budget;
use crate::digest::Digest;
use crate::item::{ContextItem, CutRecord, Position};
use crate::label::Source;
use crate::trust::Trust;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version of the manifest that this crate writes.
pub const MANIFEST_VERSION: u32 = 2;

/// Texts up to this many bytes are stored in a message's pieces; longer ones by digest.
const INLINE_BYTES: usize = 128;

/// The record of one model call. Records of version 1 are read as records without the parts that
/// version 2 added.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Manifest {
    /// [`MANIFEST_VERSION`] at the time of writing.
    pub version: u32,
    /// The number of the model call in its run, from 1, in the order their prompts were built.
    pub call: u64,
    /// The place of the call in the program.
    pub site: Site,
    /// The called model.
    pub model: ModelRef,
    /// The models that were passed over before it, in order (since version 2).
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub passed_over: Vec<PassedOver>,
    /// Named parts of the prompt other than items: identity, instruction, contract.
    pub layers: Vec<Layer>,
    /// The items in prompt order, including those that were cut completely.
    pub items: Vec<ItemRecord>,
    /// The knowledge packs that were queried for it, including those without a result.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub packs: Vec<PackRecord>,
    /// What questions of `use` selected (CA-16).
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub ranked: Vec<RankedRecord>,
    /// The documents that were expanded, with the references inside them (MA-1).
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub expanded: Vec<ExpandedRecord>,
    /// The secrets that were masked before the model (GU-10).
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub masked: Vec<MaskedRecord>,
    /// The messages of the first attempt.
    pub messages: Vec<MessageRecord>,
    /// The functions that were offered to the model (since version 2).
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub tools: Vec<OfferedTool>,
    /// The attempts, as far as they have ended (since version 2). A trace has them as `attempts`
    /// of the event, where they are written one by one; its readers put them here.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub attempts: Vec<AttemptRecord>,
    /// The cost of the call, if the price is known (since version 2).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cost: Option<Cost>,
    /// Digest of the shape's JSON Schema, if the answer has a shape.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub schema: Option<Digest>,
    /// The options of the call as passed by the program.
    pub options: Value,
    /// Tokens of the whole prompt by the model's tokenizer: messages, and definitions of functions.
    pub tokens: u64,
    /// The whole-prompt budget, if one was set (AS-18).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub max_input: Option<u64>,
    /// True if an item contains a placeholder of a dry run.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub on_placeholders: bool,
}

/// The place of a model call in a program.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
pub struct Site {
    /// The position of `generate`.
    #[serde(flatten)]
    pub position: Position,
    /// The calling agent, if it has a name.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub agent: Option<String>,
    /// The calling function.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub function: Option<String>,
}

impl std::fmt::Display for Site {
    /// Formats `file:line:column`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Position { file, line, column } = &self.position;
        write!(f, "{file}:{line}:{column}")
    }
}

/// The model of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelRef {
    /// The URI, without credentials.
    pub uri: String,
    /// The tokenizer used.
    pub tokenizer: String,
    /// False if that tokenizer replaces one that is not public.
    pub tokenizer_exact: bool,
}

/// A model that was passed over, as it could not answer (CA-3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PassedOver {
    /// The URI, without credentials.
    pub uri: String,
    /// The code of its failure, such as `rate_limited`.
    pub code: String,
    /// The failure.
    pub reason: String,
    /// The requests that were sent to it.
    #[serde(default)]
    pub requests: usize,
}

/// A function that a model may call: a method that the program granted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OfferedTool {
    /// The tool by its name in the program.
    pub tool: String,
    /// The method by its name where it is defined.
    pub method: String,
    /// The name of the function as the model sees it.
    pub function: String,
    /// `read`, `write`, `send` or `execute`.
    pub class: String,
    /// Tokens of its definition as JSON. They are part of [`Manifest::tokens`], except for a plan,
    /// whose instruction lists what it may call.
    pub tokens: u64,
    /// Digest of its definition as JSON: name, description and schema, as they were sent.
    pub digest: Digest,
}

/// An attempt to get an answer: one request, and one more for each round of tool calls.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct AttemptRecord {
    /// Its number, from 1.
    pub attempt: u64,
    /// Digests of its requests.
    pub requests: Vec<Digest>,
    /// The reason why the answer ended, if the provider reports one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub finish_reason: Option<String>,
    /// Tokens of the prompts of its requests.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub prompt_tokens: Option<u64>,
    /// Tokens of its answers.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub completion_tokens: Option<u64>,
    /// Tokens of the prompts that the provider had in its cache, if it reports them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cached_tokens: Option<u64>,
    /// True if tokens were counted here, as the provider reported none.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub estimated: bool,
    /// The milliseconds that its requests took, with waits and without tools.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub latency_ms: Option<u64>,
    /// The tokens that its answer was allowed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub max_output: Option<u64>,
    /// The form in which the schema was sent, such as `json_schema`; `none` if it was not.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub schema_form: Option<String>,
    /// The options as they were sent, by the provider's names.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub options: Option<Value>,
    /// Failures of the provider that were tried again.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub retried: Vec<String>,
    /// The milliseconds waited after each of these.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub waits_ms: Vec<u64>,
    /// The failure of the provider that ended it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub failure: Option<String>,
}

/// An amount of money.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cost {
    /// Millionths of the currency's unit.
    pub micros: u64,
    /// The currency, such as `USD`.
    pub currency: String,
    /// The source of the price.
    pub source: String,
}

/// A named part of the prompt other than an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Layer {
    /// `identity`, `instruction` or `contract`.
    pub name: String,
    /// Digest of its text.
    pub digest: Digest,
    /// Tokens of its text.
    pub tokens: u64,
    /// Its place (since version 2).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub span: Option<Span>,
}

/// The place of a part in the messages of a prompt, in bytes (IN-3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Span {
    /// The index of the message.
    pub message: usize,
    /// The first byte.
    pub start: usize,
    /// The byte after the last one.
    pub end: usize,
}

/// One item of the prompt: a [`ContextItem`] with digests in place of texts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ItemRecord {
    /// Its index in the prompt, from 0.
    pub index: usize,
    /// The label that heads its section.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub label: Option<String>,
    /// The source expression or reference.
    pub source: String,
    /// The place of its declaration.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub position: Option<Position>,
    /// Its trust.
    pub trust: Trust,
    /// The sources that it came from, besides the program (since version 2).
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub sources: Vec<Source>,
    /// Digest of the text in the prompt.
    pub text: Digest,
    /// Digest of the value as canonical JSON.
    pub value: Digest,
    /// The best score in it, if a question selected it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub score: Option<f64>,
    /// Tokens in the prompt.
    pub tokens: u64,
    /// Tokens before any cut.
    pub tokens_before: u64,
    /// False if `tokens_before` is an estimate.
    pub tokens_before_exact: bool,
    /// The item's own budget.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub budget: Option<Budget>,
    /// The order in which it is cut.
    pub priority: i64,
    /// True if a part is missing.
    pub clipped: bool,
    /// The cuts with their reasons.
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
            sources: Vec::new(),
            text: item.digest.clone(),
            value: item.value_digest.clone(),
            score: None,
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

/// The contribution of a knowledge pack to a prompt, with the pack's state (KN-9, KN-15).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PackRecord {
    /// Its name.
    pub name: String,
    /// Its version.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub version: Option<String>,
    /// Its status, such as `ready`.
    pub status: String,
    /// Its own statement about its review.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub trust: Option<String>,
    /// Digest of its whole contribution.
    pub digest: Digest,
    /// Its effective profile.
    pub profile: String,
    /// Its effective runtime mode.
    pub runtime_mode: String,
    /// The grounding policy that applied.
    pub grounding: String,
    /// The place of the request: a `use`, or a reference in a text.
    pub position: Position,
    /// The greatest number of tokens allowed.
    pub budget: u64,
    /// The number of tokens selected, including its fence; 0 if nothing in it matches.
    pub tokens: u64,
    /// The files used, with digests of their texts.
    pub files: Vec<PackFileRecord>,
    /// The warnings.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub warnings: Vec<String>,
    /// Information that the instruction needs and the pack does not have.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub missing: Vec<String>,
    /// Claims without a source.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub citation_gaps: Vec<Value>,
}

/// The most characters of a question in a [`RankedRecord`].
pub const LONGEST_QUESTION: usize = 1_000;

/// The most passages that a [`LeftOut`] names.
pub const MOST_LEFT_OUT: usize = 20;

/// What the question of a `use` selected, and what it left out (CA-16).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RankedRecord {
    /// The source expression or reference that was selected from.
    pub source: String,
    /// The label of the `use`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub label: Option<String>,
    /// The place of the `use`.
    pub position: Position,
    /// The beginning of the question.
    pub question: String,
    /// The budget of the `use`.
    pub budget: Budget,
    /// The most passages of the `use`, of `best 3 of` (EV-10).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub most: Option<u64>,
    /// The passages in the prompt, best first.
    pub passages: Vec<RankedPassage>,
    /// What is not in the prompt.
    pub left_out: LeftOut,
}

impl RankedRecord {
    /// Returns the best score among the passages of an item of this `use`.
    #[must_use]
    pub fn score_of(&self, source: &str) -> Option<f64> {
        let own = |one: &&RankedPassage| one.text == source || self.source == source;
        self.passages.iter().filter(own).map(|one| one.score).reduce(f64::max)
    }
}

/// A passage that was ranked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RankedPassage {
    /// Its file by its reference, its place in a list, such as `[3]`, or its key in an object.
    pub text: String,
    /// The headings over it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub heading: Option<String>,
    /// Its first line in its text, counted from 1.
    pub first_line: u32,
    /// Its last line.
    pub last_line: u32,
    /// Its relevance: greater is better, and comparable within one `use`.
    pub score: f64,
    /// Its tokens.
    pub tokens: u64,
}

/// What a question left out.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// The number of texts of which nothing is shown.
    pub texts: u64,
    /// The number of passages that are not shown.
    pub passages: u64,
    /// The best of these that have a word of the question, up to 20.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub best: Vec<RankedPassage>,
}

/// A document that was expanded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExpandedRecord {
    /// The reference that was loaded.
    pub source: String,
    /// The place of the request: a `use`, or a reference in a text.
    pub position: Position,
    /// The references inside, in the order of the text.
    pub references: Vec<ExpandedReference>,
}

/// A reference inside a document that was expanded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExpandedReference {
    /// The reference, without credentials.
    pub reference: String,
    /// The documents around it.
    pub depth: usize,
    /// `loaded`, `pending`, `failed`, `cycle` or `limit`.
    pub state: String,
    /// The reason why it is in this state.
    pub reason: String,
    /// Tokens of what it gave, if it is loaded.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tokens: Option<u64>,
    /// Digest of what it gave, if that is one text.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub digest: Option<Digest>,
    /// The lowest trust of what it gave.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub trust: Option<Trust>,
}

/// A file of a knowledge pack that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PackFileRecord {
    /// Its path in the pack.
    pub path: String,
    /// Digest of its text.
    pub digest: Digest,
}

/// A secret that was masked before the model: where it stood, never what it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MaskedRecord {
    /// The source of the item, or the part of the prompt: `the instruction`.
    pub part: String,
    /// The index of the item.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub item: Option<usize>,
    /// Its description: `GitHub token`.
    pub what: String,
    /// The line of its text, counted from 1.
    pub line: u32,
}

/// One message as sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MessageRecord {
    /// The provider's role: `system`, `user`, `assistant`, `tool`.
    pub role: String,
    /// The parts whose concatenation is the text sent.
    pub pieces: Vec<Piece>,
    /// The places of items in that text (since version 2).
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub spans: Vec<ItemPlace>,
    /// Digest of that text.
    pub digest: Digest,
    /// Tokens of that text.
    pub tokens: u64,
}

/// The place of an item in the text of a message, in bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ItemPlace {
    /// The item's index.
    pub item: usize,
    /// The first byte.
    pub start: usize,
    /// The byte after the last one.
    pub end: usize,
}

/// A part of a message's text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Piece {
    /// A short text, stored inline.
    Text(String),
    /// A text in the store.
    Blob(Digest),
}

/// A text to be stored by its digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    /// Digest of `text`.
    pub digest: Digest,
    /// The text.
    pub text: String,
}

/// Splits a message's text at the given byte ranges, so that each range of an item or a layer
/// becomes a blob of its own and is stored once however often it is sent.
///
/// Ranges that are out of order, overlap or are not on character bounds are ignored: the text is
/// then stored whole, never wrong.
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

/// Assembles a message's text; `Err` names the digest that is missing from the store.
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

impl Manifest {
    /// Returns the manifest as JSON.
    ///
    /// It is here and not where it is called, so that the code that writes it is optimised for
    /// speed like this crate: each model call writes a manifest.
    ///
    /// # Errors
    /// A number in it that JSON does not have.
    pub fn to_json(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }
}

/// Returns the JSON Schema of [`Manifest`], as published in `schemas/`.
#[must_use]
pub fn manifest_schema() -> Value {
    schemars::schema_for!(Manifest).to_value()
}
