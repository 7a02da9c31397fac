//! Tokens in words.

use crate::output::text::{padded, width};
use crate::prelude::*;
use contexture_server::serve::tokens::{Entry, Standing};

pub(super) fn name_of(entry: &Entry) -> String {
    format!("token {} ({}) of {}", entry.name, entry.id, one_line(&entry.owner))
}

/// Renders a line for each token.
pub(super) fn table(entries: &[Entry], now: u64, paint: Paint) -> String {
    let rows: Vec<[String; 6]> = entries.iter().map(|entry| row(entry, now)).collect();
    let columns: [usize; 5] = std::array::from_fn(|at| {
        width(rows.iter().filter_map(|row| row.get(at)).map(String::as_str), 60)
    });
    let mut text = String::new();
    for (row, entry) in rows.iter().zip(entries) {
        let cells = row.iter().zip(columns).map(|(cell, width)| padded(cell, width));
        let line = cells.collect::<Vec<_>>().join("  ");
        let state = row.last().map(String::as_str).unwrap_or_default();
        let state = match entry.standing(now) {
            Standing::Active => paint.green(state),
            Standing::Expired | Standing::Revoked => paint.red(state),
        };
        text.push_str(&format!("{line}  {state}\n"));
    }
    text
}

fn row(entry: &Entry, now: u64) -> [String; 6] {
    let value = entry.to_value(now);
    let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let list = |name: &str| {
        let words = value.get(name).and_then(Value::as_array).into_iter().flatten();
        words.filter_map(Value::as_str).collect::<Vec<_>>().join(",")
    };
    let state = match (entry.standing(now), text("expires")) {
        (Standing::Active, expires) if !expires.is_empty() => format!("active until {expires}"),
        (standing, _) => standing.as_str().to_owned(),
    };
    [
        entry.name.clone(),
        entry.id.clone(),
        one_line(&entry.owner),
        list("scopes"),
        list("senders"),
        state,
    ]
}
