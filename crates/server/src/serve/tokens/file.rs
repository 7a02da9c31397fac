//! `tokens.json`: read by servers, written by `contexture token`.
//!
//! Decision: a change is made under a lock that every process takes, on a file beside it, and takes
//! the old file's place in one step; a reader sees the one or the other.

use super::entry::{Entry, Standing, StoredEntry};
use super::new::{NewToken, TOKENS_FILE, bad};
use super::secret::Secret;
use crate::fault::Fault;
use crate::serve::folder;
use contexture::context::Digest;
use contexture::llm::ledger::Amount;
use contexture::store::home;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The version of the file's form.
const VERSION: u64 = 1;
/// The largest file that is read, in bytes: some 40,000 tokens.
const FILE_BYTES: u64 = 16 << 20;
/// The longest name and owner, in bytes.
const NAME_BYTES: usize = 64;
const OWNER_BYTES: usize = 200;

#[derive(Serialize, Deserialize)]
struct Stored {
    version: u64,
    tokens: Vec<StoredEntry>,
}

/// The tokens in a data folder.
#[derive(Debug, Clone)]
pub struct TokenFile {
    folder: PathBuf,
    path: PathBuf,
}

impl TokenFile {
    /// Returns the tokens of this data folder.
    #[must_use]
    pub fn in_folder(data: &Path) -> Self {
        Self { folder: data.to_owned(), path: data.join(TOKENS_FILE) }
    }

    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns all tokens that were ever created, the oldest first.
    ///
    /// # Errors
    /// A [`Fault`] when the file can't be read or is not a file of tokens.
    pub fn list(&self) -> Result<Vec<Entry>, Fault> {
        match self.path.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            _ => {}
        }
        let text = contexture::reading::regular(&self.path, FILE_BYTES)
            .map_err(|error| bad(format!("the tokens can't be read: {error}")))?;
        read(&text).map_err(|what| bad(format!("{}: {what}", self.path.display())))
    }

    /// Creates a token. The secret can't be read again.
    ///
    /// # Errors
    /// A [`Fault`] when the name or owner can't be used, the name is taken, or the file can't be
    /// written.
    pub fn add(&self, new: NewToken) -> Result<(Entry, Secret), Fault> {
        let owner = new.owner.unwrap_or_else(|| new.name.clone());
        check_name(&new.name)?;
        check_owner(&owner)?;
        let (_lock, mut entries) = self.locked()?;
        let (id, now) = contexture::store::stamp::system().next();
        let now = now / 1000;
        let is_taken = |entry: &Entry| entry.name == new.name && entry.revoked.is_none();
        if let Some(taken) = entries.iter().find(|entry| is_taken(entry)) {
            let state = taken.standing(now).as_str();
            let message =
                format!("there is a token named `{}` already, which is {state}", new.name);
            let help =
                format!("take another name, or `contexture token revoke {}` first", new.name);
            return Err(bad(message).with_help(help));
        }
        let secret = Secret::new()?;
        let entry = Entry {
            id: format!("tok_{}", id.to_ascii_uppercase()),
            name: new.name,
            owner,
            senders: new.senders,
            scopes: new.scopes,
            spend: new.spend,
            spent: Amount::default(),
            created: now,
            expires: new.expires,
            revoked: None,
            digest: Digest::of_text(secret.expose()),
        };
        entries.push(entry.clone());
        self.write(&entries)?;
        Ok((entry, secret))
    }

    /// Revokes a token, by its id or name.
    ///
    /// # Errors
    /// A [`Fault`] when there is no such token that was not revoked before, or the file can't be
    /// written.
    pub fn revoke(&self, which: &str) -> Result<Entry, Fault> {
        let (_lock, mut entries) = self.locked()?;
        let now = contexture::store::stamp::system().now_us() / 1000;
        let is_meant = |entry: &Entry| entry.id == which || entry.name == which;
        let Some(entry) =
            entries.iter_mut().find(|entry| is_meant(entry) && entry.revoked.is_none())
        else {
            return Err(no_such(which, &entries));
        };
        entry.revoked = Some(now);
        let revoked = entry.clone();
        self.write(&entries)?;
        Ok(revoked)
    }

    /// Writes what the model calls of tokens have taken, by their ids. It is asked for once nobody
    /// else writes.
    ///
    /// # Errors
    /// A [`Fault`] when the file can't be read or written.
    pub(super) fn keep_spent(
        &self,
        taken: impl FnOnce() -> HashMap<Arc<str>, Amount>,
    ) -> Result<(), Fault> {
        let (_lock, mut entries) = self.locked()?;
        let taken = taken();
        if taken.is_empty() {
            return Ok(());
        }
        for entry in &mut entries {
            if let Some(spent) = taken.get(entry.id.as_str()) {
                entry.spent = *spent;
            }
        }
        self.write(&entries)
    }

    fn locked(&self) -> Result<(File, Vec<Entry>), Fault> {
        let path = self.folder.join("tokens.lock");
        let failed = |error: io::Error| bad(format!("{}: {error}", path.display()));
        folder::create(&self.folder).map_err(failed)?;
        let lock = home::private_file()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(failed)?;
        lock.lock().map_err(failed)?;
        let entries = self.list()?;
        Ok((lock, entries))
    }

    fn write(&self, entries: &[Entry]) -> Result<(), Fault> {
        let tokens = entries.iter().map(StoredEntry::from).collect();
        let stored = Stored { version: VERSION, tokens };
        let unfinished = self.folder.join(format!("tokens.{}.unfinished", std::process::id()));
        let written = (|| {
            // Left behind by a process of the same number.
            drop(fs::remove_file(&unfinished));
            let mut file = home::private_file().write(true).create_new(true).open(&unfinished)?;
            serde_json::to_writer_pretty(&mut file, &stored)?;
            file.write_all(b"\n")?;
            file.sync_all()?;
            drop(file);
            fs::rename(&unfinished, &self.path)
        })();
        written.map_err(|error: io::Error| {
            drop(fs::remove_file(&unfinished));
            bad(format!("{} can't be written: {error}", self.path.display()))
        })
    }
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
    let file: Stored = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if file.version != VERSION {
        return Err(format!("expected version {VERSION}, found {}", file.version));
    }
    file.tokens.into_iter().map(Entry::try_from).collect()
}
