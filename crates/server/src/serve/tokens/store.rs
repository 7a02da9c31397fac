//! The tokens of servers, read by them and written by `contexture token`: in `tokens.json` of a data
//! folder, or in the database that several servers share (CP-19, WA-11).

use super::entry::{Entry, Standing, StoredEntry};
use super::file::{FileState, TokenFile};
use super::new::{NewToken, TOKENS_FILE, bad};
use super::secret::Secret;
use crate::fault::Fault;
use contexture::context::Digest;
use contexture::database::{Database, DatabaseError};
use contexture::llm::ledger::Amount;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The version of the form.
const VERSION: u64 = 1;
/// The longest name and owner, in bytes.
const NAME_BYTES: usize = 64;
const OWNER_BYTES: usize = 200;

#[derive(Serialize, Deserialize)]
struct Stored {
    version: u64,
    tokens: Vec<StoredEntry>,
}

/// The tokens of a server.
#[derive(Debug, Clone)]
pub struct Tokens(Kept);

#[derive(Debug, Clone)]
enum Kept {
    File(TokenFile),
    Database(Database),
}

/// What tells that tokens were changed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Seen {
    File(FileState),
    Version(u64),
}

impl From<DatabaseError> for Fault {
    fn from(error: DatabaseError) -> Self {
        bad(error.message).with_help(error.help)
    }
}

impl Tokens {
    /// Returns the tokens of this data folder.
    #[must_use]
    pub fn in_folder(data: &Path) -> Self {
        Self(Kept::File(TokenFile::in_folder(data)))
    }

    /// Returns the tokens in a database.
    #[must_use]
    pub fn in_database(database: Database) -> Self {
        Self(Kept::Database(database))
    }

    /// Returns the file, if there is one to be.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match &self.0 {
            Kept::File(file) => Some(&file.path),
            Kept::Database(_) => None,
        }
    }

    /// Returns what differs after each change; nothing before the first.
    pub(super) fn seen(&self) -> Result<Option<Seen>, Fault> {
        Ok(match &self.0 {
            Kept::File(file) => file.state().map(Seen::File),
            Kept::Database(database) => Some(Seen::Version(database.text_version(TOKENS_FILE)?)),
        })
    }

    fn name(&self) -> String {
        match &self.0 {
            Kept::File(file) => file.path.display().to_string(),
            Kept::Database(database) => format!("the tokens in {}", database.name()),
        }
    }

    /// Returns all tokens that were ever created, the oldest first.
    ///
    /// # Errors
    /// A [`Fault`] when they can't be read.
    pub fn list(&self) -> Result<Vec<Entry>, Fault> {
        let text = match &self.0 {
            Kept::File(file) => file.read()?,
            Kept::Database(database) => {
                database.text(TOKENS_FILE)?.map(|(_, text)| text).unwrap_or_default()
            }
        };
        self.read(&text)
    }

    fn read(&self, text: &str) -> Result<Vec<Entry>, Fault> {
        if text.is_empty() {
            return Ok(Vec::new());
        }
        read(text).map_err(|what| bad(format!("{}: {what}", self.name())))
    }

    /// Changes the tokens while nobody else does; they are written when `change` says so.
    fn change<T>(
        &self,
        change: impl FnOnce(&mut Vec<Entry>) -> Result<(T, bool), Fault>,
    ) -> Result<T, Fault> {
        let change = |text: &str| {
            let mut entries = self.read(text)?;
            let (outcome, is_changed) = change(&mut entries)?;
            Ok((outcome, is_changed.then(|| write(&entries)).transpose()?))
        };
        match &self.0 {
            Kept::File(file) => file.change(change),
            Kept::Database(database) => database.change_text(TOKENS_FILE, change),
        }
    }

    /// Creates a token. The secret can't be read again.
    ///
    /// # Errors
    /// A [`Fault`] when the name or owner can't be used, the name is taken, or it can't be stored.
    pub fn add(&self, new: NewToken) -> Result<(Entry, Secret), Fault> {
        let owner = new.owner.unwrap_or_else(|| new.name.clone());
        check_name(&new.name)?;
        check_owner(&owner)?;
        let secret = Secret::new()?;
        let (id, now) = contexture::store::stamp::system().next();
        let entry = Entry {
            id: format!("tok_{}", id.to_ascii_uppercase()),
            name: new.name,
            owner,
            senders: new.senders,
            scopes: new.scopes,
            spend: new.spend,
            spent: Amount::default(),
            created: now / 1000,
            expires: new.expires,
            revoked: None,
            digest: Digest::of_text(secret.expose()),
        };
        self.change(|entries| {
            check_free(&entry, entries)?;
            entries.push(entry.clone());
            Ok(((), true))
        })?;
        Ok((entry, secret))
    }

    /// Revokes a token, by its id or name.
    ///
    /// # Errors
    /// A [`Fault`] when there is no such token that was not revoked before, or it can't be stored.
    pub fn revoke(&self, which: &str) -> Result<Entry, Fault> {
        let now = contexture::store::stamp::system().now_us() / 1000;
        self.change(|entries| {
            let is_meant = |entry: &Entry| entry.id == which || entry.name == which;
            let found = entries.iter_mut().find(|entry| is_meant(entry) && entry.revoked.is_none());
            let Some(entry) = found else {
                return Err(no_such(which, entries));
            };
            entry.revoked = Some(now);
            Ok((entry.clone(), true))
        })
    }

    /// Lets `settle` change what the model calls of each token have taken; it returns whether it did.
    /// It is called once nobody else writes.
    ///
    /// # Errors
    /// A [`Fault`] when the tokens can't be read or written.
    pub(super) fn settle(
        &self,
        mut settle: impl FnMut(&str, &mut Amount) -> bool,
    ) -> Result<(), Fault> {
        self.change(|entries| {
            let mut is_changed = false;
            for entry in entries {
                is_changed |= settle(&entry.id, &mut entry.spent);
            }
            Ok(((), is_changed))
        })
    }
}

fn check_free(new: &Entry, entries: &[Entry]) -> Result<(), Fault> {
    let is_taken = |entry: &&Entry| entry.name == new.name && entry.revoked.is_none();
    let Some(taken) = entries.iter().find(is_taken) else { return Ok(()) };
    let state = taken.standing(new.created).as_str();
    let message = format!("there is a token named `{}` already, which is {state}", new.name);
    let help = format!("take another name, or `contexture token revoke {}` first", new.name);
    Err(bad(message).with_help(help))
}

fn no_such(which: &str, entries: &[Entry]) -> Fault {
    let now = contexture::store::stamp::system().now_us() / 1000;
    let known = entries.iter().find(|entry| entry.id == which || entry.name == which);
    if known.is_some_and(|entry| entry.standing(now) == Standing::Revoked) {
        return bad(format!("the token `{which}` was revoked before"));
    }
    let names =
        entries.iter().filter(|entry| entry.revoked.is_none()).map(|entry| entry.name.as_str());
    let help = contexture::diagnostic::suggestion(which, names);
    let fault = bad(format!("there is no token `{which}`"));
    fault.with_help(help.unwrap_or_else(|| "`contexture token list` shows all tokens".to_owned()))
}

fn check_name(name: &str) -> Result<(), Fault> {
    let good = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.@".contains(&byte);
    let is_good = !name.is_empty() && name.len() <= NAME_BYTES && name.bytes().all(good);
    if is_good && !name.starts_with("tok_") {
        return Ok(());
    }
    let expected = "expected 1 to 64 letters, digits and `-_.@`, not beginning with `tok_`";
    Err(bad(format!("the name of a token: {expected}, found `{name}`")))
}

fn check_owner(owner: &str) -> Result<(), Fault> {
    let is_good = !owner.is_empty()
        && owner.len() <= OWNER_BYTES
        && owner.trim() == owner
        && !owner.chars().any(char::is_control);
    if is_good {
        return Ok(());
    }
    let expected = "expected 1 to 200 bytes of text in one line, with no space around it";
    Err(bad(format!("the owner of a token: {expected}, found `{}`", owner.escape_debug())))
}

fn read(text: &str) -> Result<Vec<Entry>, String> {
    let stored: Stored = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if stored.version != VERSION {
        return Err(format!("expected version {VERSION}, found {}", stored.version));
    }
    stored.tokens.into_iter().map(Entry::try_from).collect()
}

fn write(entries: &[Entry]) -> Result<String, Fault> {
    let stored =
        Stored { version: VERSION, tokens: entries.iter().map(StoredEntry::from).collect() };
    let text = serde_json::to_string_pretty(&stored);
    let text = text.map_err(|error| bad(format!("the tokens can't be written: {error}")))?;
    Ok(format!("{text}\n"))
}
