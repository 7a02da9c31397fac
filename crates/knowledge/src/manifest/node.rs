//! A value of the frontmatter, whatever it is.

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// A value of the frontmatter with the line that it begins in.
#[derive(Debug, PartialEq)]
pub(super) struct Node {
    pub(super) line: u32,
    pub(super) kind: Kind,
}

/// The place of a value in the frontmatter, in bytes.
type Place = Option<(u64, u64)>;

#[derive(Debug, PartialEq)]
pub(super) enum Kind {
    Nothing,
    Text(String),
    /// A number or a truth value: its text is how it is written, not what it is worth.
    Number(Place),
    List(Vec<Node>),
    Mapping(Vec<(String, Node)>),
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = serde_saphyr::Spanned::<Kind>::deserialize(deserializer)?;
        let line = u32::try_from(spanned.referenced.line()).unwrap_or_default();
        let kind = match spanned.value {
            Kind::Number(_) => {
                let span = spanned.defined.span();
                Kind::Number(span.byte_offset().zip(span.byte_len()))
            }
            kind => kind,
        };
        Ok(Self { line, kind })
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(KindVisitor)
    }
}

struct KindVisitor;

impl<'de> Visitor<'de> for KindVisitor {
    type Value = Kind;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Kind, E> {
        Ok(Kind::Nothing)
    }

    fn visit_none<E>(self) -> Result<Kind, E> {
        Ok(Kind::Nothing)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Kind, D::Error> {
        Kind::deserialize(deserializer)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Kind, E> {
        Ok(Kind::Number(None))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Kind, E> {
        Ok(Kind::Number(None))
    }

    fn visit_u64<E>(self, _: u64) -> Result<Kind, E> {
        Ok(Kind::Number(None))
    }

    fn visit_i128<E>(self, _: i128) -> Result<Kind, E> {
        Ok(Kind::Number(None))
    }

    fn visit_u128<E>(self, _: u128) -> Result<Kind, E> {
        Ok(Kind::Number(None))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Kind, E> {
        Ok(Kind::Number(None))
    }

    fn visit_str<E>(self, value: &str) -> Result<Kind, E> {
        Ok(Kind::Text(value.to_owned()))
    }

    fn visit_bytes<E>(self, value: &[u8]) -> Result<Kind, E> {
        Ok(Kind::Text(String::from_utf8_lossy(value).into_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Kind, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Kind::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Kind, A::Error> {
        let mut mapping = Vec::new();
        while let Some((key, value)) = fields.next_entry::<Node, Node>()? {
            // A key that is not text names no field of ours.
            if let Kind::Text(key) = key.kind {
                mapping.push((key, value));
            }
        }
        Ok(Kind::Mapping(mapping))
    }
}

impl Kind {
    pub(super) const fn in_words(&self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Text(_) | Self::Number(_) => "a text",
            Self::List(_) => "a list",
            Self::Mapping(_) => "a mapping",
        }
    }
}
