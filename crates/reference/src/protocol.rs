//! The one trait behind every protocol and processor (REF-11, REF-12, REF-24).

use crate::{LoadError, Loaded, Resource};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;

/// What [`Protocol::load`] returns.
pub type LoadFuture<'a> = Pin<Box<dyn Future<Output = Result<Loaded, LoadError>> + Send + 'a>>;

/// Turns a path, or what an inner reference gave, into resources.
///
/// A program adds one of its own by implementing this; the built-in ones have no other way in.
pub trait Protocol: Send + Sync {
    /// The name before `://`, in lower case.
    fn name(&self) -> &str;

    /// Whether it reads a path or works on what an inner reference gave.
    fn role(&self) -> Role;

    /// The parameters it takes besides those that any text takes (REF-14).
    fn parameters(&self) -> &[Parameter] {
        &[]
    }

    /// Whether it takes parameters that nobody declares, as a template takes its variables.
    fn takes_any_parameter(&self) -> bool {
        false
    }

    /// Whether it reads bytes; what it is given is else text in UTF-8.
    fn reads_bytes(&self) -> bool {
        false
    }

    /// Whether loading may connect to something: a dry run leaves such a protocol alone (AS-31).
    fn connects(&self) -> bool {
        true
    }

    /// Loads. The common parameters (`line`, `max`, `encoding`) are applied by the loader after it.
    fn load<'a>(&'a self, request: Request<'a>) -> LoadFuture<'a>;
}

/// What a protocol works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// A path: `@file://a.md`.
    Source,
    /// What the inner reference gave: `@markdown:file://a.md`.
    Processor,
}

/// A parameter that a protocol declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in the query.
    pub name: String,
    /// What values it takes; they are checked before loading (REF-17).
    pub kind: ParameterKind,
    /// What it does, in one line.
    pub description: String,
    /// The value when the query has none.
    pub default: Option<String>,
    /// Whether the query must have it.
    pub required: bool,
}

/// The values of a parameter (REF-17).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParameterKind {
    /// Any text.
    String,
    /// A number, with a fraction or not.
    Number,
    /// A whole number.
    Integer,
    /// `true` or `false`.
    Boolean,
    /// `5`, `5-10`, `5-`, `-10`.
    Range,
    /// One of these words.
    OneOf(Vec<String>),
}

/// The parameters that reached a protocol, decoded and checked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parameters {
    /// Those it declares, by name, with their defaults filled in.
    pub taken: BTreeMap<String, String>,
    /// The query text for the server as written, without our parameters (http and https alone).
    pub passed_on: Option<String>,
}

impl Parameters {
    /// The value of a parameter.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.taken.get(name).map(String::as_str)
    }
}

/// What is asked of a protocol.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The reference in canonical form, without user info: for messages and results.
    pub reference: &'a str,
    /// The path as written, user info included; empty for a processor.
    pub path: &'a str,
    /// The parameters of this level.
    pub parameters: &'a Parameters,
    /// What the inner reference gave; empty for a source.
    pub input: &'a [Resource],
    /// Where relative paths start (REF-21).
    pub place: &'a Place,
    /// The most bytes that all resources of this request may have.
    pub max_bytes: u64,
    /// The most resources that one request may give.
    pub max_resources: usize,
}

/// Where a document stands: relative paths in its references start there (REF-21).
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// Which of the allowed roots; 0 is the workspace.
    pub root: usize,
    /// The folder within that root, with `/`; empty is the root itself.
    pub folder: String,
}

impl Place {
    /// The workspace root: where a reference stands that no document holds.
    #[must_use]
    pub fn workspace() -> Self {
        Self::default()
    }

    /// A folder of the workspace.
    #[must_use]
    pub fn folder(folder: impl Into<String>) -> Self {
        Self { root: 0, folder: folder.into() }
    }
}
