//! Names that are valid in a language, each once.

use std::collections::HashSet;

/// The names of one scope.
pub(super) struct Names {
    reserved: &'static [&'static str],
    taken: HashSet<String>,
}

impl Names {
    /// Creates a scope in which some words can't be names.
    pub(super) fn new(reserved: &'static [&'static str]) -> Self {
        Self { reserved, taken: HashSet::new() }
    }

    /// Returns a name that is valid and not taken, as near to the wanted one as can be.
    pub(super) fn take(&mut self, wanted: &str) -> String {
        let mut name = valid(wanted);
        if self.reserved.contains(&name.as_str()) {
            name.push('_');
        }
        let stem = name.clone();
        let mut number = 2;
        while !self.taken.insert(name.clone()) {
            name = format!("{stem}_{number}");
            number += 1;
        }
        name
    }
}

/// Returns a text with the signs that all three languages allow in a name.
fn valid(text: &str) -> String {
    let sign = |sign: char| match sign {
        sign if sign.is_alphabetic() || sign.is_ascii_digit() => sign,
        _ => '_',
    };
    let name: String = text.chars().map(sign).collect();
    match name.chars().next() {
        Some(first) if !first.is_ascii_digit() && name.chars().any(|sign| sign != '_') => name,
        _ => format!("x{name}"),
    }
}

/// Returns the words of a text, each with a great first letter: `ReportResult`.
pub(super) fn pascal(text: &str) -> String {
    let words = text.split(|sign: char| !sign.is_alphanumeric());
    let great = words.map(|word| {
        let mut signs = word.chars();
        let first: String = signs.next().into_iter().flat_map(char::to_uppercase).collect();
        first + signs.as_str()
    });
    great.collect()
}

/// Returns a name with a small first letter: `reportResult`.
pub(super) fn camel(text: &str) -> String {
    let name = pascal(text);
    let mut signs = name.chars();
    let first: String = signs.next().into_iter().flat_map(char::to_lowercase).collect();
    first + signs.as_str()
}

/// Returns a name in small letters: `report_result`.
pub(super) fn snake(text: &str) -> String {
    let mut name = String::new();
    let mut before = '_';
    for sign in text.chars() {
        let sign = if sign.is_alphanumeric() { sign } else { '_' };
        if sign.is_uppercase() && (before.is_lowercase() || before.is_ascii_digit()) {
            name.push('_');
        }
        name.extend(sign.to_lowercase());
        before = sign;
    }
    name
}

/// Returns a text without what ends a line or a comment.
pub(super) fn one_line(text: &str) -> String {
    let is_end = |sign: char| sign.is_control() || matches!(sign, '\u{2028}' | '\u{2029}');
    text.trim().replace(is_end, " ").replace("*/", "* /")
}

/// Returns the lines of a comment, each behind a mark.
pub(super) fn comment(doc: Option<&str>, mark: &str) -> String {
    let lines = doc.unwrap_or_default().lines().map(one_line);
    lines.map(|line| format!("{mark} {line}").trim_end().to_owned() + "\n").collect()
}

/// Returns a text in double quotes, as JSON, TypeScript and Python read it.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
