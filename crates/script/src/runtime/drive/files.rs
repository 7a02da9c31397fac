//! Reading of imported files (AS-27).

use super::super::error::{Checked, Fault};
use super::super::events::data;
use super::super::files::FileState;
use super::super::machine::Machine;
use super::super::value::json::read::Unread;
use super::super::value::{FROZEN, Value};
use crate::host::{FileImport, HostError, Standing, Supplied, SuppliedFile};
use contexture_context::{Label, TraceKind, Trust};
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
    let error = match outcome {
        Ok(supplied) => match imported(machine, supplied) {
            Ok((value, label)) => {
                machine.trace.end(event, [("trust", Json::from(label.trust.as_str()))]);
                return Ok(value);
            }
            Err(Failed::Limit(fault)) => {
                machine.trace.end(event, [("failed", Json::Bool(true))]);
                return Err(Failed::Limit(fault));
            }
            Err(Failed::Host(error)) => error,
        },
        Err(error) => error,
    };
    let told = json!({ "code": error.code, "message": error.message });
    machine.trace.end(event, [("error", told)]);
    Err(Failed::Host(error))
}

/// Returns the value of a file with its label.
fn imported(machine: &Machine<'_>, supplied: SuppliedFile) -> Result<(Value, Label), Failed> {
    machine.make_room();
    match supplied {
        SuppliedFile::Value(Supplied { value, label, standing, .. }) => {
            machine.note(standing);
            let tag = machine.meter.tags().tag(&label, standing);
            let value = machine.importer(tag, FROZEN).value(value).map_err(Failed::Limit)?;
            Ok((value, label))
        }
        SuppliedFile::Json(file) => {
            let tag = machine.meter.tags().tag(&file.label, Standing::Real);
            match machine.importer(tag, FROZEN).text(&file.text) {
                Ok(value) => Ok((value, file.label)),
                Err(Unread::Limit(fault)) => Err(Failed::Limit(fault)),
                Err(Unread::Invalid(error)) => {
                    Err(Failed::Host((file.invalid)(&file.name, &error)))
                }
            }
        }
    }
}
