//! Room for what is default: a reference with a plain `@` is loaded when it fits what is left of
//! the prompt's budget, and else stays pending (REF-7).

use super::planned::Planned;
use crate::host::callable::Callable;
use crate::host::errors::of_prompt;
use crate::host::prompt;
use contexture_context::build::{build_item, fit as fit_items};
use contexture_context::{ContextItem, DeclaredItem, TokenCounter};
use contexture_reference::State;
use contexture_reference::syntax::Semantics;
use contexture_script::host::{GenerateCall, HostError};

/// The tokens that joining an item to a prompt may cost beside its own.
const SEAMS: u64 = 2;

/// The functions that a model is offered beside the prompt.
#[derive(Clone, Copy)]
pub(in crate::host) struct Tools<'t> {
    pub(in crate::host) offered: &'t [Callable],
    /// True if the model can load what is pending.
    pub(in crate::host) loads: bool,
}

/// Lets those default references that do not fit stay pending. What a `use` gives a budget of its
/// own is cut to that instead. `most` bounds them when the call has no `max_input`.
pub(super) fn fit(
    call: &GenerateCall,
    planned: &mut [Planned],
    (counter, tools): (&dyn TokenCounter, Tools<'_>),
    most: u64,
) -> Result<(), HostError> {
    if !planned.iter().any(is_open) {
        return Ok(());
    }
    let offered: u64 = tools.offered.iter().map(|one| one.tokens(counter)).sum();
    let loading = if tools.loads { Callable::loading().tokens(counter) } else { 0 };
    let counts = (counter, offered, loading);
    let open: Vec<u64> = planned
        .iter()
        .filter(|one| is_open(one))
        .map(|one| cost(&one.items, counter))
        .collect::<Result<_, _>>()?;
    let mut left = match call.options.max_input {
        Some(max) => {
            let all = max.saturating_sub(certain(call, planned, counts, false)?);
            if open.iter().fold(0, |sum: u64, cost| sum.saturating_add(*cost)) <= all {
                return Ok(());
            }
            max.saturating_sub(certain(call, planned, counts, true)?)
        }
        None => most,
    };
    for (one, cost) in planned.iter_mut().filter(|one| is_open(one)).zip(open) {
        if cost <= left {
            left -= cost;
        } else {
            let reason = format!("its {cost} tokens do not fit the {left} left of the budget");
            withdraw(one, cost, reason);
        }
    }
    Ok(())
}

/// Leaves a reference pending that was loaded to see its size.
fn withdraw(planned: &mut Planned, cost: u64, reason: String) {
    let entry = &mut planned.entry;
    entry.state = State::Pending;
    entry.tokens = entry.tokens.or(Some(cost));
    entry.reason = reason;
    entry.loaded = None;
    entry.inner = None;
    planned.items.clear();
    planned.is_placeholder = false;
}

/// Reports whether it depends on the room that is left.
fn is_open(planned: &Planned) -> bool {
    let used = planned.asked.used.as_ref();
    planned.entry.state == State::Loaded
        && planned.entry.semantics == Semantics::Default
        && used.is_none_or(|used| used.budget.is_none())
}

/// Counts the tokens of the prompt with what is certain to be in it, and with a line for all that
/// is pending; with `open`, for all that may come to be, too.
fn certain(
    call: &GenerateCall,
    planned: &[Planned],
    (counter, offered, loading): (&dyn TokenCounter, u64, u64),
    open: bool,
) -> Result<u64, HostError> {
    let loaded = planned.iter().filter(|one| !is_open(one)).flat_map(|one| &one.items);
    let items: Vec<DeclaredItem> = call.items.iter().chain(loaded).cloned().collect();
    let built = fit_items(&items, None, counter, |_| 0).map_err(of_prompt)?;
    let not_loaded =
        planned.iter().filter(|one| one.entry.state == State::Pending || (open && is_open(one)));
    let lines: Vec<&str> = not_loaded.map(|one| one.entry.reference.as_str()).collect();
    let listed = match lines.as_slice() {
        [] => 0,
        lines => {
            let lines: u64 = lines.iter().map(|line| counter.count(line) as u64 + LINE).sum();
            lines + LISTING + loading
        }
    };
    Ok(prompt::tokens(call, &built, counter).saturating_add(listed + offered))
}

/// Tokens of the sentences above the list of what is pending, with some to spare.
const LISTING: u64 = 96;

/// Tokens of a line of that list beside the reference.
const LINE: u64 = 12;

/// Counts the tokens that the sections of items take.
fn cost(items: &[DeclaredItem], counter: &dyn TokenCounter) -> Result<u64, HostError> {
    let mut sum: u64 = 0;
    for item in items {
        let built = build_item(0, item, counter).map_err(of_prompt)?;
        sum = sum.saturating_add(built.tokens + heading(&built, counter) + SEAMS);
    }
    Ok(sum)
}

/// Counts the tokens of the label and the source of an item.
fn heading(item: &ContextItem, counter: &dyn TokenCounter) -> u64 {
    let label = item.label.as_deref().unwrap_or("9999");
    counter.count(&format!("\n\n[{label}]\nsource: {}\n", item.source)) as u64
}
