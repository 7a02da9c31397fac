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
                $crate::schema::name_ids(schema, &[$((stringify!($kind), $wire)),*]);
            }

            /// Reports whether a declared field of this wire name has a value.
            fn holds(&self, name: &str) -> bool {
                match name {
                    $($wire => $crate::record::holds!($kind self.$field),)*
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
                $(let $field = $crate::record::finish!($kind $field $wire $Type; at report);)*
                if report.count() > before {
                    return None;
                }
                Some(Self { $($field: $crate::record::settle!($kind $field),)* extra })
            }
        }

        impl serde::Serialize for $Name {
            fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeMap as _;
                let mut map = out.serialize_map(None)?;
                $($crate::record::write!($kind self.$field, $wire, map);)*
                for (key, value) in &self.extra {
                    if !self.holds(key) {
                        map.serialize_entry(key, value)?;
                    }
                }
                map.end()
            }
        }

        impl<'de> serde::Deserialize<'de> for $Name {
            fn deserialize<D: serde::Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
                $crate::record::deserialize(input)
            }
        }

        impl $crate::reference::Shape for $Name {
            fn shape() -> String {
                $crate::reference::link(stringify!($Name))
            }

            fn enter(pages: &mut $crate::reference::Pages) {
                if pages.is_new(stringify!($Name)) {
                    pages.add(
                        stringify!($Name),
                        &[$($doc),*],
                        vec![$($crate::reference::Field {
                            name: $wire,
                            is_required: $crate::record::is_required!($kind),
                            shape: <$Type as $crate::reference::Shape>::shape(),
                            meaning: $crate::reference::prose(&[$($field_doc),*]),
                        },)*],
                    );
                    $(<$Type as $crate::reference::Shape>::enter(pages);)*
                }
            }
        }
    };
}

macro_rules! holds {
    (required $field:expr) => {{
        let _ = &$field;
        true
    }};
    (id $field:expr) => {{
        let _ = &$field;
        true
    }};
    (optional $field:expr) => {
        $field.is_some()
    };
    (any $field:expr) => {
        $field.is_some()
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

macro_rules! finish {
    (required $field:ident $wire:literal $Type:ty; $at:ident $report:ident) => {
        $field.required($wire, <$Type as $crate::read::Read>::expected, $at, $report)
    };
    (id $field:ident $wire:literal $Type:ty; $at:ident $report:ident) => {
        $field.required($wire, || $crate::read::ID.into(), $at, $report)
    };
    (optional $field:ident $wire:literal $Type:ty; $at:ident $report:ident) => {
        $field.optional()
    };
    (any $field:ident $wire:literal $Type:ty; $at:ident $report:ident) => {
        $field.optional()
    };
}

macro_rules! settle {
    (required $field:ident) => {
        $field?
    };
    (id $field:ident) => {
        $field?
    };
    (optional $field:ident) => {
        $field
    };
    (any $field:ident) => {
        $field
    };
}

macro_rules! write {
    (required $field:expr, $wire:literal, $map:ident) => {
        $map.serialize_entry($wire, &$field)?
    };
    (id $field:expr, $wire:literal, $map:ident) => {
        $map.serialize_entry($wire, &$field)?
    };
    (optional $field:expr, $wire:literal, $map:ident) => {
        if let Some(value) = &$field {
            $map.serialize_entry($wire, value)?;
        }
    };
    (any $field:expr, $wire:literal, $map:ident) => {
        if let Some(value) = &$field {
            $map.serialize_entry($wire, value)?;
        }
    };
}

macro_rules! is_required {
    (required) => {
        true
    };
    (id) => {
        true
    };
    (optional) => {
        false
    };
    (any) => {
        false
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

        impl std::fmt::Display for $Name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
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

        impl serde::Serialize for $Name {
            fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
                out.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $Name {
            fn deserialize<D: serde::Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
                $crate::record::deserialize(input)
            }
        }

        impl schemars::JsonSchema for $Name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($Name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "description": $crate::reference::prose(&[$($doc),*]),
                    "type": "string",
                    "enum": [$($word),*],
                })
            }
        }

        impl $crate::reference::Shape for $Name {
            fn shape() -> String {
                $crate::reference::link(stringify!($Name))
            }

            fn enter(pages: &mut $crate::reference::Pages) {
                if pages.is_new(stringify!($Name)) {
                    pages.add_words(
                        stringify!($Name),
                        &[$($doc),*],
                        vec![$(($word, $crate::reference::prose(&[$($word_doc),*])),)*],
                    );
                }
            }
        }
    };
}

pub(crate) use {fill, finish, holds, is_required, record, settle, words, write};

use crate::Limits;
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
    match (read, report.refusal()) {
        (Some(read), None) => Ok(read),
        (_, refusal) => Err(D::Error::custom(refusal.map_or_else(String::new, |r| r.message))),
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
