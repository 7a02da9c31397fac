//! Errors of commands: what happened, how to fix it, and which exit code follows.

use crate::output::paint::Paint;
use crate::output::text::sanitized;
use contexture::reading::{ReadError, reason};
use contexture::reference::syntax::redact;
use contexture::run::SetupError;
#[cfg(feature = "server")]
use contexture_server::Fault;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::io;
use std::path::Path;

pub(crate) type CommandResult = Result<Exit, Abort>;

/// The exit status of a command (AS-31).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The command succeeded.
    Done,
    /// The program failed, or a check found errors.
    Failed,
    /// Wrong usage, source or input: nothing was run.
    Refused,
    /// A limit stopped it before its end.
    Stopped,
    /// A signal ended the command: 130 for Ctrl-C, 143 for a request to terminate.
    Signalled(u8),
}

impl Exit {
    /// Returns the number for the shell.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Refused => 2,
            Self::Stopped => 3,
            Self::Signalled(code) => code,
        }
    }
}

#[derive(Debug)]
pub(crate) enum Abort {
    /// The reader of stdout is gone: there is nothing left to do and nobody to report it to.
    OutputClosed,
    /// An error to report.
    Error(Box<CommandError>),
}

#[derive(Debug)]
pub(crate) struct CommandError {
    /// The exit status that follows.
    pub(crate) exit: Exit,
    /// Stable code: of a diagnostic, or a word such as `not_json`.
    pub(crate) code: String,
    /// The error in one line.
    pub(crate) message: String,
    /// The fix.
    pub(crate) help: Option<String>,
    /// The file that the error is about.
    pub(crate) file: Option<String>,
    /// The text for people, when it is more than message and help (source excerpts).
    pub(crate) rendered: Option<String>,
    /// Text that is itself the requested result and therefore goes to stdout.
    pub(crate) result: Option<String>,
    /// Further fields of `error` in the JSON form.
    pub(crate) fields: Map<String, Value>,
    /// Fields beside `error` in the JSON form.
    pub(crate) siblings: Map<String, Value>,
}

impl CommandError {
    /// Creates an error about usage, source or input.
    pub(crate) fn refused(code: &str, message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Refused,
            code: code.to_owned(),
            message: message.into(),
            help: None,
            file: None,
            rendered: None,
            result: None,
            fields: Map::new(),
            siblings: Map::new(),
        }
    }

    /// Creates an error about a request that was valid but failed.
    pub(crate) fn failed(code: &str, message: impl Into<String>) -> Self {
        Self { exit: Exit::Failed, ..Self::refused(code, message) }
    }

    /// Sets how to fix it.
    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        self.maybe_help(Some(help))
    }

    /// Sets how to fix it, where that is known.
    pub(crate) fn maybe_help(mut self, help: Option<impl Into<String>>) -> Self {
        self.help = help.map(Into::into);
        self
    }

    pub(crate) fn file(mut self, file: &Path) -> Self {
        self.file = Some(file.display().to_string());
        self
    }

    pub(crate) fn rendered(mut self, text: String) -> Self {
        self.rendered = Some(text);
        self
    }

    /// Sets the text that is itself the requested result, such as a list of errors.
    pub(crate) fn on_stdout(mut self, text: String) -> Self {
        self.result = Some(text);
        self
    }

    /// Adds a field to `error` in the JSON form.
    pub(crate) fn with(mut self, name: &str, value: Value) -> Self {
        self.fields.insert(name.to_owned(), value);
        self
    }

    /// Sets the fields beside `error` in the JSON form.
    pub(crate) fn siblings(mut self, fields: Map<String, Value>) -> Self {
        self.siblings = fields;
        self
    }

    /// Returns the text for people.
    pub(crate) fn text(&self, paint: Paint) -> String {
        if let Some(text) = &self.rendered {
            return text.trim_end().to_owned();
        }
        let mut text =
            format!("{} {}", paint.red(&paint.bold("error:")), sanitized(&redact(&self.message)));
        if let Some(help) = &self.help {
            let _ = write!(text, "\n  {} {}", paint.cyan("help:"), sanitized(help));
        }
        text
    }

    /// Returns the form for programs.
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
            fields.extend(self.fields.clone());
        }
        let mut object = Map::from_iter([("error".to_owned(), error)]);
        object.extend(self.siblings.clone());
        Value::Object(object)
    }
}

impl Abort {
    /// Creates the error about a file that can't be read.
    pub(crate) fn read(path: &Path, error: io::Error) -> Self {
        ReadError::io(path, error).into()
    }

    /// Creates the error about a file or stream that can't be written.
    pub(crate) fn write(name: &str, error: &io::Error) -> Self {
        CommandError::failed("output_failed", format!("can't write {name}: {}", reason(error)))
            .into()
    }
}

impl From<CommandError> for Abort {
    fn from(error: CommandError) -> Self {
        Self::Error(Box::new(error))
    }
}

impl From<ReadError> for Abort {
    fn from(error: ReadError) -> Self {
        CommandError::refused(error.code(), error.to_string())
            .file(error.path())
            .maybe_help(error.help())
            .into()
    }
}

impl From<SetupError> for CommandError {
    fn from(error: SetupError) -> Self {
        Self::refused(&error.code, error.message).maybe_help(error.help)
    }
}

impl From<SetupError> for Abort {
    fn from(error: SetupError) -> Self {
        CommandError::from(error).into()
    }
}

#[cfg(feature = "server")]
impl From<Fault> for Abort {
    fn from(fault: Fault) -> Self {
        let is_damage = fault.code == contexture_server::serve::codes::DAMAGED.code;
        let exit = if is_damage { Exit::Failed } else { Exit::Refused };
        let error = CommandError::refused(&fault.code, fault.message);
        CommandError { exit, ..error }.maybe_help(fault.help).into()
    }
}
