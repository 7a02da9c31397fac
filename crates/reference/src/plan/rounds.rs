//! The two rounds of loading: hot references at once, default ones while the budget lasts.

use super::entry::pending;
use super::loads::{Loads, Outcome};
use super::make::Routed;
use super::{PlanEntry, PlanOptions, Policy, Sizes};
use crate::loader::{Loader, Route, StepKind};
use crate::syntax::Semantics;
use contexture_core::reference::LoadError;
use std::collections::{HashMap, HashSet, hash_map::Entry};
use std::hash::{Hash, Hasher};

/// The remaining budget of a plan.
struct Left {
    tokens: Option<u64>,
    bytes: u64,
}

/// Returns the entries of the whole references that were tried, without what a candidate itself
/// knows: its reference and where it stands.
pub(super) async fn tried(
    loader: &Loader,
    routed: &[Routed],
    options: &PlanOptions,
) -> Vec<Option<PlanEntry>> {
    let mut left = Left { tokens: options.budget, bytes: loader.limits().max_plan_bytes };
    let mut entries: Vec<Option<PlanEntry>> = routed.iter().map(|_| None).collect();
    let default = (options.policy == Policy::Budget).then_some(Semantics::Default);
    for semantics in [Some(Semantics::Hot), default].into_iter().flatten() {
        let wanted = wanted(routed, semantics);
        let mut round = Round::new(loader, &wanted);
        for (turn, (index, route)) in wanted.iter().enumerate() {
            if semantics == Semantics::Default && left.tokens == Some(0) {
                break;
            }
            let Some(outcome) = round.outcome(turn).await else { break };
            if let Some(entry) = entries.get_mut(*index) {
                *entry = Some(weighed(loader, route, outcome, options.sizes, &mut left));
            }
        }
    }
    entries
}

/// Returns the ways of one prefix, with the index of each.
fn wanted(routed: &[Routed], semantics: Semantics) -> Vec<(usize, &Route)> {
    let routes = routed.iter().enumerate();
    routes
        .filter_map(|(index, routed)| Some((index, routed.route.as_ref().ok()?)))
        .filter(|(_, route)| route.semantics == semantics)
        .collect()
}

/// The loads of one prefix; results come in the order of the text, whichever was ready first.
struct Round<'r> {
    loads: Loads<'r>,
    /// For each turn that goes a way again, the turn that goes it first.
    again: HashMap<usize, usize>,
    /// The turns whose way is gone again.
    shared: HashSet<usize>,
    /// Their results.
    kept: HashMap<usize, Outcome>,
}

impl<'r> Round<'r> {
    fn new(loader: &'r Loader, wanted: &[(usize, &'r Route)]) -> Self {
        let (firsts, again) = firsts(wanted);
        let shared = again.values().copied().collect();
        let loads = Loads::new(loader, firsts);
        Self { loads, again, shared, kept: HashMap::new() }
    }

    async fn outcome(&mut self, turn: usize) -> Option<Outcome> {
        if let Some(first) = self.again.get(&turn) {
            return self.kept.get(first).cloned();
        }
        let outcome = self.loads.next().await?;
        if self.shared.contains(&turn) {
            self.kept.insert(turn, outcome.clone());
        }
        Some(outcome)
    }
}

/// Returns the ways that are gone, each once, and for each turn that goes one again the turn that
/// goes it first.
fn firsts<'r>(wanted: &[(usize, &'r Route)]) -> (Vec<&'r Route>, HashMap<usize, usize>) {
    let mut seen: HashMap<Way<'r>, usize> = HashMap::with_capacity(wanted.len());
    let mut firsts = Vec::with_capacity(wanted.len());
    let mut again = HashMap::new();
    for (turn, (_, route)) in wanted.iter().enumerate() {
        match seen.entry(Way(route)) {
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

/// The key by which two references load the same. Credentials count: with others a server
/// may give something else.
struct Way<'r>(&'r Route);

impl Way<'_> {
    fn path(&self) -> &str {
        match self.0.steps.first().map(|step| &step.kind) {
            Some(StepKind::Source { path }) => path,
            _ => "",
        }
    }
}

impl PartialEq for Way<'_> {
    fn eq(&self, other: &Self) -> bool {
        let (one, two) = (self.0, other.0);
        one.resolved == two.resolved && self.path() == other.path() && one.place == two.place
    }
}

impl Eq for Way<'_> {}

impl Hash for Way<'_> {
    /// The text says nearly all: what else counts is only compared.
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.resolved.hash(state);
    }
}

/// Returns the entry of what a load gave, against what is left of the budgets.
fn weighed(
    loader: &Loader,
    route: &Route,
    outcome: Outcome,
    sizes: Sizes,
    left: &mut Left,
) -> PlanEntry {
    let entry = pending("", route.semantics, "");
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
