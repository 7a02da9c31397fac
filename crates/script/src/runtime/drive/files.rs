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

/// Reads a file, or waits for the iteration that is reading it. A failure of the host is stored as
/// well.
pub(crate) async fn read(
    machine: &Machine<'_>,
    import: u32,
    parent: Option<u64>,
) -> Checked<Value> {
    match machine.files.settled(import).await {
        FileState::Ready(value) => Ok(value),
        FileState::Failed(error) => Err(Fault::effect(error, Trust::External)),
        FileState::Unread | FileState::Reading => {
            let mut reading = machine.files.begin(import);
            match fetch(machine, import, parent).await {
                Ok(value) => {
                    reading.end = FileState::Ready(value.clone());
                    Ok(value)
                }
                Err(Failed::Host(error)) => {
                    reading.end = FileState::Failed(error.clone());
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::LoadedSource;
    use crate::host::MemoryLoader;
    use crate::program::load;
    use crate::runtime::error::codes;
    use crate::runtime::machine::Past;
    use crate::runtime::{Executable, RunOptions, ScriptedHost, compile};
    use futures_util::FutureExt as _;
    use std::future::Future;
    use std::pin::pin;
    use std::task::Context;

    fn program() -> Executable {
        let text = "import file data from \"data.json\" main func(input) { data }".to_owned();
        let root = LoadedSource { name: "main.as".to_owned(), text };
        compile(&load(root, &MemoryLoader::new(), &Default::default()))
    }

    #[test]
    fn as_27_file_beyond_limit_is_read_again_at_next_use() {
        let (program, mut options) = (program(), RunOptions::default());
        options.limits.collection_items = 2;
        let host = ScriptedHost::new().with_file("data.json", json!([1, 2, 3]));
        let machine = Machine::new(&program, &host, &options, Past::default());
        for reads in 1..=2 {
            let outcome = read(&machine, 0, None).now_or_never().expect("nothing reads the file");
            assert_eq!(outcome.unwrap_err().code, codes::COLLECTION_ITEMS);
            assert_eq!(host.file_imports().len(), reads);
        }
    }

    #[test]
    fn as_27_file_whose_reading_is_dropped_is_read_by_who_waits() {
        let (program, options) = (program(), RunOptions::default());
        let host = ScriptedHost::new().with_file("data.json", json!(7)).with_waits(1);
        let machine = Machine::new(&program, &host, &options, Past::default());
        let mut context = Context::from_waker(futures_util::task::noop_waker_ref());
        let mut waiting = pin!(read(&machine, 0, None));
        {
            let mut dropped = pin!(read(&machine, 0, None));
            assert!(dropped.as_mut().poll(&mut context).is_pending());
            assert!(waiting.as_mut().poll(&mut context).is_pending());
            assert_eq!(host.file_imports().len(), 1);
        }
        assert!(waiting.as_mut().poll(&mut context).is_pending(), "it begins to read");
        let value = waiting.now_or_never().expect("the file is there").unwrap();
        assert!(matches!(value, Value::Int(7, _)));
        assert_eq!(host.file_imports().len(), 2);
    }
}
