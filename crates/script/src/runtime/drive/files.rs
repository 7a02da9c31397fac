//! Imported files: each is read once per run, at its first use, whoever uses it first (AS-27).

use super::super::error::{Checked, Fault};
use super::super::events::data;
use super::super::machine::Machine;
use super::super::value::json::Importer;
use super::super::value::origin::Origin;
use super::super::value::{FROZEN, Value};
use crate::host::{FileImport, HostError, Supplied};
use contexture_context::{TraceKind, Trust};
use serde_json::{Value as Json, json};
use std::cell::RefCell;
use std::future::poll_fn;
use std::task::{Poll, Waker};

#[derive(Debug, Clone, Default)]
enum State {
    #[default]
    Unread,
    Reading,
    Ready(Value),
    Failed(HostError),
}

/// The imported files of a run, by the number of their import.
#[derive(Debug)]
pub(crate) struct Files {
    states: RefCell<Vec<State>>,
    waiting: RefCell<Vec<Waker>>,
}

impl Files {
    /// None read yet.
    pub(crate) fn new(count: usize) -> Self {
        Self { states: RefCell::new(vec![State::Unread; count]), waiting: RefCell::default() }
    }

    /// A file's value, if it was read.
    pub(crate) fn ready(&self, import: u32) -> Option<Value> {
        match self.states.borrow().get(import as usize) {
            Some(State::Ready(value)) => Some(value.clone()),
            _ => None,
        }
    }

    fn state(&self, import: u32) -> State {
        self.states.borrow().get(import as usize).cloned().unwrap_or_default()
    }

    fn set(&self, import: u32, state: State) {
        if let Some(slot) = self.states.borrow_mut().get_mut(import as usize) {
            *slot = state;
        }
        self.waiting.take().into_iter().for_each(Waker::wake);
    }

    /// Reads a file, or waits for the turn that is reading it. A failure is kept as well.
    pub(crate) async fn read(
        &self,
        machine: &Machine<'_>,
        import: u32,
        parent: Option<u64>,
    ) -> Checked<Value> {
        let state = poll_fn(|context| match self.state(import) {
            State::Reading => {
                self.waiting.borrow_mut().push(context.waker().clone());
                Poll::Pending
            }
            state => Poll::Ready(state),
        })
        .await;
        match state {
            State::Ready(value) => Ok(value),
            State::Failed(error) => Err(Fault::effect(error, Trust::External)),
            State::Unread | State::Reading => {
                self.set(import, State::Reading);
                let outcome = fetch(machine, import, parent).await;
                match outcome {
                    Ok(value) => {
                        self.set(import, State::Ready(value.clone()));
                        Ok(value)
                    }
                    Err(Failed::Host(error)) => {
                        self.set(import, State::Failed(error.clone()));
                        Err(Fault::effect(error, Trust::External))
                    }
                    Err(Failed::Limit(fault)) => Err(fault),
                }
            }
        }
    }
}

enum Failed {
    Host(HostError),
    Limit(Box<Fault>),
}

async fn fetch(machine: &Machine<'_>, import: u32, parent: Option<u64>) -> Result<Value, Failed> {
    let Some(code) = machine.program.imports.get(import as usize) else { return Ok(Value::None) };
    let about = data([("name", Json::from(&*code.name)), ("path", Json::from(&*code.from))]);
    let event = machine.trace.begin(parent, TraceKind::File, about);
    let request =
        FileImport { event: event.id, path: code.from.clone(), importer: code.importer.clone() };
    let outcome = {
        let _permit = machine.gate.enter().await;
        machine.host.file(request).await
    };
    match outcome {
        Ok(supplied) => {
            machine.trace.end(event, [("trust", Json::from(supplied.trust.as_str()))]);
            let Supplied { value, trust, standing } = supplied;
            machine.note(standing);
            let origin = Origin { trust, standing };
            let importer = Importer { meter: &machine.meter, origin, epoch: FROZEN };
            importer.value(value).map_err(Failed::Limit)
        }
        Err(error) => {
            let told = json!({ "code": error.code, "message": error.message });
            machine.trace.end(event, [("error", told)]);
            Err(Failed::Host(error))
        }
    }
}
