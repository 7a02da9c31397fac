//! What was activated in a session, so that a guide comes once (KN-7).

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The packs whose guides a session has, with the digests that they had.
#[derive(Debug, Default)]
pub(crate) struct Activated(Mutex<BTreeMap<String, String>>);

impl Activated {
    /// Notes an activation; `false` when the session has this very guide.
    pub(crate) fn note(&self, pack: &str, digest: &str) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(pack.to_owned(), digest.to_owned()).is_none_or(|before| before != digest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kn_7_a_guide_comes_once_and_again_when_it_changed() {
        let activated = Activated::default();
        assert!(activated.note("acme", "1"));
        assert!(!activated.note("acme", "1"));
        assert!(activated.note("other", "1"));
        assert!(activated.note("acme", "2"));
        assert!(!activated.note("acme", "2"));
    }
}
