//! Walking a route from the inside out (REF-8, REF-11, REF-12).

use super::route::{Route, Step, StepKind};
use super::setup::Loader;
use super::ways;
use crate::definition::OnlyMatch;
use crate::expand::{self, EXPAND};
use crate::syntax::{Reference, Semantics};
use crate::text::{self, Piece};
use crate::{codes, processors};
use contexture_context::Trust;
use contexture_core::reference::{
    Content, LoadError, Loaded, Note, Place, Protocol, Request, Resource,
};
use contexture_diagnostic::{Severity, suggestion};
use std::sync::Arc;

impl Loader {
    /// Loads a reference, whatever its prefix: the caller has decided that it is wanted now. A lazy
    /// inner level stays a handle while nothing has to read it (REF-8).
    ///
    /// # Errors
    /// [`LoadError`] as [`Self::route`], and when something can't be read.
    pub async fn load(
        &self,
        reference: &Reference<'_>,
        place: &Place,
    ) -> Result<Loaded, LoadError> {
        let route = self.route(reference, place)?;
        self.walk(&route).await
    }

    /// Loads along a route.
    ///
    /// # Errors
    /// [`LoadError`] when something can't be read.
    pub async fn walk(&self, route: &Route) -> Result<Loaded, LoadError> {
        let mut way = route;
        let mut notes = route.notes.clone();
        let mut first: Option<LoadError> = None;
        loop {
            match (self.along(way).await, way.fallback.as_deref()) {
                (Ok(mut loaded), _) => {
                    loaded.notes.splice(0..0, notes);
                    return Ok(loaded);
                }
                (Err(error), Some(other)) if ways::is_missing(&error) => {
                    // What a protocol of ours does not have is not a fault of the registry.
                    if !way.trail.is_empty() {
                        notes.push(ways::passed_over(&error, other));
                    }
                    notes.extend(other.notes.iter().cloned());
                    first = Some(ways::both(first, error));
                    way = other;
                }
                (Err(error), _) => return Err(ways::both(first, error)),
            }
        }
    }

    /// Loads along one way.
    async fn along(&self, route: &Route) -> Result<Loaded, LoadError> {
        if route.mode.is_offline && self.connects(route) {
            return Ok(placeholder(route));
        }
        let start = handle_below(route);
        let mut loaded = match start {
            Some(index) => handle(route, index),
            None => {
                let loaded = source(self, route).await.and_then(|loaded| found(route, loaded));
                match loaded {
                    Ok(loaded) => loaded,
                    Err(error) => return Err(with_near_id(self, route, error).await),
                }
            }
        };
        within(self, route, &loaded)?;
        let mut documents = expand::documents(&loaded);
        for step in route.steps.iter().skip(start.unwrap_or(1)) {
            loaded = apply(self, route, step, loaded).await?;
            within(self, route, &loaded)?;
            // What a wrapper writes around a document is not the document's.
            if !matches!(step.kind, StepKind::Wrapper(_)) {
                documents = expand::documents(&loaded);
            }
        }
        fit(self, route, &mut loaded);
        if !route.mode.is_expansion {
            loaded.notes.extend(expand::unloaded(&documents));
        }
        Ok(loaded)
    }

    /// Reports whether loading along a route may connect to something.
    #[must_use]
    pub fn connects(&self, route: &Route) -> bool {
        let mut protocols = route.steps.iter().filter_map(|step| self.protocol(&step.name));
        protocols.any(|protocol| protocol.connects())
            || route.fallback.as_ref().is_some_and(|other| self.connects(other))
    }
}

/// Returns the outermost wrapper around a lazy level: it works on a handle, and what lies inside
/// stays pending. A processor has to read, so it forces what is inside it.
fn handle_below(route: &Route) -> Option<usize> {
    let pairs = route.steps.iter().zip(route.steps.iter().skip(1)).enumerate();
    let lazy = pairs.filter(|(_, (inner, outer))| {
        matches!(outer.kind, StepKind::Wrapper(_)) && inner.semantics == Semantics::Lazy
    });
    lazy.map(|(index, _)| index + 1).max()
}

fn handle(route: &Route, index: usize) -> Loaded {
    let inner = index.checked_sub(1).and_then(|inner| route.steps.get(inner));
    let reference = inner.map(|step| step.reference.clone()).unwrap_or_default();
    let text = format!("[not loaded: {reference}]");
    let resource = Resource::of_text(reference, "text/plain", text, Trust::Program);
    Loaded { resources: vec![resource], ..Loaded::default() }
}

/// Returns what stands for a place that is not connected to.
fn placeholder(route: &Route) -> Loaded {
    let text = format!("⟨{}⟩", route.reference);
    let resource = Resource::of_text(&route.reference, "text/plain", text, Trust::Web);
    Loaded { resources: vec![resource], ..Loaded::default() }
}

async fn source(loader: &Loader, route: &Route) -> Result<Loaded, LoadError> {
    let Some(step) = route.steps.first() else { return Ok(Loaded::default()) };
    let protocol = protocol(loader, step)?;
    let path = match &step.kind {
        StepKind::Source { path } => path,
        StepKind::Processor | StepKind::Wrapper(_) => "",
    };
    let mut loaded = protocol.load(request(loader, route, step, path, &[])).await?;
    let next = route.steps.get(1).and_then(|step| loader.protocol(&step.name));
    let bytes = next.is_some_and(|next| next.reads_bytes());
    let asked = route.common.get("line").or_else(|| route.common.get("encoding")).is_some();
    if !bytes || asked {
        to_text(route, &mut loaded)?;
    }
    Ok(loaded)
}

/// Returns the only file that the glob of an id matches (MA-2).
fn only(id: &OnlyMatch, route: &Route, mut loaded: Loaded) -> Result<Loaded, LoadError> {
    let OnlyMatch { protocol, id, glob } = id;
    let names: Vec<&str> = loaded.resources.iter().map(|one| one.reference.as_str()).collect();
    match names.as_slice() {
        [_] => {
            loaded.listing = false;
            Ok(loaded)
        }
        [] => {
            let message = format!("no file matches `{glob}` for `{id}`");
            let help = format!("name a file of `{protocol}` that is there, or correct the glob");
            Err(LoadError::new(codes::NOT_FOUND.code, &route.reference, message).with_help(help))
        }
        names => {
            let message = format!("several files match `{glob}`: {}", names.join(", "));
            Err(LoadError::new(codes::AMBIGUOUS_ID.code, &route.reference, message)
                .with_help(format!("rename all but one, or register `{id}` with its file")))
        }
    }
}

/// Adds the nearest id to the error of one that a glob does not have.
async fn with_near_id(loader: &Loader, route: &Route, error: LoadError) -> LoadError {
    let (Some(only), Some(step)) = (&route.only, route.steps.first()) else { return error };
    if error.code != codes::NOT_FOUND.code {
        return error;
    }
    let any = only.any();
    let Ok(protocol) = protocol(loader, step) else { return error };
    let Ok(all) = protocol.load(request(loader, route, step, &any, &[])).await else {
        return error;
    };
    let ids = all.resources.iter().filter_map(|one| only.id_of(&one.reference));
    match suggestion(&only.id, ids) {
        Some(near) => error.with_help(near),
        None => error,
    }
}

/// Checks that a hot pattern matches something (REF-13).
fn found(route: &Route, loaded: Loaded) -> Result<Loaded, LoadError> {
    if let Some(id) = &route.only {
        return only(id, route, loaded);
    }
    let source = route.steps.first().map(|step| step.semantics);
    let is_hot = route.semantics == Semantics::Hot || source == Some(Semantics::Hot);
    if !(is_hot && loaded.listing && loaded.resources.is_empty()) {
        return Ok(loaded);
    }
    let help = "fix the pattern, or leave the `!` out if it may match nothing";
    let told = loaded.notes.into_iter().find(|note| note.code == "REF3037");
    let told = told.as_ref().and_then(|note| Some(note.message.split_once("` ")?.1));
    let message = format!("the pattern {}", told.unwrap_or("matches nothing"));
    Err(LoadError::new("REF3037", &route.reference, message).with_help(help))
}

fn request<'a>(
    loader: &Loader,
    route: &'a Route,
    step: &'a Step,
    path: &'a str,
    input: &'a [Resource],
) -> Request<'a> {
    Request {
        reference: &step.reference,
        path,
        parameters: &step.parameters,
        input,
        place: &route.place,
        max_bytes: loader.limits.max_bytes,
        max_resources: loader.limits.max_resources,
    }
}

fn protocol<'l>(loader: &'l Loader, step: &Step) -> Result<&'l Arc<dyn Protocol>, LoadError> {
    loader.protocol(&step.name).ok_or_else(|| {
        let message = format!("there is no protocol `{}`", step.name);
        LoadError::new("REF3001", &step.reference, message)
    })
}

/// Decodes the content of a source and takes its lines; in a listing, files that are not text are
/// left out with a note.
fn to_text(route: &Route, loaded: &mut Loaded) -> Result<(), LoadError> {
    for resource in &mut loaded.resources {
        let Content::Bytes(bytes) = &resource.content else { continue };
        // The reader's encoding goes before the server's.
        let label = route.common.get("encoding").or_else(|| text::charset(&resource.media_type));
        let decoded = decoded(bytes, label);
        if !text::is_essence(&resource.media_type) {
            resource.media_type = text::essence(&resource.media_type);
        }
        match decoded {
            Ok(None) => {}
            Ok(Some(text)) => resource.content = Content::Bytes(text.into_bytes()),
            Err(error) if loaded.listing => {
                let message = format!("`{}` is listed and not loaded: {error}", resource.reference);
                loaded.notes.push(Note { code: "REF3011", severity: Severity::Warning, message });
                resource.content = Content::Listed { bytes: resource.size() };
                continue;
            }
            Err(error) => {
                return Err(LoadError::new("REF3010", &resource.reference, error.to_string())
                    .with_help(error.help()));
            }
        }
        if let Some(lines) = route.lines {
            let note = take_lines(lines, resource);
            loaded.notes.extend(note);
        }
    }
    Ok(())
}

/// Returns the text of bytes; `None` when they are text as they stand.
fn decoded(bytes: &[u8], label: Option<&str>) -> Result<Option<String>, text::DecodeError> {
    let plain = label.is_none()
        && !bytes.starts_with(b"\xef\xbb\xbf")
        && memchr::memchr(0, bytes).is_none()
        && std::str::from_utf8(bytes).is_ok();
    if plain { Ok(None) } else { text::decode(bytes, label).map(Some) }
}

fn take_lines(lines: text::LineRange, resource: &mut Resource) -> Option<Note> {
    let (taken, past) = lines.of(resource.text()?);
    let taken = taken.as_bytes().to_vec();
    resource.content = Content::Bytes(taken);
    past.map(|count| Note {
        code: "REF3012",
        severity: Severity::Warning,
        message: format!(
            "`{}` has {count} lines; line={lines} reaches past them",
            resource.reference
        ),
    })
}

async fn apply(
    loader: &Loader,
    route: &Route,
    step: &Step,
    input: Loaded,
) -> Result<Loaded, LoadError> {
    let mut loaded = match &step.kind {
        StepKind::Wrapper(definition) => {
            let mut resources = Vec::with_capacity(input.resources.len());
            for resource in &input.resources {
                resources.push(wrapped(definition, step, resource)?);
            }
            Loaded { resources, ..Loaded::default() }
        }
        StepKind::Source { .. } | StepKind::Processor => {
            let protocol = protocol(loader, step)?;
            match step.name.as_str() {
                EXPAND => {
                    let options = loader.expansion(route.mode.is_offline);
                    expand::of_input(loader, input.resources, options).await?
                }
                _ => protocol.load(request(loader, route, step, "", &input.resources)).await?,
            }
        }
    };
    loaded.listing = input.listing;
    loaded.notes.splice(0..0, input.notes);
    loaded.steps.splice(0..0, input.steps);
    Ok(loaded)
}

fn wrapped(
    definition: &crate::definition::Definition,
    step: &Step,
    resource: &Resource,
) -> Result<Resource, LoadError> {
    if resource.bytes().is_none() {
        return Ok(resource.clone());
    }
    let text = resource.text().ok_or_else(|| {
        LoadError::new("REF3010", &resource.reference, "it is not text")
            .with_help("`@base64:…` shows bytes as text")
    })?;
    let reference = processors::around(&step.name, &resource.reference);
    let text = definition.wrap_with(&resource.reference, &step.parameters, text);
    Ok(Resource::of_text(reference, "text/plain", text, resource.trust))
}

fn within(loader: &Loader, route: &Route, loaded: &Loaded) -> Result<(), LoadError> {
    let limit = loader.limits.max_bytes;
    if loaded.bytes() <= limit {
        return Ok(());
    }
    let message = format!("it has more than {limit} bytes");
    Err(LoadError::new("REF3013", &route.reference, message)
        .with_help("take a part of it, such as `?line=1-200`, write a narrower pattern, or raise `file_bytes` under [limits] in contexture.toml"))
}

/// Cuts the content of the whole reference to its budget, and reports what was cut.
fn fit(loader: &Loader, route: &Route, loaded: &mut Loaded) {
    let Some(max) = route.max else { return };
    let texts: Vec<&str> =
        loaded.resources.iter().map(|resource| resource.text().unwrap_or_default()).collect();
    let pieces = text::fit(&texts, max, loader.counter);
    let mut kept = Vec::with_capacity(pieces.len());
    for (mut resource, piece) in std::mem::take(&mut loaded.resources).into_iter().zip(pieces) {
        let said = match piece {
            Piece::Whole => None,
            Piece::Cut(text) => {
                resource.content = Content::Bytes(text.into_bytes());
                Some(format!("`{}` was cut to fit max={max}", resource.reference))
            }
            Piece::LeftOut => {
                let message = format!("`{}` does not fit max={max}", resource.reference);
                loaded.notes.push(Note { code: "REF3014", severity: Severity::Warning, message });
                continue;
            }
        };
        let note = said.map(|message| Note { code: "REF3014", severity: Severity::Hint, message });
        loaded.notes.extend(note);
        kept.push(resource);
    }
    loaded.resources = kept;
}
