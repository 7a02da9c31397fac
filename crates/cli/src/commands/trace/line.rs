//! One event of a trace in a line, and for a model call a line per item and attempt, and what each
//! knowledge pack gave.

mod packs;

use super::{duration, plural};
use crate::paint::{Paint, one_line};
use contexture::context::manifest::{ItemRecord, Manifest};
use contexture::context::{Budget, CutReason, Keep, TraceEvent, TraceKind};
use contexture::prompt::Usage;
use packs::Packs;
use serde_json::Value;

/// How much of a value is shown in a line, in characters.
const VALUE: usize = 72;

/// The lines of an event, the first one being its own.
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
        TraceKind::Warning => paint.yellow(&format!("warning: {}", data.word("message"))),
        TraceKind::Error => error(data, paint),
        _ => format!("{:?}", event.kind).to_lowercase(),
    };
    vec![finish(head, event, data, paint)]
}

/// Adds the time and what went wrong.
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
    format!("{}{outcome}", data.word("program"))
}

fn call(data: Data<'_>, paint: Paint) -> String {
    let name = format!("{}.{}", data.word("name"), data.word("method"));
    let arguments = paint.dim(&data.short("arguments"));
    let value = match data.0.get("value") {
        Some(value) => format!(" → {}", paint.dim(&summary(value))),
        None => String::new(),
    };
    format!("{name} {arguments}{value}")
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
    let usage: Usage = data
        .0
        .get("usage")
        .cloned()
        .and_then(|usage| serde_json::from_value(usage).ok())
        .unwrap_or_default();
    let head = format!(
        "{} {} {}",
        paint.bold(&format!("generate {}", manifest.call)),
        one_line(&manifest.site.to_string()),
        paint.dim(&format!(
            "{} · {} + {} tokens",
            manifest.model.uri, manifest.tokens, usage.completion_tokens
        )),
    );
    let mut lines = vec![finish(head, event, data, paint)];
    let mut packs = Packs::of(&manifest, data);
    for one in &manifest.items {
        lines.push(item(one, paint));
        lines.extend(packs.below(one, paint));
    }
    lines.extend(packs.rest(paint));
    let attempts = data.0.get("attempts").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    if attempts.len() > 1 {
        lines.extend(attempts.iter().map(|one| attempt(Data(one), paint)));
    }
    if let Some(value) = data.0.get("value") {
        lines.push(format!("→ {}", paint.dim(&summary(value))));
    }
    lines
}

/// `[document] 400 of 745 tokens · budget 400 · tool · cut by its budget`
fn item(item: &ItemRecord, paint: Paint) -> String {
    let name = item.label.clone().unwrap_or_else(|| item.index.to_string());
    let tokens = if item.clipped {
        let about = if item.tokens_before_exact { "" } else { "~" };
        format!("{} of {about}{}", item.tokens, plural(item.tokens_before, "token"))
    } else {
        plural(item.tokens, "token")
    };
    let budget =
        item.budget.map(|budget| format!(" · max {}", budget_text(budget))).unwrap_or_default();
    let trust = format!(" · {}", item.trust);
    let cuts: Vec<String> = item
        .cuts
        .iter()
        .map(|cut| {
            let what = if cut.left_out { "left out" } else { "cut" };
            let why = match cut.reason {
                CutReason::ItemBudget => "its own budget",
                CutReason::PromptBudget => "the budget of the prompt",
                _ => "a budget",
            };
            let kept = cut.kept.map(|kept| format!(", {} of {} kept", kept.kept, kept.of));
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

fn attempt(data: Data<'_>, paint: Paint) -> String {
    let number = data.number("attempt").unwrap_or(1);
    let errors = data.0.get("errors").and_then(Value::as_array).map_or(0, Vec::len);
    let fault = match errors {
        0 => data.0.get("failure").map(|fault| format!(": {}", summary(fault))).unwrap_or_default(),
        1 => ": 1 field does not fit".to_owned(),
        more => format!(": {more} fields do not fit"),
    };
    format!("attempt {number}{}", paint.yellow(&fault))
}

/// `2k`, `500`, `8k chars, keep tail`
fn budget_text(budget: Budget) -> String {
    let written = budget.written();
    let unit = match written.unit.as_str() {
        "tokens" => String::new(),
        "chars" => " chars".to_owned(),
        unit => unit.to_owned(),
    };
    let keep = match budget.keep {
        Keep::Head => "",
        Keep::Tail => " keep tail",
        Keep::Middle => " keep middle",
    };
    format!("{}{unit}{keep}", written.amount)
}

/// The data of an event.
#[derive(Clone, Copy)]
struct Data<'a>(&'a Value);

impl Data<'_> {
    fn word(self, name: &str) -> String {
        one_line(self.0.get(name).and_then(Value::as_str).unwrap_or_default())
    }

    fn number(self, name: &str) -> Option<u64> {
        self.0.get(name).and_then(Value::as_u64)
    }

    fn short(self, name: &str) -> String {
        self.0.get(name).map(summary).unwrap_or_default()
    }

    /// `Agent.function`
    fn entry(self) -> String {
        match (self.word("agent"), self.word("function")) {
            (agent, function) if agent.is_empty() => function,
            (agent, function) if function.is_empty() => agent,
            (agent, function) => format!("{agent}.{function}"),
        }
    }

    /// `document max 2k as notes`
    fn usage(self) -> String {
        let budget = self.0.get("budget").cloned();
        let budget = budget.and_then(|found| serde_json::from_value::<Budget>(found).ok());
        let budget = budget.map(|found| format!(" max {}", budget_text(found))).unwrap_or_default();
        let label = match self.word("label") {
            label if label.is_empty() => String::new(),
            label => format!(" as {label}"),
        };
        let chosen = match self.word("chosen") {
            name if name.is_empty() => String::new(),
            name => format!(" → {name}"),
        };
        format!("{}{budget}{label}{chosen}", self.source())
    }

    /// The source of a `use`; of `one of` with the names of its candidates.
    fn source(self) -> String {
        let candidates = self.0.get("candidates").and_then(Value::as_array);
        let names = candidates.into_iter().flatten().map(|one| Data(one).word("name"));
        let names: Vec<String> = names.collect();
        if names.is_empty() {
            return self.word("source");
        }
        format!("{} {}", self.word("source"), names.join(", "))
    }

    fn failure(self) -> String {
        format!("{}: {}", self.word("code"), self.word("message"))
    }
}

/// A value in a few words: short ones as JSON, long ones by kind and size.
fn summary(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= VALUE {
        return one_line(&text);
    }
    match value {
        Value::Array(items) => plural(items.len() as u64, "item"),
        Value::Object(fields) if fields.contains_key("$text") => {
            format!("{} bytes of text", fields.get("bytes").and_then(Value::as_u64).unwrap_or(0))
        }
        Value::String(text) => format!("{} bytes of text", text.len()),
        _ => {
            let cut: String = text.chars().take(VALUE - 1).collect();
            one_line(&format!("{cut}…"))
        }
    }
}
