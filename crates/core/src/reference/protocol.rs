//! The port: the one trait behind every protocol and processor (REF-11, REF-12, REF-24).

use super::{LoadError, Loaded, Resource};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;

/// The result of [`Protocol::load`], once it is there.
pub type LoadFuture<'a> = Pin<Box<dyn Future<Output = Result<Loaded, LoadError>> + Send + 'a>>;

/// A protocol or a processor: turns a path, or the resources of an inner reference, into resources.
///
/// A program adds one of its own by implementing this; the built-in ones have no other way in.
pub trait Protocol: Send + Sync {
    /// Returns the name before `://`, in lower case.
    fn name(&self) -> &str;

    /// Returns what it works on: a path, or the resources of an inner reference.
    fn role(&self) -> Role;

    /// Returns the parameters it takes besides those that any text takes (REF-14).
    fn parameters(&self) -> &[Parameter] {
        &[]
    }

    /// Reports whether it takes parameters that nobody declares, as a template takes its variables.
    fn takes_any_parameter(&self) -> bool {
        false
    }

    /// Reports whether it reads bytes; otherwise its input is text in UTF-8.
    fn reads_bytes(&self) -> bool {
        false
    }

    /// Reports whether loading may connect to something: a dry run leaves such a protocol alone
    /// (AS-31).
    fn connects(&self) -> bool {
        true
    }

    /// Loads. The common parameters (`line`, `max`, `encoding`) are applied by the loader after it.
    fn load<'a>(&'a self, request: Request<'a>) -> LoadFuture<'a>;
}

/// The input of a protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// A path: `@file://a.md`.
    Source,
    /// The resources of the inner reference: `@markdown:file://a.md`.
    Processor,
}

/// A parameter that a protocol declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in the query.
    pub name: String,
    /// The values it takes; they are checked before loading (REF-17).
    pub kind: ParameterKind,
    /// Its effect, in one line.
    pub description: String,
    /// The value when the query has none.
    pub default: Option<String>,
    /// True if the query must have it.
    pub required: bool,
}

impl Parameter {
    /// Returns a parameter that may be absent and has no default.
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        kind: ParameterKind,
        description: impl Into<String>,
    ) -> Self {
        let (name, description) = (name.into(), description.into());
        Self { name, kind, description, default: None, required: false }
    }

    /// Takes the value when the query has none.
    #[must_use]
    pub fn or(mut self, default: impl Into<String>) -> Self {
        self.default = Some(default.into());
        self
    }
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
    /// Returns the value of a parameter.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.taken.get(name).map(String::as_str)
    }
}

/// A request to load something.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The reference in canonical form, without user info: for messages and results.
    pub reference: &'a str,
    /// The path as written, user info included; empty for a processor.
    pub path: &'a str,
    /// The parameters of this level.
    pub parameters: &'a Parameters,
    /// The resources of the inner reference; empty for a source.
    pub input: &'a [Resource],
    /// The place where relative paths start (REF-21).
    pub place: &'a Place,
    /// The most bytes that all resources of this request may have.
    pub max_bytes: u64,
    /// The most resources that one request may give.
    pub max_resources: usize,
}

/// The place of a document: relative paths in its references start there (REF-21).
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The number of its root among the allowed ones; 0 is the workspace.
    pub root: usize,
    /// The folder within that root, with `/`; empty is the root itself.
    pub folder: String,
}

impl Place {
    /// Returns the workspace root: the place of a reference outside documents.
    #[must_use]
    pub fn workspace() -> Self {
        Self::default()
    }

    /// Returns the place of a folder of the workspace.
    #[must_use]
    pub fn folder(folder: impl Into<String>) -> Self {
        Self { root: 0, folder: folder.into() }
    }
}
