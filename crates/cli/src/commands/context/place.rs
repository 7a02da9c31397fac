//! Where contexts are kept, whose they are, and what goes wrong with them.

use crate::complaint::{Complaint, Exit, Stop};
use crate::workspace;
use contexture::diagnostic::suggestion;
use contexture::store::contexts::{ContextError, ContextStore, Head, Key, SqliteContexts};
use contexture_server::serve::audit::{self, Deed, Record};
use contexture_server::serve::{CONTEXTS_FILE, data_folder};
use std::path::PathBuf;

/// Whose a context is that nobody with a token made.
pub(super) const LOCAL: &str = "local";
/// Contexts that are read at a time.
const PAGE: usize = 1_000;

/// Which file of contexts.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Place {
    /// The folder of contexts, as of `contexture serve`. [default: .contexture/data in the project]
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    data: Option<PathBuf>,
    /// The project; by default the nearest folder with a contexture.toml, else the current one.
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    workspace: Option<PathBuf>,
}

/// A file of contexts that is open.
pub(super) struct Desk {
    pub(super) store: SqliteContexts,
    file: PathBuf,
}

/// A context that a person named.
pub(super) struct Named {
    pub(super) owner: String,
    pub(super) id: String,
}

impl Named {
    pub(super) fn key(&self) -> Key<'_> {
        Key { owner: &self.owner, context: &self.id }
    }
}

impl Place {
    /// Opens the file, and makes it when it is missing.
    pub(super) fn open(&self) -> Result<Desk, Stop> {
        self.open_when(|_| true)?.ok_or_else(|| refuse(&ContextError::Closed))
    }

    /// Opens the file when there is one.
    pub(super) fn open_there(&self) -> Result<Option<Desk>, Stop> {
        self.open_when(|file| file.exists())
    }

    /// Opens the file to find a context in it.
    pub(super) fn find(&self, id: &str, owner: Option<&str>) -> Result<(Desk, Named), Stop> {
        match self.open_there()? {
            Some(desk) => {
                let named = desk.named(id, owner)?;
                Ok((desk, named))
            }
            None => Err(unknown(id)
                .help("no context is kept here yet; --data DIR names the folder of another server")
                .into()),
        }
    }

    fn open_when(&self, is_wanted: impl Fn(&PathBuf) -> bool) -> Result<Option<Desk>, Stop> {
        let project = workspace::here_or(self.workspace.as_deref())?;
        let file = data_folder(&project, self.data.clone()).join(CONTEXTS_FILE);
        if !is_wanted(&file) {
            return Ok(None);
        }
        let options = contexture::contexts::options(&project).map_err(|error| -> Stop {
            Complaint::refused("context_key", error.to_string()).help(error.help()).into()
        })?;
        let store = SqliteContexts::open(&file, options).map_err(|error| refuse(&error))?;
        Ok(Some(Desk { store, file }))
    }
}

impl Desk {
    /// Writes to the audit log of the server what was done here (CP-19).
    pub(super) fn note(&self, deed: Deed, owner: &str, context: &str) -> Result<(), Stop> {
        let Some(data) = self.file.parent() else { return Ok(()) };
        let record = Record::new(deed).with("by", "command line").with("owner", owner);
        audit::note_once(data, &record.with("contextId", context)).map_err(|fault| {
            let complaint = Complaint::failed(&fault.code, fault.message);
            Complaint { help: fault.help, ..complaint }.into()
        })
    }

    /// The context of this id, with its owner; another owner's is not there.
    pub(super) fn named(&self, id: &str, owner: Option<&str>) -> Result<Named, Stop> {
        let holders = self.store.holders(id).map_err(|error| refuse(&error))?;
        let named = |owner: &str| Named { owner: owner.to_owned(), id: id.to_owned() };
        match (owner, holders.as_slice()) {
            (_, []) => Err(self.unknown(id, owner)),
            (Some(owner), holders) if holders.iter().any(|holder| holder == owner) => {
                Ok(named(owner))
            }
            (None, [holder]) => Ok(named(holder)),
            (Some(_), holders) => {
                let whose = format!("it is there, and it is {}", listed(holders));
                Err(unknown(id).help(whose).into())
            }
            (None, holders) => {
                let told = format!("several owners have a context `{id}`");
                let complaint = Complaint::refused("context_ambiguous", told);
                let help = format!("name one with --owner: it is {}", listed(holders));
                Err(complaint.help(help).into())
            }
        }
    }

    fn unknown(&self, id: &str, owner: Option<&str>) -> Stop {
        let complaint = unknown(id);
        let Ok(heads) = self.heads(owner) else { return complaint.into() };
        let ids: Vec<&str> = heads.iter().map(|head| head.context_id.as_str()).collect();
        let is_part = |known: &&&str| known.starts_with(id) || known.ends_with(id);
        let mut parts = ids.iter().filter(is_part);
        let help = match (parts.next(), parts.next()) {
            (Some(whole), None) if !id.is_empty() => Some(format!("did you mean `{whole}`?")),
            _ => suggestion(id, ids.iter().copied()),
        };
        let list = || format!("`contexture context list` shows those in {}", self.file.display());
        complaint.help(help.unwrap_or_else(list)).into()
    }

    /// All contexts, of all owners or of one, the one made last first.
    pub(super) fn heads(&self, owner: Option<&str>) -> Result<Vec<Head>, Stop> {
        let owners = match owner {
            Some(owner) => vec![owner.to_owned()],
            None => self.store.owners().map_err(|error| refuse(&error))?,
        };
        let mut heads = Vec::new();
        for owner in owners {
            let mut after = None;
            loop {
                let page = self.store.list(&owner, after.as_deref(), PAGE);
                let page = page.map_err(|error| refuse(&error))?;
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

/// Whose something is.
fn listed(owners: &[String]) -> String {
    let owners: Vec<String> = owners.iter().map(|owner| format!("`{owner}`'s")).collect();
    owners.join(", ")
}

fn unknown(id: &str) -> Complaint {
    Complaint::refused("context_not_found", format!("there is no context `{id}`"))
}

/// What the store says, with whose fault it is.
pub(super) fn refuse(error: &ContextError) -> Stop {
    let (code, exit, help) = meaning(error);
    let complaint = Complaint { exit, ..Complaint::refused(code, error.to_string()) };
    match help {
        Some(help) => complaint.help(help),
        None => complaint,
    }
    .into()
}

fn meaning(error: &ContextError) -> (&'static str, Exit, Option<&'static str>) {
    match error {
        ContextError::NotFound(_) => ("context_not_found", Exit::Refused, None),
        ContextError::Taken(_) => {
            ("context_id_taken", Exit::Refused, Some("choose another one with --id"))
        }
        ContextError::Import { .. } | ContextError::ImportedMessage { .. } => (
            "context_import",
            Exit::Refused,
            Some("an import is what `contexture context export` wrote, or a context as JSON"),
        ),
        ContextError::Ahead { .. } | ContextError::Invalid { .. } => {
            ("bad_usage", Exit::Refused, None)
        }
        ContextError::TooLarge { .. } => ("context_too_large", Exit::Refused, None),
        ContextError::Sealed { .. } => (
            "context_key",
            Exit::Refused,
            Some("[serve.sensitive] of contexture.toml says where the key is"),
        ),
        ContextError::Foreign { .. } => ("contexts_foreign", Exit::Refused, None),
        ContextError::Newer { .. } => ("contexts_newer", Exit::Refused, None),
        ContextError::Damaged { .. } => ("contexts_damaged", Exit::Failed, None),
        ContextError::Busy(_) => ("contexts_busy", Exit::Failed, Some("try again in a moment")),
        _ => ("contexts_failed", Exit::Failed, None),
    }
}
