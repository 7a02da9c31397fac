//! One document after the other: what it names is planned, loaded, and put in its place.

use super::found::{Found, found, has_imports};
use super::step::{At, limited, of_entry, of_found, of_named};
use super::{
    ExpandLimits, ExpandOptions, Expansion, ExpansionState, ExpansionStep, is_document, is_loaded,
};
use crate::codes;
use crate::loader::Loader;
use crate::plan::{PlanEntry, PlanOptions, Policy, Sizes};
use crate::scan::scan;
use crate::syntax::{Reference, ReferenceBuf, Semantics};
use contexture_context::Digest;
use contexture_core::reference::{Content, LoadError, Loaded, Note, Place, Resource};
use std::pin::Pin;

/// A document that is expanded.
pub(super) struct Document<'t> {
    text: &'t str,
    place: Place,
    /// True if `@docs/a.md` imports a file.
    imports: bool,
}

impl<'t> Document<'t> {
    pub(super) fn new(name: &str, text: &'t str, place: Place) -> Self {
        Self { text, place, imports: has_imports(name) }
    }
}

/// The documents around a reference, the innermost first.
struct Around<'a> {
    text: Digest,
    place: Place,
    depth: usize,
    outer: Option<&'a Around<'a>>,
}

impl<'a> Around<'a> {
    fn of(document: &Document<'_>, outer: Option<&'a Around<'a>>) -> Self {
        let text = Digest::of_bytes(document.text.as_bytes());
        let depth = outer.map_or(0, |outer| outer.depth + 1);
        Self { text, place: document.place.clone(), depth, outer }
    }

    /// Reports whether the same document stands around itself: what is the same, from the same
    /// place, leads on to the same.
    fn is_cycle(&self) -> bool {
        let mut outer = self.outer;
        while let Some(around) = outer {
            if around.text == self.text && around.place == self.place {
                return true;
            }
            outer = around.outer;
        }
        false
    }
}

/// The state of one expansion.
pub(super) struct Expander<'l> {
    loader: &'l Loader,
    policy: Policy,
    /// Tokens that are left for plain `@`.
    left: Option<u64>,
    is_offline: bool,
    limits: ExpandLimits,
    followed: usize,
    tokens: u64,
    pub(super) steps: Vec<ExpansionStep>,
    notes: Vec<Note>,
}

/// The text of a document, once it is there.
type TextFuture<'a> = Pin<Box<dyn Future<Output = String> + Send + 'a>>;

impl<'l> Expander<'l> {
    pub(super) fn new(loader: &'l Loader, options: &ExpandOptions) -> Self {
        let ExpandOptions { plan, limits } = options;
        Self {
            loader,
            policy: plan.policy,
            left: plan.budget,
            is_offline: plan.is_offline,
            limits: *limits,
            followed: 0,
            tokens: 0,
            steps: Vec::new(),
            notes: Vec::new(),
        }
    }

    pub(super) fn finish(self, text: String) -> Expansion {
        Expansion { text, steps: self.steps, notes: self.notes }
    }

    /// Expands what a reference names; `asked` is how it is shown.
    pub(super) async fn argument(
        &mut self,
        (shown, reference): (String, Option<ReferenceBuf>),
        place: &Place,
    ) -> String {
        let Some(reference) = reference else { return String::new() };
        let options = PlanOptions { budget: None, ..self.options(place) };
        let plan = self.loader.plan_of(&[reference.as_ref()], &options).await;
        let at = At { place, depth: 0 };
        let entry = plan.ok().and_then(|plan| plan.entries.into_iter().next());
        let Some(entry) = entry else { return String::new() };
        let entry = PlanEntry { reference: shown, ..entry };
        self.put(entry, at, None, false).await.unwrap_or_default()
    }

    /// Expands a text that is named.
    pub(super) async fn named(&mut self, name: &str, document: Document<'_>) -> String {
        let tokens = self.loader.counter().count(document.text) as u64;
        self.tokens = tokens;
        self.steps.push(of_named(name, document.text, tokens, &document.place));
        self.within(document).await
    }

    /// Expands a document that stands by itself.
    pub(super) async fn within(&mut self, document: Document<'_>) -> String {
        let around = Around::of(&document, None);
        self.document(document, around).await
    }

    /// Returns the text of a document with what is inside it. Boxed: documents stand in documents.
    fn document<'s>(&'s mut self, document: Document<'s>, around: Around<'s>) -> TextFuture<'s> {
        Box::pin(async move {
            let all = found(document.text, document.imports);
            let at = At { place: &document.place, depth: around.depth + 1 };
            let mut outcomes = self.outcomes(&all, at).await.into_iter();
            let mut text = String::with_capacity(document.text.len());
            let mut from = 0;
            for one in &all {
                let Some(outcome) = outcomes.next() else { break };
                let (start, end) = one.span;
                let loaded = match outcome {
                    Outcome::Step(step) => {
                        self.steps.push(*step);
                        None
                    }
                    Outcome::Entry(entry) if one.is_mention && entry.error.is_some() => None,
                    Outcome::Entry(entry) => {
                        self.put(*entry, at, Some(&around), document.imports).await
                    }
                };
                let Some(loaded) = loaded else { continue };
                text.push_str(document.text.get(from..start).unwrap_or_default());
                text.push_str(&loaded);
                from = end;
            }
            text.push_str(document.text.get(from..).unwrap_or_default());
            text
        })
    }

    /// Returns what became of all that a document names, as far as the limits allow.
    async fn outcomes(&mut self, all: &[Found], at: At<'_>) -> Vec<Outcome> {
        let room = self.limits.references.saturating_sub(self.followed);
        let is_tried = |one: &&Found| one.reference.is_ok();
        let most = if at.depth > self.limits.depth { 0 } else { room };
        let tried: Vec<Reference<'_>> = all
            .iter()
            .filter(is_tried)
            .filter_map(|one| one.reference.as_ref().ok())
            .take(most)
            .map(ReferenceBuf::as_ref)
            .collect();
        let plan = match tried.is_empty() {
            true => Ok(crate::plan::Plan::default()),
            false => self.loader.plan_of(&tried, &self.options(at.place)).await,
        };
        let entries = plan.unwrap_or_default().entries;
        let is_plain =
            |entry: &&PlanEntry| entry.semantics == Semantics::Default && entry.loaded.is_some();
        let taken: u64 = entries.iter().filter(is_plain).filter_map(|entry| entry.tokens).sum();
        self.left = self.left.map(|left| left.saturating_sub(taken));
        let mut entries = entries.into_iter();
        self.followed += tried.len();
        all.iter()
            .map(|one| match one.reference.is_ok().then(|| entries.next()).flatten() {
                Some(entry) => Outcome::Entry(Box::new(entry)),
                None => Outcome::Step(Box::new(self.untried(one, at))),
            })
            .collect()
    }

    /// Returns the step of what is not a reference, or lies beyond a limit.
    fn untried(&self, one: &Found, at: At<'_>) -> ExpansionStep {
        let step = of_found(one, at);
        if one.reference.is_err() {
            return step;
        }
        let ExpandLimits { depth, references, .. } = self.limits;
        let message = match at.depth > depth {
            true => format!("it stands in more than {depth} documents inside one another"),
            false => format!("the expansion follows more than {references} references"),
        };
        if !is_loaded(one.semantics, self.policy) {
            return ExpansionStep { reason: message, ..step };
        }
        let error = self.breach(&step.reference, message);
        limited(step, error)
    }

    fn breach(&self, reference: &str, message: String) -> LoadError {
        LoadError::new(codes::EXPANSION_LIMIT.code, reference, message)
            .with_help("expand less at once: make some of the references lazy, `@?`")
    }

    fn options(&self, place: &Place) -> PlanOptions {
        PlanOptions {
            policy: self.policy,
            budget: self.left,
            place: place.clone(),
            sizes: Sizes::All,
            is_expansion: true,
            is_offline: self.is_offline,
        }
    }

    /// Notes what became of an entry; returns the text that stands in its place, if there is any.
    async fn put(
        &mut self,
        mut entry: PlanEntry,
        at: At<'_>,
        around: Option<&Around<'_>>,
        imports: bool,
    ) -> Option<String> {
        let step = of_entry(&entry, at);
        let loaded = entry.loaded.take().filter(|_| step.state == ExpansionState::Loaded);
        let Some(loaded) = loaded else {
            self.steps.push(step);
            return None;
        };
        let tokens = entry.tokens.unwrap_or_default();
        let most = self.limits.tokens;
        if self.tokens.saturating_add(tokens) > most {
            let message = format!("with its {tokens} tokens the expansion has more than {most}");
            let error = self.breach(&step.reference, message);
            self.steps.push(limited(step, error));
            return None;
        }
        self.tokens += tokens;
        self.notes.extend(loaded.notes.iter().cloned());
        let index = self.steps.len();
        self.steps.push(step);
        self.texts(loaded, (index, at), around, imports).await
    }

    /// Returns the text of what was loaded; `None` when it leads back to a document around it.
    async fn texts(
        &mut self,
        loaded: Loaded,
        (index, at): (usize, At<'_>),
        around: Option<&Around<'_>>,
        imports: bool,
    ) -> Option<String> {
        let is_one = loaded.resources.len() == 1 && !loaded.listing;
        let mut texts = Vec::with_capacity(loaded.resources.len());
        for resource in &loaded.resources {
            let Some(text) = resource.text() else {
                texts.push(named_only(resource));
                continue;
            };
            if !is_document(resource) {
                self.note_closed(index, resource, text);
                texts.push(text.trim_end_matches('\n').to_owned());
                continue;
            }
            let place = resource.place.clone().unwrap_or_default();
            let mut document = Document::new(&resource.reference, text, place);
            document.imports |= imports;
            let inner = Around::of(&document, around);
            if inner.is_cycle() {
                self.cycle(index, resource, at, is_one);
                continue;
            }
            let text = self.document(document, inner).await;
            texts.push(text.trim_end_matches('\n').to_owned());
        }
        let is_cycle =
            self.steps.get(index).is_some_and(|step| step.state == ExpansionState::Cycle);
        (!is_cycle).then(|| texts.join("\n\n"))
    }

    /// Notes a document that stands around itself: the reference itself, or one match of a pattern.
    fn cycle(&mut self, index: usize, resource: &Resource, at: At<'_>, is_one: bool) {
        let reason = "it leads back to a document around it".to_owned();
        if !is_one {
            let depth = at.depth + 1;
            let known = self.steps.get(index).cloned();
            self.steps.extend(known.map(|step| ExpansionStep {
                reference: resource.reference.clone(),
                source: None,
                depth,
                state: ExpansionState::Cycle,
                reason,
                tokens: None,
                digest: resource.digest(),
                ..step
            }));
            return;
        }
        if let Some(step) = self.steps.get_mut(index) {
            step.state = ExpansionState::Cycle;
            step.reason = reason;
            step.tokens = None;
        }
    }

    /// Says that references in data are not followed.
    fn note_closed(&mut self, index: usize, resource: &Resource, text: &str) {
        let count = scan(text).filter(Result::is_ok).count();
        if let (true, Some(step)) = (count > 0, self.steps.get_mut(index)) {
            let trust = resource.trust.as_str();
            step.reason =
                format!("{count} references inside are not loaded: its trust is `{trust}`");
        }
    }
}

/// What became of something that a document names.
enum Outcome {
    /// It was planned.
    Entry(Box<PlanEntry>),
    /// It was not tried.
    Step(Box<ExpansionStep>),
}

/// Returns the line of what is named and not loaded.
fn named_only(resource: &Resource) -> String {
    match resource.content {
        Content::Listed { .. } => format!("[{}]", resource.reference),
        Content::Bytes(_) => format!("[{}, not text]", resource.reference),
    }
}
