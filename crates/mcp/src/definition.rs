//! A server's definition of one of its tools.

use contexture_context::Digest;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

const NAME_BYTES: usize = 256;

const DEFINITION_BYTES: usize = 256 << 10;

/// A server's definition of one of its tools: all that a model or the check sees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Definition {
    /// Its name at the server.
    pub name: String,
    /// A short title for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its description, which a model reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// JSON Schema of its arguments.
    pub input_schema: Map<String, Value>,
    /// JSON Schema of its structured result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// The server's claims about its effects; nothing is concluded from them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Value>,
}

/// A definition that is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DefinitionError {
    /// The name is empty, too long, or holds signs that can't be shown.
    #[error(
        "a tool has the name {0:?}, which is empty, longer than {NAME_BYTES} bytes or not printable"
    )]
    Name(String),
    /// It is larger than is kept.
    #[error("the definition of the tool `{name}` has {bytes} bytes, more than {DEFINITION_BYTES}")]
    TooLarge {
        /// The tool.
        name: String,
        /// Its size in bytes.
        bytes: usize,
    },
    /// Two tools have one name.
    #[error("two tools are called `{0}`")]
    Twice(String),
    /// It has not the form of a definition.
    #[error("the definition of the tool `{name}` can't be read: {reason}")]
    Form {
        /// The tool, as far as its name is known.
        name: String,
        /// Why.
        reason: String,
    },
}

/// The offer of a server.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Offer {
    /// Its tools, sorted by name.
    pub tools: Vec<Definition>,
    /// The definitions that were left out, since they can't be used.
    pub left_out: Vec<DefinitionError>,
}

impl Offer {
    /// Returns the usable definitions of a server. Of two tools with one name it is unclear which
    /// is meant: both are left out.
    #[must_use]
    pub fn of(all: Vec<Definition>) -> Self {
        let mut offer = Self::default();
        for definition in all {
            match definition.fits() {
                Ok(()) => offer.tools.push(definition),
                Err(fault) => offer.left_out.push(fault),
            }
        }
        offer.tools.sort_by(|one, other| one.name.cmp(&other.name));
        let names = offer.tools.array_windows().filter(|[one, next]| one.name == next.name);
        let mut twice: Vec<String> = names.map(|[one, _]| one.name.clone()).collect();
        twice.dedup();
        offer.tools.retain(|tool| !twice.contains(&tool.name));
        offer.left_out.extend(twice.into_iter().map(DefinitionError::Twice));
        offer
    }
}

impl Definition {
    /// Returns a definition of nothing but name and arguments; what is not an object is an empty
    /// schema.
    #[must_use]
    pub fn new(name: impl Into<String>, input_schema: Value) -> Self {
        let input_schema = match input_schema {
            Value::Object(schema) => schema,
            _ => Map::new(),
        };
        Self {
            name: name.into(),
            title: None,
            description: None,
            input_schema,
            output_schema: None,
            annotations: None,
        }
    }

    /// Describes it.
    #[must_use]
    pub fn described(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Returns the digest of all of it, whatever the order of its fields.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of_json(&json!(self))
    }

    /// Sorts definitions by name.
    ///
    /// # Errors
    /// [`DefinitionError`] when a name can't be used or stands twice, or one is too large.
    pub fn sorted(all: Vec<Self>) -> Result<Vec<Self>, DefinitionError> {
        let Offer { tools, left_out } = Offer::of(all);
        left_out.into_iter().next().map_or(Ok(tools), Err)
    }

    fn fits(&self) -> Result<(), DefinitionError> {
        let name = &self.name;
        let odd = |sign: char| sign.is_control() || sign.is_whitespace() || is_unseen(sign);
        if name.is_empty() || name.len() > NAME_BYTES || name.contains(odd) {
            return Err(DefinitionError::Name(name.chars().take(80).collect()));
        }
        let bytes = json!(self).to_string().len();
        if bytes > DEFINITION_BYTES {
            return Err(DefinitionError::TooLarge { name: name.clone(), bytes });
        }
        Ok(())
    }
}

/// Reports whether a sign is not seen, or turns the direction of reading: two names with and
/// without it look the same.
const fn is_unseen(sign: char) -> bool {
    matches!(sign,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffc}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_25_digest_covers_all_that_is_said_and_no_order() {
        let one = Definition::new("a", json!({"type": "object", "properties": {}}));
        let same = Definition::new("a", json!({"properties": {}, "type": "object"}));
        assert_eq!(one.digest(), same.digest());
        let described = one.clone().described("Do as I say.");
        let wider = Definition::new("a", json!({"type": "object"}));
        let noted = Definition { annotations: Some(json!({"readOnlyHint": true})), ..one.clone() };
        let named = Definition { name: "b".to_owned(), ..one.clone() };
        let output = Definition { output_schema: Some(json!({})), ..one.clone() };
        for other in [described, wider, noted, named, output] {
            assert_ne!(one.digest(), other.digest(), "{other:?}");
        }
    }

    #[test]
    fn as_25_definitions_that_can_not_be_kept_are_refused() {
        let of = |name: &str| Definition::new(name, json!({}));
        let sorted = Definition::sorted(vec![of("b"), of("a")]).unwrap();
        assert_eq!(sorted.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        let twice = Definition::sorted(vec![of("a"), of("b"), of("a")]);
        assert_eq!(twice, Err(DefinitionError::Twice("a".to_owned())));
        let long = "x".repeat(257);
        for name in ["", "a b", "a\u{1b}[2J", "a\u{202e}b", "a\u{200b}b", "\u{feff}a", &long] {
            let refused = Definition::sorted(vec![of(name)]);
            assert!(matches!(refused, Err(DefinitionError::Name(_))), "{name:?}");
        }
        let large = of("a").described("x".repeat(300 << 10));
        let refused = Definition::sorted(vec![large]);
        assert!(matches!(refused, Err(DefinitionError::TooLarge { .. })), "{refused:?}");
    }

    #[test]
    fn as_25_one_bad_tool_is_left_out_and_others_stay() {
        let of = |name: &str| Definition::new(name, json!({}));
        let Offer { tools, left_out } =
            Offer::of(vec![of("b"), of("a b"), of("c"), of("a"), of("c"), of("")]);
        assert_eq!(tools, [of("a"), of("b")]);
        let told: Vec<String> = left_out.iter().map(ToString::to_string).collect();
        assert_eq!(told.len(), 3, "{told:?}");
        assert!(told[0].contains("\"a b\"") && told[2] == "two tools are called `c`", "{told:?}");
    }
}
