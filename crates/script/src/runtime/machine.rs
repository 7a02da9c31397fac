//! What all fibers of a run share: the program, the door to the outside, counters.

use super::code::{Constant, Executable};
use super::drive::files::Files;
use super::drive::gate::Gate;
use super::error::Checked;
use super::events::Trace;
use super::meter::Meter;
use super::value::json::Importer;
use super::value::origin::Origin;
use super::value::{Header, Value};
use super::warnings::Warnings;
use super::{RunOptions, Warning};
use crate::host::{Host, Standing, Supplied};
use contexture_context::Trust;
use serde_json::Value as Json;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What a session remembers between lines besides its variables.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Past {
    pub(crate) epoch: u32,
    pub(crate) last_event: u64,
    pub(crate) placeholders: bool,
}

impl Default for Past {
    fn default() -> Self {
        Self { epoch: 1, last_event: 0, placeholders: false }
    }
}

/// A run.
pub(crate) struct Machine<'r> {
    pub(crate) program: &'r Executable,
    pub(crate) host: &'r dyn Host,
    pub(crate) meter: Meter,
    pub(crate) constants: Vec<Value>,
    pub(crate) names: Vec<Rc<str>>,
    pub(crate) trace: Trace<'r>,
    pub(crate) files: Files,
    /// The templates that were read, by the numbers of their imports.
    pub(crate) templates: RefCell<BTreeSet<u32>>,
    pub(crate) gate: Gate,
    pub(crate) warnings: Warnings,
    pub(crate) concurrency: usize,
    pub(crate) selections: &'r BTreeMap<String, String>,
    /// Whether a dry run has put a placeholder in place of an effect.
    pub(crate) placeholders: Cell<bool>,
    epoch: Cell<u32>,
}

impl<'r> Machine<'r> {
    /// A run that has not begun, or that goes on where a session stopped.
    pub(crate) fn new(
        program: &'r Executable,
        host: &'r dyn Host,
        options: &'r RunOptions,
        past: Past,
    ) -> Self {
        let constants = program.constants.iter().map(|constant| match constant {
            Constant::Int(value) => Value::Int(*value),
            Constant::Float(value) => Value::Float(*value),
            Constant::Str(text) => Value::text(&**text, Trust::Program),
        });
        let concurrency = options.concurrency.max(1);
        Self {
            program,
            host,
            meter: Meter::new(options.limits.clone()),
            constants: constants.collect(),
            names: program.names.iter().map(|name| Rc::from(&**name)).collect(),
            trace: Trace::new(host, past.last_event),
            files: Files::new(program.imports.len()),
            templates: RefCell::default(),
            gate: Gate::new(concurrency),
            warnings: Warnings::default(),
            concurrency,
            selections: &options.selections,
            placeholders: Cell::new(past.placeholders),
            epoch: Cell::new(past.epoch),
        }
    }

    /// The epoch in which containers are made now.
    pub(crate) fn epoch(&self) -> u32 {
        self.epoch.get()
    }

    /// Begins an epoch: what is older is read-only for the fiber that begins it.
    pub(crate) fn next_epoch(&self) -> u32 {
        self.epoch.set(self.epoch.get().saturating_add(1));
        self.epoch.get()
    }

    /// The header of a container that the program makes now.
    pub(crate) fn header(&self) -> Header {
        Header::new(self.epoch())
    }

    /// A value from outside.
    pub(crate) fn import(&self, json: Json, origin: impl Into<Origin>) -> Checked<Value> {
        Importer { meter: &self.meter, origin: origin.into(), epoch: self.epoch() }.value(json)
    }

    /// A value that the host supplied, with at most the given trust.
    pub(crate) fn supplied(&self, supplied: Supplied, most: Trust) -> Checked<Value> {
        let Supplied { value, trust, standing } = supplied;
        self.note(standing);
        self.import(value, Origin { trust: trust.least(most), standing })
    }

    /// Remembers that there was a placeholder.
    pub(crate) fn note(&self, standing: Standing) {
        if standing != Standing::Real {
            self.placeholders.set(true);
        }
    }

    /// What a session is to remember.
    pub(crate) fn past(&self) -> Past {
        Past {
            epoch: self.epoch(),
            last_event: self.trace.last(),
            placeholders: self.placeholders.get(),
        }
    }

    /// What the run has to warn of.
    pub(crate) fn warnings(&self) -> Vec<Warning> {
        self.warnings.list(self.program)
    }
}
