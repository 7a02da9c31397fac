//! Context items, the central type of the pipeline.

use crate::budget::{Budget, Keep};
use crate::cut::Kept;
use crate::digest::Digest;
use crate::fence::Fence;
use crate::json::JsonText;
use crate::label::Label;
use crate::trust::Trust;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A place in a source file, 1-based, columns in characters.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
pub struct Position {
    /// The file, relative to the workspace.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The column in characters.
    pub column: u32,
}

/// A request of a program to show something: a value under a label and a budget, before it is a
/// text.
#[derive(Debug, Clone, PartialEq)]
pub struct DeclaredItem {
    /// The literal label (`as …`), if any; it only names the section (AS-12).
    pub label: Option<String>,
    /// The source expression as written, such as `docs.summary`.
    pub source: String,
    /// The place of its declaration.
    pub position: Option<Position>,
    /// The value at the time the prompt is built (AS-13).
    pub value: Value,
    /// The item's own budget.
    pub budget: Option<Budget>,
    /// The part that stays under a whole-prompt budget when the item has no budget of its own
    /// (AS-16, AS-18).
    pub keep: Keep,
    /// The order in which items are cut to fit a whole-prompt budget: the lowest first (AS-18).
    pub priority: i64,
    /// The question that its parts are selected by, if any (CA-16).
    pub question: Option<ItemQuestion>,
    /// The label of the value: that of all its parts.
    pub origin: Label,
    /// Its own fence, such as that of a knowledge pack (KN-13); without one, trust decides whether
    /// it gets the general fence.
    pub fence: Option<Fence>,
}

/// A question that selects parts of an item (CA-16).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemQuestion {
    /// The text.
    pub text: String,
    /// The most parts that it selects; without one only the budget bounds them (EV-10).
    pub most: Option<u64>,
}

/// The reason why an item is shorter than its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CutReason {
    /// Its own budget (`use x max n`).
    ItemBudget,
    /// The budget of the whole prompt (`max_input`).
    PromptBudget,
    /// The prompt asks for a plan, which sees no data (GU-7).
    PlanData,
}

/// The record of a cut.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct CutRecord {
    /// The budget that required it.
    pub reason: CutReason,
    /// The limit that applied to the item's text, in the units of `budget.measure`.
    pub budget: Budget,
    /// The number of tokens removed.
    pub removed: u64,
    /// True if the item is no longer in the prompt.
    pub left_out: bool,
    /// The number of items or fields kept, for a list or an object. If none were kept, the prompt
    /// contains an empty one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub kept: Option<Kept>,
}

impl CutRecord {
    /// Reports whether nothing of the value is left in the prompt.
    #[must_use]
    pub fn left_nothing(&self) -> bool {
        self.left_out || self.kept.is_some_and(|kept| kept.kept == 0)
    }
}

/// A text that reaches a model, with its record.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextItem {
    /// Its index in the prompt, from 0.
    pub index: usize,
    /// The label that heads its section.
    pub label: Option<String>,
    /// The source expression or reference.
    pub source: String,
    /// The place of its declaration.
    pub position: Option<Position>,
    /// The original value as canonical JSON: `value_digest` is its digest, and records keep it.
    pub value: JsonText,
    /// The text exactly as in the prompt, including fence and marker.
    pub text: String,
    /// Tokens of `text`.
    pub tokens: u64,
    /// Tokens before any cut (fence included).
    pub tokens_before: u64,
    /// False if `tokens_before` is an estimate, as it may be for very large texts.
    pub tokens_before_exact: bool,
    /// The item's own budget.
    pub budget: Option<Budget>,
    /// The order in which it is cut: the lowest first.
    pub priority: i64,
    /// Its trust.
    pub trust: Trust,
    /// True if a part of the value is missing from `text`.
    pub clipped: bool,
    /// The cuts with their reasons, in order.
    pub cuts: Vec<CutRecord>,
    /// Digest of `text`.
    pub digest: Digest,
    /// Digest of `value`.
    pub value_digest: Digest,
}

impl ContextItem {
    /// Reports whether the whole item was cut and is no longer in the prompt.
    #[must_use]
    pub fn left_out(&self) -> bool {
        self.cuts.iter().any(|cut| cut.left_out)
    }
}
