//! The log of the server, on stderr or another destination.
//!
//! Decision: a line contains the event and its outcome, but no content: no text of a
//! message, no value of a state, no query of a URL. Known secrets are masked in addition,
//! and control characters are escaped, so that clients can't inject lines.

use super::lines::{Lines, Sink};
use contexture::store::masker::Masker;
use contexture::store::stamp::{Ids, iso_time};
use serde_json::{Map, Value};
use std::fmt::Write as _;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// The level of the log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// No lines.
    #[default]
    Off,
    /// A line for each request, turn and error.
    Info,
    /// Also a line for each message.
    Debug,
}

impl Level {
    /// Returns the level of this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "off" => Some(Self::Off),
            "info" => Some(Self::Info),
            "debug" => Some(Self::Debug),
            _ => None,
        }
    }
}

/// The format of log lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Format {
    /// `TIME EVENT name=value …`
    #[default]
    Text,
    /// A JSON object.
    Json,
}

impl Format {
    /// Returns the format of this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "text" => Some(Self::Text),
            "json" => Some(Self::Json),
            _ => None,
        }
    }
}

/// The destination of a log.
pub type LogOut = Arc<Mutex<dyn Write + Send>>;

/// The settings of the log.
#[derive(Clone, Default)]
pub struct LogSettings {
    /// The level.
    pub level: Level,
    /// The format.
    pub format: Format,
    /// The destination [default: stderr].
    pub out: Option<LogOut>,
}

impl std::fmt::Debug for LogSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut told = f.debug_struct("LogSettings");
        told.field("level", &self.level).field("format", &self.format).finish_non_exhaustive()
    }
}

pub(crate) struct Log {
    level: Level,
    format: Format,
    lines: Option<Lines>,
    masker: Masker,
    ids: Arc<Ids>,
}

impl Log {
    /// Opens the log; without a thread, nothing is logged.
    pub(crate) fn open(settings: LogSettings, secrets: Vec<String>, ids: Arc<Ids>) -> Self {
        let LogSettings { level, format, out } = settings;
        let lines = match level {
            Level::Off => None,
            _ => Lines::to(Out { out, format }, "log").ok(),
        };
        Self { level, format, lines, masker: Masker::new(secrets), ids }
    }

    /// Reports whether lines of this level are logged.
    pub(crate) fn has_level(&self, level: Level) -> bool {
        level <= self.level && self.lines.is_some()
    }

    /// Logs a line at level `info`.
    pub(crate) fn info(&self, event: &str, fields: Value) {
        self.say(Level::Info, event, fields);
    }

    /// Logs a line at level `debug`.
    pub(crate) fn debug(&self, event: &str, fields: Value) {
        self.say(Level::Debug, event, fields);
    }

    fn say(&self, level: Level, event: &str, fields: Value) {
        let Some(lines) = self.lines.as_ref().filter(|_| self.has_level(level)) else { return };
        let Value::Object(mut fields) = fields else { return };
        for field in fields.values_mut() {
            self.masker.value(field);
        }
        fields.retain(|_, field| !field.is_null());
        lines.write(self.format.line(&iso_time(self.ids.now_us()), event, fields));
    }
}

impl Format {
    fn line(self, time: &str, event: &str, fields: Map<String, Value>) -> String {
        match self {
            Self::Json => {
                let mut whole = Map::new();
                whole.insert("time".to_owned(), time.into());
                whole.insert("event".to_owned(), event.into());
                whole.extend(fields);
                format!("{}\n", Value::Object(whole))
            }
            Self::Text => {
                let mut line = format!("{time} {event}");
                for (name, value) in fields {
                    // Writing to a string cannot fail.
                    let _ = match &value {
                        Value::String(text) if is_plain(text) => write!(line, " {name}={text}"),
                        value => write!(line, " {name}={}", escaped(&value.to_string())),
                    };
                }
                line.push('\n');
                line
            }
        }
    }
}

/// Returns the milliseconds since a moment.
pub(crate) fn millis(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// Reports whether a text needs no quotes.
fn is_plain(text: &str) -> bool {
    let is_plain =
        |sign: char| !sign.is_control() && !sign.is_whitespace() && sign != '"' && sign != '=';
    !text.is_empty() && text.chars().all(is_plain)
}

/// Escapes control characters, some of which JSON does not escape.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for sign in text.chars() {
        if sign.is_control() {
            let _ = write!(out, "\\u{:04x}", u32::from(sign));
        } else {
            out.push(sign);
        }
    }
    out
}

struct Out {
    out: Option<LogOut>,
    format: Format,
}

impl Sink for Out {
    fn write(&mut self, lines: &str) {
        // There is nowhere to report a failing log.
        let _ = match &self.out {
            None => std::io::stderr().write_all(lines.as_bytes()),
            Some(out) => {
                let mut out = out.lock().unwrap_or_else(PoisonError::into_inner);
                out.write_all(lines.as_bytes()).and_then(|()| out.flush())
            }
        };
    }

    fn lost(&self, count: u64) -> String {
        let fields = Map::from_iter([("count".to_owned(), Value::from(count))]);
        self.format.line(
            &iso_time(contexture::store::stamp::system().now_us()),
            "lines_lost",
            fields,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn said(level: Level, format: Format) -> String {
        let out = Arc::new(Mutex::new(Vec::new()));
        let settings = LogSettings { level, format, out: Some(out.clone()) };
        let log = Log::open(
            settings,
            vec!["sk-12345678".to_owned()],
            Arc::new(contexture::store::stamp::system()),
        );
        let path = "/v1/contexts/a\nb =\u{1b}[31m ctx_tok_ABCDEF_-9";
        log.info("request", json!({ "method": "GET", "path": path, "status": 200, "owner": null }));
        log.debug("message", json!({ "error": "key sk-12345678 refused" }));
        drop(log);
        let text = out.lock().unwrap().clone();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn cp_19_log_line_is_one_line_without_secrets() {
        let text = said(Level::Debug, Format::Text);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2, "{text}");
        assert!(lines[0].contains(r#" request method=GET path="/v1/contexts/a\nb ="#), "{text}");
        assert!(lines[0].ends_with(" status=200") && !lines[0].contains("owner"), "{text}");
        assert!(!text.contains("ABCDEF") && !text.contains("sk-1") && !text.contains('\u{1b}'));
        let json = said(Level::Info, Format::Json);
        let line: Value = serde_json::from_str(json.trim()).unwrap();
        assert_eq!((&line["event"], &line["status"]), (&json!("request"), &json!(200)));
        assert_eq!(said(Level::Off, Format::Json), "");
    }
}
