//! Compares a request with a recording that has no answer to it (AS-24).

use crate::record::Line;
use contexture_context::Digest;
use contexture_core::masker::Masker;
use contexture_core::provider::ChatCall;
use contexture_core::{Difference, ReplayMiss};
use serde_json::Value;

/// Finds what differs from the nearest recorded request.
pub(super) fn explain(digest: Digest, call: &ChatCall, lines: &[Line]) -> ReplayMiss {
    let recorded = lines.iter().filter(|line| line.digest == digest).count();
    let difference = if recorded > 0 {
        Difference::UsedUp { recorded }
    } else {
        let now = call.canonical();
        let nearest = lines
            .iter()
            .max_by_key(|line| (likeness(&now, &line.request), std::cmp::Reverse(line.seq)));
        nearest.map_or(Difference::Empty, |line| {
            let is_same = masked(now.clone()) == masked(line.request.clone());
            if is_same { Difference::Secrets } else { difference(&now, &line.request) }
        })
    };
    ReplayMiss { digest, difference }
}

fn masked(mut request: Value) -> Value {
    Masker::default().value(&mut request);
    request
}

fn messages(request: &Value) -> &[Value] {
    request.get("messages").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Measures the likeness of two requests: whole messages first, then the text up to the first
/// difference, then options.
fn likeness(now: &Value, recorded: &Value) -> (usize, usize, usize) {
    let pairs = || messages(now).iter().zip(messages(recorded));
    let same = pairs().filter(|(a, b)| a == b).count();
    let begun = pairs().find(|(a, b)| a != b).map_or(0, |(a, b)| common(&text(a), &text(b)));
    let options = options(now).filter(|(name, value)| recorded.get(name) == Some(value)).count();
    (same, begun, options)
}

fn options(request: &Value) -> impl Iterator<Item = (&String, &Value)> {
    request.as_object().into_iter().flatten().filter(|(name, _)| *name != "messages")
}

fn common(a: &str, b: &str) -> usize {
    a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count()
}

/// Returns a message for a comparison by lines: its text, and anything else as JSON.
fn text(message: &Value) -> String {
    let content = match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let part = |part: &Value| match part.get("text").and_then(Value::as_str) {
                Some(text) => text.to_owned(),
                None => part.to_string(),
            };
            parts.iter().map(part).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    };
    let rest = message.as_object().into_iter().flatten();
    let rest = rest.filter(|(name, _)| *name != "content" && *name != "role");
    rest.fold(content, |text, (name, value)| format!("{text}\n{name}: {value}"))
}

fn difference(now: &Value, recorded: &Value) -> Difference {
    let pairs = messages(now).iter().zip(messages(recorded)).enumerate();
    for (index, (a, b)) in pairs {
        if a != b {
            return message_difference(index + 1, a, b);
        }
    }
    let (now_count, recorded_count) = (messages(now).len(), messages(recorded).len());
    if now_count != recorded_count {
        return Difference::MessageCount { now: now_count, recorded: recorded_count };
    }
    let names = options(now).chain(options(recorded)).map(|(name, _)| name);
    let name = names.into_iter().find(|name| now.get(name) != recorded.get(name));
    let name = name.cloned().unwrap_or_default();
    let shown = |request: &Value| request.get(&name).map(|value| shorten(&value.to_string()));
    Difference::Option { now: shown(now), recorded: shown(recorded), name }
}

fn message_difference(index: usize, a: &Value, b: &Value) -> Difference {
    let role = |message: &Value| {
        message.get("role").and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    if role(a) != role(b) {
        let name = format!("role of message {index}");
        return Difference::Option { name, now: Some(role(a)), recorded: Some(role(b)) };
    }
    let (ours, theirs) = (text(a), text(b));
    let (mut ours, mut theirs) = (ours.lines(), theirs.lines());
    let mut line = 0;
    loop {
        line += 1;
        let (now, recorded) = (ours.next(), theirs.next());
        // Texts that differ in line ends alone end here with nothing on both sides.
        if now != recorded || now.is_none() {
            return Difference::Message {
                index,
                role: role(a),
                line,
                now: now.map(shorten),
                recorded: recorded.map(shorten),
            };
        }
    }
}

fn shorten(line: &str) -> String {
    const CHARS: usize = 120;
    match line.char_indices().nth(CHARS) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}
