//! The two rounds of loading: hot references at once, default ones while the budget lasts.

use super::entry::{not_loaded, pending};
use super::make::{Routed, Unrouted};
use super::{PlanEntry, PlanOptions, Policy, Sizes};
use crate::syntax::Semantics;
use crate::{LoadError, Loaded, Loader, Place, Route, StepKind};
use futures_util::{Stream, StreamExt as _, stream};
use std::collections::{HashMap, HashSet, hash_map::Entry};
use std::pin::Pin;

/// What a load gave.
type Outcome = Result<Loaded, LoadError>;

/// What a plan may still take.
struct Left {
    tokens: Option<u64>,
    bytes: u64,
}

/// The entries of the whole references, without those of their levels.
pub(super) async fn entries(
    loader: &Loader,
    routed: &[Routed],
    options: &PlanOptions,
) -> Vec<PlanEntry> {
    let mut left = Left { tokens: options.budget, bytes: loader.limits().max_plan_bytes };
    let mut entries: Vec<Option<PlanEntry>> = routed.iter().map(|_| None).collect();
    let default = (options.policy == Policy::Budget).then_some(Semantics::Default);
    for semantics in [Some(Semantics::Hot), default].into_iter().flatten() {
        round(loader, routed, semantics, options, &mut left, &mut entries).await;
    }
    let untried = |routed: &Routed| match &routed.route {
        Ok(route) => {
            let reason = not_loaded(route.semantics, options.policy);
            pending(&route.reference, route.semantics, reason)
        }
        Err(unrouted) => {
            let Unrouted { reference, semantics, error } = unrouted.as_ref();
            pending(reference, *semantics, "").failed(error.clone())
        }
    };
    let entries = entries.into_iter().zip(routed);
    entries.map(|(entry, routed)| entry.unwrap_or_else(|| untried(routed))).collect()
}

/// Loads the references of one prefix; results come back in the order of the text, whichever was
/// ready first.
async fn round(
    loader: &Loader,
    routed: &[Routed],
    semantics: Semantics,
    options: &PlanOptions,
    left: &mut Left,
    entries: &mut [Option<PlanEntry>],
) {
    let wanted: Vec<(usize, &Route)> = routed
        .iter()
        .enumerate()
        .filter_map(|(index, routed)| Some((index, routed.route.as_ref().ok()?)))
        .filter(|(_, route)| route.semantics == semantics)
        .collect();
    let (firsts, again) = firsts(&wanted);
    let mut loads = loads(loader, firsts);
    let shared: HashSet<usize> = again.values().copied().collect();
    let mut kept: HashMap<usize, Outcome> = HashMap::new();
    for (turn, (index, route)) in wanted.iter().enumerate() {
        if semantics == Semantics::Default && left.tokens == Some(0) {
            return;
        }
        let first = again.get(&turn).copied();
        let outcome = match first {
            Some(first) => kept.get(&first).cloned(),
            None => loads.next().await,
        };
        let Some(outcome) = outcome else { return };
        if shared.contains(&turn) {
            kept.insert(turn, outcome.clone());
        }
        if let Some(entry) = entries.get_mut(*index) {
            *entry = Some(weighed(loader, route, outcome, options.sizes, left));
        }
    }
}

fn loads<'l>(
    loader: &'l Loader,
    routes: Vec<&'l Route>,
) -> impl Stream<Item = Outcome> + Send + Unpin + 'l {
    let walks = routes.into_iter().map(move |route: &'l Route| walk(loader, route));
    stream::iter(walks).buffered(loader.limits().concurrency.max(1))
}

/// Boxed by a named function, so that a plan can move between threads while it is made.
fn walk<'l>(
    loader: &'l Loader,
    route: &'l Route,
) -> Pin<Box<dyn Future<Output = Outcome> + Send + 'l>> {
    Box::pin(loader.walk(route))
}

/// The ways that are gone, each once, and for each turn that goes one again the turn that goes it
/// first. Credentials count: with others a server may give something else.
fn firsts<'r>(wanted: &[(usize, &'r Route)]) -> (Vec<&'r Route>, HashMap<usize, usize>) {
    let mut seen: HashMap<(&str, &str, &Place), usize> = HashMap::with_capacity(wanted.len());
    let mut firsts = Vec::with_capacity(wanted.len());
    let mut again = HashMap::new();
    for (turn, (_, route)) in wanted.iter().enumerate() {
        let path = match route.steps.first().map(|step| &step.kind) {
            Some(StepKind::Source { path }) => path.as_str(),
            _ => "",
        };
        match seen.entry((route.resolved.as_str(), path, &route.place)) {
            Entry::Occupied(first) => {
                again.insert(turn, *first.get());
            }
            Entry::Vacant(free) => {
                free.insert(turn);
                firsts.push(*route);
            }
        }
    }
    (firsts, again)
}

/// The entry of what a load gave, against what is left of the budgets.
fn weighed(
    loader: &Loader,
    route: &Route,
    outcome: Outcome,
    sizes: Sizes,
    left: &mut Left,
) -> PlanEntry {
    let entry = pending(&route.reference, route.semantics, "");
    let loaded = match outcome {
        Ok(loaded) => loaded,
        Err(error) => return entry.failed(error),
    };
    let weighs = route.semantics == Semantics::Default && left.tokens.is_some();
    let tokens = (weighs || sizes == Sizes::All).then(|| loader.tokens(&loaded));
    if let (true, Some(tokens), Some(left)) = (weighs, tokens, left.tokens)
        && tokens > left
    {
        let reason = format!("its {tokens} tokens do not fit the {left} left of the budget");
        return PlanEntry { tokens: Some(tokens), reason, ..entry };
    }
    let Some(bytes) = left.bytes.checked_sub(loaded.bytes()) else {
        let limit = loader.limits().max_plan_bytes;
        let message = format!("with it the text's references give more than {limit} bytes");
        let error = LoadError::new("REF3013", &route.reference, message);
        return entry.failed(error.with_help("load less at once: make some of them lazy, `@?`"));
    };
    left.bytes = bytes;
    if let (true, Some(left)) = (weighs, left.tokens.as_mut()) {
        *left = left.saturating_sub(tokens.unwrap_or_default());
    }
    entry.loaded(loaded, tokens)
}
