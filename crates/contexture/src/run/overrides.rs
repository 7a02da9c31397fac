//! Options of model calls that a run has in place of those of its program (EV-1).

use contexture_script::host::GenerateOptions;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Options of every `generate` of a run, in place of its own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Overrides {
    /// The sampling temperature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// The most tokens of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_output: Option<u64>,
    /// The most tokens of the whole prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_input: Option<u64>,
}

impl Overrides {
    /// Returns these options, and for those that are absent the ones of `other`.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            temperature: self.temperature.or(other.temperature),
            max_output: self.max_output.or(other.max_output),
            max_input: self.max_input.or(other.max_input),
        }
    }

    pub(crate) fn apply(self, options: &mut GenerateOptions) {
        options.temperature = self.temperature.or(options.temperature);
        options.max_input = self.max_input.or(options.max_input);
        if let Some(most) = self.max_output {
            options.max_output = Some(most);
            options.most_output = options.most_output.map(|grown| grown.max(most));
        }
    }
}
