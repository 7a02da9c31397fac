//! `load_resource`: references of the project, as a tool (REF-10).
//!
//! Decision: a model in a prompt may load what the prompt offers. Over MCP there is no prompt; the
//! offer is the content of the workspace: its files, as the policy about paths has it, and the values of
//! its definitions, its memory and its allowed variables. References to other machines
//! must be offered when the server starts, one by one or by pattern.

use crate::fault::Fault;
use crate::mcp::arguments::Arguments;
use crate::mcp::codes;
use crate::mcp::knowledge::{Generation, Knowledge};
use crate::mcp::said;
use crate::mcp::tool::{Call, CallFuture, Given, Tool};
use contexture::answer::{Field, Shape};
use contexture::context::build::build_item;
use contexture::context::{Budget, DeclaredItem, Keep};
use contexture::reference::syntax::{Reference, ReferenceBuf};
use contexture::reference::{FOLDER, LoadError, Loaded, Place, Resource, pattern, tool};
use contexture::reference::{Route, StepKind};
use contexture::references::{Options, References};
use contexture::{Project, packs};
use parking_lot::Mutex;
use rmcp::model::{Tool as Definition, ToolAnnotations};
use std::sync::Arc;

/// The most tokens of a result.
const RESULT_TOKENS: u64 = 8_000;

pub(crate) struct LoadResource {
    definition: Definition,
    arguments: Arguments,
    project: Project,
    options: Options,
    offers: Arc<[ReferenceBuf]>,
    current: Mutex<Current>,
    knowledge: Option<Arc<Knowledge>>,
}

/// The references with a snapshot of the packs.
struct Current {
    generation: Generation,
    references: Arc<References>,
}

struct Inner {
    references: Arc<References>,
    offers: Arc<[ReferenceBuf]>,
}

impl LoadResource {
    /// Creates the tool for the references of a project; `offers` may be loaded besides the content of the
    /// workspace.
    ///
    /// # Errors
    /// A [`Fault`] when an offer is not a reference, or the workspace can't be used.
    pub(crate) fn open(
        project: Project,
        packs: packs::Options,
        offers: &[String],
    ) -> Result<Self, Fault> {
        let options = Options { packs, ..Options::default() };
        let references = References::open(&project, &options)?;
        let offers = offers.iter().map(|text| offer(text)).collect::<Result<Vec<_>, _>>()?;
        let about = description(&references, &offers);
        let reference = Field {
            name: "reference".to_owned(),
            shape: Shape::String,
            optional: false,
            description: Some("the reference, such as @file://docs/a.md".to_owned()),
        };
        let arguments = Arguments::of(vec![reference]);
        let definition = Definition::new(tool::NAME, about, arguments.schema())
            .with_title("Load a resource")
            .with_annotations(
                ToolAnnotations::new().read_only(true).open_world(!offers.is_empty()),
            );
        let references = Arc::new(references);
        let current = Mutex::new(Current { generation: Generation::default(), references });
        let offers = offers.into();
        Ok(Self { definition, arguments, project, options, offers, current, knowledge: None })
    }

    /// Makes the tool follow changes of the packs.
    pub(crate) fn following(self, knowledge: &Arc<Knowledge>) -> Self {
        Self { knowledge: Some(Arc::clone(knowledge)), ..self }
    }

    fn inner(&self) -> Inner {
        let mut current = self.current.lock();
        let generation = self.knowledge.as_ref().map(|it| it.generation()).unwrap_or_default();
        if generation != current.generation {
            let packs = packs::Options { offline: true, ..self.options.packs.clone() };
            let options = Options { packs, ..self.options.clone() };
            // A workspace that can't be reopened leaves the references unchanged.
            if let Ok(references) = References::open(&self.project, &options) {
                *current = Current { generation, references: Arc::new(references) };
            }
        }
        Inner { references: Arc::clone(&current.references), offers: Arc::clone(&self.offers) }
    }
}

fn offer(text: &str) -> Result<ReferenceBuf, Fault> {
    ReferenceBuf::parse(text.trim()).map_err(|error| {
        let error = error.load_error(text.trim());
        let fault = Fault::of(codes::BAD_OFFER, format!("--offer: {error}"));
        Fault { help: error.help, ..fault }
    })
}

/// Returns the description for the model, with the available references.
fn description(references: &References, offers: &[ReferenceBuf]) -> String {
    let names: Vec<&str> = references.loader().protocols().map(|known| known.name()).collect();
    let offers: Vec<String> = offers.iter().map(|offer| offer.as_ref().public()).collect();
    let offered = match offers.as_slice() {
        [] => String::new(),
        offers => format!(" Offered besides: {}.", offers.join(", ")),
    };
    format!(
        "Loads a resource of this project by its reference and returns its text as data. \
         `@file://docs/a.md` is a file of the workspace, `@file://docs/*.md` several; \
         `?line=5-10` takes some lines, `?max=2k` a number of tokens. In texts of the project, \
         `@!` marks a reference that must be loaded before you answer, `@` one to load when you \
         judge that it helps, `@?` one to load only when you need what is in it. Protocols: \
         {}.{offered}",
        names.join(", ")
    )
}

impl Tool for LoadResource {
    fn definition(&self) -> &Definition {
        &self.definition
    }

    fn call(&self, call: Call) -> CallFuture<'_> {
        Box::pin(async move {
            self.arguments.check(tool::NAME, &call.arguments)?;
            let asked = call.text("reference").trim().to_owned();
            let inner = self.inner();
            let handle = tokio::runtime::Handle::current();
            // Files are read off the thread that reads messages.
            let work = tokio::task::spawn_blocking(move || handle.block_on(inner.load(&asked)));
            tokio::select! {
                ended = work => ended.unwrap_or_else(|error| {
                    Err(Fault::of(codes::BROKEN_OFF, format!("the load failed: {error}")))
                }),
                () = call.client.gone() => {
                    Err(Fault::of(codes::CANCELLED, "the call was cancelled"))
                }
            }
        })
    }
}

impl Inner {
    async fn load(&self, asked: &str) -> Result<Given, Fault> {
        let reference = Reference::parse(asked).map_err(|error| error.load_error(asked))?;
        let loader = self.references.loader();
        let route = loader.route(&reference, &Place::workspace())?;
        self.offered(&route)?;
        let loaded = loader.walk(&route).await?;
        Ok(Given::text(shown(&loaded, &self.references)?))
    }

    /// Checks that a route stays within the offer.
    fn offered(&self, route: &Route) -> Result<(), LoadError> {
        let Some(source) = route.steps.first() else { return Ok(()) };
        let StepKind::Source { path } = &source.kind else { return Ok(()) };
        let is_within = |offer: &ReferenceBuf| {
            let offer = offer.as_ref();
            offer.innermost().is_protocol(&source.name)
                && (offer.path() == path || pattern::matches(offer.path(), path))
        };
        if self.offers.iter().any(is_within) {
            return Ok(());
        }
        let refused = |why: &str, help: &str| {
            Err(LoadError::new("REF3051", &route.reference, why).with_help(help))
        };
        if self.references.loader().connects(route) {
            return refused(
                "it is not offered here: it lies on another machine",
                "whoever starts the server can offer it with `--offer REFERENCE`",
            );
        }
        Ok(())
    }
}

/// Returns the loaded texts, fenced and cut to the size of one result.
fn shown(loaded: &Loaded, references: &References) -> Result<String, Fault> {
    let counter = references.loader().counter();
    let several = loaded.listing || loaded.resources.len() > 1;
    let mut left = RESULT_TOKENS;
    let mut parts = Vec::new();
    for resource in &loaded.resources {
        // File names are foreign text outside the fence.
        let name = said::line(&resource.reference);
        let Some(text) = resource.text() else {
            let kind = if resource.media_type == FOLDER { "folder" } else { "not text" };
            parts.push(format!("{kind}: {name}"));
            continue;
        };
        let item = item(resource, text, left, references)?;
        left = left.saturating_sub(counter.count(&item) as u64);
        match (several, item.is_empty()) {
            (_, true) if left == 0 || !text.is_empty() => parts.push(format!("not shown: {name}")),
            (true, _) => parts.push(format!("source: {name}\n{item}")),
            (false, _) => parts.push(item),
        }
    }
    parts.extend(loaded.notes.iter().map(|note| format!("note: {}", said::line(&note.message))));
    Ok(parts.join("\n\n"))
}

fn item(
    resource: &Resource,
    text: &str,
    left: u64,
    references: &References,
) -> Result<String, Fault> {
    if left == 0 {
        return Ok(String::new());
    }
    let declared = DeclaredItem {
        label: None,
        source: resource.reference.clone(),
        position: None,
        value: text.into(),
        budget: Some(Budget::tokens(left)),
        keep: Keep::Head,
        priority: 0,
        question: None,
        origin: resource.trust.into(),
        fence: references.fence(&resource.reference, resource.trust),
    };
    let item = build_item(0, &declared, references.loader().counter())
        .map_err(|error| Fault::of(codes::BROKEN_OFF, error.to_string()))?;
    Ok(item.text)
}
