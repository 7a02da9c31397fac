//! What the prompts of kept runs have in common at their heads, and what providers had of them in their
//! caches (EV-13).

use super::kept::{InspectError, Kept};
use contexture_context::Manifest;
use contexture_store::runs::{RunEntry, RunError, RunId, RunStore};
use serde::Serialize;
use std::collections::BTreeMap;

/// The most runs that are read, the newest ones.
pub const MOST_PREFIX_RUNS: usize = 100;

/// The prompts of a place in a program, each beside the one before it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct PrefixHits {
    /// The calls of the place.
    pub calls: u64,
    /// The calls that have one before them, of the same model.
    pub pairs: u64,
    /// The bytes of the prompts that have one after them.
    pub bytes: u64,
    /// Those of these bytes with which the next prompt begins, too.
    pub shared: u64,
    /// The tokens of the prompts whose provider told what it had in its cache.
    pub prompt_tokens: u64,
    /// The tokens that it had; absent when no provider told.
    pub cached_tokens: Option<u64>,
}

impl PrefixHits {
    /// Returns the share of the bytes with which the next prompt begins, too.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "a share needs no more digits")]
    pub fn share(&self) -> Option<f64> {
        (self.bytes > 0).then(|| self.shared as f64 / self.bytes as f64)
    }
}

/// Returns the number of bytes with which two texts begin alike.
#[must_use]
pub fn shared_prefix(one: &str, other: &str) -> usize {
    one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count()
}

/// Compares the prompts of a program's newest runs, by `file:line:column` of their calls, in the order in
/// which they were built.
///
/// # Errors
/// [`RunError`] when no run can be read. A prompt whose text is missing is left out.
pub fn prefix_hits(
    store: &dyn RunStore,
    program: &str,
) -> Result<BTreeMap<String, PrefixHits>, RunError> {
    let wanted = |entry: &RunEntry| entry.program == program;
    let list = store.list(&wanted, MOST_PREFIX_RUNS)?;
    let mut compared = Compared::default();
    for entry in list.entries.iter().rev() {
        let Some(id) = RunId::parse(&entry.run) else { continue };
        let Ok(log) = store.load(&id) else { continue };
        let kept = Kept { store, log: &log };
        for call in kept.calls() {
            compared.add(&call.manifest, text(kept, &call.manifest).ok());
        }
    }
    Ok(compared.hits)
}

/// Returns the messages of a prompt, one after the other.
pub(crate) fn text(kept: Kept<'_>, manifest: &Manifest) -> Result<String, InspectError> {
    let texts = manifest.messages.iter().map(|message| Ok(kept.message(message)?.text));
    Ok(texts.collect::<Result<Vec<String>, InspectError>>()?.join("\n"))
}

#[derive(Default)]
struct Compared {
    hits: BTreeMap<String, PrefixHits>,
    /// The last prompt of each place, with its model.
    last: BTreeMap<String, (String, String)>,
}

impl Compared {
    fn add(&mut self, manifest: &Manifest, text: Option<String>) {
        let site = manifest.site.to_string();
        let hits = self.hits.entry(site.clone()).or_default();
        hits.calls += 1;
        for attempt in &manifest.attempts {
            let Some(cached) = attempt.cached_tokens else { continue };
            hits.prompt_tokens += attempt.prompt_tokens.unwrap_or_default();
            *hits.cached_tokens.get_or_insert_default() += cached;
        }
        let Some(text) = text else { return };
        let model = manifest.model.uri.clone();
        if let Some((_, before)) = self.last.get(&site).filter(|(known, _)| *known == model) {
            hits.pairs += 1;
            hits.bytes += before.len() as u64;
            hits.shared += shared_prefix(before, &text) as u64;
        }
        self.last.insert(site, (model, text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ev_13_shared_prefix_counts_bytes_of_any_script() {
        assert_eq!(shared_prefix("abc", "abd"), 2);
        assert_eq!(shared_prefix("缓存", "缓"), 3);
        assert_eq!(shared_prefix("", "x"), 0);
    }
}
