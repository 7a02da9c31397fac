//! A snapshot of the packs.

use crate::fault::Fault;
use crate::mcp::said;
use contexture::Project;
use contexture::knowledge::discovery::Found;
use contexture::knowledge::{Scope, catalog, codes};
use contexture::packs::{self, Packs, PacksError};
use serde_json::{Value, json};

/// The generation of the packs that a session has seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Generation(pub(super) u64);

/// A snapshot of the packs.
pub(crate) struct View {
    pub(super) packs: Packs,
    /// In the order of the catalog.
    pub(super) served: Vec<Found>,
}

impl View {
    /// Looks for the packs of a project.
    pub(super) fn open(
        project: &Project,
        options: packs::Options,
        selected: Option<&[String]>,
    ) -> Self {
        let packs = Packs::open(project, options);
        let is_served = |found: &&Found| {
            selected.is_none_or(|names| {
                found.scope == Scope::Explicit || names.contains(&found.item.name)
            })
        };
        let served = packs.discovery().packs.iter().filter(is_served).cloned().collect();
        Self { packs, served }
    }

    /// Checks that all selected packs exist.
    pub(super) fn has_all(&self, selected: Option<&[String]>) -> Result<(), Fault> {
        let Some(names) = selected else { return Ok(()) };
        for name in names {
            self.packs.discovery().open(name).map_err(PacksError::from)?;
        }
        if self.served.is_empty() {
            return Err(Fault::of(codes::UNKNOWN_PACK, "there is no knowledge pack to serve")
                .with_help("a pack is a folder with a KNOWLEDGE.md; `contexture knowledge list` tells more"));
        }
        Ok(())
    }

    /// Reports whether the packs and their metadata are the same.
    pub(super) fn says_the_same(&self, other: &Self) -> bool {
        self.served == other.served
    }

    /// Reports whether there are none: then nothing mentions them (KN-6).
    pub(crate) fn is_empty(&self) -> bool {
        self.served.is_empty()
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.served.iter().map(|found| found.item.name.as_str())
    }

    pub(super) fn served(&self, name: &str) -> Result<&Found, Fault> {
        let found = self.served.iter().find(|found| found.item.name == name);
        found.ok_or_else(|| {
            let help = contexture::diagnostic::suggestion(name, self.names())
                .unwrap_or_else(|| "`knowledge_catalog` lists all packs".to_owned());
            let message = format!("there is no knowledge pack `{}`", said::line(name));
            Fault::of(codes::UNKNOWN_PACK, message).with_help(help)
        })
    }

    /// Returns the catalog as JSON with the instruction.
    pub(super) fn catalog(&self) -> Value {
        let mut value = catalog::json(&self.served);
        if let Some(fields) = value.as_object_mut() {
            fields.insert("instruction".to_owned(), json!(catalog::INSTRUCTION));
        }
        value
    }
}
