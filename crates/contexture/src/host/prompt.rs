//! A model call laid out: items built and fitted, prompt composed, manifest drawn up.

use super::callable::Callable;
use super::errors::of_prompt;
use super::fallback::Failed;
use super::knowledge::{ShownPacks, shorter_file};
use super::ranked::Selections;
use super::run_state::RunState;
use crate::models::Model;
use crate::run::result::{DryItem, DryPrompt, DryTool};
use contexture_answer::contract;
use contexture_context::build::{FitError, fit_with};
use contexture_context::fence::{Fence, escape_layout, escape_open};
use contexture_context::manifest::{
    Blob, ItemPlace, ItemRecord, Layer, MANIFEST_VERSION, MessageRecord, ModelRef, OfferedTool,
    RankedRecord, Span, pieces,
};
use contexture_context::{
    ContextItem, CutReason, DeclaredItem, Digest, Label, Manifest, Source, TokenCounter, Trust,
};
use contexture_llm::{SchemaHint, Think};
use contexture_prompt::layout::{ItemSpan, LaidOut, PromptParts, lay_out};
use contexture_prompt::{OpenaiContentPart, ToolDefinition};
use contexture_script::host::{self, GenerateCall};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// A prompt, ready to be sent, with its record.
pub(super) struct Prepared {
    pub(super) laid: LaidOut,
    pub(super) manifest: Manifest,
    pub(super) blobs: Vec<Blob>,
    pub(super) items: Vec<ContextItem>,
    pub(super) schema: Option<Arc<SchemaHint>>,
    /// The definitions of the functions that are sent with it.
    pub(super) definitions: Vec<ToolDefinition>,
    /// The tokens that the window leaves for it, if it was cut to them.
    pub(super) cut_to: Option<u64>,
}

/// Bytes of a prompt that fit the window of every model.
const SMALL: usize = 1_000;

/// The tokens that a prompt may take, and whether the window of the model says so.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    pub(super) most: Option<u64>,
    is_of_window: bool,
}

impl Room {
    /// Returns the room of a call: its `max_input`, or what the window leaves for a prompt. A
    /// server is asked for its window when the prompt is not small (CA-4).
    pub(super) async fn of(run: &RunState, call: &GenerateCall, model: &Model) -> Self {
        let options = &call.options;
        let provider = &model.provider;
        let mut profile = provider.profile();
        if profile.window.is_none() && !run.dry_run && !is_small(call) {
            profile = provider.describe().await;
        }
        let own = options.max_input;
        let Some(left) = profile.input(None, options.most_output.or(options.max_output)) else {
            return Self { most: own, is_of_window: false };
        };
        if own.is_some_and(|own| own <= left) {
            return Self { most: own, is_of_window: false };
        }
        // The model's own tokenizer may need more than the one that stands in for it here.
        let spare = if provider.tokenizer().exact() { 0 } else { left / 5 };
        Self { most: Some(left - spare), is_of_window: true }
    }

    fn error(self, error: &FitError, model: &Model) -> Failed {
        let fault = match (error, self.is_of_window) {
            (FitError::Fixed { fixed, max }, true) => {
                let message = format!(
                    "the window of {} leaves {max} tokens for the prompt, but identity, \
                     instruction and output contract alone take {fixed}",
                    model.uri
                );
                let help = "shorten them, lower `max_output`, or ask a model with a larger window";
                of_prompt(message).with_help(help)
            }
            _ => return of_prompt(error).into(),
        };
        Failed { passes_on: true, ..fault.into() }
    }

    /// Returns the tokens that the window leaves, if it cut one of the items.
    fn cut_to(self, items: &[ContextItem]) -> Option<u64> {
        let is_cut =
            |item: &ContextItem| item.cuts.iter().any(|cut| cut.reason == CutReason::PromptBudget);
        self.most.filter(|_| self.is_of_window && items.iter().any(is_cut))
    }
}

fn is_small(call: &GenerateCall) -> bool {
    let size = |item: &DeclaredItem| match &item.value {
        Value::String(text) => text.len(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::Array(_) | Value::Object(_) => SMALL,
    };
    call.instruction.len() + call.items.iter().map(size).sum::<usize>() < SMALL
}

/// Builds the items, fits them, lays out the prompt and draws up its manifest.
pub(super) async fn prepare(
    run: &RunState,
    (call, model, number): (&GenerateCall, &Model, u64),
    fenced: &[Arc<str>],
    (callables, media): (&[Callable], &[OpenaiContentPart]),
    (packs, ranked): (&mut ShownPacks<'_>, &mut Selections),
) -> Result<Prepared, Failed> {
    let room = Room::of(run, call, model).await;
    let counter = model.provider.tokenizer();
    let composer = Composer::new(call, fenced);
    let declared = holding(&call.items, fenced);
    let tools: Vec<OfferedTool> = callables.iter().map(|one| one.record(counter)).collect();
    let of_tools: u64 = tools.iter().map(|tool| tool.tokens).sum();
    let of_media = model.provider.profile().media(media).unwrap_or_default();
    let beside = of_tools.saturating_add(of_media);
    let measure = |items: &[ContextItem]| count(counter, &composer.compose(items)) + beside;
    let shorter = |at: usize, room, reason| {
        let item = declared.get(at)?;
        let shorter = if reason == CutReason::ItemBudget {
            // Answers and selections are made for the budgets of their `use`.
            shorter_file(item, room, counter)
        } else {
            packs.shorter(item, room).or_else(|| ranked.shorter(item, room, counter))
        };
        shorter.map(|text| run.shown_to_model(&text).into_owned())
    };
    let items = fit_with(&declared, room.most, counter, measure, shorter)
        .map_err(|error| room.error(&error, model))?;
    let laid = composer.compose(&items);
    let strict = call.options.strict;
    let schema = call.shape.as_ref().map(|shape| run.schemas.of(shape, strict));
    let (mut manifest, mut blobs) =
        record(call, model, number, counter, &laid, &items, schema.as_deref());
    manifest.tokens += beside;
    // What a picture takes is a bound, and no count.
    manifest.model.tokenizer_exact &= media.is_empty();
    manifest.tools = tools;
    manifest.max_input = room.most;
    blobs.extend(callables.iter().map(Callable::blob));
    let definitions = callables.iter().map(|one| one.definition.clone()).collect();
    let cut_to = room.cut_to(&items);
    Ok(Prepared { laid, manifest, blobs, items, schema, definitions, cut_to })
}

/// Returns the label of an item; what has no source of its own is named as the prompt names it.
pub(super) fn label_of_item(item: &DeclaredItem) -> Label {
    let mut label = item.origin.clone();
    if label.sources.is_empty() && !label.more && label.trust != Trust::Program {
        label.sources.push(Source::new(item.source.clone(), label.trust));
    }
    label
}

/// Returns the label of a prompt: that of all that it holds, and of what decided that it is sent.
pub(super) fn label_of(call: &GenerateCall, items: &[ContextItem]) -> Label {
    let shown = items.iter().filter(|item| !item.left_out());
    let shown = shown.filter_map(|item| call.items.get(item.index));
    let own = call.decision.clone().join(&call.instruction_label);
    shown.fold(own, |all, item| all.join(&label_of_item(item)))
}

/// Fences items so that the parts that a template included with a fence stay whole in them.
fn holding<'i>(items: &'i [DeclaredItem], fenced: &[Arc<str>]) -> Cow<'i, [DeclaredItem]> {
    let mut items = Cow::Borrowed(items);
    if fenced.is_empty() {
        return items;
    }
    for at in 0..items.len() {
        let Some(item) = items.get(at).filter(|item| item.origin.trust.is_fenced()) else {
            continue;
        };
        let Some(text) = item.value.as_str().filter(|_| item.fence.is_none()) else { continue };
        let held: Vec<Arc<str>> =
            fenced.iter().filter(|part| text.contains(&***part)).cloned().collect();
        let fence = Fence::data(item.origin.trust).holding(held);
        if let Some(item) = items.to_mut().get_mut(at) {
            item.fence = Some(fence);
        }
    }
    items
}

/// Lays out the prompt of a call with these or those items.
struct Composer<'c> {
    call: &'c GenerateCall,
    instruction: Cow<'c, str>,
    contract: Option<String>,
}

impl<'c> Composer<'c> {
    fn new(call: &'c GenerateCall, fenced: &[Arc<str>]) -> Self {
        // What did not come from the program alone must not pose as a part of the prompt.
        let instruction = match call.instruction_label.trust {
            Trust::Program => Cow::Borrowed(call.instruction.as_str()),
            // Except for what has a fence of its own, nothing in it poses as a turn of anybody.
            trust if trust.is_fenced() => escape_open(&call.instruction, fenced),
            _ => escape_layout(&call.instruction),
        };
        Self { call, instruction, contract: call.shape.as_ref().map(contract) }
    }

    fn compose(&self, items: &[ContextItem]) -> LaidOut {
        lay_out(&PromptParts {
            role: self.call.role.as_deref(),
            description: self.call.description.as_deref(),
            items,
            instruction: &self.instruction,
            contract: self.contract.as_deref(),
        })
    }
}

/// Counts the tokens of the whole prompt of a call with these items.
pub(super) fn tokens(
    call: &GenerateCall,
    items: &[ContextItem],
    counter: &dyn TokenCounter,
) -> u64 {
    // Whether something in the instruction is marked makes no difference worth counting.
    count(counter, &Composer::new(call, &[]).compose(items))
}

fn count(counter: &dyn TokenCounter, laid: &LaidOut) -> u64 {
    let texts = laid.system.iter().chain([&laid.user]);
    texts.map(|text| counter.count(text) as u64).sum()
}

fn record(
    call: &GenerateCall,
    model: &Model,
    number: u64,
    counter: &dyn TokenCounter,
    laid: &LaidOut,
    items: &[ContextItem],
    schema: Option<&SchemaHint>,
) -> (Manifest, Vec<Blob>) {
    let mut blobs = Vec::new();
    let messages = messages(laid, counter, &mut blobs);
    for item in items {
        let value = item.value.as_str().to_owned();
        blobs.push(Blob { digest: item.value_digest.clone(), text: value });
        blobs.push(Blob { digest: item.digest.clone(), text: item.text.clone() });
    }
    let layers = layers(laid).into_iter().map(|(name, text, span)| {
        let digest = Digest::of_text(text);
        blobs.push(Blob { digest: digest.clone(), text: text.to_owned() });
        let tokens = counter.count(text) as u64;
        Layer { name: name.to_owned(), digest, tokens, span: Some(span) }
    });
    let layers = layers.collect();
    let schema = schema.map(|schema| {
        let digest = schema.digest().clone();
        blobs.push(Blob { digest: digest.clone(), text: schema.text().to_owned() });
        digest
    });
    let tokens = messages.iter().map(|message| message.tokens).sum();
    let manifest = Manifest {
        version: MANIFEST_VERSION,
        call: number,
        site: call.site.clone(),
        model: ModelRef {
            uri: model.uri.clone(),
            tokenizer: counter.name().to_owned(),
            tokenizer_exact: counter.exact(),
        },
        passed_over: Vec::new(),
        layers,
        items: items.iter().zip(&call.items).map(item_record).collect(),
        packs: Vec::new(),
        ranked: Vec::new(),
        expanded: Vec::new(),
        masked: Vec::new(),
        messages,
        tools: Vec::new(),
        attempts: Vec::new(),
        cost: None,
        schema,
        options: options(call),
        tokens,
        max_input: call.options.max_input,
        on_placeholders: call.on_placeholders,
    };
    (manifest, blobs)
}

/// Returns the records of the messages, and keeps the texts of their pieces.
fn messages(
    laid: &LaidOut,
    counter: &dyn TokenCounter,
    blobs: &mut Vec<Blob>,
) -> Vec<MessageRecord> {
    let mut messages = Vec::new();
    let texts = laid.system.iter().map(|text| ("system", text)).chain([("user", &laid.user)]);
    for (role, text) in texts {
        let spans = if role == "user" { laid.spans() } else { Vec::new() };
        let (parts, kept) = pieces(text, &spans);
        blobs.extend(kept);
        let place = |span: &ItemSpan| ItemPlace {
            item: span.item,
            start: span.text.start,
            end: span.text.end,
        };
        let shown = laid.items.iter().filter(|_| role == "user");
        messages.push(MessageRecord {
            role: role.to_owned(),
            pieces: parts,
            spans: shown.map(place).collect(),
            digest: Digest::of_text(text),
            tokens: counter.count(text) as u64,
        });
    }
    messages
}

fn item_record((item, declared): (&ContextItem, &DeclaredItem)) -> ItemRecord {
    ItemRecord { sources: declared.origin.sources.clone(), ..ItemRecord::from(item) }
}

/// Returns the parts of a prompt that are not items, with their names and places.
fn layers(laid: &LaidOut) -> Vec<(&'static str, &str, Span)> {
    let user = usize::from(laid.system.is_some());
    let identity = laid.system.as_deref().map(|text| ("identity", text, span(0, 0..text.len())));
    let of_user = |name, range: Range<usize>| {
        laid.user.get(range.clone()).map(|text| (name, text, span(user, range)))
    };
    let instruction = of_user("instruction", laid.instruction.clone());
    let contract = laid.contract.clone().and_then(|range| of_user("contract", range));
    identity.into_iter().chain(instruction).chain(contract).collect()
}

const fn span(message: usize, range: Range<usize>) -> Span {
    Span { message, start: range.start, end: range.end }
}

/// Returns the reasoning hint of a program as a provider's.
pub(super) const fn think_of(think: host::Think) -> Think {
    match think {
        host::Think::Off => Think::Off,
        host::Think::On => Think::On,
        host::Think::Auto => Think::Auto,
        host::Think::Low => Think::Low,
        host::Think::Medium => Think::Medium,
        host::Think::High => Think::High,
    }
}

/// Returns the options as the manifest keeps them: those that were given.
fn options(call: &GenerateCall) -> Value {
    let given = &call.options;
    let mut out = serde_json::Map::new();
    let mut put = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            out.insert(name.to_owned(), value);
        }
    };
    put("max_output", given.max_output.map(Into::into));
    put("most_output", given.most_output.map(Into::into));
    put("on_cut", given.keep_cut.then_some("keep".into()));
    put("release", given.release.as_ref().map(|release| release.reason.as_str().into()));
    put("max_input", given.max_input.map(Into::into));
    put("attempts", Some(given.attempts.into()));
    put("temperature", given.temperature.map(Into::into));
    put("think", given.think.map(|think| think_of(think).as_str().into()));
    put("strict", given.strict.then_some(true.into()));
    put("cache", given.cache.then_some(true.into()));
    put("timeout", given.timeout_ms.map(Into::into));
    let tools = given.tools.iter().flat_map(|grant| {
        grant.methods.iter().map(|method| format!("{}.{}", grant.tool.name, method.name))
    });
    let tools: Vec<String> = tools.collect();
    put("tools", (!tools.is_empty()).then(|| json!(tools)));
    put("plan", given.plan.then_some(true.into()));
    Value::Object(out)
}

impl Prepared {
    /// Keeps what questions selected, with the scores of the items.
    pub(super) fn keep_ranked(&mut self, ranked: Vec<RankedRecord>) {
        for item in &mut self.manifest.items {
            let own = ranked.iter().find(|one| item.position.as_ref() == Some(&one.position));
            item.score = own.and_then(|one| one.score_of(&item.source));
        }
        self.manifest.ranked = ranked;
    }

    /// Returns the prompt as a dry run shows it.
    pub(super) fn dry(&self, call: &GenerateCall, after: Vec<String>) -> DryPrompt {
        let item = |item: &ContextItem| DryItem {
            index: item.index,
            label: item.label.clone(),
            source: item.source.clone(),
            text: item.text.clone(),
            tokens: item.tokens,
            tokens_before: item.tokens_before,
            budget: item.budget.map(|budget| json!(budget)),
            clipped: item.clipped,
            trust: item.trust.to_string(),
            score: self.manifest.items.get(item.index).and_then(|item| item.score),
        };
        let tool = |(definition, offered): (&ToolDefinition, &OfferedTool)| DryTool {
            name: offered.function.clone(),
            description: definition.function.description.clone(),
            schema: definition.function.parameters.clone().unwrap_or_default(),
            tokens: offered.tokens,
        };
        let tools: Vec<DryTool> =
            self.definitions.iter().zip(&self.manifest.tools).map(tool).collect();
        let messages = self.manifest.messages.iter().map(|message| message.tokens).sum();
        DryPrompt {
            site: self.manifest.site.to_string(),
            model: self.manifest.model.uri.clone(),
            system: self.laid.system.clone(),
            user: self.laid.user.clone(),
            schema: self.schema.as_deref().map(|hint| hint.schema.clone()),
            items: self.items.iter().map(item).collect(),
            ranked: self.manifest.ranked.clone(),
            tools,
            tokens: messages,
            total_tokens: self.manifest.tokens,
            tokens_exact: self.manifest.model.tokenizer_exact,
            on_placeholders: self.manifest.on_placeholders,
            placeholders: call.placeholders.clone(),
            after,
        }
    }
}
