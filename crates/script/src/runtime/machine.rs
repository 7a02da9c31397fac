//! The state that all fibers of a run share: the program, the host, counters.

use super::code::{Constant, Executable, UseSite};
use super::drive::semaphore::Semaphore;
use super::error::Checked;
use super::events::Trace;
use super::files::Files;
use super::flow::Flow;
use super::heap::Stacks;
use super::meter::Meter;
use super::methods::{Methods, Patterns};
use super::names::{Keys, Name};
use super::value::json::Importer;
use super::value::tag::{Tag, Tags};
use super::value::{Header, Value};
use super::warnings::{Warning, Warnings};
use crate::host::{Host, HostError, HostFuture, Standing, Supplied};
use contexture_context::{Limits, Position, Trust};
use serde_json::Value as Json;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// The settings of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunOptions {
    /// The limits.
    pub limits: Limits,
    /// The greatest number of concurrent iterations of a `parallel for`, and of effects in all
    /// (AS-10).
    pub concurrency: usize,
    /// The chosen candidate of each `use one of` (AS-17): from its place, as `file:line:column`, to
    /// the candidate's name.
    pub selections: BTreeMap<String, String>,
    /// True if the values that a run has at its end are not freed, as the process ends with it.
    pub leaves_values: bool,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            concurrency: 4,
            selections: BTreeMap::new(),
            leaves_values: false,
        }
    }
}

/// The state of a session between lines, besides its variables.
#[derive(Debug, Clone)]
pub(crate) struct Past {
    pub(crate) epoch: u32,
    pub(crate) last_event: u64,
    pub(crate) placeholders: bool,
    pub(crate) tags: Rc<Tags>,
}

impl Default for Past {
    fn default() -> Self {
        Self { epoch: 1, last_event: 0, placeholders: false, tags: Rc::default() }
    }
}

pub(crate) struct Machine<'r> {
    pub(crate) program: &'r Executable,
    pub(crate) host: &'r dyn Host,
    pub(crate) meter: Meter,
    /// The constants of the program; `None` for a string beyond `string_bytes`.
    pub(crate) constants: Vec<Option<Value>>,
    pub(crate) names: Vec<Name>,
    pub(crate) keys: Keys,
    pub(crate) trace: Trace<'r>,
    pub(crate) files: Files,
    /// The templates that were read, by the numbers of their imports.
    pub(crate) templates: RefCell<BTreeSet<u32>>,
    pub(crate) patterns: Patterns,
    pub(crate) methods: Methods,
    pub(crate) stacks: Stacks,
    flows: RefCell<HashMap<u32, Rc<Flow>>>,
    semaphore: Semaphore,
    pub(crate) warnings: Warnings,
    pub(crate) concurrency: usize,
    pub(crate) selections: &'r BTreeMap<String, String>,
    pub(crate) leaves_values: bool,
    /// True if a dry run has replaced an effect by a placeholder.
    pub(crate) placeholders: Cell<bool>,
    epoch: Cell<u32>,
}

impl<'r> Machine<'r> {
    pub(crate) fn new(
        program: &'r Executable,
        host: &'r dyn Host,
        options: &'r RunOptions,
        past: Past,
    ) -> Self {
        let most = options.limits.string_bytes;
        let constants = program.constants.iter().map(|constant| match constant {
            Constant::Int(value) => Some(Value::int(*value)),
            Constant::Float(value) => Some(Value::float(*value)),
            Constant::Str(text) if text.len() > most => None,
            Constant::Str(text) => Some(Value::text(&**text, Trust::Program)),
            Constant::Secret(name) => Some(Value::Secret(Rc::new(name.to_string()), Tag::PROGRAM)),
        });
        let concurrency = options.concurrency.max(1);
        let names: Vec<Name> = program.names.iter().map(|name| Name::from(&**name)).collect();
        Self {
            program,
            host,
            meter: Meter::new(options.limits.clone(), past.tags),
            constants: constants.collect(),
            keys: Keys::of(&names),
            names,
            trace: Trace::new(host, past.last_event),
            files: Files::new(program.imports.len()),
            templates: RefCell::default(),
            patterns: Patterns::default(),
            methods: Methods::default(),
            stacks: Stacks::default(),
            flows: RefCell::default(),
            semaphore: Semaphore::new(concurrency),
            warnings: Warnings::default(),
            concurrency,
            selections: &options.selections,
            leaves_values: options.leaves_values,
            placeholders: Cell::new(past.placeholders),
            epoch: Cell::new(past.epoch),
        }
    }

    pub(crate) fn epoch(&self) -> u32 {
        self.epoch.get()
    }

    /// Begins an epoch: older containers are read-only for the fiber that begins it.
    pub(crate) fn next_epoch(&self) -> u32 {
        self.epoch.set(self.epoch.get().saturating_add(1));
        self.epoch.get()
    }

    /// Returns the flow of control in a function.
    pub(crate) fn flow(&self, function: u32) -> Rc<Flow> {
        if let Some(known) = self.flows.borrow().get(&function) {
            return Rc::clone(known);
        }
        let ends = |site: u32| {
            let site = self.program.parallels.get(site as usize)?;
            usize::try_from(site.end).ok()
        };
        let code = self.program.functions.get(function as usize);
        let flow = Rc::new(code.map_or_else(Flow::default, |code| Flow::new(code, ends)));
        self.flows.borrow_mut().insert(function, Rc::clone(&flow));
        flow
    }

    pub(crate) fn header(&self) -> Header {
        Header::new(self.epoch())
    }

    pub(crate) fn import(&self, json: Json, tag: impl Into<Tag>) -> Checked<Value> {
        self.importer(tag.into(), self.epoch()).value(json)
    }

    /// Returns the conversion of JSON to values of this run.
    pub(crate) fn importer(&self, tag: Tag, epoch: u32) -> Importer<'_> {
        Importer { meter: &self.meter, keys: &self.keys, tag, epoch }
    }

    /// Measures what the run holds, `running` being the registers of the fiber that runs. Reports
    /// whether that made room for an instruction that had found none.
    pub(crate) fn measure(&self, running: &[Value]) -> bool {
        self.meter.measured(self.stacks.measure(running, &self.files.values()))
    }

    /// Makes room for a value from outside, while every fiber waits.
    pub(crate) fn make_room(&self) {
        if self.meter.is_measure_due() {
            self.measure(&[]);
        }
    }

    /// Imports a value that the host supplied, with at most the given trust.
    pub(crate) fn supplied(&self, supplied: Supplied, most: Trust) -> Checked<Value> {
        let Supplied { value, mut label, standing, .. } = supplied;
        self.note(standing);
        self.make_room();
        label.trust = label.trust.least(most);
        self.import(value, self.meter.tags().tag(&label, standing))
    }

    /// Performs an effect once one of the `concurrency` permits is free.
    pub(crate) async fn perform<T>(
        &self,
        effect: impl FnOnce(&'r dyn Host) -> HostFuture<'r, T>,
    ) -> Result<T, HostError> {
        let _permit = self.semaphore.enter().await;
        effect(self.host).await
    }

    pub(crate) fn note(&self, standing: Standing) {
        if standing != Standing::Real {
            self.placeholders.set(true);
        }
    }

    pub(crate) fn past(&self) -> Past {
        Past {
            epoch: self.epoch(),
            last_event: self.trace.last(),
            placeholders: self.placeholders.get(),
            tags: Rc::clone(self.meter.tags()),
        }
    }

    /// Returns the candidate that was selected for a `use one of` when the run was started.
    pub(crate) fn chosen(&self, used: &UseSite) -> Option<&str> {
        if self.selections.is_empty() {
            return None;
        }
        let Position { file, line, column } = self.program.position(used.place);
        self.selections.get(&format!("{file}:{line}:{column}")).map(String::as_str)
    }

    pub(crate) fn warnings(&self) -> Vec<Warning> {
        self.warnings.list(self.program)
    }
}
