//! The stored contexts of a project: their sealed parts, and the key that seals them (CP-19).
//!
//! Decision: the settings never contain the key, only its place. The id of a key is derived from
//! it, so that a key is replaced by writing the new one before the old ones, and nobody has to name
//! keys.

use crate::project::Project;
use crate::reading;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use contexture_context::Digest;
use contexture_diagnostic::MissingFeature;
use contexture_store::contexts::{
    AeadSealer, ContextError, ContextStore, MessageField, Options, SealError, Sealer, Sensitive,
};
use std::path::Path;
use std::sync::Arc;

/// The name of the file of contexts in a data folder.
pub const CONTEXTS_FILE: &str = "contexts.db";
/// The largest file of keys, in bytes.
const KEY_FILE_BYTES: u64 = 4096;
const HELP: &str = "`openssl rand -hex 32` makes a key";

/// The reason why stored contexts can't be opened with the settings of `[serve.sensitive]`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// Something is declared sensitive, and no key is named.
    #[error("serve.sensitive: expected `key_env` or `key_file`, found neither")]
    NoPlace,
    /// Two places are named.
    #[error("serve.sensitive: expected one of `key_env` and `key_file`, found both")]
    TwoPlaces,
    /// The variable is not set.
    #[error("serve.sensitive.key_env: the environment has no variable `{0}`")]
    NotSet(String),
    /// The file can't be read.
    #[error("serve.sensitive.key_file: {0}")]
    File(#[from] reading::ReadError),
    /// The text there is not a key.
    #[error(
        "{place}: key {number} is none: expected 32 bytes, as 64 hexadecimal digits or 43 \
         characters of base64"
    )]
    NoKey {
        /// The setting.
        place: &'static str,
        /// The number of the key, from 1.
        number: usize,
    },
    /// The keys don't fit together.
    #[error("{place}: {error}")]
    Seal {
        /// The setting.
        place: &'static str,
        /// The fault.
        error: SealError,
    },
}

impl KeyError {
    /// Returns how to fix it.
    #[must_use]
    pub const fn help(&self) -> &'static str {
        HELP
    }
}

/// The reason why stored contexts can't be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// Their key can't be used.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The store refuses.
    #[error(transparent)]
    Store(#[from] ContextError),
    /// This build has no store, and the project was given none.
    #[error(transparent)]
    Missing(#[from] MissingFeature),
}

/// Opens the contexts of a project: those of the store that it was given, else those in a file,
/// which is created when it is missing.
///
/// # Errors
/// [`OpenError`].
pub fn open(project: &Project, file: &Path) -> Result<Arc<dyn ContextStore>, OpenError> {
    if let Some(given) = &project.stores.contexts {
        return Ok(Arc::clone(given));
    }
    embedded(file, options(project)?)
}

#[cfg(feature = "store-sqlite")]
fn embedded(file: &Path, options: Options) -> Result<Arc<dyn ContextStore>, OpenError> {
    Ok(Arc::new(contexture_store::contexts::SqliteContexts::open(file, options)?))
}

#[cfg(not(feature = "store-sqlite"))]
fn embedded(_: &Path, _: Options) -> Result<Arc<dyn ContextStore>, OpenError> {
    Err(OpenError::Missing(MissingFeature { part: "store of contexts", feature: "store-sqlite" }))
}

/// Opens the contexts of a project as [`open`] does, but creates no file; `None` when there is
/// none.
///
/// # Errors
/// [`OpenError`].
pub fn find(project: &Project, file: &Path) -> Result<Option<Arc<dyn ContextStore>>, OpenError> {
    if project.stores.contexts.is_none() && !file.exists() {
        return Ok(None);
    }
    open(project, file).map(Some)
}

/// Returns the options for the contexts of a project: its key, and the fields declared sensitive.
///
/// # Errors
/// [`KeyError`] when the key can't be used.
pub fn options(project: &Project) -> Result<Options, KeyError> {
    let declared = &project.config.serve.sensitive;
    let sealer = sealer(project)?;
    if sealer.is_none() && !declared.is_empty() {
        return Err(KeyError::NoPlace);
    }
    let fields = declared.messages.iter();
    let sensitive = Sensitive {
        state: declared.state.clone(),
        messages: fields
            .map(|field| MessageField { kind: field.kind.clone(), path: field.path.clone() })
            .collect(),
    };
    Ok(Options { sealer, sensitive, ..Options::default() })
}

/// Returns the sealer with the keys that the settings name; `None` when they name none.
///
/// # Errors
/// [`KeyError`] when the key can't be used.
pub fn sealer(project: &Project) -> Result<Option<Arc<dyn Sealer>>, KeyError> {
    let declared = &project.config.serve.sensitive;
    let (place, keys) = match (&declared.key_env, &declared.key_file) {
        (None, None) => return Ok(None),
        (Some(_), Some(_)) => return Err(KeyError::TwoPlaces),
        (Some(name), None) => {
            let value = project.environment.get(name);
            let value = value.ok_or_else(|| KeyError::NotSet(name.clone()))?;
            ("serve.sensitive.key_env", value.to_owned())
        }
        (None, Some(file)) => {
            let text = reading::regular(&project.root.join(file), KEY_FILE_BYTES)?;
            ("serve.sensitive.key_file", text)
        }
    };
    let words = keys.split(|sign: char| sign == ',' || sign.is_whitespace());
    let mut sealer: Option<AeadSealer> = None;
    for (at, word) in words.filter(|word| !word.is_empty()).enumerate() {
        let key = key(word).ok_or(KeyError::NoKey { place, number: at.saturating_add(1) })?;
        let id = id(&key);
        let next = match sealer {
            None => AeadSealer::new(&id, &key),
            Some(sealer) => sealer.and_opens(&id, &key),
        };
        sealer = Some(next.map_err(|error| KeyError::Seal { place, error })?);
    }
    match sealer {
        Some(sealer) => Ok(Some(Arc::new(sealer))),
        None => Err(KeyError::NoKey { place, number: 1 }),
    }
}

/// Returns the id of a key, which reveals nothing about it.
fn id(key: &[u8]) -> String {
    let labelled = [b"contexture key id\0".as_slice(), key].concat();
    let digest = Digest::of_bytes(&labelled).to_string();
    let hex: String = digest.chars().rev().take(12).collect();
    format!("k{hex}")
}

fn key(text: &str) -> Option<Vec<u8>> {
    let key = if text.len() == 64 { hex(text) } else { None };
    let text = text.trim_end_matches('=');
    let key = key
        .or_else(|| STANDARD_NO_PAD.decode(text).ok())
        .or_else(|| URL_SAFE_NO_PAD.decode(text).ok())?;
    (key.len() == 32).then_some(key)
}

fn hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u32>> = text.chars().map(|digit| digit.to_digit(16)).collect();
    let byte = |pair: &[u32]| u8::try_from(pair.iter().fold(0, |sum, digit| sum * 16 + digit)).ok();
    digits?.chunks(2).map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, Environment};

    const HEX: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
    const OTHER: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHiA=";

    fn project(settings: &str, vars: &[(&str, &str)]) -> Project {
        let config = Config::parse("contexture.toml", settings).unwrap();
        let environment = Environment::of(vars.iter().copied());
        Project::with_config(std::path::Path::new("/nowhere"), config, environment)
    }

    const DECLARED: &str = "[serve.sensitive]\nstate = [\"userPreferences.email\"]\n\
                            messages = [\"USER_INPUT:content.text\"]\nkey_env = \"KEY\"\n";

    #[test]
    fn cp_19_contexts_open_with_declared_fields_and_their_keys() {
        let options = options(&project(DECLARED, &[("KEY", HEX)])).unwrap();
        assert_eq!(options.sensitive.state[0].as_str(), "userPreferences.email");
        assert_eq!(options.sensitive.messages[0].kind.as_deref(), Some("USER_INPUT"));
        let sealed = options.sealer.unwrap().seal("p", b"x").unwrap();
        let both = format!("{OTHER}, {HEX}");
        let replaced = super::options(&project(DECLARED, &[("KEY", &both)])).unwrap();
        assert_eq!(replaced.sealer.unwrap().open("p", &sealed).unwrap(), b"x");
        let other = super::options(&project(DECLARED, &[("KEY", OTHER)])).unwrap();
        assert!(matches!(other.sealer.unwrap().open("p", &sealed), Err(SealError::KeyMissing(_))));
    }

    #[test]
    fn cp_19_a_key_that_can_not_be_used_is_told() {
        let refused = |settings: &str, key: &str| {
            let refused = options(&project(settings, &[("KEY", key)])).err().unwrap();
            refused.to_string()
        };
        assert!(refused(DECLARED, "").contains("no variable `KEY`"));
        for wrong in ["short", HEX.split_at(1).1, "ä", ","] {
            assert!(refused(DECLARED, wrong).contains("key 1 is none"), "{wrong}");
        }
        assert!(refused(DECLARED, &format!("{HEX},{HEX}")).contains("two keys"), "the same twice");
        assert!(refused("[serve.sensitive]\nstate = [\"a\"]\n", "").contains("found neither"));
        let both = format!("{DECLARED}key_file = \"k\"\n");
        assert!(refused(&both, HEX).contains("found both"));
        let file = DECLARED.replace("key_env", "key_file");
        assert!(refused(&file, HEX).contains("key_file"));
        let unknown =
            Config::parse("contexture.toml", "[serve.sensitive]\nmessages = [\"text\"]\n");
        assert!(unknown.unwrap_err().to_string().contains("begins with `content`"));
    }
}
