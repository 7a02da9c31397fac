//! Making a plan: the references are found, routed, loaded in rounds, and their levels reported.

use super::entry::{
    Plan, PlanEntry, PlanOptions, Policy, Routed, Sizes, State, Unrouted, not_loaded, pending,
};
use super::{inner, rounds};
use crate::loader::{Loader, Mode, Route};
use crate::scan::scan;
use crate::syntax::{Reference, Semantics};
use contexture_core::reference::LoadError;
use futures_util::{StreamExt as _, stream};
use std::pin::Pin;

struct Candidate<'t> {
    span: Option<(usize, usize)>,
    found: Result<Reference<'t>, LoadError>,
}

impl Loader {
    /// Returns the plan of a running text: its references, loaded as their prefixes ask (REF-9).
    ///
    /// # Errors
    /// [`LoadError`] when the text holds more references than the limits allow.
    pub async fn plan(&self, text: &str, options: &PlanOptions) -> Result<Plan, LoadError> {
        let limit = self.limits().max_references;
        let mut candidates = Vec::new();
        for found in scan(text) {
            if candidates.len() == limit {
                let message = format!("the text holds more than {limit} references");
                return Err(LoadError::new("REF3040", "the text", message)
                    .with_help("split the text, or raise the limit"));
            }
            candidates.push(match found {
                Ok(found) => {
                    let span = Some((found.start, found.end));
                    Candidate { span, found: Ok(found.reference) }
                }
                Err(malformed) => {
                    let span = Some((malformed.start, malformed.end));
                    let error = malformed.error.load_error(malformed.text);
                    Candidate { span, found: Err(error) }
                }
            });
        }
        make(self, candidates, options).await
    }

    /// Returns the plan of references that were found elsewhere, in their order.
    ///
    /// # Errors
    /// As [`Self::plan`].
    pub async fn plan_of(
        &self,
        references: &[Reference<'_>],
        options: &PlanOptions,
    ) -> Result<Plan, LoadError> {
        let candidates =
            references.iter().map(|reference| Candidate { span: None, found: Ok(*reference) });
        make(self, candidates.collect(), options).await
    }
}

async fn make(
    loader: &Loader,
    candidates: Vec<Candidate<'_>>,
    options: &PlanOptions,
) -> Result<Plan, LoadError> {
    let routed: Vec<Routed> =
        candidates.into_iter().map(|candidate| routed(loader, candidate, options)).collect();
    let tried = rounds::tried(loader, &routed, options).await;
    let levels = levels(loader, &routed, &tried, options.sizes).await;
    let entries = tried.into_iter().zip(routed);
    let mut entries: Vec<PlanEntry> =
        entries.map(|(entry, routed)| whole(entry, routed, options.policy)).collect();
    for (index, inner) in levels {
        if let Some(entry) = entries.get_mut(index) {
            entry.inner = inner;
        }
    }
    Ok(Plan { entries })
}

/// Returns the entry of a candidate: what loading made of it, with what the candidate itself knows.
fn whole(tried: Option<PlanEntry>, routed: Routed, policy: Policy) -> PlanEntry {
    let (reference, entry) = match routed.route {
        Ok(route) => {
            let untried = || pending("", route.semantics, not_loaded(route.semantics, policy));
            (route.reference, tried.unwrap_or_else(untried))
        }
        Err(unrouted) => {
            let Unrouted { reference, semantics, error } = *unrouted;
            (reference, pending("", semantics, "").failed(error))
        }
    };
    PlanEntry { reference, span: routed.span, source: routed.source, ..entry }
}

/// Returns what became of the levels inside each nested reference, by its index.
async fn levels(
    loader: &Loader,
    routed: &[Routed],
    tried: &[Option<PlanEntry>],
    sizes: Sizes,
) -> Vec<(usize, Option<Box<PlanEntry>>)> {
    let nested = routed.iter().zip(tried).enumerate().filter_map(|(index, (routed, entry))| {
        let route = routed.route.as_ref().ok().filter(|route| route.steps.len() > 1)?;
        let around = entry.as_ref().map_or(State::Pending, |entry| entry.state);
        Some((index, levels_within(loader, route, around, sizes)))
    });
    let (at, levels): (Vec<usize>, Vec<Levels<'_>>) = nested.unzip();
    let levels = stream::iter(levels).buffered(loader.limits().concurrency.max(1));
    at.into_iter().zip(levels.collect::<Vec<_>>().await).collect()
}

type Levels<'a> = Pin<Box<dyn Future<Output = Option<Box<PlanEntry>>> + Send + 'a>>;

/// Returns the levels inside a reference. A named function and not a closure, so that the future of
/// a plan is `Send` for whoever makes one.
fn levels_within<'a>(
    loader: &'a Loader,
    route: &'a Route,
    around: State,
    sizes: Sizes,
) -> Levels<'a> {
    Box::pin(async move {
        let index = route.steps.len().checked_sub(2)?;
        inner::level(loader, route, index, around, sizes).await
    })
}

fn routed(loader: &Loader, candidate: Candidate<'_>, options: &PlanOptions) -> Routed {
    let Candidate { span, found } = candidate;
    match found {
        Ok(reference) => {
            let route = loader.route(&reference, &options.place).map_err(|error| {
                let semantics = reference.semantics();
                Box::new(Unrouted { reference: reference.public(), semantics, error })
            });
            let route = route.map(|route| match options.mode() {
                mode if mode == Mode::default() => route,
                mode => route.in_mode(mode),
            });
            Routed { span, source: Some(reference.to_owned()), route }
        }
        Err(error) => {
            let (semantics, reference) = (prefix(&error.reference), error.reference.clone());
            let unrouted = Unrouted { reference, semantics, error };
            Routed { span, source: None, route: Err(Box::new(unrouted)) }
        }
    }
}

/// Returns the prefix of what is not a reference.
fn prefix(text: &str) -> Semantics {
    let known = [Semantics::Hot, Semantics::Lazy];
    known.into_iter().find(|one| text.starts_with(one.prefix())).unwrap_or_default()
}
