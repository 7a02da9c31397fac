//! Checks of single steps: the action, the side, the replacement.

use super::plan::Planned;
use super::report::{Diagnostic, Report};
use crate::action::Actions;
use crate::codes;
use crate::graph::{Edges, number};
use crate::set::{Mode, Set, Step};
use contexture_diagnostic::suggestion;
use contexture_protocol::content::{Fallback, FallbackBehavior, RecoveryStrategy, Runtime};
use std::collections::HashMap;

/// Looks up the actions of all steps and of their replacements.
pub(crate) fn actions(set: &Set, actions: &dyn Actions, report: &mut Report) -> Planned {
    let mut planned = Planned {
        actions: Vec::new(),
        numbers: HashMap::new(),
        of_step: Vec::with_capacity(set.steps.len()),
    };
    for (index, step) in set.steps.iter().enumerate() {
        let action = planned.number(&step.action, actions);
        planned.of_step.push(action);
        // A front-end tool may be offered by a client that connects later.
        let may_come = step.runtime == Some(Runtime::Frontend);
        let is_known = planned.get(action).is_some_and(|action| action.info.is_some());
        // An invalid name has already been reported.
        let is_read = set.form.is_none() || !step.action.is_empty();
        if !is_known && !may_come && is_read {
            let path = || format!("{}/{}", set.pointer_of(index), set.action_field());
            report.add(|| unknown(path(), &step.action, actions));
        }
        replacements(set, index, step, report, |name, path, report| {
            let action = planned.number(name, actions);
            let is_known = planned.get(action).is_some_and(|action| action.info.is_some());
            if !is_known && !may_come {
                report.add(|| unknown(path, name, actions));
            }
        });
    }
    planned
}

fn unknown(path: String, name: &str, actions: &dyn Actions) -> Diagnostic {
    let message = format!("unknown action `{name}`");
    let fault = Diagnostic::new(codes::UNKNOWN_ACTION, path, message);
    let names = actions.names();
    match suggestion(name, names.iter().map(String::as_str)) {
        Some(help) => fault.with_help(help),
        None if names.len() <= 20 => {
            fault.with_help(format!("the actions are {}", names.join(", ")))
        }
        None => fault.with_help("names are case-sensitive"),
    }
}

/// Visits the replacements of a step, and reports missing ones.
fn replacements(
    set: &Set,
    index: usize,
    step: &Step,
    report: &mut Report,
    mut see: impl FnMut(&str, String, &mut Report),
) {
    let mut look =
        |alternative: Option<&Fallback>, is_needed: bool, at: &str, report: &mut Report| {
            let path = || format!("{}{at}", set.pointer_of(index));
            match alternative {
                Some(named) => {
                    let field = if named.name.is_some() { "name" } else { "action" };
                    see(named.target(), format!("{}/{field}", path()), report);
                }
                None if is_needed => report.add(|| {
                    let message = format!("missing replacement of `{}`", step.id);
                    Diagnostic::new(codes::NO_ALTERNATIVE, path(), message)
                        .with_help("name the action that runs instead in `alternative`")
                }),
                None => {}
            }
        };
    if let Some(recovery) = &step.recovery {
        let is_needed = recovery.strategy == RecoveryStrategy::Degrade;
        look(recovery.alternative.as_ref(), is_needed, "/recovery/alternative", report);
    }
    if let Some(frontend) = &step.frontend {
        let is_needed = frontend.fallback == Some(FallbackBehavior::UseAlternative);
        look(frontend.alternative.as_ref(), is_needed, "/alternative", report);
    }
}

/// Marks the front-end steps, and reports requirements against the order of the mode (FL-1).
pub(crate) fn sides(set: &Set, planned: &Planned, dependencies: &Edges, report: &mut Report) {
    let first_is_frontend = match set.mode {
        Mode::FrontendFirst => true,
        Mode::BackendFirst => false,
        _ => return,
    };
    let is_frontend =
        |index: usize| set.steps.get(index).is_some_and(|step| planned.is_frontend(index, step));
    let runs_first = |index: usize| is_frontend(index) == first_is_frontend;
    for (index, step) in set.steps.iter().enumerate().filter(|(index, _)| runs_first(*index)) {
        let later =
            |node: &&u32| (**node as usize) < set.steps.len() && !runs_first(**node as usize);
        for node in dependencies.of(number(index)).iter().filter(later) {
            let Some(other) = set.steps.get(*node as usize) else { continue };
            report.add(|| {
                let at =
                    step.dependencies.iter().position(|id| *id == other.id).unwrap_or_default();
                let path = format!("{}/{}/{at}", set.pointer_of(index), set.dependency_field());
                let mode = set.mode.as_str();
                let message = format!(
                    "`{}` is required after `{}`, but {mode} runs it before",
                    step.id, other.id
                );
                Diagnostic::new(codes::AGAINST_ORDER, path, message)
                    .with_help("remove the requirement, or use SEQUENTIAL")
            });
        }
    }
}

/// Reports fields without an effect.
pub(crate) fn remarks(set: &Set, report: &mut Report) {
    for stray in &set.unused {
        report.warn(|| {
            let message = format!("`{}` has no effect here", stray.field);
            let fault = Diagnostic::new(codes::UNUSED_FIELD, set.pointer_of_stray(stray), message);
            match &stray.help {
                Some(help) => fault.with_help(help),
                None => fault,
            }
        });
    }
}
