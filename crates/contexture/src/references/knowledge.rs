//! `@knowledge://name`, `@knowledge://name/path` and `@knowledge://name?query=…` (REF-20): a pack's
//! guide, its files, and its answer to a question.
//!
//! Decision: the protocol returns bare text with the trust level of a pack; the code that shows it
//! adds the fence of the pack. The gate is that of programs: nothing is read of a pack that nobody
//! allowed.

use crate::packs::{DEFAULT_BUDGET, KNOWLEDGE, OnDemand, PacksError, pack_of, parts_of};
use contexture_context::cut::cut;
use contexture_context::fence::Fence;
use contexture_context::tokens::O200K_BASE;
use contexture_context::{Keep, Measure, TokenCounter, Trust};
use contexture_diagnostic::Severity;
use contexture_knowledge::fence;
use contexture_knowledge::pack::{GUIDE_FILE, Pack, PackFile};
use contexture_knowledge::resolve::{Resolution, Task};
use contexture_knowledge::section::beginning;
use contexture_reference::pattern::{Pattern, is_pattern};
use contexture_reference::{
    LoadError, LoadFuture, Loaded, Note, Parameter, ParameterKind, Protocol, Request, Resource,
    Role, text,
};
use std::sync::Arc;

/// The protocol over the packs of a project.
#[derive(Debug)]
pub(super) struct Knowledge {
    packs: Arc<OnDemand>,
    parameters: Vec<Parameter>,
}

impl Knowledge {
    pub(super) fn new(packs: Arc<OnDemand>) -> Self {
        let parameter = |name: &str, description: &str| {
            Parameter::new(name, ParameterKind::String, description)
        };
        let parameters = vec![
            parameter("query", "a question: the sections of the pack that answer it are taken"),
            parameter("max", "the most tokens that the result may have, such as 2k"),
        ];
        Self { packs, parameters }
    }

    fn read(&self, request: Request<'_>) -> Result<Loaded, LoadError> {
        let (name, path) = parts_of(request.path);
        let query = request.parameters.get("query");
        let fail = |error| load_error(request.reference, error);
        let budget = budget(request)?;
        let pack = self.packs.allowed(name).map_err(fail)?;
        match (path, query) {
            ("", None) => {
                let guide = pack.guide_body().map_err(|error| fail(error.into()))?;
                Ok(one(request, GUIDE_FILE, guide, budget))
            }
            ("", Some(query)) => self.answer(request, (&pack, query), budget),
            (_, Some(_)) => {
                let message = "`query` is asked of a whole pack, not of a file in it";
                let help = format!("write `@knowledge://{}?query=…`", name);
                Err(LoadError::new("REF3003", request.reference, message).with_help(help))
            }
            (path, None) if is_pattern(path) => matches(request, &pack, path, budget),
            (path, None) => {
                let text = pack.read(path, request.max_bytes);
                let text = text.map_err(|error| fail(error.into()))?;
                Ok(one(request, path, text, budget))
            }
        }
    }

    /// Returns the pack's answer to a question.
    fn answer(
        &self,
        request: Request<'_>,
        (pack, query): (&Pack, &str),
        budget: Option<u64>,
    ) -> Result<Loaded, LoadError> {
        let found = resolve(&self.packs, pack, query, budget.unwrap_or(DEFAULT_BUDGET))
            .map_err(|error| load_error(request.reference, error))?;
        let mut notes: Vec<Note> = found.warnings.iter().map(|told| note(told.clone())).collect();
        let Some(text) = inside(&found, self.packs.get().english()) else {
            notes.push(note(format!(
                "nothing in the knowledge pack `{}` answers this",
                pack.item().name
            )));
            return Ok(Loaded { notes, ..Loaded::default() });
        };
        let resource = Resource::of_text(request.reference, "text/markdown", text, Trust::Pack);
        Ok(Loaded { resources: vec![resource], notes, ..Loaded::default() })
    }
}

/// Returns the fence of the pack that a text was loaded from; `None` for other texts.
pub(crate) fn fence_of(packs: &OnDemand, reference: &str, trust: Trust) -> Option<Fence> {
    if trust < Trust::Pack {
        return None;
    }
    let pack = packs.allowed(&pack_of(reference)?).ok()?;
    let item = pack.item();
    Some(fence::knowledge(item, item.grounding, packs.get().english()))
}

fn resolve(
    packs: &OnDemand,
    pack: &Pack,
    query: &str,
    budget: u64,
) -> Result<Resolution, PacksError> {
    packs.get().resolve(&[&pack.item().name], &Task::new(query, budget))
}

/// Returns the text of a resolution without its fence; `None` when nothing was selected.
pub(crate) fn inside(found: &Resolution, english: bool) -> Option<&str> {
    let pack = found.uses.first()?;
    let fence = fence::knowledge(&pack.item, pack.grounding, english);
    let inside = found.context.strip_prefix(fence.open())?.strip_suffix(fence.close())?;
    let inside = inside.strip_prefix('\n').unwrap_or(inside);
    Some(inside.strip_suffix('\n').unwrap_or(inside))
}

fn budget(request: Request<'_>) -> Result<Option<u64>, LoadError> {
    let Some(written) = request.parameters.get("max") else { return Ok(None) };
    let wrong = || {
        let message = format!("`max={written}` is not a number of tokens");
        LoadError::new("REF3005", request.reference, message)
            .with_help("write a positive number of tokens: `max=500`, `max=2k`")
    };
    text::budget(written).map(Some).ok_or_else(wrong)
}

/// Returns one file of a pack within a budget.
fn one(request: Request<'_>, path: &str, text: String, budget: Option<u64>) -> Loaded {
    let mut left = budget;
    let (text, notes) = within((request.reference, path), text, &mut left);
    let resource = Resource::of_text(request.reference, media_type(path), text, Trust::Pack);
    Loaded { resources: vec![resource], notes, ..Loaded::default() }
}

/// Returns the files of a pack that a pattern matches.
fn matches(
    request: Request<'_>,
    pack: &Pack,
    path: &str,
    budget: Option<u64>,
) -> Result<Loaded, LoadError> {
    let pattern = Pattern::new(path);
    let files = pack.files().map_err(|error| load_error(request.reference, error.into()))?;
    let matched: Vec<PackFile> =
        files.into_iter().filter(|file| pattern.matches(&file.path)).collect();
    if matched.len() > request.max_resources {
        let message = format!("the pattern matches more than {} files", request.max_resources);
        return Err(LoadError::new("REF3036", request.reference, message)
            .with_help("write a narrower pattern"));
    }
    let mut loaded = Loaded { listing: true, ..Loaded::default() };
    let (mut bytes, mut tokens) = (request.max_bytes, budget);
    for file in matched {
        let reference = format!("@{KNOWLEDGE}://{}/{}", pack.item().name, file.path);
        match pack.read(&file.path, bytes) {
            Ok(text) => {
                bytes = bytes.saturating_sub(text.len() as u64);
                let (text, notes) = within((&reference, &file.path), text, &mut tokens);
                loaded.notes.extend(notes);
                let media_type = media_type(&file.path);
                loaded.resources.push(Resource::of_text(reference, media_type, text, Trust::Pack));
            }
            Err(error) => loaded.notes.push(note(format!("`{reference}` is left out: {error}"))),
        }
    }
    if loaded.resources.is_empty() {
        let message = format!("`{}` matches nothing", request.reference);
        loaded.notes.push(Note { code: "REF3037", severity: Severity::Warning, message });
    }
    Ok(loaded)
}

/// Returns a file within the rest of a budget: its beginning that ends with a section, or where not
/// even the first paragraph fits, a cut of its text.
fn within(
    (reference, path): (&str, &str),
    text: String,
    left: &mut Option<u64>,
) -> (String, Vec<Note>) {
    let Some(tokens) = left else { return (text, Vec::new()) };
    let counter: &dyn TokenCounter = &O200K_BASE;
    let limit = usize::try_from(*tokens).unwrap_or(usize::MAX);
    let mut taken = counter.count(&text);
    if taken <= limit {
        *tokens = tokens.saturating_sub(taken as u64);
        return (text, Vec::new());
    }
    let kept = beginning(path, &text, |kept| counter.count(kept) <= limit).unwrap_or_else(|| {
        cut(&text, limit, Measure::Tokens, Keep::Head, counter).text.into_owned()
    });
    taken = counter.count(&kept);
    *tokens = tokens.saturating_sub(taken as u64);
    let message = format!("`{reference}` was cut to the budget of `max`");
    (kept, vec![Note { code: "REF3014", severity: Severity::Warning, message }])
}

fn note(message: String) -> Note {
    Note { code: "REF3038", severity: Severity::Warning, message }
}

pub(super) fn load_error(reference: &str, error: PacksError) -> LoadError {
    let failure = LoadError::new(error.code, reference, error.message);
    match error.help {
        Some(help) => failure.with_help(help),
        None => failure,
    }
}

fn media_type(path: &str) -> &'static str {
    let ending = path.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    match ending.as_deref() {
        Some("md" | "markdown") => "text/markdown",
        Some("json" | "jsonl") => "application/json",
        Some("yaml" | "yml") => "application/yaml",
        Some("csv") => "text/csv",
        _ => "text/plain",
    }
}

impl Protocol for Knowledge {
    fn name(&self) -> &str {
        KNOWLEDGE
    }

    fn role(&self) -> Role {
        Role::Source
    }

    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn connects(&self) -> bool {
        false
    }

    fn load<'a>(&'a self, request: Request<'a>) -> LoadFuture<'a> {
        Box::pin(async move { self.read(request) })
    }
}
