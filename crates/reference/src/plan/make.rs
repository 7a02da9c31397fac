//! Making a plan: what is hot at once, what is default while the budget lasts.

use super::{Plan, PlanEntry, PlanOptions, Policy, State};
use crate::scan::scan;
use crate::syntax::{Reference, ReferenceBuf, Semantics};
use crate::{LoadError, Loaded, Loader, Route, StepKind};
use contexture_context::TokenCounter;
use futures_util::StreamExt as _;
use futures_util::stream;
use std::pin::Pin;

/// A reference, or what only looks like one, with its place in the text.
struct Candidate<'t> {
    span: Option<(usize, usize)>,
    found: Result<Reference<'t>, LoadError>,
}

pub(super) async fn of_text(
    loader: &Loader,
    text: &str,
    options: &PlanOptions,
) -> Result<Plan, LoadError> {
    let limit = loader.limits().max_references;
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
                let error = LoadError::of_syntax(malformed.text, &malformed.error);
                Candidate { span, found: Err(error) }
            }
        });
    }
    make(loader, candidates, options).await
}

pub(super) async fn of_references(
    loader: &Loader,
    references: &[Reference<'_>],
    options: &PlanOptions,
) -> Result<Plan, LoadError> {
    let candidates =
        references.iter().map(|reference| Candidate { span: None, found: Ok(*reference) });
    make(loader, candidates.collect(), options).await
}

async fn make(
    loader: &Loader,
    candidates: Vec<Candidate<'_>>,
    options: &PlanOptions,
) -> Result<Plan, LoadError> {
    let routed: Vec<Routed> =
        candidates.into_iter().map(|candidate| routed(loader, candidate, options)).collect();
    let loads: Vec<_> =
        routed.iter().map(|routed| load_now(loader, routed, options.policy)).collect();
    // Results come back in the order of the text, whichever was ready first.
    let loads = stream::iter(loads).buffered(loader.limits().concurrency.max(1));
    let loads: Vec<_> = loads.collect().await;
    let mut left = options.budget;
    let mut entries = Vec::with_capacity(routed.len());
    for (Routed { span, source, reference, semantics, route }, load) in
        routed.into_iter().zip(loads)
    {
        let mut entry = match route {
            Err(error) => failed(&reference, semantics, error),
            Ok(route) => {
                let mut entry = outer(loader, &route, load, options.policy, &mut left);
                entry.inner = inner(loader, &route, route.steps.len(), &entry).await;
                entry
            }
        };
        entry.span = span;
        entry.source = source;
        entries.push(entry);
    }
    Ok(Plan { entries })
}

/// Loads what its prefix and the policy ask for at once. The future is boxed so that a plan can move
/// between threads while it is made.
fn load_now<'a>(
    loader: &'a Loader,
    routed: &'a Routed,
    policy: Policy,
) -> Pin<Box<dyn Future<Output = Option<Result<Loaded, LoadError>>> + Send + 'a>> {
    Box::pin(async move {
        let route = routed.route.as_ref().ok()?;
        let wanted = match route.semantics {
            Semantics::Hot => true,
            Semantics::Default => policy == Policy::Budget,
            Semantics::Lazy => false,
        };
        if wanted { Some(loader.walk(route).await) } else { None }
    })
}

/// A candidate with its way, or why there is none.
struct Routed {
    span: Option<(usize, usize)>,
    source: Option<ReferenceBuf>,
    reference: String,
    semantics: Semantics,
    route: Result<Route, LoadError>,
}

fn routed(loader: &Loader, candidate: Candidate<'_>, options: &PlanOptions) -> Routed {
    let Candidate { span, found } = candidate;
    match found {
        Ok(reference) => Routed {
            span,
            source: Some(reference.to_owned()),
            reference: reference.public(),
            semantics: reference.semantics(),
            route: loader.route(&reference, &options.place),
        },
        Err(error) => Routed {
            span,
            source: None,
            semantics: prefix(&error.reference),
            reference: error.reference.clone(),
            route: Err(error),
        },
    }
}

/// The prefix of what is no reference.
fn prefix(text: &str) -> Semantics {
    let known = [Semantics::Hot, Semantics::Lazy];
    known.into_iter().find(|one| text.starts_with(one.prefix())).unwrap_or_default()
}

fn failed(reference: &str, semantics: Semantics, error: LoadError) -> PlanEntry {
    let reason = error.message.clone();
    PlanEntry { state: State::Failed, error: Some(error), ..pending(reference, semantics, reason) }
}

fn pending(reference: &str, semantics: Semantics, reason: impl Into<String>) -> PlanEntry {
    PlanEntry {
        reference: reference.to_owned(),
        semantics,
        state: State::Pending,
        tokens: None,
        reason: reason.into(),
        source: None,
        span: None,
        inner: None,
        loaded: None,
        error: None,
    }
}

/// The entry of a whole reference.
fn outer(
    loader: &Loader,
    route: &Route,
    load: Option<Result<Loaded, LoadError>>,
    policy: Policy,
    left: &mut Option<u64>,
) -> PlanEntry {
    let entry = |reason: &str| pending(&route.reference, route.semantics, reason);
    let loaded = match load {
        None => return entry(not_loaded(route.semantics, policy)),
        Some(Err(error)) => {
            let reason = error.message.clone();
            return PlanEntry { state: State::Failed, error: Some(error), ..entry(&reason) };
        }
        Some(Ok(loaded)) => loaded,
    };
    let tokens = tokens(loader.counter(), &loaded);
    if let (Semantics::Default, Some(left)) = (route.semantics, left.as_mut()) {
        if tokens > *left {
            let reason = format!("its {tokens} tokens do not fit the {left} left of the budget");
            return PlanEntry { tokens: Some(tokens), ..entry(&reason) };
        }
        *left -= tokens;
    }
    let reason = match (route.semantics, loaded.notes.first()) {
        (_, Some(note)) => note.message.clone(),
        (Semantics::Hot, None) => "hot: loaded at once".to_owned(),
        _ => "it fits the budget".to_owned(),
    };
    PlanEntry { state: State::Loaded, tokens: Some(tokens), loaded: Some(loaded), ..entry(&reason) }
}

fn not_loaded(semantics: Semantics, policy: Policy) -> &'static str {
    match (semantics, policy) {
        (Semantics::Lazy, _) => "lazy: loaded when asked for",
        (_, Policy::Never) => "the policy `never` loads no default reference",
        _ => "the policy `model` leaves it to the model",
    }
}

fn tokens(counter: &dyn TokenCounter, loaded: &Loaded) -> u64 {
    let texts = loaded.resources.iter().filter_map(crate::Resource::text);
    texts.map(|text| counter.count(text) as u64).sum()
}

/// The entries of the levels inside, each with its own prefix (REF-8): a hot one is loaded whatever
/// stands around it; another one is loaded if what is around it was and had to read it.
async fn inner(
    loader: &Loader,
    route: &Route,
    depth: usize,
    around: &PlanEntry,
) -> Option<Box<PlanEntry>> {
    let index = depth.checked_sub(2)?;
    let step = route.steps.get(index)?;
    let outer = route.steps.get(index + 1)?;
    let wrapped = matches!(outer.kind, StepKind::Wrapper(_));
    let handle = wrapped && step.semantics == Semantics::Lazy;
    let mut entry = pending(&step.reference, step.semantics, "lazy: loaded when asked for");
    if around.state == State::Loaded && !handle {
        entry.state = State::Loaded;
        "read by the level around it".clone_into(&mut entry.reason);
    } else if step.semantics == Semantics::Hot {
        match loader.walk(&route.within(index)).await {
            Ok(loaded) => {
                entry.state = State::Loaded;
                entry.tokens = Some(tokens(loader.counter(), &loaded));
                "hot: loaded at once".clone_into(&mut entry.reason);
                entry.loaded = Some(loaded);
            }
            Err(error) => {
                entry.state = State::Failed;
                entry.reason.clone_from(&error.message);
                entry.error = Some(error);
            }
        }
    } else if around.state == State::Failed {
        "what stands around it failed".clone_into(&mut entry.reason);
    } else if step.semantics == Semantics::Default {
        "what stands around it is not loaded".clone_into(&mut entry.reason);
    }
    let next = Box::pin(inner(loader, route, depth - 1, &entry)).await;
    entry.inner = next;
    Some(Box::new(entry))
}
