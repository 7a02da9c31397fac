//! Files as values: text, or parsed JSON, YAML or TOML by extension (AS-27).

use contexture_context::json::{self, JsonError};
use serde_json::Value;

/// The reason why a file could not be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{path}` is not valid {format}: {problem}")]
pub struct FormatError {
    /// The file.
    pub path: String,
    /// `JSON`, `YAML` or `TOML`.
    pub format: &'static str,
    /// The fault and its place, in one line.
    pub problem: String,
}

/// Returns the value of a file's text: parsed when the extension is `json`, `yaml`, `yml` or
/// `toml`, else the text itself. A byte order mark is not a part of it.
///
/// # Errors
/// [`FormatError`] when it does not parse, or nests or expands beyond the parser's limits.
pub fn value_of(path: &str, text: &str) -> Result<Value, FormatError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let fail = |format, problem: String| FormatError {
        path: path.to_owned(),
        format,
        problem: problem.split_whitespace().collect::<Vec<_>>().join(" "),
    };
    match extension(path).as_deref() {
        Some("json") => json::read(text.as_bytes()).map_err(|error| not_json(path, &error)),
        Some("yaml" | "yml") => yaml(text).map_err(|problem| fail("YAML", problem)),
        Some("toml") => {
            let table = text.parse::<toml::Table>();
            table.map(toml_object).map_err(|e| fail("TOML", e.message().to_owned()))
        }
        _ => Ok(Value::String(text.to_owned())),
    }
}

/// Reports whether the value of a file is that of a JSON text.
#[must_use]
pub fn is_json(path: &str) -> bool {
    extension(path).as_deref() == Some("json")
}

/// Returns the reason why a JSON file could not be parsed.
#[must_use]
pub fn not_json(path: &str, error: &JsonError) -> FormatError {
    FormatError { path: path.to_owned(), format: "JSON", problem: error.to_string() }
}

fn extension(path: &str) -> Option<String> {
    path.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase())
}

fn toml_object(table: toml::Table) -> Value {
    Value::Object(table.into_iter().map(|(key, value)| (key, toml_value(value))).collect())
}

/// Returns a TOML value as JSON: a date is its text. The parser bounds how deep it nests.
fn toml_value(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => text.into(),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Float(number) => number.into(),
        toml::Value::Boolean(truth) => truth.into(),
        toml::Value::Datetime(date) => date.to_string().into(),
        toml::Value::Array(items) => items.into_iter().map(toml_value).collect(),
        toml::Value::Table(table) => toml_object(table),
    }
}

/// Parses one YAML document; aliases can't expand beyond the parser's budget.
///
/// # Errors
/// The fault, with line and column.
pub fn yaml(text: &str) -> Result<Value, String> {
    serde_saphyr::from_str(text).map_err(|error| {
        let told = error.without_snippet().to_string();
        told.strip_prefix("error: ").unwrap_or(&told).to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn as_27_extension_decides_how_file_is_read() {
        let yaml = "name: Ada\ntags: [a, b]\nage: 36\nok: true\nnothing: null\n";
        let expected =
            json!({"name": "Ada", "tags": ["a", "b"], "age": 36, "ok": true, "nothing": null});
        assert_eq!(value_of("a.yaml", yaml).unwrap(), expected);
        assert_eq!(value_of("a.json", "\u{feff}[1]").unwrap(), json!([1]));
        assert_eq!(value_of("a.toml", "[a]\nb = 2\n").unwrap(), json!({"a": {"b": 2}}));
        let date = value_of("a.toml", "a = 2020-01-01T00:00:00Z\n").unwrap();
        assert_eq!(date, json!({"a": "2020-01-01T00:00:00Z"}));
        assert_eq!(value_of("a.md", "# 你好").unwrap(), json!("# 你好"));
    }

    #[test]
    fn as_27_a_broken_file_says_what_is_wrong_and_where() {
        let error = value_of("config.json", "{\"a\": }").unwrap_err();
        assert_eq!(
            error.to_string(),
            "`config.json` is not valid JSON: expected value at line 1 column 7"
        );
        let error = value_of("a.yaml", "a: [1, 2").unwrap_err();
        assert!(error.problem.contains("line 1"), "{error}");
        assert!(!error.problem.contains("-->"), "{error}");
        assert_eq!(value_of("a.toml", "a = ").unwrap_err().format, "TOML");
    }

    #[test]
    fn as_27_a_yaml_bomb_is_refused() {
        let mut bomb = String::from("a: &a [x, x, x, x, x, x, x, x, x]\n");
        for (name, of) in ('b'..='l').zip('a'..) {
            bomb.push_str(&format!(
                "{name}: &{name} [*{of}, *{of}, *{of}, *{of}, *{of}, *{of}, *{of}, *{of}, *{of}]\n"
            ));
        }
        assert!(value_of("bomb.yaml", &bomb).is_err());
    }
}
