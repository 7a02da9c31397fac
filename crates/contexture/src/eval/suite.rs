//! What a file of tests holds (EV-1).

use super::expect::{Expectation, Figure};
use super::number::amount;
use crate::run::Overrides;
use schemars::JsonSchema;
use serde::de::{self, Deserializer, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_saphyr::Spanned;
use std::collections::BTreeMap;
use std::fmt;

/// A file of tests: the cases of one program.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct TestFile {
    /// The program, relative to this file.
    pub program: String,
    /// The cases: a list, or the name of a JSONL or CSV file with the same keys.
    pub cases: Cases,
    /// Variants of every case that has none of its own.
    #[serde(default)]
    pub variants: Vec<Variant>,
    /// Numbers of the runs whose means the report has for each variant, by name: their places, as in
    /// `value.rank` or `prompt.tokens`. A truth value counts as 1 or 0.
    #[serde(default)]
    pub figures: BTreeMap<String, Figure>,
}

/// The cases of a file.
#[derive(Debug, Clone, JsonSchema)]
#[schemars(untagged)]
pub enum Cases {
    /// Cases in the file itself.
    Listed(Vec<Case>),
    /// The name of a JSONL or CSV file, relative to this one.
    File(String),
}

impl<'de> Deserialize<'de> for Cases {
    /// Reads a list or a name. A list is read in place, so that a fault keeps its line.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CasesVisitor)
    }
}

struct CasesVisitor;

impl<'de> Visitor<'de> for CasesVisitor {
    type Value = Cases;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of cases, or the name of a JSONL or CSV file")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Cases, E> {
        Ok(Cases::File(name.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Cases, A::Error> {
        let mut cases = Vec::new();
        while let Some(Spanned { value, referenced, .. }) = items.next_element::<Spanned<Case>>()? {
            let line = usize::try_from(referenced.line()).unwrap_or(usize::MAX);
            cases.push(Case { line, ..value });
        }
        Ok(Cases::Listed(cases))
    }
}

/// One case: an input, and what is expected of the run.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Case {
    /// Its name; `case 1` and so on where it has none.
    #[serde(default)]
    pub name: Option<String>,
    /// The input of the program.
    #[serde(default = "nothing")]
    pub input: Value,
    /// Recorded answers of models, in order: a text is a raw answer, `{json: …}` a value, and so on as
    /// in a file of `--mock`.
    #[serde(default)]
    pub answers: Option<Vec<Value>>,
    /// The model in place of all that the program names.
    #[serde(default)]
    pub model: Option<String>,
    /// Candidates of `use one of`, by label or `file:line`.
    #[serde(default)]
    pub select: BTreeMap<String, String>,
    /// Options of model calls in place of the program's.
    #[serde(default)]
    pub options: Overrides,
    /// Variants, each of which is a run of the case.
    #[serde(default)]
    pub variants: Vec<Variant>,
    /// What the run may take.
    #[serde(default)]
    pub limits: CaseLimits,
    /// What is expected.
    #[serde(default)]
    pub expect: Vec<Expectation>,
    /// Its line in the file that it stands in, from 1.
    #[serde(skip)]
    pub(crate) line: usize,
    /// Fields of the input as texts, which the program's shapes type: those of a CSV file.
    #[serde(skip)]
    pub(crate) pairs: Vec<(String, String)>,
}

fn nothing() -> Value {
    Value::Object(serde_json::Map::new())
}

/// A way to run a case.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// The model in place of all that the program names.
    #[serde(default)]
    pub model: Option<String>,
    /// Candidates of `use one of`, by label or `file:line`; they win over those of the case.
    #[serde(default)]
    pub select: BTreeMap<String, String>,
    /// Options of model calls; they win over those of the case.
    #[serde(default)]
    pub options: Overrides,
}

/// What the run of a case may take. A request that would pass a limit is not sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct CaseLimits {
    /// Dollars.
    #[serde(deserialize_with = "amount")]
    #[schemars(range(min = 0.0))]
    pub max_cost: Option<f64>,
    /// Requests to models.
    pub max_calls: Option<u64>,
    /// Tokens of prompts and answers together.
    pub max_tokens: Option<u64>,
    /// Seconds of the whole run.
    #[serde(deserialize_with = "amount")]
    #[schemars(range(min = 0.0))]
    pub max_seconds: Option<f64>,
}
