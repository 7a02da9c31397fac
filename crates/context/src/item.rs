//! The context item: the one noun of the pipeline.

use crate::cut::Kept;
use crate::fence::Fence;
use crate::{Budget, Digest, Keep, Trust};
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

/// What a program asks to be shown: a value under a label and a budget, before it is a text.
#[derive(Debug, Clone, PartialEq)]
pub struct DeclaredItem {
    /// The literal label (`as …`), if any; it names the section and nothing else (AS-12).
    pub label: Option<String>,
    /// The source expression as written, such as `docs.summary`.
    pub source: String,
    /// Where it was declared.
    pub position: Option<Position>,
    /// The value at the time the prompt is built (AS-13).
    pub value: Value,
    /// The item's own budget.
    pub budget: Option<Budget>,
    /// What stays under a whole-prompt budget when the item has no budget of its own, which would
    /// say so itself (AS-16, AS-18).
    pub keep: Keep,
    /// The order in which items yield to a whole-prompt budget: the lowest yields first (AS-18).
    pub priority: i64,
    /// How far the value may be believed: the lowest trust of anything in it.
    pub trust: Trust,
    /// The fence it stands in, such as that of a knowledge pack (KN-13); without one, trust decides
    /// whether it stands in the general fence.
    pub fence: Option<Fence>,
}

/// Why an item is shorter than its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CutReason {
    /// Its own budget (`use x max n`).
    ItemBudget,
    /// The budget of the whole prompt (`max_input`).
    PromptBudget,
}

/// What was cut from an item and why.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct CutRecord {
    /// The budget that asked for it.
    pub reason: CutReason,
    /// The limit that applied to the item's text, in the units of `budget.measure`.
    pub budget: Budget,
    /// Tokens taken away.
    pub removed: u64,
    /// Whether the item stands in the prompt no more.
    pub left_out: bool,
    /// How many items or fields stayed, for a list or an object. With none of them, what stands in
    /// the prompt is an empty one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub kept: Option<Kept>,
}

impl CutRecord {
    /// Whether nothing of the value is left in the prompt.
    #[must_use]
    pub fn left_nothing(&self) -> bool {
        self.left_out || self.kept.is_some_and(|kept| kept.kept == 0)
    }
}

/// A text that reaches a model, with all that is known of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContextItem {
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
    /// The value it was made from.
    pub value: Value,
    /// The text exactly as it stands in the prompt, fence and marker included.
    pub text: String,
    /// Tokens of `text`.
    pub tokens: u64,
    /// Tokens before any cut (fence included).
    pub tokens_before: u64,
    /// False when `tokens_before` is an estimate, as it may be for very large texts.
    pub tokens_before_exact: bool,
    /// The item's own budget.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub budget: Option<Budget>,
    /// The order in which it yields: the lowest first.
    pub priority: i64,
    /// How far it may be believed.
    pub trust: Trust,
    /// Whether something of the value is missing from `text`.
    pub clipped: bool,
    /// Each cut with its reason, in the order made.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub cuts: Vec<CutRecord>,
    /// Digest of `text`.
    pub digest: Digest,
    /// Digest of `value` as canonical JSON.
    pub value_digest: Digest,
}

impl ContextItem {
    /// Whether the whole item gave way and stands in the prompt no more.
    #[must_use]
    pub fn left_out(&self) -> bool {
        self.cuts.iter().any(|cut| cut.left_out)
    }
}
