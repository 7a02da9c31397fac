//! `contexture context export`: a context as JSON lines (CP-10).

use super::place::{Place, refuse};
use crate::columns::counted;
use crate::commands::Outcome;
use crate::commands::run::Screen;
use crate::complaint::{Complaint, Exit, Stop};
use crate::terminal::Terminal;
use contexture::store::contexts::{ContextError, ContextStore as _};
use contexture_server::serve::audit::Deed;
use serde_json::json;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  contexture context export ctx_weather > weather.jsonl
  contexture context export ctx_weather --output copy.jsonl --json

The first line is the context with its state, each further line a message. What is sealed in the
file of contexts stands open in an export.";

/// Writes a context with its messages as JSON lines, for `context import`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The context.
    #[arg(value_name = "ID")]
    id: String,
    /// Whose it is; else whoever's it is.
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    /// Write this file instead of stdout.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    output: Option<PathBuf>,
    /// Write the file even when it is there already.
    #[arg(long, requires = "output")]
    force: bool,
    #[command(flatten)]
    place: Place,
    /// Print one JSON object about the file: contextId, file and messages.
    #[arg(long, requires = "output")]
    pub(super) json: bool,
}

/// Runs `contexture context export`.
pub(super) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    let (desk, named) = args.place.find(&args.id, args.owner.as_deref())?;
    desk.note(Deed::Exported, &named.owner, &named.id)?;
    let Some(file) = &args.output else {
        let mut out = Watched { inner: BufWriter::new(io::stdout().lock()), fault: None };
        let done = desk.store.export(named.key(), &mut out);
        return match (done, out.fault) {
            (Err(_), Some(fault)) if fault.kind() == ErrorKind::BrokenPipe => Err(Stop::Closed),
            (Err(_), Some(fault)) => Err(Stop::write("stdout", &fault)),
            (Err(error), None) => Err(refuse(&error)),
            (Ok(_), _) => Ok(Exit::Done),
        };
    };
    let target = Target::open(file, args.force)?;
    let written = Screen::waiting(terminal, "exporting", || {
        target.fill(|out| desk.store.export(named.key(), out))
    })?;
    let name = file.display().to_string();
    if args.json {
        let (id, messages) = (&named.id, written);
        terminal.print_json(&json!({ "contextId": id, "file": name, "messages": messages }))?;
    } else {
        let messages = counted(written, "message");
        terminal.note(&format!("`{}` with {messages} is in {name}", named.id));
    }
    Ok(Exit::Done)
}

/// Keeps why nothing could be written.
struct Watched<W> {
    inner: W,
    fault: Option<io::Error>,
}

impl<W: Write> Watched<W> {
    fn note<T>(&mut self, outcome: io::Result<T>) -> io::Result<T> {
        outcome.map_err(|error| {
            let kind = error.kind();
            self.fault = Some(error);
            kind.into()
        })
    }
}

impl<W: Write> Write for Watched<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let outcome = self.inner.write(bytes);
        self.note(outcome)
    }

    fn flush(&mut self) -> io::Result<()> {
        let outcome = self.inner.flush();
        self.note(outcome)
    }
}

/// A file that is written whole or not at all: the text goes into one beside it first.
struct Target {
    path: PathBuf,
    draft: PathBuf,
    force: bool,
}

impl Target {
    fn open(path: &Path, force: bool) -> Result<Self, Stop> {
        let Some(name) = path.file_name() else {
            let message = format!("{} is no name of a file", path.display());
            return Err(Complaint::refused("bad_usage", message).into());
        };
        if !force && path.symlink_metadata().is_ok() {
            return Err(there(path));
        }
        let mut draft = name.to_owned();
        draft.push(format!(".{}.part", std::process::id()));
        Ok(Self { path: path.to_owned(), draft: path.with_file_name(draft), force })
    }

    fn fill(
        self,
        write: impl FnOnce(&mut dyn Write) -> Result<u64, ContextError>,
    ) -> Result<u64, Stop> {
        let opened = OpenOptions::new().write(true).create_new(true).open(&self.draft);
        let file = opened.map_err(|error| self.failed(&error))?;
        let outcome = self.write(file, write).and_then(|count| self.publish().map(|()| count));
        if outcome.is_err() {
            // What is left of it is of no use; that it can't be removed either is no second failure.
            let _ = fs::remove_file(&self.draft);
        }
        outcome
    }

    fn write(
        &self,
        file: File,
        write: impl FnOnce(&mut dyn Write) -> Result<u64, ContextError>,
    ) -> Result<u64, Stop> {
        let mut out = Watched { inner: BufWriter::new(file), fault: None };
        let done = write(&mut out);
        if let Some(fault) = &out.fault {
            return Err(self.failed(fault));
        }
        let count = done.map_err(|error| refuse(&error))?;
        let file = out.inner.into_inner().map_err(|error| self.failed(error.error()))?;
        file.sync_all().map_err(|error| self.failed(&error))?;
        Ok(count)
    }

    fn publish(&self) -> Result<(), Stop> {
        let done =
            if self.force { fs::rename(&self.draft, &self.path) } else { self.publish_new() };
        done.map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => there(&self.path),
            _ => self.failed(&error),
        })
    }

    /// A link is never put in the place of a file that came meanwhile, as a name would be.
    fn publish_new(&self) -> io::Result<()> {
        match fs::hard_link(&self.draft, &self.path) {
            Ok(()) => fs::remove_file(&self.draft),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
            // Not every file system has links.
            Err(_) if self.path.symlink_metadata().is_ok() => Err(ErrorKind::AlreadyExists.into()),
            Err(_) => fs::rename(&self.draft, &self.path),
        }
    }

    fn failed(&self, error: &io::Error) -> Stop {
        Stop::write(&self.path.display().to_string(), error)
    }
}

fn there(path: &Path) -> Stop {
    Complaint::refused("file_exists", format!("{} is there already", path.display()))
        .file(path)
        .help("give another name, or --force to write it anew")
        .into()
}
