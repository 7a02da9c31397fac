//! What a case expects (EV-2), with all that can be wrong about it found when the file is read.

use super::number::{amount, ordinal, share};
use contexture_context::Trust;
use contexture_diagnostic::suggestion;
use contexture_flow::condition::{Condition, Path};
use jsonschema::Validator;
use regex::Regex;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

/// An expectation about a run.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Expectation {
    /// The value is this one.
    Equals(Value),
    /// The value holds at least this: of an object these fields, of a list these elements.
    Subset(Value),
    /// A text matches a regular expression.
    Matches(Matches),
    /// A condition over `value`, `prompt` and `course` is true.
    Where(Where),
    /// A number is close to another.
    Near(Near),
    /// A list and another have elements in common: their number by that of both together.
    Overlap(Overlap),
    /// The value fits a JSON Schema.
    Schema(ValueSchema),
    /// What a model saw.
    Prompt(PromptWish),
    /// What the run did.
    Course(CourseWish),
    /// The score that a function of a program gives.
    Scorer(Scorer),
}

impl Expectation {
    /// Returns its name in a file.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Equals(_) => "equals",
            Self::Subset(_) => "subset",
            Self::Matches(_) => "matches",
            Self::Where(_) => "where",
            Self::Near(_) => "near",
            Self::Overlap(_) => "overlap",
            Self::Schema(_) => "schema",
            Self::Prompt(_) => "prompt",
            Self::Course(_) => "course",
            Self::Scorer(_) => "scorer",
        }
    }
}

/// A regular expression and the text that it is for.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Matches {
    /// The place in the value, as in `items[0].name`; the whole value where it is absent.
    #[serde(default)]
    pub path: ValuePath,
    /// The pattern, which may match anywhere in the text.
    pub pattern: Pattern,
}

/// A number, and how far from it a value may be.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Near {
    /// The place in the value.
    #[serde(default)]
    pub path: ValuePath,
    /// The number.
    pub value: f64,
    /// The greatest difference.
    #[serde(deserialize_with = "amount")]
    #[schemars(range(min = 0.0))]
    pub within: f64,
}

/// A set, and how much of it a list has.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Overlap {
    /// The place of the list in the value.
    #[serde(default)]
    pub path: ValuePath,
    /// The other list.
    pub with: Vec<Value>,
    /// The least overlap, from 0 to 1.
    #[serde(deserialize_with = "share")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub at_least: f64,
}

/// What a prompt must be.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct PromptWish {
    /// The model call, from 1; the first where it is absent.
    #[serde(deserialize_with = "ordinal")]
    #[schemars(range(min = 1))]
    pub call: Option<u64>,
    /// The label or source of an item of which something is shown.
    pub has_item: Option<String>,
    /// A text that is in the prompt.
    pub keeps: Option<String>,
    /// The most tokens of the prompt.
    pub max_tokens: Option<u64>,
    /// The least trust of its items.
    pub least_trust: Option<Trust>,
    /// The least share of the bytes of the prompt before it with which it begins, too, from 0 to 1.
    #[serde(deserialize_with = "share")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub stable_prefix: Option<f64>,
}

/// What the course of a run must be.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct CourseWish {
    /// The number of model calls.
    pub calls: Option<u64>,
    /// The number of their attempts together.
    pub attempts: Option<u64>,
    /// The calls of tools in order, as in `File.read`.
    pub tools: Option<Vec<String>>,
    /// The files that the run changed, in any order.
    pub files: Option<BTreeSet<String>>,
}

/// A function that scores a run, and the least score.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Scorer {
    /// The agent and its function, as in `Grader.score`. It gets `value` and `input`, and returns a
    /// number from 0 to 1.
    pub agent: String,
    /// The program that has it, relative to this file; that of the cases where it is absent.
    #[serde(default)]
    pub program: Option<String>,
    /// The model in place of all that it names.
    #[serde(default)]
    pub model: Option<String>,
    /// The least score, from 0 to 1.
    #[serde(default = "whole", deserialize_with = "share")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub at_least: f64,
}

const fn whole() -> f64 {
    1.0
}

/// Gives a type that is written as a text the schema of one.
macro_rules! written_as_text {
    ($Type:ty) => {
        impl JsonSchema for $Type {
            fn schema_name() -> Cow<'static, str> {
                stringify!($Type).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                String::json_schema(generator)
            }
        }
    };
}

/// A place in a value.
#[derive(Debug, Clone, Default)]
pub struct ValuePath(Option<Path>);

impl ValuePath {
    /// Returns what is at the place.
    pub(super) fn of<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        let Some(path) = &self.0 else { return Some(value) };
        path.segments().iter().try_fold(value, |at, segment| segment.of(at))
    }

    /// Returns the place in words.
    pub(super) fn words(&self) -> String {
        self.0.as_ref().map_or_else(|| "the value".to_owned(), |path| format!("`{path}`"))
    }
}

impl<'de> Deserialize<'de> for ValuePath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.is_empty() {
            return Ok(Self::default());
        }
        let dot = if text.starts_with('[') { "" } else { "." };
        let path = Path::parse(&format!("value{dot}{text}"));
        let path = path.map_err(|fault| {
            D::Error::custom(format!("the path `{text}` is not valid: {}", fault.message))
        })?;
        Ok(Self(Some(path)))
    }
}

written_as_text!(ValuePath);

/// A regular expression.
#[derive(Debug, Clone)]
pub struct Pattern(pub(super) Regex);

/// The greatest size of a compiled pattern, in bytes.
const PATTERN_BYTES: usize = 1 << 20;

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let built = regex::RegexBuilder::new(&text).size_limit(PATTERN_BYTES).build();
        built.map(Self).map_err(|fault| {
            let fault = fault.to_string();
            let last = fault.lines().last().unwrap_or_default().trim_start_matches("error: ");
            D::Error::custom(format!("the pattern `{text}` is not valid: {last}"))
        })
    }
}

written_as_text!(Pattern);

/// A condition over `value`, `prompt` and `course`.
#[derive(Debug, Clone)]
pub struct Where {
    pub(super) text: String,
    pub(super) condition: Condition,
}

/// The roots of a condition.
const ROOTS: [&str; 3] = ["value", "prompt", "course"];

impl<'de> Deserialize<'de> for Where {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let condition = Condition::parse(&text).map_err(|fault| {
            D::Error::custom(format!("the condition `{text}` is not valid: {fault}"))
        })?;
        for path in condition.paths() {
            known(path).map_err(|fault| D::Error::custom(format!("in `{text}` {fault}")))?;
        }
        Ok(Self { text, condition })
    }
}

written_as_text!(Where);

/// The place of a number in `value`, `prompt` or `course`.
#[derive(Debug, Clone)]
pub struct Figure(pub(super) Path);

impl<'de> Deserialize<'de> for Figure {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let path = Path::parse(&text).map_err(|fault| fault.message);
        let path = path.and_then(|path| known(&path).map(|()| path));
        let wrong = |fault| D::Error::custom(format!("the figure `{text}` is not valid: {fault}"));
        path.map(Self).map_err(wrong)
    }
}

written_as_text!(Figure);

/// Refuses a path that can't lead anywhere.
fn known(path: &Path) -> Result<(), String> {
    let fields: &[&str] = match path.root() {
        "value" => return Ok(()),
        "prompt" => &super::observed::PROMPT_FIELDS,
        "course" => &super::observed::COURSE_FIELDS,
        other => return Err(unknown(other, &ROOTS)),
    };
    match path.segments().first() {
        Some(segment) if !fields.contains(&segment.name()) => Err(unknown(segment.name(), fields)),
        _ => Ok(()),
    }
}

fn unknown(name: &str, known: &[&str]) -> String {
    let near = suggestion(name, known.iter().copied()).map(|near| format!("; {near}"));
    format!("`{name}` is unknown, expected {}{}", known.join(", "), near.unwrap_or_default())
}

/// A JSON Schema, ready to be used.
#[derive(Debug, Clone)]
pub struct ValueSchema(pub(super) Arc<Validator>);

impl<'de> Deserialize<'de> for ValueSchema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let schema = Value::deserialize(deserializer)?;
        // Patterns that backtrack could take forever on an answer.
        let options =
            jsonschema::options().with_pattern_options(jsonschema::PatternOptions::regex());
        let built = options.build(&schema);
        built
            .map(|built| Self(Arc::new(built)))
            .map_err(|fault| D::Error::custom(format!("the schema is not valid: {fault}")))
    }
}

impl JsonSchema for ValueSchema {
    fn schema_name() -> Cow<'static, str> {
        "ValueSchema".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({ "$ref": "https://json-schema.org/draft/2020-12/schema" })
    }
}
