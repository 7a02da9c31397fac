//! A message of a conversation as people read it.

use crate::output::text::{grouped, sanitized, timestamp, wrapped};
use crate::prelude::*;
use contexture::protocol::content::{
    Attachment, Call, CallResult, ErrorResponse, ModelResponse, Usage,
};
use contexture::protocol::{Body, Limits, Message, SenderType};
use contexture::store::contexts::StoredMessage;

/// The smallest width that is used.
pub(super) const NARROWEST: usize = 20;
/// The indentation of texts.
const INDENT: &str = "    ";
/// The characters of a value that are shown; `--json` prints all.
const VALUE: usize = 600;

/// Renders sender, time and text of a message, wrapped to a width.
pub(super) fn text(stored: &StoredMessage, columns: usize, paint: Paint) -> String {
    let place = paint.dim(&format!("#{}", grouped(stored.seq)));
    let mut text = format!("\n{place} ");
    let width = columns.saturating_sub(INDENT.len());
    let lines = match Draft::read(&stored.text) {
        Some(draft) => {
            let time = timestamp(draft.time_us.unwrap_or(stored.time_us));
            let _ = writeln!(text, "{}  {}", draft.who(paint), paint.dim(&time));
            draft.lines
        }
        None => {
            text.push_str("unreadable\n");
            vec![Line::Said(stored.text.to_string())]
        }
    };
    for line in lines {
        let (shown, is_dim) = match line {
            Line::Said(said) => (sanitized(&said), false),
            Line::Beside(beside) => (sanitized(&beside), true),
        };
        for row in wrapped(&shown, width) {
            let row = if is_dim { paint.dim(&row) } else { row };
            let _ = writeln!(text, "{}", format!("{INDENT}{row}").trim_end());
        }
    }
    text
}

enum Line {
    /// The text itself.
    Said(String),
    /// Further facts.
    Beside(String),
}

struct Draft {
    id: String,
    kind: SenderType,
    name: String,
    /// The time of the sender; the store keeps the time of arrival.
    time_us: Option<u64>,
    lines: Vec<Line>,
}

impl Draft {
    fn read(text: &str) -> Option<Self> {
        let message = Message::parse(text.as_bytes(), &Limits::FILE).ok()?;
        let moment = message.timestamp.moment();
        let seconds = u64::try_from(moment.seconds).ok();
        Some(Self {
            time_us: seconds.and_then(|seconds| seconds.checked_mul(1_000_000)),
            id: one_line(&message.sender.id),
            kind: message.sender.kind,
            name: one_line(message.kind()),
            lines: lines(&message.body),
        })
    }

    fn who(&self, paint: Paint) -> String {
        let id = match self.kind {
            SenderType::User => paint.green(&self.id),
            SenderType::Model => paint.cyan(&self.id),
            SenderType::System | SenderType::Tool => paint.yellow(&self.id),
        };
        format!("{} · {}", paint.bold(&id), self.name)
    }
}

fn lines(body: &Body) -> Vec<Line> {
    match body {
        Body::UserInput(said) => {
            let attachments = said.attachments.iter().flatten().map(attachment);
            said_first(&said.text, attachments)
        }
        Body::ModelResponse(said) => answer(said),
        Body::SystemMessage(said) => {
            vec![Line::Said(format!("{}: {}", said.action, said.text))]
        }
        Body::ToolCallRequest(asked) => asked.calls().iter().map(call).collect(),
        Body::ToolCallResponse(done) => done.results.iter().map(result).collect(),
        Body::ErrorResponse(error) => failure(error),
        other => vec![Line::Said(value(&other.content()))],
    }
}

fn said_first(text: &str, others: impl Iterator<Item = Line>) -> Vec<Line> {
    let said = (!text.is_empty()).then(|| Line::Said(text.to_owned()));
    said.into_iter().chain(others).collect()
}

fn attachment(one: &Attachment) -> Line {
    // A URL may contain the whole file.
    let url = cut(&one.url, 80);
    Line::Beside(format!("[{}] {url}", one.kind))
}

fn answer(said: &ModelResponse) -> Vec<Line> {
    let calls = said.tool_calls.iter().flatten().map(call);
    let mut lines = said_first(said.text(), calls);
    let mut beside: Vec<String> = said.finish_reason.iter().map(ToString::to_string).collect();
    beside.extend(said.usage.as_ref().and_then(usage));
    if !beside.is_empty() {
        lines.push(Line::Beside(beside.join(" · ")));
    }
    lines
}

fn usage(usage: &Usage) -> Option<String> {
    let total = serde_json::to_value(usage).ok()?.get("totalTokens")?.as_u64()?;
    Some(format!("{} tokens", grouped(total)))
}

fn call(call: &Call) -> Line {
    let parameters = serde_json::to_value(&call.parameters).unwrap_or_default();
    Line::Said(format!("→ {}({})", call.name, value(&parameters)))
}

fn result(result: &CallResult) -> Line {
    let id = &result.call_id;
    Line::Said(match &result.error {
        Some(error) => format!("← {id} {} {}: {}", result.status, error.code, error.message),
        None => {
            let given = result.result.as_ref().map(value).unwrap_or_default();
            format!("← {id} {given}")
        }
    })
}

fn failure(error: &ErrorResponse) -> Vec<Line> {
    let mut lines = vec![Line::Said(format!("{}: {}", error.error_code, error.message))];
    lines.extend(error.suggested_action.clone().map(Line::Beside));
    lines
}

fn value(value: &Value) -> String {
    cut(&value.to_string(), VALUE)
}

fn cut(text: &str, most: usize) -> String {
    let all = text.chars().count();
    if all <= most {
        return text.to_owned();
    }
    let head: String = text.chars().take(most).collect();
    format!("{head}… ({} characters)", grouped(all as u64))
}
