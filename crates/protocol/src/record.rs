//! Declarations of the two kinds of types that messages consist of: from a declaration come the
//! type, its reader and writer, its JSON Schema and its place in the reference.

/// Declares an object. Each field is `KIND name: Type = "wireName"`, where the kind is
/// - `required`, or `id` for a required id,
/// - `optional` (`Option`): absent is `None`; null counts as absent and is kept among `extra`, so
///   that it is written again,
/// - `any` (`Option<Value>`): as `optional`, but null is a value.
///
/// Fields that are not declared are kept in `extra` and written again (CP-1).
macro_rules! record {
    (
        $(#[doc = $doc:literal])*
        $(#[derive($($derive:ident),*)])?
        pub struct $Name:ident $(, check = $check:path)? $(, transform = $transform:path)? {
            $(
                $(#[doc = $field_doc:literal])*
                $kind:ident $field:ident: $Type:ty = $wire:literal,
            )*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, PartialEq, schemars::JsonSchema $($(, $derive)*)?)]
        #[schemars(transform = $Name::name_ids)]
        $(#[schemars(transform = $transform)])?
        pub struct $Name {
            $(
                $(#[doc = $field_doc])*
                #[schemars(rename = $wire)]
                pub $field: $Type,
            )*
            /// Unknown fields, unchanged.
            #[schemars(skip)]
            pub extra: serde_json::Map<String, serde_json::Value>,
        }

        impl $Name {
            fn name_ids(schema: &mut schemars::Schema) {
                $crate::record::name_ids(schema, &[$((stringify!($kind), $wire)),*]);
            }

            /// Reports whether a declared field of this wire name has a value.
            fn holds(&self, name: &str) -> bool {
                match name {
                    $($wire => $crate::record::by_kind!($kind { true } { self.$field.is_some() }),)*
                    _ => false,
                }
            }
        }

        impl $crate::read::Read for $Name {
            fn expected() -> std::borrow::Cow<'static, str> {
                "an object".into()
            }

            fn read(
                value: $crate::node::Node<'_>,
                at: &$crate::report::Place<'_>,
                report: &mut $crate::report::Report<'_>,
            ) -> Option<Self> {
                let map = $crate::read::fields(value, at, report)?;
                let before = report.count();
                $($check(&map, at, report);)?
                $(let mut $field = $crate::read::Slot::Absent;)*
                let mut extra = serde_json::Map::new();
                for (key, value) in map.0 {
                    match key.as_ref() {
                        $($wire => $crate::record::fill!($kind $field key value at report extra),)*
                        _ => drop(extra.insert(key.into_owned(), value.into_value())),
                    }
                }
                $(let $field = $crate::record::by_kind!($kind
                    { $field.required($wire, $crate::record::expected!($kind $Type), at, report) }
                    { $field.optional() }
                );)*
                if report.count() > before {
                    return None;
                }
                Some(Self { $($field: $crate::record::by_kind!($kind { $field? } { $field }),)* extra })
            }
        }

        impl serde::Serialize for $Name {
            fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeMap as _;
                let mut map = out.serialize_map(None)?;
                $($crate::record::by_kind!($kind
                    { map.serialize_entry($wire, &self.$field)? }
                    {
                        if let Some(value) = &self.$field {
                            map.serialize_entry($wire, value)?;
                        }
                    }
                );)*
                for (key, value) in &self.extra {
                    if !self.holds(key) {
                        map.serialize_entry(key, value)?;
                    }
                }
                map.end()
            }
        }

        $crate::record::deserialized!($Name);

        impl $crate::shape::Shape for $Name {
            fn shape() -> String {
                $crate::shape::link(stringify!($Name))
            }

            fn enter(pages: &mut $crate::shape::Pages) {
                if pages.is_new(stringify!($Name)) {
                    pages.add(
                        stringify!($Name),
                        &[$($doc),*],
                        vec![$($crate::shape::Field {
                            name: $wire,
                            is_required: $crate::record::by_kind!($kind { true } { false }),
                            shape: <$Type as $crate::shape::Shape>::shape(),
                            meaning: $crate::shape::prose(&[$($field_doc),*]),
                        },)*],
                    );
                    $(<$Type as $crate::shape::Shape>::enter(pages);)*
                }
            }
        }
    };
}

macro_rules! fill {
    (required $field:ident $key:ident $value:ident $at:ident $report:ident $extra:ident) => {
        $field = $crate::read::Slot::read($value, &$at.key(&$key), $report)
    };
    (id $field:ident $key:ident $value:ident $at:ident $report:ident $extra:ident) => {
        $field = $crate::read::Slot::of($crate::read::id($value, &$at.key(&$key), $report))
    };
    (optional $field:ident $key:ident $value:ident $at:ident $report:ident $extra:ident) => {
        if $value.is_null() {
            $extra.insert($key.into_owned(), serde_json::Value::Null);
        } else {
            $field = $crate::read::Slot::read($value, &$at.key(&$key), $report);
        }
    };
    (any $field:ident $key:ident $value:ident $at:ident $report:ident $extra:ident) => {
        $field = $crate::read::Slot::Read($value.into_value())
    };
}

/// Returns the description of the value of a required field.
macro_rules! expected {
    (required $Type:ty) => {
        <$Type as $crate::read::Read>::expected
    };
    (id $Type:ty) => {
        || $crate::read::ID.into()
    };
}

/// Expands to the first block for a required field, to the second for an optional one.
macro_rules! by_kind {
    (required $required:tt $optional:tt) => {
        $required
    };
    (id $required:tt $optional:tt) => {
        $required
    };
    (optional $required:tt $optional:tt) => {
        $optional
    };
    (any $required:tt $optional:tt) => {
        $optional
    };
}

/// Implements `Deserialize` for a type that is `Read`.
macro_rules! deserialized {
    ($Name:ident) => {
        impl<'de> serde::Deserialize<'de> for $Name {
            fn deserialize<D: serde::Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
                $crate::record::deserialize(input)
            }
        }
    };
}

/// Implements `Display` and serde for a type that is `Read` and has `as_str`, its text on the wire.
macro_rules! text {
    ($Name:ident) => {
        impl std::fmt::Display for $Name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $Name {
            fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
                out.serialize_str(self.as_str())
            }
        }

        $crate::record::deserialized!($Name);
    };
}

/// Implements `JsonSchema` for a type without a definition of its own.
macro_rules! inline_schema {
    ($Name:ident, $schema:expr) => {
        impl schemars::JsonSchema for $Name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($Name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                $schema
            }
        }
    };
}

/// Declares a closed set of words. Any other word is a fault (CP-4).
macro_rules! words {
    (
        $(#[doc = $doc:literal])*
        $(#[derive($($derive:ident),*)])?
        pub enum $Name:ident {
            $(
                $(#[doc = $word_doc:literal])*
                $(#[default $($default:tt)?])?
                $Variant:ident = $word:literal,
            )*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash $($(, $derive)*)?)]
        pub enum $Name {
            $(
                $(#[doc = $word_doc])*
                $(#[default $($default)?])?
                $Variant,
            )*
        }

        impl $Name {
            /// All words.
            pub const ALL: &'static [Self] = &[$(Self::$Variant),*];

            /// Returns the word on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$Variant => $word,)*
                }
            }

            /// Parses a word, case-sensitively.
            #[must_use]
            pub fn parse(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$Variant),)*
                    _ => None,
                }
            }
        }

        impl $crate::read::Read for $Name {
            fn expected() -> std::borrow::Cow<'static, str> {
                $crate::record::one_of(&[$($word),*]).into()
            }

            fn read(
                value: $crate::node::Node<'_>,
                at: &$crate::report::Place<'_>,
                report: &mut $crate::report::Report<'_>,
            ) -> Option<Self> {
                let word = value.as_str().and_then(Self::parse);
                word.or_else(|| $crate::read::wrong(&value, at, report))
            }
        }

        $crate::record::text!($Name);

        impl schemars::JsonSchema for $Name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($Name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "description": $crate::shape::prose(&[$($doc),*]),
                    "type": "string",
                    "enum": [$($word),*],
                })
            }
        }

        impl $crate::shape::Shape for $Name {
            fn shape() -> String {
                $crate::shape::link(stringify!($Name))
            }

            fn enter(pages: &mut $crate::shape::Pages) {
                if pages.is_new(stringify!($Name)) {
                    pages.add_words(
                        stringify!($Name),
                        &[$($doc),*],
                        vec![$(($word, $crate::shape::prose(&[$($word_doc),*])),)*],
                    );
                }
            }
        }
    };
}

pub(crate) use {by_kind, deserialized, expected, fill, inline_schema, record, text, words};

use crate::limits::Limits;
use crate::read::Read;
use crate::report::{Place, Report};
use serde::de::Error as _;
use serde::{Deserialize as _, Deserializer};
use serde_json::Value;

/// Deserializes with serde, through a value, under the limits of a file.
pub(crate) fn deserialize<'de, T: Read, D: Deserializer<'de>>(input: D) -> Result<T, D::Error> {
    let value = Value::deserialize(input)?;
    let mut report = Report::new(&Limits::FILE);
    let read = T::read(value.into(), &Place::TOP, &mut report);
    match (read, report.faults.message()) {
        (Some(read), None) => Ok(read),
        (_, message) => Err(D::Error::custom(message.unwrap_or_default())),
    }
}

pub(crate) fn one_of(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    match quoted.as_slice() {
        [one] => one.clone(),
        [first, last] => format!("{first} or {last}"),
        _ => format!("one of {}", quoted.join(", ")),
    }
}

/// The pattern of an id.
pub(crate) const ID: &str = "^[^\\u0000-\\u001f\\u007f-\\u009f]+$";

/// Adds the pattern of an id to the fields of the kind `id`.
pub(crate) fn name_ids(schema: &mut schemars::Schema, fields: &[(&str, &str)]) {
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    for (_, name) in fields.iter().filter(|(kind, _)| *kind == "id") {
        if let Some(Value::Object(field)) = properties.get_mut(*name) {
            field.insert("pattern".to_owned(), ID.into());
        }
    }
}
