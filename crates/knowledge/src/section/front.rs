//! The front matter of a page: what its author says about it (MA-5).

use crate::manifest::frontmatter;
use serde_json::{Map, Value};

/// The deepest value, and the most values, of front matter that are read.
const MAX_DEPTH: usize = 16;
const MAX_NODES: usize = 4_096;

/// The longest title that becomes a heading, in characters; the rest of it is cut with a mark.
const MAX_TITLE: usize = 200;

/// The fields that name a page, best first.
const TITLES: [&str; 3] = ["title", "sidebar_label", "linkTitle"];

/// The fields that name the language of a page.
const LANGUAGES: [&str; 3] = ["lang", "language", "locale"];

/// The fields whose words lead to a page.
const ABOUT: [&str; 13] = [
    "title",
    "description",
    "summary",
    "subtitle",
    "aliases",
    "tags",
    "keywords",
    "categories",
    "taxonomies",
    "date",
    "sidebar",
    "sidebar_label",
    "slug",
];

/// The front matter of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Front {
    pub(super) title: Option<String>,
    /// The words of its title, description, aliases, tags, date and place in the sidebar.
    pub(super) about: String,
}

impl Front {
    /// Reads the front matter of a text; a text without it has none.
    pub(super) fn of(text: &str) -> Self {
        let Some(fields) = fields(text) else { return Self::default() };
        let title = TITLES.iter().find_map(|name| text_of(fields.get(*name)?));
        let mut about = Vec::new();
        for name in ABOUT {
            if let Some(value) = fields.get(name) {
                words(value, &mut about);
            }
        }
        Self { title: title.map(|title| shortened(&title)), about: about.join("\n") }
    }
}

impl Front {
    /// Adds words that lead to the page.
    pub(super) fn add(&mut self, words: &str) {
        if !self.about.is_empty() && !words.is_empty() {
            self.about.push('\n');
        }
        self.about.push_str(words);
    }
}

/// Returns the fields of front matter in YAML or TOML; `None` without it.
fn fields(text: &str) -> Option<Map<String, Value>> {
    if let Some(toml) = toml(text) {
        return toml::from_str(toml).ok();
    }
    let yaml = yaml(text)?;
    Some(match serde_saphyr::from_str_with_options::<Value>(yaml, options()) {
        Ok(Value::Object(fields)) => fields,
        // A colon in a title is no YAML, and still its author's title.
        _ => lines(yaml),
    })
}

fn yaml(text: &str) -> Option<&str> {
    if !text.starts_with("---") && !text.starts_with("\u{feff}---") {
        return None;
    }
    std::str::from_utf8(frontmatter(text.as_bytes(), true).ok()?).ok()
}

/// Returns the front matter between two lines `+++`.
pub(super) fn toml(text: &str) -> Option<&str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (_, rest) = text.split_once('\n').filter(|(first, _)| first.trim_end() == "+++")?;
    let mut end = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "+++" {
            return rest.get(..end);
        }
        end += line.len();
    }
    None
}

/// Returns the language that the front matter of a page names, such as `pt-BR`.
pub(crate) fn language_tag(text: &str) -> Option<&str> {
    let (front, sign) = toml(text).map(|toml| (toml, '=')).or_else(|| Some((yaml(text)?, ':')))?;
    front.lines().find_map(|line| {
        let (name, value) = line.split_once(sign)?;
        let value = value.trim().trim_matches(['"', '\'']);
        (LANGUAGES.contains(&name.trim_end()) && !value.is_empty()).then_some(value)
    })
}

fn options() -> serde_saphyr::Options {
    let mut options = serde_saphyr::Options::default();
    options.with_snippet = false;
    options.alias_limits.max_total_replayed_events = MAX_NODES;
    if let Some(budget) = &mut options.budget {
        budget.max_depth = MAX_DEPTH;
        budget.max_nodes = MAX_NODES;
    }
    options
}

/// Returns the lines `key: text` of front matter that is not valid YAML.
fn lines(yaml: &str) -> Map<String, Value> {
    let field = |line: &str| {
        let (key, value) = line.split_once(": ")?;
        let value = value.trim().trim_matches(['"', '\'']);
        let is_key = key.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
        (is_key && !value.is_empty()).then(|| (key.to_owned(), Value::from(value)))
    };
    yaml.lines().filter_map(field).collect()
}

fn text_of(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

fn shortened(title: &str) -> String {
    let mut cut: String = title.chars().take(MAX_TITLE).collect();
    if cut.len() < title.len() {
        cut.push('…');
    }
    cut
}

/// Adds the texts of a value, whatever its form; the depth of a value is bounded by its reader.
fn words(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| words(item, out)),
        Value::Object(fields) => fields.values().for_each(|value| words(value, out)),
        Value::Bool(_) | Value::Null => {}
        value => out.extend(text_of(value)),
    }
}
