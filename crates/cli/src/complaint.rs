//! Why a command stopped short: what happened, how to mend it, and whose fault it was.

use crate::paint::{Paint, harmless};
use contexture::reading::{ReadError, reason};
use contexture::reference::syntax::redact;
use contexture::run::SetupError;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::io;
use std::path::Path;

/// How a command ended (AS-31).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// It did what was asked.
    Done,
    /// The program failed, or what was to be checked does not hold.
    Failed,
    /// Bad usage, source or input: nothing was run.
    Refused,
    /// A signal ended it: 130 for Ctrl-C, 143 for a request to terminate.
    Signalled(u8),
}

impl Exit {
    /// The number for the shell.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Refused => 2,
            Self::Signalled(code) => code,
        }
    }
}

/// Why a command stopped short.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The reader of stdout has gone: nothing is left to do, and nobody to tell.
    Closed,
    /// Something to complain about.
    Complaint(Box<Complaint>),
}

/// What a command has to complain about.
#[derive(Debug)]
pub(crate) struct Complaint {
    /// Whose fault it was.
    pub(crate) exit: Exit,
    /// Stable code: of a diagnostic, or a word such as `not_json`.
    pub(crate) code: String,
    /// What happened, in one line.
    pub(crate) message: String,
    /// How to mend it.
    pub(crate) help: Option<String>,
    /// The file it is about.
    pub(crate) file: Option<String>,
    /// The text for people, when it is more than message and help (source excerpts).
    pub(crate) rendered: Option<String>,
    /// Text that is the very result that was asked for, and so goes to stdout.
    pub(crate) result: Option<String>,
    /// What else stands in `error` of the JSON form.
    pub(crate) more: Map<String, Value>,
    /// What stands beside `error` in the JSON form.
    pub(crate) beside: Map<String, Value>,
}

impl Complaint {
    /// Bad usage or input.
    pub(crate) fn refused(code: &str, message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Refused,
            code: code.to_owned(),
            message: message.into(),
            help: None,
            file: None,
            rendered: None,
            result: None,
            more: Map::new(),
            beside: Map::new(),
        }
    }

    /// A failure of what was asked for.
    pub(crate) fn failed(code: &str, message: impl Into<String>) -> Self {
        Self { exit: Exit::Failed, ..Self::refused(code, message) }
    }

    /// Says how to mend it.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Names the file.
    pub(crate) fn file(mut self, file: &Path) -> Self {
        self.file = Some(file.display().to_string());
        self
    }

    /// Gives the whole text for people.
    pub(crate) fn rendered(mut self, text: String) -> Self {
        self.rendered = Some(text);
        self
    }

    /// Gives the text that is the result that was asked for: a list of faults.
    pub(crate) fn on_stdout(mut self, text: String) -> Self {
        self.result = Some(text);
        self
    }

    /// Adds a field to `error` in the JSON form.
    pub(crate) fn with(mut self, name: &str, value: Value) -> Self {
        self.more.insert(name.to_owned(), value);
        self
    }

    /// Sets what stands beside `error` in the JSON form.
    pub(crate) fn beside(mut self, fields: Map<String, Value>) -> Self {
        self.beside = fields;
        self
    }

    /// The text for people.
    pub(crate) fn text(&self, paint: Paint) -> String {
        if let Some(text) = &self.rendered {
            return text.trim_end().to_owned();
        }
        let mut text =
            format!("{} {}", paint.red(&paint.bold("error:")), harmless(&redact(&self.message)));
        if let Some(help) = &self.help {
            let _ = write!(text, "\n  {} {}", paint.cyan("help:"), harmless(help));
        }
        text
    }

    /// The form for programs.
    pub(crate) fn json(&self) -> Value {
        let mut error = json!({
            "code": self.code,
            "message": redact(&self.message),
            "help": self.help,
            "file": self.file,
            "span": null,
            "trace": [],
        });
        if let Some(fields) = error.as_object_mut() {
            fields.extend(self.more.clone());
        }
        let mut object = Map::from_iter([("error".to_owned(), error)]);
        object.extend(self.beside.clone());
        Value::Object(object)
    }
}

impl Stop {
    /// A file that could not be read.
    pub(crate) fn read(path: &Path, error: io::Error) -> Self {
        ReadError::io(path, error).into()
    }

    /// A file or stream that could not be written.
    pub(crate) fn write(name: &str, error: &io::Error) -> Self {
        Complaint::failed("output_failed", format!("can't write {name}: {}", reason(error))).into()
    }
}

impl From<ReadError> for Stop {
    fn from(error: ReadError) -> Self {
        let complaint = Complaint::refused(error.code(), error.to_string()).file(error.path());
        match error.help() {
            Some(help) => complaint.help(help).into(),
            None => complaint.into(),
        }
    }
}

impl From<SetupError> for Complaint {
    fn from(error: SetupError) -> Self {
        let complaint = Self::refused(&error.code, error.message);
        Self { help: error.help, ..complaint }
    }
}

impl From<Complaint> for Stop {
    fn from(complaint: Complaint) -> Self {
        Self::Complaint(Box::new(complaint))
    }
}
