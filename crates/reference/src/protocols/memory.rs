//! `memory`: keys of the workspace's memory (REF-20), behind a small port.

use contexture_context::Trust;
use contexture_core::reference::{
    LoadError, LoadFuture, Loaded, Protocol, Request, Resource, Role,
};
use contexture_diagnostic::suggestion;
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// The result of [`Keys::find`], once it is there.
pub type KeysFuture<'a> = Pin<Box<dyn Future<Output = Result<Remembered, String>> + Send + 'a>>;

/// The answer of a memory for a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remembered {
    /// The text under it.
    Text(String),
    /// Nothing; these are keys that it has.
    Nothing(Vec<String>),
}

/// A memory that finds texts by key.
pub trait Keys: Send + Sync {
    /// Finds the text under a key; the error is the reason why the memory could not be read.
    fn find<'a>(&'a self, key: &'a str) -> KeysFuture<'a>;
}

/// Keys in memory: for tests.
impl Keys for BTreeMap<String, String> {
    fn find<'a>(&'a self, key: &'a str) -> KeysFuture<'a> {
        let found = match self.get(key) {
            Some(text) => Remembered::Text(text.clone()),
            None => Remembered::Nothing(self.keys().cloned().collect()),
        };
        Box::pin(async move { Ok(found) })
    }
}

/// The `memory` protocol.
#[derive(Clone)]
pub struct Memory {
    keys: Arc<dyn Keys>,
}

impl Memory {
    /// Creates the protocol over a memory.
    #[must_use]
    pub fn new(keys: Arc<dyn Keys>) -> Self {
        Self { keys }
    }

    /// Creates the protocol over texts by key.
    #[must_use]
    pub fn of<K: Into<String>, T: Into<String>>(texts: impl IntoIterator<Item = (K, T)>) -> Self {
        let texts: BTreeMap<String, String> =
            texts.into_iter().map(|(key, text)| (key.into(), text.into())).collect();
        Self::new(Arc::new(texts))
    }

    async fn get(&self, request: Request<'_>) -> Result<Loaded, LoadError> {
        let key = request.path;
        let fail = |message| LoadError::new("REF3035", request.reference, message);
        match self.keys.find(key).await {
            Err(reason) => Err(fail(format!("the memory could not be read: {reason}"))),
            Ok(Remembered::Text(text)) => {
                let resource =
                    Resource::of_text(request.reference, "text/plain", text, Trust::Memory);
                Ok(Loaded { resources: vec![resource], ..Loaded::default() })
            }
            Ok(Remembered::Nothing(keys)) => {
                let help = suggestion(key, keys.iter().map(String::as_str));
                Err(fail(format!("nothing is remembered under `{key}`"))
                    .with_help(help.unwrap_or_else(|| "add it to the memory first".to_owned())))
            }
        }
    }
}

impl Protocol for Memory {
    fn name(&self) -> &str {
        "memory"
    }

    fn role(&self) -> Role {
        Role::Source
    }

    fn connects(&self) -> bool {
        false
    }

    fn load<'a>(&'a self, request: Request<'a>) -> LoadFuture<'a> {
        Box::pin(self.get(request))
    }
}
