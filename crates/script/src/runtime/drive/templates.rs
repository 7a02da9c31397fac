//! Imported templates: each is read once per run, at its first use, and rendered for every call
//! (AS-2).

use super::super::error::{Checked, Fault};
use super::super::events::data;
use super::super::machine::Machine;
use super::super::value::Value;
use super::super::vm::fiber::Rendering;
use crate::host::Standing;
use contexture_context::TraceKind;
use serde_json::{Value as Json, json};

/// Renders a template; reading it is an event of the trace.
pub(super) async fn render(
    machine: &Machine<'_>,
    parent: Option<u64>,
    job: Rendering,
) -> Checked<Value> {
    let Rendering { import, mut call, tag } = job;
    let first = machine.templates.borrow_mut().insert(import);
    let event = first.then(|| {
        let about = data([
            ("name", Json::from(&*call.template.name)),
            ("path", Json::from(&*call.template.path)),
            ("template", Json::Bool(true)),
        ]);
        machine.trace.begin(parent, TraceKind::File, about)
    });
    call.event = event.as_ref().map(|event| event.id);
    let outcome = machine.perform(|host| host.template(call)).await;
    if let Some(event) = event {
        let told = match &outcome {
            Ok(supplied) => ("trust", Json::from(supplied.label.trust.as_str())),
            Err(error) => ("error", json!({ "code": error.code, "message": error.message })),
        };
        machine.trace.end(event, [told]);
    }
    let supplied = outcome.map_err(|error| Fault::effect(error, tag.trust()))?;
    machine.note(supplied.standing);
    // A text that contains unknowns is itself known.
    let known =
        |standing| if standing == Standing::Real { standing } else { Standing::Placeholder };
    let tags = machine.meter.tags();
    let own = tags.tag(&supplied.label, known(supplied.standing));
    machine.import(supplied.value, tags.influenced(own, tag))
}
