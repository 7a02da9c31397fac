//! Checks before running (FL-6): every fault in one report, and a plan if there is none.
//!
//! Decision: a check and the preparation of a run are one pass. Compiled conditions and resolved
//! ids and actions are stored in the [`Plan`], so a run does not look up names that could be wrong.
//! Memory is linear in the set. So is time, except for steps that read outcomes of indirect
//! dependencies: 256 of such reads at a time are resolved with one walk of the graph.
//!
//! ```
//! use contexture_flow::action::{ActionInfo, Registry};
//! use contexture_flow::check::{Earlier, check};
//! use contexture_flow::Set;
//! use contexture_protocol::Limits;
//!
//! let set = Set::parse(
//!     br#"{"instructions": [
//!         {"instructionId": "a", "action": "echo", "dependencies": ["b"]},
//!         {"instructionId": "b", "action": "echo", "dependencies": ["a"], "condition": "x =="}]}"#,
//!     &Limits::FILE,
//! )?;
//! let mut actions = Registry::default();
//! actions.add("echo", ActionInfo::default(), |call| async move { Ok(call.parameters.into()) });
//! let report = check(set, &actions, &Earlier::default()).unwrap_err();
//! let found: Vec<_> = report.diagnostics.iter().map(|d| (d.code, d.path.as_str())).collect();
//! assert_eq!(
//!     found,
//!     [("VALIDATION_FAILED", "/instructions/1/condition"), ("CYCLE", "/instructions/0/dependencies/0")]
//! );
//! # Ok::<(), contexture_flow::check::Report>(())
//! ```

mod ids;
mod plan;
mod references;
pub(crate) mod report;
mod steps;

pub(crate) use plan::PlannedAction;
pub use plan::{Earlier, Plan, schema_fault};
pub use report::{Diagnostic, MAX_LISTED, Report};

use crate::action::Actions;
use crate::codes;
use crate::graph::cycles::{self, Cycles};
use crate::graph::reach::Reach;
use crate::graph::{self, Order};
use crate::set::Set;
use ids::Ids;

/// The greatest number of cycles printed.
const MAX_CYCLES: usize = 100;

/// The greatest number of ids printed of one cycle.
const MAX_CYCLE_IDS: usize = 200;

/// Checks a set. `earlier` contains the outcomes that ended before in the same context.
///
/// # Errors
/// [`Report`] with every fault of the set, if any of them is an error.
pub fn check(set: Set, actions: &dyn Actions, earlier: &Earlier) -> Result<Plan, Report> {
    let form = set.form.as_deref();
    let mut report = form.map(|form| form.report.clone()).unwrap_or_default();
    let mut ids = Ids::of(&set, earlier, &mut report);
    let dependencies = ids.dependencies(&set, &mut report);
    let dependents = dependencies.turned(ids.count());
    let order = graph::order(&dependencies, &dependents, set.steps.len());
    let planned = steps::actions(&set, actions, &mut report);
    if !form.is_some_and(|form| form.is_sideless) {
        steps::sides(&set, &planned, &dependencies, &mut report);
    }
    steps::remarks(&set, &mut report);
    let reach = Reach::new(&dependencies, &order);
    let (guards, is_expanded) =
        references::check(&set, &mut ids, &dependencies, reach, &mut report);
    if !order.is_whole() {
        cycles(&set, &dependencies, &order, &mut report);
    }
    if report.has_errors() {
        return Err(report);
    }
    let known = ids.into_known();
    Ok(Plan::new(set, dependencies, dependents, order, guards, is_expanded, planned, known, report))
}

fn cycles(set: &Set, dependencies: &graph::Edges, order: &Order, report: &mut Report) {
    let Cycles { found, may_be_more } = cycles::cycles(dependencies, MAX_CYCLES);
    let is_cut = |layer: &u32| *layer == u32::MAX;
    let behind = order.layers.iter().filter(|layer| is_cut(layer)).count();
    for cycle in &found {
        report.add(|| cycle_fault(set, dependencies, cycle));
    }
    if may_be_more {
        report.add(|| {
            let message = format!("there may be more cycles; {behind} steps can't be ordered");
            Diagnostic::new(codes::CYCLE, &*set.pointer, message)
        });
    }
}

fn cycle_fault(set: &Set, dependencies: &graph::Edges, cycle: &[u32]) -> Diagnostic {
    let id = |node: &u32| set.steps.get(*node as usize).map_or("", |step| step.id.as_str());
    let first = cycle.first().copied().unwrap_or_default();
    let mut ids: Vec<String> = cycle.iter().take(MAX_CYCLE_IDS).map(|n| id(n).to_owned()).collect();
    if cycle.len() > MAX_CYCLE_IDS {
        ids.push(format!("… ({} more) …", cycle.len() - MAX_CYCLE_IDS));
    }
    ids.push(id(&first).to_owned());
    let next = cycle.get(1).copied().unwrap_or(first);
    let known = dependencies.of(first).iter().position(|node| *node == next).unwrap_or_default();
    let field = set.dependency_field();
    // Unknown ids are not edges, so the place is searched by name.
    let named = set
        .steps
        .get(first as usize)
        .and_then(|step| step.dependencies.iter().position(|name| name == id(&next)));
    let path = format!("{}/{field}/{}", set.pointer_of(first as usize), named.unwrap_or(known));
    let message = format!("cycle of dependencies: {}", ids.join(" → "));
    let help = format!("each depends on the one after it: remove one of them from `{field}`");
    Diagnostic::new(codes::CYCLE, path, message).with_help(help)
}
