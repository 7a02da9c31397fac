//! The file of contexts, and the contexts that a person names.

use crate::output::progress::ProgressDisplay;
use crate::prelude::*;
use contexture::Project;
use contexture::contexts::{self, CONTEXTS_FILE, OpenError};
use contexture::diagnostic::suggestion;
use contexture::store::contexts::{ContextError, ContextStore, Head, Key};
use contexture_server::serve::Place;
use contexture_server::serve::audit::{self, AuditEvent, AuditRecord};
use std::sync::Arc;

/// The owner of contexts that were made without a token.
pub(super) const LOCAL: &str = "local";
const PAGE: usize = 1_000;

#[derive(Debug, Clone, clap::Args)]
pub(super) struct ContextLocation {
    /// The folder of contexts, as in `contexture serve` [default: .contexture/data in the project].
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    data: Option<PathBuf>,
    #[command(flatten)]
    workspace: Workspace,
}

/// The data folder that a command works on whole, and the form of its result.
#[derive(Debug, clap::Args)]
pub(super) struct DataFolder {
    #[command(flatten)]
    location: ContextLocation,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl DataFolder {
    /// Does something with the folder, while progress is shown.
    pub(super) fn work<T, E: Into<Abort>>(
        &self,
        terminal: &Terminal,
        doing: &str,
        work: impl FnOnce(&Path) -> Result<T, E>,
    ) -> Result<T, Abort> {
        let folder = self.location.folder()?;
        ProgressDisplay::waiting(terminal, doing, || work(&folder)).map_err(Into::into)
    }

    /// Prints a report: with `--json` its fields after `front`, else what was found and what was done.
    pub(super) fn print(
        &self,
        terminal: &Terminal,
        mut front: Value,
        report: &impl serde::Serialize,
        (found, done): (&[String], &[String]),
    ) -> Result<(), Abort> {
        if self.json {
            if let (Some(front), Ok(Value::Object(fields))) =
                (front.as_object_mut(), serde_json::to_value(report))
            {
                front.extend(fields);
            }
            return terminal.print_json(&front);
        }
        for found in found {
            terminal.print_line(&one_line(found))?;
        }
        done.iter().for_each(|done| terminal.note(done));
        Ok(())
    }
}

pub(super) struct ContextFile {
    pub(super) store: Arc<dyn ContextStore>,
    file: PathBuf,
}

/// The owner and id of a context.
pub(super) struct ContextRef {
    pub(super) owner: String,
    pub(super) id: String,
}

impl ContextRef {
    pub(super) fn key(&self) -> Key<'_> {
        Key { owner: &self.owner, context: &self.id }
    }
}

impl ContextLocation {
    /// Opens the contexts; creates their file when it is missing.
    pub(super) fn open(&self) -> Result<ContextFile, Abort> {
        let (project, file) = self.file()?;
        let store = contexts::open(&project, &file)?;
        Ok(ContextFile { store, file })
    }

    pub(super) fn open_existing(&self) -> Result<Option<ContextFile>, Abort> {
        let (project, file) = self.file()?;
        let store = contexts::find(&project, &file)?;
        Ok(store.map(|store| ContextFile { store, file }))
    }

    pub(super) fn find(
        &self,
        id: &str,
        owner: Option<&str>,
    ) -> Result<(ContextFile, ContextRef), Abort> {
        match self.open_existing()? {
            Some(file) => {
                let named = file.named(id, owner)?;
                Ok((file, named))
            }
            None => Err(unknown(id)
                .help(
                    "no contexts are stored here; --data DIR selects the folder of another server",
                )
                .into()),
        }
    }

    /// Returns the data folder.
    fn folder(&self) -> Result<PathBuf, Abort> {
        Ok(Place::of(&self.workspace.open()?, self.data.as_deref())?.only_folder()?)
    }

    fn file(&self) -> Result<(Project, PathBuf), Abort> {
        let project = self.workspace.open()?;
        let place = Place::of(&project, self.data.as_deref())?;
        let file = place.only_folder()?.join(CONTEXTS_FILE);
        Ok((project, file))
    }
}

impl From<OpenError> for Abort {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Store(error) => error.into(),
            OpenError::Key(key) => {
                CommandError::refused("context_key", key.to_string()).help(key.help()).into()
            }
            other => CommandError::failed("contexts_failed", other.to_string()).into(),
        }
    }
}

impl ContextFile {
    /// Writes an event to the audit log of the server (CP-19).
    pub(super) fn note(&self, event: AuditEvent, owner: &str, context: &str) -> Result<(), Abort> {
        let Some(data) = self.file.parent() else { return Ok(()) };
        let record = AuditRecord::new(event).with("by", "command line").with("owner", owner);
        audit::note_once(data, &record.with("contextId", context)).map_err(|fault| {
            CommandError::failed(&fault.code, fault.message).maybe_help(fault.help).into()
        })
    }

    /// Finds a context by its id, of all owners or of one.
    pub(super) fn named(&self, id: &str, owner: Option<&str>) -> Result<ContextRef, Abort> {
        let holders = self.store.holders(id)?;
        let named = |owner: &str| ContextRef { owner: owner.to_owned(), id: id.to_owned() };
        match (owner, holders.as_slice()) {
            (_, []) => Err(self.unknown(id, owner)),
            (Some(owner), holders) if holders.iter().any(|holder| holder == owner) => {
                Ok(named(owner))
            }
            (None, [holder]) => Ok(named(holder)),
            (Some(_), holders) => {
                let help = format!("the context exists and belongs to {}", listed(holders));
                Err(unknown(id).help(help).into())
            }
            (None, holders) => {
                let message = format!("several owners have a context `{id}`");
                let help = format!("select one with --owner: {}", listed(holders));
                Err(CommandError::refused("context_ambiguous", message).help(help).into())
            }
        }
    }

    fn unknown(&self, id: &str, owner: Option<&str>) -> Abort {
        let error = unknown(id);
        let Ok(heads) = self.heads(owner) else { return error.into() };
        let ids: Vec<&str> = heads.iter().map(|head| head.context_id.as_str()).collect();
        let is_part = |known: &&&str| known.starts_with(id) || known.ends_with(id);
        let mut parts = ids.iter().filter(is_part);
        let help = match (parts.next(), parts.next()) {
            (Some(whole), None) if !id.is_empty() => Some(format!("did you mean `{whole}`?")),
            _ => suggestion(id, ids.iter().copied()),
        };
        let list =
            || format!("`contexture context list` shows the contexts in {}", self.file.display());
        error.help(help.unwrap_or_else(list)).into()
    }

    /// Returns the contexts of all owners or of one, newest first.
    pub(super) fn heads(&self, owner: Option<&str>) -> Result<Vec<Head>, Abort> {
        let owners = match owner {
            Some(owner) => vec![owner.to_owned()],
            None => self.store.owners()?,
        };
        let mut heads = Vec::new();
        for owner in owners {
            let mut after = None;
            loop {
                let page = self.store.list(&owner, after.as_deref(), PAGE);
                let page = page?;
                heads.extend(page.contexts);
                after = page.next;
                if after.is_none() {
                    break;
                }
            }
        }
        let order = |head: &Head| (head.creation_us, head.context_id.clone());
        heads.sort_by_cached_key(|head| std::cmp::Reverse(order(head)));
        Ok(heads)
    }
}

fn listed(owners: &[String]) -> String {
    let owners: Vec<String> = owners.iter().map(|owner| format!("`{owner}`")).collect();
    owners.join(", ")
}

fn unknown(id: &str) -> CommandError {
    CommandError::refused("context_not_found", format!("unknown context `{id}`"))
}

impl From<ContextError> for Abort {
    fn from(error: ContextError) -> Self {
        let (code, exit, help) = meaning(&error);
        let error = CommandError { exit, ..CommandError::refused(code, error.to_string()) };
        error.maybe_help(help).into()
    }
}

/// Returns the code, the exit status and the help for an error of the store.
fn meaning(error: &ContextError) -> (&'static str, Exit, Option<&'static str>) {
    match error {
        ContextError::NotFound(_) => ("context_not_found", Exit::Refused, None),
        ContextError::Taken(_) => {
            ("context_id_taken", Exit::Refused, Some("choose another id with --id"))
        }
        ContextError::Import { .. } | ContextError::ImportedMessage { .. } => (
            "context_import",
            Exit::Refused,
            Some("import the output of `contexture context export`, or a context as JSON"),
        ),
        ContextError::Ahead { .. } | ContextError::Invalid { .. } => {
            ("bad_usage", Exit::Refused, None)
        }
        ContextError::TooLarge { .. } => ("context_too_large", Exit::Refused, None),
        ContextError::Sealed { .. } => (
            "context_key",
            Exit::Refused,
            Some("[serve.sensitive] of contexture.toml locates the key"),
        ),
        ContextError::Foreign { .. } => ("contexts_foreign", Exit::Refused, None),
        ContextError::Newer { .. } => (
            "contexts_newer",
            Exit::Refused,
            Some("a newer version of contexture wrote it: use that one"),
        ),
        ContextError::Damaged { .. } => (
            "contexts_damaged",
            Exit::Failed,
            Some("`contexture context verify` lists the damage, `context salvage` saves the rest"),
        ),
        ContextError::Busy(_) => ("contexts_busy", Exit::Failed, Some("try again in a moment")),
        _ => ("contexts_failed", Exit::Failed, None),
    }
}
