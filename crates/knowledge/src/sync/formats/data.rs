//! JSON and JSON lines: a section for each record, a line for each value (MA-4).

use super::bounded::Bounded;
use super::{Unread, html};
use serde_json::Value;

/// The fields by which a record is named, best first.
const NAMES: [&str; 8] = ["title", "name", "label", "question", "heading", "key", "id", "slug"];

/// The most characters of a name in a heading.
const NAME_LENGTH: usize = 120;

/// Returns the records of a JSON document.
pub(super) fn markdown(title: &str, value: &Value) -> Result<String, Unread> {
    let mut page = Page::of(title);
    match value {
        Value::Array(items) => page.records(items.iter()),
        Value::Object(fields) => {
            for (key, value) in fields.iter().filter(|(_, value)| !is_part(value)) {
                page.values(key, value);
            }
            for (key, value) in fields.iter().filter(|(_, value)| is_part(value)) {
                page.heading(key);
                page.values("", value);
            }
        }
        value => page.values("", value),
    }
    page.out.finish()
}

/// Returns the records of lines of JSON; a line that is not JSON is named.
pub(super) fn lines(title: &str, text: &str) -> Result<String, Unread> {
    let mut records = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let value: Value = serde_json::from_str(line).map_err(|error| {
            Unread::Damaged(format!("line {} is not JSON: {error}", number + 1))
        })?;
        records.push(value);
    }
    let mut page = Page::of(title);
    page.records(records.iter());
    page.out.finish()
}

/// Reports whether a value is a section of its own.
fn is_part(value: &Value) -> bool {
    match value {
        Value::Object(fields) => !fields.is_empty(),
        Value::Array(items) => items.iter().any(|item| item.is_object() || item.is_array()),
        _ => false,
    }
}

struct Page {
    out: Bounded,
}

impl Page {
    fn of(title: &str) -> Self {
        let mut page = Self { out: Bounded::default() };
        page.out.push(&format!("# {}\n\n", html::escaped(title)));
        page
    }

    fn heading(&mut self, words: &str) {
        self.out.block();
        let words: String = words.chars().take(NAME_LENGTH).collect();
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        self.out.push(&format!("## {}\n\n", html::escaped(&words)));
    }

    fn records<'v>(&mut self, items: impl Iterator<Item = &'v Value>) {
        for (number, item) in items.enumerate() {
            if self.out.is_over() {
                return;
            }
            if !item.is_object() && !item.is_array() {
                self.values("", item);
                continue;
            }
            let name = NAMES.iter().find_map(|name| text_of(item.get(name)?));
            self.heading(&name.unwrap_or_else(|| format!("Record {}", number + 1)));
            self.values("", item);
        }
    }

    /// Adds a line for each value inside, under the path that leads to it. Its reader bounds the
    /// depth of a value.
    fn values(&mut self, path: &str, value: &Value) {
        if self.out.is_over() {
            return;
        }
        match value {
            Value::Object(fields) => {
                for (key, value) in fields {
                    let inner = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                    self.values(&inner, value);
                }
            }
            Value::Array(items) if items.iter().all(|item| text_of(item).is_some()) => {
                let texts: Vec<String> = items.iter().filter_map(text_of).collect();
                self.line(path, &texts.join(", "));
            }
            Value::Array(items) => {
                for (number, item) in items.iter().enumerate() {
                    self.values(&format!("{path}[{number}]"), item);
                }
            }
            value => self.line(path, &text_of(value).unwrap_or_default()),
        }
    }

    fn line(&mut self, path: &str, text: &str) {
        // The lines of a text stay in its item of the list.
        let text = text.trim().replace('\n', "\n  ");
        match path {
            _ if text.is_empty() => {}
            "" => self.out.push(&format!("- {text}\n")),
            path => self.out.push(&format!("- {path}: {text}\n")),
        }
    }
}

/// Returns a value that is not a list or an object as text; `null` is an empty one.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Null => Some(String::new()),
        Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ma_4_json_records_become_sections() {
        let value = json!([
            { "id": 7, "name": "Green tea", "price": { "eur": 3 }, "tags": ["a", "b"], "none": null },
            { "text": "one\ntwo" },
            "plain",
        ]);
        assert_eq!(
            markdown("teas", &value).unwrap(),
            "# teas\n\n## Green tea\n\n- id: 7\n- name: Green tea\n- price.eur: 3\n- tags: a, b\n\n\
             ## Record 2\n\n- text: one\n  two\n- plain\n"
        );
        let value = json!({ "version": 1, "api": { "paths": [{ "get": true }, {}] } });
        assert_eq!(
            markdown("x", &value).unwrap(),
            "# x\n\n- version: 1\n\n## api\n\n- paths[0].get: true\n"
        );
        assert_eq!(
            lines("x", "{\"q\":\"?\"}\n\n{}\n{").unwrap_err().to_string(),
            "it is damaged: line 4 is not JSON: EOF while parsing an object at line 1 column 1"
        );
        assert_eq!(lines("x", "[1]\n").unwrap(), "# x\n\n## Record 1\n\n- 1\n");
    }

    #[test]
    fn ma_4_json_with_long_paths_ends_at_the_limit() {
        let mut value = json!(
            (0..200).collect::<Vec<u32>>().iter().map(|n| json!({ "k": n })).collect::<Vec<_>>()
        );
        for _ in 0..60 {
            value = json!({ "k".repeat(2_000): value });
        }
        assert_eq!(markdown("x", &json!([value])), Err(Unread::LargeText));
    }
}
