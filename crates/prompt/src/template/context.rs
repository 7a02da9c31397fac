//! The variables of one rendering (PT-5).

use super::json;
use super::value::{TemplateObject, TemplateValue};
use crate::error::PromptError;
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// The variables of one rendering, in insertion order.
///
/// ```
/// use contexture_prompt::{PromptTemplate, TemplateContext};
///
/// let mut ctx = TemplateContext::new();
/// ctx.insert("name", "Ada");
/// ctx.insert("age", 36);
/// ctx.insert("langs", vec!["en", "fr"]);
/// let template = PromptTemplate::compile("{{name}} ({{age}}): {{langs}}")?;
/// assert_eq!(template.render(&ctx)?, r#"Ada (36): ["en","fr"]"#);
/// # Ok::<(), contexture_prompt::PromptError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TemplateContext {
    pub(super) vars: TemplateObject,
}

impl TemplateContext {
    /// Creates a context without variables.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a variable. The name is a single one: a dot in it never separates a path.
    pub fn insert(&mut self, key: impl Into<String>, value: impl Into<TemplateValue>) {
        self.vars.insert(key, value);
    }

    /// Returns the value of a variable.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&TemplateValue> {
        self.vars.get(key)
    }

    /// Returns the variables in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &TemplateValue)> {
        self.vars.iter()
    }

    /// Creates a context of the fields of a JSON object, in their order.
    ///
    /// # Errors
    /// [`PromptError::Render`] if the value is not an object, or deeper than
    /// [`MAX_VALUE_DEPTH`](crate::limits::MAX_VALUE_DEPTH).
    pub fn from_json(value: &Value) -> Result<Self, PromptError> {
        Self::from_value(json::from_ref(value, 0)?)
    }

    /// Creates a context of the fields of a JSON object, from its text: numbers keep the form in
    /// which they are written (`1.10`), which [`TemplateContext::from_json`] can't know.
    ///
    /// # Errors
    /// [`PromptError::Parse`] with line and column if the text is not JSON, and as
    /// [`TemplateContext::from_json`].
    pub fn from_json_str(text: &str) -> Result<Self, PromptError> {
        Self::from_value(json::read(text)?)
    }

    /// Creates a context of a map's entries, sorted by name.
    #[must_use]
    pub fn from_map(map: HashMap<String, TemplateValue>) -> Self {
        let sorted: BTreeMap<_, _> = map.into_iter().collect();
        Self { vars: sorted.into_iter().collect() }
    }

    /// Creates a context of the fields of any serialisable struct or map.
    ///
    /// # Errors
    /// [`PromptError::Render`] when it does not serialise to a JSON object.
    pub fn from_serialize<T: Serialize + ?Sized>(value: &T) -> Result<Self, PromptError> {
        let value = serde_json::to_value(value).map_err(|error| {
            PromptError::Render(format!("the variables can't be parsed: {error}"))
        })?;
        Self::from_value(value.into())
    }

    fn from_value(value: TemplateValue) -> Result<Self, PromptError> {
        match value {
            TemplateValue::Object(vars) => Ok(Self { vars }),
            other => Err(PromptError::Render(format!(
                "the variables must be an object of names and values, not {}",
                other.kind()
            ))),
        }
    }
}

impl<K: Into<String>, V: Into<TemplateValue>> FromIterator<(K, V)> for TemplateContext {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(vars: I) -> Self {
        Self { vars: vars.into_iter().collect() }
    }
}

impl<K: Into<String>, V: Into<TemplateValue>> Extend<(K, V)> for TemplateContext {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, vars: I) {
        self.vars.extend(vars);
    }
}
