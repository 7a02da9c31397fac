//! The lines of a trace event; a model call has further lines for its items, attempts and knowledge
//! packs.

use super::data::{Data, summary};
use super::pack_lines::Packs;
use super::ranked;
use crate::output::text::{about, dollars, duration, mark, plural, tokens_of};
use crate::prelude::*;
use contexture::context::manifest::{AttemptRecord, Cost, ItemRecord, Manifest, OfferedTool};
use contexture::context::{CutReason, TraceEvent, TraceKind};
#[cfg(feature = "flow")]
use contexture::flow::picture::sign;
use contexture::inspect::attempts;
use contexture::prompt::Usage;
use contexture::protocol::content::Status;

/// Returns the lines of an event, the first of which is its own.
pub(super) fn of(event: &TraceEvent, paint: Paint) -> Vec<String> {
    let data = Data(&event.data);
    let head = match event.kind {
        TraceKind::Run => run(data, paint),
        TraceKind::Agent => paint.bold(&data.entry()),
        TraceKind::Input => format!("input {}", paint.dim(&data.short("value"))),
        TraceKind::File => format!("file {} {}", data.word("name"), paint.dim(&data.word("path"))),
        TraceKind::Use => format!("use {}", data.usage()),
        TraceKind::Tool | TraceKind::Memory | TraceKind::Knowledge => call(data, paint),
        TraceKind::Generate => return generate(event, data, paint),
        TraceKind::For => looped(data),
        TraceKind::ParallelFor => format!("parallel {}", looped(data)),
        TraceKind::Iteration => format!("turn {}", data.number("index").unwrap_or(0)),
        TraceKind::Progress => data.word("text"),
        TraceKind::Release => format!("let up: {}", data.word("reason")),
        TraceKind::Warning => paint.yellow(&format!("warning: {}", data.word("message"))),
        TraceKind::Error => error(data, paint),
        _ => format!("{:?}", event.kind).to_lowercase(),
    };
    vec![finish(head, event, data, paint)]
}

/// Appends the duration and the error.
fn finish(mut head: String, event: &TraceEvent, data: Data<'_>, paint: Paint) -> String {
    match event.duration_us {
        Some(0) => {}
        Some(us) => head.push_str(&paint.dim(&format!(" · {}", duration(us)))),
        None => head.push_str(&paint.yellow(" · no end")),
    }
    if let Some(fault) = data.0.get("error").filter(|_| event.kind != TraceKind::Run) {
        head.push_str(&format!(" {}", paint.red(&Data(fault).failure())));
    }
    head
}

fn run(data: Data<'_>, paint: Paint) -> String {
    let outcome = match data.word("outcome").as_str() {
        "" => String::new(),
        "done" => format!(" · {}", paint.green("done")),
        other => format!(" · {}", paint.red(other)),
    };
    let most = data.0.pointer("/ceiling/money").and_then(Value::as_f64);
    let most = most.filter(|most| *most > 0.0);
    let most = most.map(|most| paint.dim(&format!(" · at most {}", dollars(most))));
    let whole = data.0.pointer("/part_of/run").and_then(Value::as_str);
    let whole = whole.map(|run| paint.dim(&format!(" · part of {}", one_line(run))));
    let [most, whole] = [most, whole].map(Option::unwrap_or_default);
    format!("{}{outcome}{most}{whole}", data.word("program"))
}

fn call(data: Data<'_>, paint: Paint) -> String {
    let name = format!("{}.{}", data.word("name"), data.word("method"));
    let arguments = paint.dim(&data.short("arguments"));
    let value = match data.0.get("value") {
        Some(value) => format!(" → {}{}", paint.dim(&summary(value)), from_record(data)),
        None => String::new(),
    };
    format!("{name} {arguments}{value}")
}

/// Says that a value was not asked for here, as the record of another run has it (IN-10).
fn from_record(data: Data<'_>) -> &'static str {
    data.0.get("from_record").map_or("", |_| " (from the record)")
}

fn looped(data: Data<'_>) -> String {
    let bound =
        |name: &str, word: &str| data.number(name).map(|n| format!(" · {}", plural(n, word)));
    let most = data.number("max").map(|n| format!(" · at most {}", plural(n, "turn")));
    let counts = [bound("items", "item"), bound("times", "time"), most];
    let word = match data.word("loop") {
        word if word.is_empty() => "for".to_owned(),
        word => word,
    };
    let variable = match data.word("variable") {
        name if name.is_empty() => String::new(),
        name => format!(" {name}"),
    };
    format!("{word}{variable}{}", counts.into_iter().flatten().collect::<String>())
}

fn error(data: Data<'_>, paint: Paint) -> String {
    let place = format!(
        "{}:{}:{}",
        data.word("file"),
        data.number("line").unwrap_or(0),
        data.number("column").unwrap_or(0)
    );
    let caught = if data.0.get("caught").is_some() { " (caught)" } else { "" };
    format!("{}{caught} {}", paint.red(&data.failure()), paint.dim(&place))
}

fn generate(event: &TraceEvent, data: Data<'_>, paint: Paint) -> Vec<String> {
    let manifest = data.0.get("manifest").cloned();
    let Some(manifest) = manifest.and_then(|found| serde_json::from_value::<Manifest>(found).ok())
    else {
        return vec![finish("generate".to_owned(), event, data, paint)];
    };
    let head = format!(
        "{} {} {}",
        paint.bold(&format!("generate {}", manifest.call)),
        one_line(&manifest.site.to_string()),
        paint.dim(&format!("{} · {}{}", manifest.model.uri, tokens(data, &manifest), cost(data))),
    );
    let mut lines = vec![finish(head, event, data, paint)];
    let mut packs = Packs::of(&manifest, data);
    for one in &manifest.items {
        lines.push(item(one, manifest.model.tokenizer_exact, paint));
        lines.extend(packs.below(one, paint));
    }
    lines.extend(packs.rest(paint));
    lines.extend(manifest.ranked.iter().flat_map(|one| ranked::of(one, paint)));
    lines.extend(offered(&manifest.tools, paint));
    lines.extend(
        manifest.passed_over.iter().map(|one| {
            paint.yellow(&one_line(&format!("passed over {}: {}", one.uri, one.reason)))
        }),
    );
    lines.extend(attempts(event).iter().map(|one| attempt(one, data, paint)));
    lines.extend(plan(data, paint));
    if let Some(value) = data.0.get("value") {
        lines.push(format!("→ {}{}", paint.dim(&summary(value)), from_record(data)));
    }
    lines
}

/// Formats a plan: a line for each step with its state, its parameters and its condition.
fn plan(data: Data<'_>, paint: Paint) -> Vec<String> {
    let list = |name: &str, field: Option<&str>| {
        let found = data.0.get(name);
        let found = field.map_or(found, |field| found?.get(field));
        found.and_then(Value::as_array).cloned().unwrap_or_default()
    };
    let outcomes = list("plan_outcomes", None);
    let line = |step: &Value| {
        let step = Data(step);
        let id = step.word("instructionId");
        let own = outcomes.iter().map(Data).find(|one| one.word("instructionId") == id);
        let status = own.and_then(|one| Status::parse(&one.word("status")));
        let sign = sign(status.unwrap_or(Status::Pending));
        let condition = match step.word("condition") {
            text if text.is_empty() => String::new(),
            text => format!(" if {text}"),
        };
        let about = format!("{}{condition}", step.short("parameters"));
        format!("{sign} {id} {} {}", step.word("action"), paint.dim(&about))
    };
    list("plan", Some("instructions")).iter().map(line).collect()
}

/// Returns the word for a state, where nothing draws it.
#[cfg(not(feature = "flow"))]
const fn sign(status: Status) -> &'static str {
    status.as_str()
}

/// Formats what was offered: `offered Grep.run (read), File.write (write) · 412 tokens`.
fn offered(tools: &[OfferedTool], paint: Paint) -> Option<String> {
    let names = tools.iter().map(|tool| format!("{}.{} ({})", tool.tool, tool.method, tool.class));
    let names: Vec<String> = names.collect();
    let tokens: u64 = tools.iter().map(|tool| tool.tokens).sum();
    let text = format!("offered {} · {}", names.join(", "), plural(tokens, "token"));
    (!tools.is_empty()).then(|| paint.dim(&one_line(&text)))
}

/// Formats an item: `[document] 400 of 745 tokens · max 400 · tool · cut by its own budget`.
fn item(item: &ItemRecord, is_exact: bool, paint: Paint) -> String {
    let name = item.label.clone().unwrap_or_else(|| item.index.to_string());
    let tokens = if item.clipped {
        let before = mark(is_exact && item.tokens_before_exact);
        let before = format!("{before}{}", plural(item.tokens_before, "token"));
        format!("{} of {before}", about(item.tokens, is_exact))
    } else {
        format!("{}{}", mark(is_exact), plural(item.tokens, "token"))
    };
    let budget = item.budget.map(|budget| format!(" · max {budget}")).unwrap_or_default();
    let score = item.score.map(|score| format!(" · score {score:.1}")).unwrap_or_default();
    let trust = format!(" · {}{score}", item.trust);
    let cuts: Vec<String> = item
        .cuts
        .iter()
        .map(|cut| {
            let what = if cut.left_out { "left out" } else { "cut" };
            let why = match cut.reason {
                CutReason::ItemBudget => "its own budget",
                CutReason::PromptBudget => "the budget of the prompt",
                CutReason::PlanData => "the plan: it is data",
                _ => "a budget",
            };
            let kept = cut.kept.map(|kept| {
                let cut = if kept.shortened > 0 { ", one of them cut" } else { "" };
                format!(", {} of {} kept{cut}", kept.kept, kept.of)
            });
            format!(" · {what} by {why}{}", kept.unwrap_or_default())
        })
        .collect();
    let source = format!(" {}", one_line(&item.source));
    format!(
        "[{}]{}{}",
        one_line(&name),
        paint.dim(&format!("{source} · {tokens}{budget}{trust}")),
        paint.yellow(&cuts.concat())
    )
}

/// Formats what a call cost: ` · 0.0026 USD`; nothing when it cost nothing or has no price.
#[expect(clippy::cast_precision_loss, reason = "it is shown")]
fn cost(data: Data<'_>) -> String {
    let cost = data.0.get("cost").cloned();
    let cost = cost.and_then(|cost| serde_json::from_value::<Cost>(cost).ok());
    let micros = cost.map_or(0, |cost| cost.micros);
    if micros == 0 { String::new() } else { format!(" · {}", dollars(micros as f64 / 1e6)) }
}

/// Returns the tokens of a call: those that its end tells, with who counted them, or those of its
/// prompt while it has no end. A call that was refused took none.
fn tokens(data: Data<'_>, manifest: &Manifest) -> String {
    let reported = data.0.get("usage").cloned();
    let usage: Option<Usage> = reported.and_then(|usage| serde_json::from_value(usage).ok());
    let is_estimated = data.0.get("usage_estimated").and_then(Value::as_bool);
    match usage {
        Some(usage) if usage == Usage::default() => "no tokens".to_owned(),
        Some(usage) => tokens_of(&usage, is_estimated == Some(true)),
        None => tokens_of(&Usage::new(manifest.tokens, 0), true),
    }
}

/// Formats an attempt: `attempt 1: 1 field does not match · stop · 412 ms · 47 + 10 tokens reported
/// · schema as json_object · max_tokens 800`.
fn attempt(record: &AttemptRecord, data: Data<'_>, paint: Paint) -> String {
    let requests = data.0.get("attempts").and_then(Value::as_array).into_iter().flatten();
    let own = |one: &&Value| Data(one).number("attempt").unwrap_or(1) == record.attempt;
    let errors = requests.filter(own).filter_map(|one| one.get("errors")?.as_array()).next_back();
    let fault = match errors.map_or(0, Vec::len) {
        0 => record.failure.as_ref().map(|fault| format!(": {}", one_line(fault))),
        1 => Some(": 1 field does not match".to_owned()),
        more => Some(format!(": {more} fields do not match")),
    };
    let mut facts: Vec<String> = record.finish_reason.iter().map(|word| one_line(word)).collect();
    if record.requests.len() > 1 {
        facts.push(plural(record.requests.len() as u64, "request"));
    }
    if !record.retried.is_empty() {
        let waits = record.waits_ms.iter().map(|ms| duration(ms.saturating_mul(1_000)));
        let waits: Vec<String> = waits.collect();
        let after = if waits.is_empty() { "" } else { " after " };
        let times = plural(record.retried.len() as u64, "time");
        facts.push(format!("tried again {times}{after}{}", waits.join(", ")));
    }
    facts.extend(record.latency_ms.map(|ms| duration(ms.saturating_mul(1_000))));
    if let (Some(input), Some(output)) = (record.prompt_tokens, record.completion_tokens) {
        let usage = Usage { cached_tokens: record.cached_tokens, ..Usage::new(input, output) };
        if usage != Usage::default() {
            facts.push(tokens_of(&usage, record.estimated));
        }
    }
    facts.extend(record.schema_form.iter().map(|form| match form.as_str() {
        "none" => "schema not sent".to_owned(),
        form => format!("schema as {}", one_line(form)),
    }));
    let options = record.options.iter().filter_map(Value::as_object).flatten();
    facts.extend(options.map(|(name, value)| one_line(&format!("{name} {value}"))));
    let mut facts: String = facts.iter().map(|fact| format!(" · {fact}")).collect();
    if facts.is_empty() && fault.is_none() {
        facts.push_str(" · no end");
    }
    let number = record.attempt;
    format!("attempt {number}{}{}", paint.yellow(&fault.unwrap_or_default()), paint.dim(&facts))
}
