//! Knowledge packs over MCP: catalog, guide, context and files, as tools and as resources (KN-16).
//!
//! Decision: everything goes through the project's [`Packs`], so that a client may read what a
//! program may, no more. A pack that somebody has to allow first is listed with its metadata; every
//! other call about it is a result that is an error and says how to allow it (KN-8).

mod file;
mod resources;
mod tools;

pub(crate) use tools::tools;

use crate::fault::Fault;
use contexture::context::TokenCounter;
use contexture::knowledge::discovery::Found;
use contexture::knowledge::{Scope, catalog, codes};
use contexture::packs::{Packs, PacksError};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The packs that are served.
pub(crate) struct Knowledge {
    packs: Packs,
    /// In the order of the catalog.
    served: Vec<Found>,
    counter: &'static dyn TokenCounter,
    /// Whether the fences of packs warn in English.
    is_english: bool,
    /// Whether the last resolution was quick: the indexes are there.
    quick: AtomicBool,
}

/// A resolution that takes no longer may be done where messages are waited for.
const QUICK: Duration = Duration::from_millis(10);

impl Knowledge {
    /// The packs of a project, or those of them that were selected by their names or given by their
    /// paths; `None` when there are none.
    ///
    /// # Errors
    /// A [`Fault`] when what was selected is not there.
    pub(crate) fn new(
        packs: Packs,
        selected: Option<&[String]>,
        counter: &'static dyn TokenCounter,
        is_english: bool,
    ) -> Result<Option<Self>, Fault> {
        for name in selected.unwrap_or_default() {
            packs.discovery().open(name).map_err(PacksError::from)?;
        }
        let is_served = |found: &&Found| {
            selected.is_none_or(|names| {
                found.scope == Scope::Explicit || names.contains(&found.item.name)
            })
        };
        let served: Vec<Found> =
            packs.discovery().packs.iter().filter(is_served).cloned().collect();
        if served.is_empty() && selected.is_some() {
            return Err(Fault::of(codes::UNKNOWN_PACK, "there is no knowledge pack to serve")
                .with_help("a pack is a folder with a KNOWLEDGE.md; `contexture knowledge list` tells more"));
        }
        Ok((!served.is_empty()).then_some(Self {
            packs,
            served,
            counter,
            is_english,
            quick: AtomicBool::new(false),
        }))
    }

    /// What a model is told about packs as such.
    pub(crate) const fn instruction() -> &'static str {
        catalog::INSTRUCTION
    }

    fn is_quick(&self) -> bool {
        self.quick.load(Ordering::Relaxed)
    }

    fn took(&self, time: Duration) {
        self.quick.store(time <= QUICK, Ordering::Relaxed);
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.served.iter().map(|found| found.item.name.as_str())
    }

    /// A pack that is served.
    fn served(&self, name: &str) -> Result<&Found, Fault> {
        let found = self.served.iter().find(|found| found.item.name == name);
        found.ok_or_else(|| {
            let help = contexture::diagnostic::suggestion(name, self.names())
                .unwrap_or_else(|| "`knowledge_catalog` lists all packs".to_owned());
            Fault::of(codes::UNKNOWN_PACK, format!("there is no knowledge pack `{name}`"))
                .with_help(help)
        })
    }

    /// The catalog as JSON, with the instruction.
    fn catalog(&self) -> Value {
        let mut value = catalog::json(&self.served);
        if let Some(fields) = value.as_object_mut() {
            fields.insert("instruction".to_owned(), json!(catalog::INSTRUCTION));
        }
        value
    }
}

impl From<PacksError> for Fault {
    fn from(error: PacksError) -> Self {
        let fault = Self::new(error.code, error.message);
        let fault = match &error.question {
            Some(question) => fault.with("allow", question.allowance.to_string()),
            None => fault,
        };
        Self { help: error.help, ..fault }
    }
}
