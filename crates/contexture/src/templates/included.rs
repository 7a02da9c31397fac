//! The texts that templates include by reference, loaded before they are rendered (REF-7, REF-21).
//!
//! Decision: all references load at the same time, each of a folder once, whatever its prefix: a
//! template needs the text to render, so a lazy one is forced. A failure is kept, and reported when
//! a rendering reaches it.
//!
//! Decision: a text from outside the workspace is included with its fence, since it can't be
//! distinguished from the template's own words afterwards: a rendering may become an instruction
//! (KN-13, AS-12).

use contexture_context::fence::Fence;
use contexture_context::{Digest, Trust};
use contexture_diagnostic::Severity;
use contexture_prompt::{Include, Included, ReferenceError, References};
use contexture_reference::syntax::{Reference, Semantics};
use contexture_reference::{LoadError, Loaded, Loader, Note, Place, Route, codes};
use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The text that a reference gave.
#[derive(Debug, Clone)]
pub struct IncludedText {
    /// The included text: the texts of all matches of a pattern one below the other.
    pub text: Arc<str>,
    /// Its trust level: the least of its resources.
    pub trust: Trust,
    /// The parts of the text that stand in fences of their own, as they stand there.
    pub fenced: Vec<Arc<str>>,
    /// The resources loaded for it, in order.
    pub resources: Vec<LoadedResource>,
    /// The notes about it.
    pub notes: Vec<Note>,
    /// True if it is a placeholder, since a dry run does not connect.
    pub stands_in: bool,
}

/// A resource behind an included text.
#[derive(Debug, Clone)]
pub struct LoadedResource {
    /// Its own reference, canonical and without user info.
    pub reference: String,
    /// The digest of its content.
    pub digest: Digest,
    /// Its trust level.
    pub trust: Trust,
}

/// The outcome of a reference.
type Outcome = Result<IncludedText, LoadError>;

/// The loader of references, and the fences of their texts.
pub(crate) struct Door<'r> {
    loader: &'r Loader,
    fences: Fences<'r>,
    /// True if it may connect; otherwise placeholders stand in.
    network: bool,
}

/// A function that returns the fence of a text, by its reference and trust level.
type Fences<'r> = Box<dyn Fn(&str, Trust) -> Option<Fence> + Send + Sync + 'r>;

impl<'r> Door<'r> {
    /// Returns the door of a project.
    pub(crate) fn of(references: &'r crate::references::References, network: bool) -> Self {
        let fences = Box::new(|reference: &str, trust| references.fence(reference, trust));
        Self { loader: references.loader(), fences, network }
    }
}

/// The texts of references, by the template or partial that holds them.
#[derive(Debug, Default)]
pub struct IncludedTexts {
    entries: Vec<(Included, Arc<Outcome>)>,
    by_reference: HashMap<String, Vec<usize>>,
}

impl IncludedTexts {
    /// Loads what templates include; `place` returns where the relative paths of a partial start,
    /// or those of the template itself.
    pub async fn load(
        references: &crate::references::References,
        wanted: Vec<Included>,
        place: impl Fn(Option<&str>) -> Place,
    ) -> Self {
        Self::load_through(&Door::of(references, true), wanted, place).await
    }

    /// Loads the same through a door that may not connect.
    pub(crate) async fn load_through(
        door: &Door<'_>,
        wanted: Vec<Included>,
        place: impl Fn(Option<&str>) -> Place,
    ) -> Self {
        let loader = door.loader;
        let mut numbers = BTreeMap::new();
        let mut loads = Vec::new();
        let mut order = Vec::with_capacity(wanted.len());
        for included in &wanted {
            let key = (included.reference.clone(), place(included.partial.as_deref()));
            let number = *numbers.entry(key).or_insert_with_key(|key| {
                loads.push(key.clone());
                loads.len() - 1
            });
            order.push(number);
        }
        let most = loader.limits().max_references;
        let loads = loads.into_iter().enumerate();
        let outcomes = stream::iter(loads).map(|(at, (text, place))| async move {
            if at >= most {
                return Err(too_many(&text, most));
            }
            one(door, &text, &place).await
        });
        let outcomes = outcomes.buffered(loader.limits().concurrency.max(1)).map(Arc::new);
        let outcomes: Vec<Arc<Outcome>> = outcomes.collect().await;
        let mut texts = Self::default();
        for (included, number) in wanted.into_iter().zip(order) {
            let Some(outcome) = outcomes.get(number) else { continue };
            let at = texts.entries.len();
            texts.by_reference.entry(included.reference.clone()).or_default().push(at);
            texts.entries.push((included, Arc::clone(outcome)));
        }
        texts
    }

    /// Returns the outcome of a reference; `None` when it was not requested.
    #[must_use]
    pub fn get(&self, include: Include<'_>) -> Option<&Outcome> {
        let places = self.by_reference.get(include.reference)?;
        let mut entries = places.iter().filter_map(|at| self.entries.get(*at));
        let (_, outcome) = entries.find(|(included, _)| included.include() == include)?;
        Some(outcome)
    }

    /// Reports whether no template includes anything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the notes about the texts: clipped lines, patterns that match nothing.
    pub fn notes(&self) -> impl Iterator<Item = &Note> {
        self.texts().flat_map(|text| &text.notes)
    }

    /// Returns the references that could not be loaded, in the order of the requests.
    pub fn failures(&self) -> impl Iterator<Item = (&Included, &LoadError)> {
        let failed = |(included, outcome)| Some((included, Outcome::as_ref(outcome).err()?));
        self.entries.iter().map(|(included, outcome)| (included, &**outcome)).filter_map(failed)
    }

    /// Returns the parts of all texts that stand in fences of their own.
    pub(crate) fn fenced(&self) -> impl Iterator<Item = &Arc<str>> {
        self.texts().flat_map(|text| &text.fenced)
    }

    fn texts(&self) -> impl Iterator<Item = &IncludedText> {
        self.entries.iter().filter_map(|(_, outcome)| outcome.as_ref().as_ref().ok())
    }

    /// Returns the loaded references, for the trace.
    pub(crate) fn digests(&self) -> Vec<Value> {
        self.entries.iter().map(|(included, outcome)| digest(included, outcome)).collect()
    }
}

impl References for IncludedTexts {
    fn text(&self, include: Include<'_>) -> Result<Arc<str>, ReferenceError> {
        match self.get(include) {
            Some(Ok(found)) => Ok(Arc::clone(&found.text)),
            Some(Err(error)) => Err(told(error)),
            None => Err(ReferenceError::new("it was not loaded")),
        }
    }
}

/// Returns the cause of a failure, for an error that names the reference itself.
fn told(error: &LoadError) -> ReferenceError {
    let told = ReferenceError::new(&error.message);
    match &error.help {
        Some(help) => told.with_help(help),
        None => told,
    }
}

async fn one(door: &Door<'_>, text: &str, place: &Place) -> Outcome {
    let loader = door.loader;
    let reference = Reference::parse(text).map_err(|error| error.load_error(text))?;
    let mut route = loader.route(&reference, place)?;
    // A text that a wrapper would only name is loaded here, too.
    for step in route.steps.iter_mut().filter(|step| step.semantics == Semantics::Lazy) {
        step.semantics = Semantics::Default;
    }
    if !door.network && loader.connects(&route) {
        return Ok(IncludedText {
            text: format!("⟨{}⟩", route.reference).into(),
            trust: Trust::Web,
            fenced: Vec::new(),
            resources: Vec::new(),
            notes: Vec::new(),
            stands_in: true,
        });
    }
    whole(door, &route, loader.walk(&route).await?)
}

/// Returns the text of all loaded resources, with the fences that it needs.
fn whole(door: &Door<'_>, route: &Route, loaded: Loaded) -> Outcome {
    let mut text = String::new();
    let mut fenced = Vec::new();
    let mut trust = Trust::Program;
    let mut resources = Vec::with_capacity(loaded.resources.len());
    for resource in &loaded.resources {
        let Some(part) = resource.text() else {
            if loaded.listing {
                continue;
            }
            return Err(LoadError::new(codes::NOT_TEXT.code, &route.reference, "it is not text")
                .with_help("a template includes text; `@base64:…` shows bytes as text"));
        };
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        match (door.fences)(&resource.reference, resource.trust) {
            Some(fence) => {
                let part: Arc<str> = fence.wrap(part).into();
                text.push_str(&part);
                fenced.push(part);
            }
            None => text.push_str(part),
        }
        trust = trust.least(resource.trust);
        let digest = Digest::of_text(part);
        let reference = resource.reference.clone();
        resources.push(LoadedResource { reference, digest, trust: resource.trust });
    }
    let (text, notes) = (text.into(), loaded.notes);
    Ok(IncludedText { text, trust, fenced, resources, notes, stands_in: false })
}

fn too_many(text: &str, most: usize) -> LoadError {
    let reference = contexture_reference::syntax::redact(text);
    let message = format!("the templates include more than {most} references");
    LoadError::new(codes::TOO_MANY_REFERENCES.code, &reference, message)
        .with_help("include fewer, or take several files by one pattern")
}

fn digest(included: &Included, outcome: &Outcome) -> Value {
    let reference = contexture_reference::syntax::redact(&included.reference);
    let mut told = json!({ "reference": reference });
    let more = match outcome {
        Ok(found) if found.stands_in => json!({ "placeholder": true }),
        Ok(found) => {
            let resources = found.resources.iter().map(|one| {
                json!({
                    "reference": one.reference,
                    "digest": one.digest,
                    "trust": one.trust.as_str(),
                })
            });
            json!({ "resources": resources.collect::<Vec<_>>() })
        }
        Err(error) => json!({ "error": { "code": error.code, "message": error.message } }),
    };
    if let (Value::Object(told), Value::Object(more)) = (&mut told, more) {
        if let Some(partial) = &included.partial {
            told.insert("partial".to_owned(), json!(partial));
        }
        told.extend(more);
    }
    told
}

/// Returns the warnings among notes, in one line each.
pub(crate) fn warnings<'n>(notes: impl Iterator<Item = &'n Note>) -> impl Iterator<Item = String> {
    let told = notes.filter(|note| note.severity != Severity::Hint);
    told.map(|note| format!("{} ({})", note.message, note.code))
}

#[cfg(test)]
mod tests;
