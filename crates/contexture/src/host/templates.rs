//! Imported templates, rendered (AS-2), with what they include by reference (REF-7).

use super::run_state::{RunState, placeholder, supplied};
use crate::templates::{self, Door, IncludedTexts, ReadTemplate};
use crate::written::OnDemand;
use contexture_context::Trust;
use contexture_diagnostic::suggestion;
use contexture_prompt::{
    Include, LocatedError, PromptError, PromptTemplate, ReferenceError, References, RenderLimits,
    TemplateContext,
};
use contexture_reference::LoadError;
use contexture_script::host::{HostError, Supplied};
use contexture_script::template::{TemplateCall, TemplateFault};
use serde_json::{Map, Value, json};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::OnceCell;

/// A template that is ready to be rendered.
#[derive(Debug)]
struct Compiled {
    read: ReadTemplate,
    template: PromptTemplate,
    included: IncludedTexts,
}

/// A template that several may wait for.
type Shared = Arc<OnceCell<Compiled>>;

/// The templates of a run.
#[derive(Default)]
pub(super) struct Templates {
    /// By importing file and name; each is made by the first who wants it.
    compiled: Mutex<HashMap<(String, String), Shared>>,
    /// Texts that templates included with fences of their own.
    fenced: Mutex<BTreeSet<Arc<str>>>,
}

impl Templates {
    /// Renders a template; it was written by those who wrote the program, what it includes by
    /// reference was not.
    pub(super) async fn render(
        &self,
        run: &RunState,
        references: &OnDemand,
        call: TemplateCall,
    ) -> Result<Supplied, HostError> {
        let cell = self.cell(&call);
        let compiled = cell.get_or_try_init(|| self.compile(run, references, &call)).await?;
        match text(compiled, &call) {
            Ok(Rendered { text, trust, stands_in: false }) => {
                Ok(supplied(Value::String(text), trust))
            }
            Ok(Rendered { text, trust, stands_in: true }) => {
                let site = &call.site;
                run.note_placeholder(format!("what {} includes at {site}", call.template.name));
                Ok(placeholder(Value::String(text), trust))
            }
            // What a placeholder lacks, the real value may have.
            Err(_) if run.dry_run && call.on_placeholders => {
                let text = format!("⟨{}⟩", call.template.name);
                Ok(placeholder(Value::String(text), Trust::Program))
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the texts so far that stand in fences of their own.
    pub(super) fn fenced(&self) -> Vec<Arc<str>> {
        self.fenced.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// Returns the cell of a template; at its first use in a run it is rebuilt.
    fn cell(&self, call: &TemplateCall) -> Shared {
        let key = (call.template.importer.clone(), call.template.name.clone());
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if call.event.is_some() {
            compiled.remove(&key);
        }
        Arc::clone(compiled.entry(key).or_default())
    }

    async fn compile(
        &self,
        run: &RunState,
        references: &OnDemand,
        call: &TemplateCall,
    ) -> Result<Compiled, HostError> {
        let limit = run.limits.file_bytes as u64;
        let mut read = templates::read(references, &call.template, limit).map_err(|error| {
            HostError::new(error.code(), error.to_string()).with_help(error.help())
        })?;
        read.facts(references).map_err(|faults| invalid(&faults))?;
        let template = PromptTemplate::compile(read.text.text())
            .map_err(|error| HostError::new(error.code(), error.to_string()))?;
        let output_bytes = run.limits.string_bytes;
        read.registry.set_limits(RenderLimits { output_bytes, ..RenderLimits::default() });
        let included = included(run, references, &read, &template).await?;
        let fenced = included.fenced().cloned();
        self.fenced.lock().unwrap_or_else(PoisonError::into_inner).extend(fenced);
        if let Some(event) = call.event {
            run.recorder.amend(event, read.digests(&included));
        }
        Ok(Compiled { read, template, included })
    }
}

/// Loads what the template and its partials include.
async fn included(
    run: &RunState,
    references: &OnDemand,
    read: &ReadTemplate,
    template: &PromptTemplate,
) -> Result<IncludedTexts, HostError> {
    let wanted = read.registry.references(template);
    if wanted.is_empty() {
        return Ok(IncludedTexts::default());
    }
    run.recorder.flush();
    let door = Door::of(references.get(), !run.dry_run);
    let place = |partial: Option<&str>| read.place(partial);
    let loading = IncludedTexts::load_through(&door, wanted, place);
    let texts = run.unless_cancelled(loading).await?;
    for warning in templates::warnings(texts.notes()) {
        run.warn(format!("{}: {warning}", read.text.name()));
    }
    Ok(texts)
}

/// Returns the first fault; a program that was checked has none, unless the file was changed since.
fn invalid(faults: &[TemplateFault]) -> HostError {
    match faults.first() {
        Some(TemplateFault::Invalid { code, place, message, help }) => {
            let error = HostError::new(*code, format!("{place}: {message}"));
            HostError { help: help.clone(), ..error }
        }
        Some(TemplateFault::Unreadable(fault)) => HostError::new("file_failed", &fault.message),
        None => HostError::new("file_failed", "the template can't be used"),
    }
}

/// A text with what is known of the texts that it includes.
struct Rendered {
    text: String,
    trust: Trust,
    stands_in: bool,
}

/// The texts of references, with the trust and the failure that a rendering met.
struct Watched<'t> {
    texts: &'t IncludedTexts,
    trust: Cell<Trust>,
    stands_in: Cell<bool>,
    failed: RefCell<Option<LoadError>>,
}

impl References for Watched<'_> {
    fn text(&self, include: Include<'_>) -> Result<Arc<str>, ReferenceError> {
        match self.texts.get(include) {
            Some(Ok(found)) => {
                self.trust.set(self.trust.get().least(found.trust));
                self.stands_in.set(self.stands_in.get() || found.stands_in);
            }
            Some(Err(error)) => drop(self.failed.replace(Some(error.clone()))),
            None => {}
        }
        self.texts.text(include)
    }
}

fn text(compiled: &Compiled, call: &TemplateCall) -> Result<Rendered, HostError> {
    let variables =
        TemplateContext::from_json(&whole(call.variables.clone())).map_err(|error| {
            let name = &call.template.name;
            HostError::new(
                error.code(),
                format!("the variables of `{name}` can't be read: {error}"),
            )
        })?;
    let watched = Watched {
        texts: &compiled.included,
        trust: Cell::new(Trust::Program),
        stands_in: Cell::new(false),
        failed: RefCell::default(),
    };
    let registry = &compiled.read.registry;
    match registry.render_template_with(&compiled.template, &variables, &watched) {
        Ok(text) => {
            let (trust, stands_in) = (watched.trust.get(), watched.stands_in.get());
            Ok(Rendered { text, trust, stands_in })
        }
        Err(error) => {
            let failure = failure(compiled, call, &variables, &error);
            Err(watched
                .failed
                .into_inner()
                .map_or(failure.clone(), |cause| because(failure, cause)))
        }
    }
}

/// Makes whole numbers print without a fraction, as the language prints them.
fn whole(value: Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => match number.as_f64() {
            #[expect(clippy::cast_possible_truncation, reason = "it is whole and small")]
            Some(float) if float.fract() == 0.0 && float.abs() < 9e15 => (float as i64).into(),
            _ => Value::Number(number),
        },
        Value::Array(items) => items.into_iter().map(whole).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (name, whole(value))).collect()
        }
        other => other,
    }
}

fn failure(
    compiled: &Compiled,
    call: &TemplateCall,
    variables: &TemplateContext,
    located: &LocatedError,
) -> HostError {
    let LocatedError { error, partial, line, column } = located;
    let file = compiled.read.file(partial.as_deref()).name();
    let name = &call.template.name;
    let (message, help) = match error {
        PromptError::VariableNotFound(path) => {
            let names: Vec<&str> = variables.iter().map(|(name, _)| name).collect();
            let help = suggestion(path, names).unwrap_or_else(|| {
                format!("give it, as in `{name}({{ … }})`, or test it first: `{{{{#if {path}}}}}`")
            });
            (format!("the template needs the variable `{path}`"), Some(help))
        }
        PromptError::NotAnArray(path) => (
            format!("`{path}` is not a list, so `{{{{#each {path}}}}}` can't go over it"),
            Some("give a list; it may be empty".to_owned()),
        ),
        other => (other.to_string(), other.help().map(str::to_owned)),
    };
    let place = [("template", json!(file)), ("line", json!(line)), ("column", json!(column))];
    let mut details: Map<_, _> =
        place.map(|(name, value)| (name.to_owned(), value)).into_iter().collect();
    if matches!(error, PromptError::VariableNotFound(_)) {
        let missing = compiled.read.registry.missing(&compiled.template, variables);
        details.insert("missing".to_owned(), json!(missing.unwrap_or_default()));
    }
    let failure = HostError::new(error.code(), format!("{file}:{line}:{column}: {message}"));
    HostError { help, details: Some(Value::Object(details)), ..failure }
}

/// Returns the failure with the code of its cause: a reference that could not be loaded.
fn because(failure: HostError, cause: LoadError) -> HostError {
    let mut failure = HostError { code: cause.code.into(), ..failure };
    if let Some(Value::Object(details)) = &mut failure.details {
        details.insert("reference".to_owned(), json!(cause.reference));
    }
    failure
}
