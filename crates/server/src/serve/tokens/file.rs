//! `tokens.json`: read by servers, written by `contexture token`.
//!
//! Decision: a change is made under a lock that every process takes, on a file beside it, and takes
//! the old file's place in one step; a reader sees the one or the other.

use super::entry::time;
use super::entry::{Entry, Standing};
use super::expiry::moment;
use super::new::{NewToken, TOKENS_FILE, bad, scopes, senders};
use super::secret::{self, Secret};
use crate::fault::Fault;
use crate::serve::private;
use serde_json::{Map, Value, json};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The version of the file's form.
const VERSION: u64 = 1;
/// The largest file that is read, in bytes: some 40,000 tokens.
const FILE_BYTES: u64 = 16 << 20;
/// The longest name and owner, in bytes.
const NAME_BYTES: usize = 64;
const OWNER_BYTES: usize = 200;

/// The tokens in a data folder.
#[derive(Debug, Clone)]
pub struct TokenFile {
    folder: PathBuf,
    path: PathBuf,
}

impl TokenFile {
    /// The tokens of this data folder.
    #[must_use]
    pub fn in_folder(data: &Path) -> Self {
        Self { folder: data.to_owned(), path: data.join(TOKENS_FILE) }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All tokens that were ever made, the oldest first.
    ///
    /// # Errors
    /// A [`Fault`] when the file can't be read or is no file of tokens.
    pub fn list(&self) -> Result<Vec<Entry>, Fault> {
        match self.path.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            _ => {}
        }
        let text = contexture::reading::regular(&self.path, FILE_BYTES)
            .map_err(|error| bad(format!("the tokens can't be read: {error}")))?;
        read(&text).map_err(|what| bad(format!("{}: {what}", self.path.display())))
    }

    /// Makes a token. What is given back can't be had again.
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
            created: now,
            expires: new.expires,
            revoked: None,
            digest: secret::digest(secret.expose()),
        };
        entries.push(entry.clone());
        self.write(&entries)?;
        Ok((entry, secret))
    }

    /// Takes a token back, by its id or name.
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

    /// The tokens, which nobody else changes while the lock is held.
    fn locked(&self) -> Result<(File, Vec<Entry>), Fault> {
        let path = self.folder.join("tokens.lock");
        let failed = |error: io::Error| bad(format!("{}: {error}", path.display()));
        private::folder(&self.folder).map_err(failed)?;
        let lock =
            private::file().write(true).create(true).truncate(false).open(&path).map_err(failed)?;
        lock.lock().map_err(failed)?;
        let entries = self.list()?;
        Ok((lock, entries))
    }

    fn write(&self, entries: &[Entry]) -> Result<(), Fault> {
        let tokens: Vec<Value> = entries.iter().map(kept).collect();
        let text = serde_json::to_string_pretty(&json!({ "version": VERSION, "tokens": tokens }))
            .unwrap_or_default();
        let unfinished = self.folder.join(format!("tokens.{}.unfinished", std::process::id()));
        let written = (|| {
            // Left behind by a process of the same number.
            drop(fs::remove_file(&unfinished));
            let mut file = private::file().write(true).create_new(true).open(&unfinished)?;
            file.write_all(text.as_bytes())?;
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

fn kept(entry: &Entry) -> Value {
    let hex: String = entry.digest.iter().map(|byte| format!("{byte:02x}")).collect();
    json!({
        "id": entry.id,
        "name": entry.name,
        "owner": entry.owner,
        "sha256": hex,
        "senders": entry.senders.names(),
        "scopes": entry.scopes.names(),
        "created": time(entry.created),
        "expires": entry.expires.map(time),
        "revoked": entry.revoked.map(time),
    })
}

fn read(text: &str) -> Result<Vec<Entry>, String> {
    let whole: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let version = whole.get("version").and_then(Value::as_u64);
    if version != Some(VERSION) {
        let found = version.map_or_else(|| "none".to_owned(), |version| version.to_string());
        return Err(format!("expected version {VERSION}, found {found}"));
    }
    let tokens = whole.get("tokens").and_then(Value::as_array);
    let tokens = tokens.ok_or("expected a list of `tokens`")?;
    let entry = |(at, token): (usize, &Value)| {
        let fields = token.as_object().and_then(entry);
        fields.ok_or_else(|| format!("tokens[{at}] is no token"))
    };
    tokens.iter().enumerate().map(entry).collect()
}

fn entry(fields: &Map<String, Value>) -> Option<Entry> {
    let text = |name: &str| fields.get(name)?.as_str();
    let joined = |name: &str| {
        let words: Option<Vec<&str>> =
            fields.get(name)?.as_array()?.iter().map(Value::as_str).collect();
        Some(words?.join(","))
    };
    let optional = |name: &str| match fields.get(name) {
        None | Some(Value::Null) => Some(None),
        Some(value) => value.as_str().and_then(moment).map(Some),
    };
    Some(Entry {
        id: text("id")?.to_owned(),
        name: text("name")?.to_owned(),
        owner: text("owner")?.to_owned(),
        senders: senders(&joined("senders")?).ok()?,
        scopes: scopes(&joined("scopes")?).ok()?,
        created: text("created").and_then(moment)?,
        expires: optional("expires")?,
        revoked: optional("revoked")?,
        digest: digest(text("sha256")?)?,
    })
}

fn digest(hex: &str) -> Option<[u8; 32]> {
    let digits: Option<Vec<u32>> = hex.chars().map(|digit| digit.to_digit(16)).collect();
    let pairs = digits?;
    let bytes = pairs.chunks(2).map(|pair| pair.iter().fold(0, |sum, digit| sum * 16 + digit));
    let bytes: Option<Vec<u8>> = bytes.map(|byte| u8::try_from(byte).ok()).collect();
    (hex.len() == 64).then_some(bytes?)?.try_into().ok()
}
