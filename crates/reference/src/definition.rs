//! Definitions of protocols by resource elements (REF-15 to REF-19).
//!
//! A protocol is defined in Markdown: which paths it has (`<location>`), which parameters it takes
//! (`<params>`), and what its ids stand for (`<registry>`).
//!
//! Decision: a fault is reported with its place and never guessed at. A resource element with an
//! error is not used, and references to it fail instead of falling back to another definition; a
//! broken row of a table costs that row alone.
//!
//! ```
//! use contexture_reference::definition::{Definitions, Layer, Options, Origin};
//! use contexture_reference::syntax::Reference;
//!
//! let text = "\
//! <resource protocol=\"thought\">
//! <registry>
//! | id | reference |
//! |----|-----------|
//! | analytical | @file://thoughts/analytical.md |
//! </registry>
//! </resource>
//! ";
//! let mut definitions = Definitions::built_in();
//! let origin = Origin::new(Layer::Workspace, "thought.resource.md");
//! assert!(definitions.add(origin, text, &Options::default()).is_empty());
//!
//! let reference = Reference::parse("@!thought://analytical?line=1-5")?;
//! let resolution = definitions.resolve(&reference)?;
//! assert_eq!(resolution.reference.as_str(), "@!file://thoughts/analytical.md?line=1-5");
//! assert_eq!(resolution.trail[0].line, 5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
mod element;
mod error;
mod layers;
mod lines;
mod location;
mod params;
mod parts;
mod registered;
mod registry;
mod report;
mod resolve;
mod table;
mod tag;
#[cfg(test)]
mod tests;
mod variables;

pub use check::{ParameterError, check};
pub use error::ResolveError;
pub use layers::{Definitions, RESERVED};
pub use location::{Location, Mismatch};
pub use registered::{EXTENSIBLE, Glob, GlobError, OnlyMatch, Row};
pub use registry::{Entry, Registry};
pub use report::Limits;
pub use resolve::{Hop, Resolution, Way};

use contexture_context::Trust;
use contexture_context::fence::Fence;
use contexture_core::reference::{Parameter, Parameters, Place};
use std::fmt;

/// The attribute that names what is wrapped.
const SOURCE: &str = "source";

/// The origin of definitions; a later layer takes the place of an earlier one (REF-19).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    /// Shipped with the program.
    BuiltIn,
    /// The user's own folder.
    User,
    /// The folder of the workspace.
    Workspace,
    /// Files named explicitly.
    Explicit,
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BuiltIn => "built-in",
            Self::User => "user",
            Self::Workspace => "workspace",
            Self::Explicit => "explicit",
        })
    }
}

/// The file that a definition stands in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// Its layer.
    pub layer: Layer,
    /// Its name, as diagnostics show it.
    pub file: String,
    /// The start of relative paths of its registry; none for the place of the reference.
    pub place: Option<Place>,
}

impl Origin {
    /// Returns a file whose relative paths start where the reference stands.
    #[must_use]
    pub fn new(layer: Layer, file: impl Into<String>) -> Self {
        Self { layer, file: file.into(), place: None }
    }

    /// Lets relative paths start at a place of the file's own.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }
}

/// The options of reading a file of definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// True if examples count: elements inside code fences and indented ones.
    pub examples: bool,
    /// The limits.
    pub limits: Limits,
}

/// A protocol that a resource element defines.
#[derive(Debug, Clone)]
pub struct Definition {
    name: String,
    written: String,
    origin: Origin,
    line: u32,
    description: Option<String>,
    location: Option<Location>,
    location_line: Option<u32>,
    parameters: Vec<Parameter>,
    registry: Option<Registry>,
}

impl Definition {
    /// Returns the protocol, in lower case.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the file it stands in.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Returns the line of its start tag, from 1.
    #[must_use]
    pub fn line(&self) -> u32 {
        self.line
    }

    /// Returns the first line of prose in it.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// Returns the rules of its paths, when it has any (REF-16).
    #[must_use]
    pub fn location(&self) -> Option<&Location> {
        self.location.as_ref()
    }

    /// Returns the parameters it declares (REF-17).
    #[must_use]
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Returns the registry of its ids (REF-18).
    #[must_use]
    pub fn registry(&self) -> Option<&Registry> {
        self.registry.as_ref()
    }

    /// Checks a path against its rules; without rules every path is right.
    ///
    /// # Errors
    /// The place up to which the path follows the rules, and what is expected there.
    pub fn check_path(&self, path: &str) -> Result<(), Mismatch> {
        let names = [self.written.as_str(), self.name.as_str()];
        let names = names.get(usize::from(self.written == self.name)..).unwrap_or_default();
        self.location.as_ref().map_or(Ok(()), |location| location.check(names, path))
    }
    /// Returns the text between `<name source="…">` and `</name>`. Nothing in it can close the tag;
    /// what looks like it gets a backslash.
    #[must_use]
    pub fn wrap(&self, source: &str, text: &str) -> String {
        self.wrap_with(source, &Parameters::default(), text)
    }

    /// Does the same as [`Definition::wrap`], with the parameters as further attributes.
    #[must_use]
    pub fn wrap_with(&self, source: &str, parameters: &Parameters, text: &str) -> String {
        let taken: Vec<(String, &str)> = parameters
            .taken
            .iter()
            .map(|(name, value)| match name.as_str() {
                SOURCE => (format!("parameter-{SOURCE}"), value.as_str()),
                name => (name.to_owned(), value.as_str()),
            })
            .collect();
        let mut attributes = vec![(SOURCE, source)];
        attributes.extend(taken.iter().map(|(name, value)| (name.as_str(), *value)));
        // Names are checked where they are declared, so the first fence is the one that is made.
        Fence::new(&self.name, &attributes)
            .or_else(|_| Fence::new(&self.name, &[(SOURCE, source)]))
            .unwrap_or_else(|_| Fence::data(Trust::Web))
            .enclose(text)
    }
}
