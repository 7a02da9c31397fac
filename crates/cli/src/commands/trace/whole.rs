//! The values of events that their lines cut short, for `trace show --full`.

use super::data::VALUE;
use crate::output::text::sanitized;
use serde_json::Value;
use std::collections::HashMap;

/// Lines by the numbers of events.
pub(super) type Values = HashMap<u64, Vec<String>>;

/// Data that has lines of its own, or is shown by another command.
const SHOWN: [&str; 4] = ["manifest", "usage", "sources", "effects"];

/// Returns the long values of each event of an exported run.
pub(super) fn values(run: &Value) -> Values {
    let events = run.get("events").and_then(Value::as_array).into_iter().flatten();
    let lines = events.filter_map(|event| {
        let data = event.get("data")?.as_object()?;
        let mut lines = Vec::new();
        for (name, value) in data.iter().filter(|(name, _)| !SHOWN.contains(&name.as_str())) {
            if name == "attempts" {
                let attempts = value.as_array().into_iter().flatten();
                attempts.for_each(|one| add("answer", one.get("answer"), &mut lines));
            } else {
                add(name, Some(value), &mut lines);
            }
        }
        Some((event.get("id")?.as_u64()?, lines))
    });
    lines.collect()
}

fn add(name: &str, value: Option<&Value>, lines: &mut Vec<String>) {
    let Some(value) = value.filter(|value| value.to_string().chars().count() > VALUE) else {
        return;
    };
    let text = value.as_str().map_or_else(|| format!("{value:#}"), str::to_owned);
    lines.push(format!("{}:", sanitized(name)));
    lines.extend(text.lines().map(|line| format!("  {}", sanitized(line))));
}
