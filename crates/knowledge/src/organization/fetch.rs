//! The port through which a registry is read, and one in memory.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};

/// The future of a fetch.
pub type Fetched<'f> = Pin<Box<dyn Future<Output = Result<Vec<u8>, FetchError>> + Send + 'f>>;

/// Fetches bytes from an address. Whoever implements it keeps to the rules about addresses, follows
/// redirections only within them, and gives up in time.
pub trait Fetch: Send + Sync {
    /// Returns the bytes at an address, of which there are at most `max_bytes`.
    fn get<'f>(&'f self, url: &'f str, max_bytes: u64) -> Fetched<'f>;
}

/// The reason why nothing was fetched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// Nobody answered.
    #[error("can't be reached: {0}")]
    Unreachable(String),
    /// The server has no such thing.
    #[error("{0}")]
    NotThere(String),
    /// The server answered that it can't give it now, or not to us.
    #[error("{0}")]
    NotGiven(String),
    /// There is too much of it.
    #[error("is larger than {limit} bytes")]
    TooLarge {
        /// The limit.
        limit: u64,
    },
    /// The address is not allowed.
    #[error("is refused: {0}")]
    Refused(String),
}

/// A web in memory: addresses with their bytes.
#[derive(Debug, Default)]
pub struct MemoryFetch {
    pages: BTreeMap<String, Vec<u8>>,
    asked: Mutex<Vec<String>>,
}

impl MemoryFetch {
    /// Returns a web of these pages; every other address answers 404. An empty one can't be
    /// reached.
    #[must_use]
    pub fn new(pages: impl IntoIterator<Item = (String, Vec<u8>)>) -> Self {
        Self { pages: pages.into_iter().collect(), asked: Mutex::default() }
    }

    /// Returns the addresses that were asked for, in their order.
    #[must_use]
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn answer(&self, url: &str, max_bytes: u64) -> Result<Vec<u8>, FetchError> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(url.to_owned());
        if self.pages.is_empty() {
            return Err(FetchError::Unreachable("there is no network".to_owned()));
        }
        let bytes =
            self.pages.get(url).ok_or_else(|| FetchError::NotThere("answered 404".to_owned()))?;
        if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > max_bytes {
            return Err(FetchError::TooLarge { limit: max_bytes });
        }
        Ok(bytes.clone())
    }
}

impl Fetch for MemoryFetch {
    fn get<'f>(&'f self, url: &'f str, max_bytes: u64) -> Fetched<'f> {
        let answer = self.answer(url, max_bytes);
        Box::pin(async move { answer })
    }
}
