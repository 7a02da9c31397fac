//! Reading of imported files (AS-27).

use super::super::error::{Checked, Fault};
use super::super::events::data;
use super::super::files::FileState;
use super::super::machine::Machine;
use super::super::value::json::Importer;
use super::super::value::{FROZEN, Value};
use crate::host::{FileImport, HostError, Supplied};
use contexture_context::{TraceKind, Trust};
use serde_json::{Value as Json, json};

/// Reads a file, or waits for the iteration that is reading it. A failure is stored as well.
pub(crate) async fn read(
    machine: &Machine<'_>,
    import: u32,
    parent: Option<u64>,
) -> Checked<Value> {
    match machine.files.settled(import).await {
        FileState::Ready(value) => Ok(value),
        FileState::Failed(error) => Err(Fault::effect(error, Trust::External)),
        FileState::Unread | FileState::Reading => {
            machine.files.set(import, FileState::Reading);
            match fetch(machine, import, parent).await {
                Ok(value) => {
                    machine.files.set(import, FileState::Ready(value.clone()));
                    Ok(value)
                }
                Err(Failed::Host(error)) => {
                    machine.files.set(import, FileState::Failed(error.clone()));
                    Err(Fault::effect(error, Trust::External))
                }
                Err(Failed::Limit(fault)) => Err(fault),
            }
        }
    }
}

enum Failed {
    Host(HostError),
    Limit(Box<Fault>),
}

async fn fetch(machine: &Machine<'_>, import: u32, parent: Option<u64>) -> Result<Value, Failed> {
    let Some(code) = machine.program.imports.get(import as usize) else { return Ok(Value::NONE) };
    let about = data([("name", Json::from(&*code.name)), ("path", Json::from(&*code.from))]);
    let event = machine.trace.begin(parent, TraceKind::File, about);
    let request =
        FileImport { event: event.id, path: code.from.clone(), importer: code.importer.clone() };
    let outcome = machine.perform(|host| host.file(request)).await;
    match outcome {
        Ok(supplied) => {
            machine.trace.end(event, [("trust", Json::from(supplied.label.trust.as_str()))]);
            let Supplied { value, label, standing, .. } = supplied;
            machine.note(standing);
            machine.make_room();
            let tag = machine.meter.tags().tag(&label, standing);
            let importer = Importer { meter: &machine.meter, tag, epoch: FROZEN };
            importer.value(value).map_err(Failed::Limit)
        }
        Err(error) => {
            let told = json!({ "code": error.code, "message": error.message });
            machine.trace.end(event, [("error", told)]);
            Err(Failed::Host(error))
        }
    }
}
