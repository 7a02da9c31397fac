//! Which packs a task is about, by the words of the task and of the catalog.

use crate::index::terms::{Kind, Stream};
use crate::item::CatalogItem;
use crate::resolve::query::Query;
use std::collections::{HashMap, HashSet};
use tantivy::tokenizer::TokenStream;

/// A pack is selected when it has this part of the task's words, and at least two of them,
const SHARE: f64 = 0.15;

/// or this part, however few they are.
const CLEAR_SHARE: f64 = 0.4;

/// The words of a catalog.
pub(super) struct Selector {
    packs: HashMap<String, HashSet<String>>,
}

impl Selector {
    pub(super) fn new(items: &[&CatalogItem]) -> Self {
        let words = |item: &CatalogItem| terms(&format!("{} {}", item.name, item.description));
        Self { packs: items.iter().map(|item| (item.name.clone(), words(item))).collect() }
    }

    /// Reports whether the pack is selected for the task, and which part of its words it has. A
    /// word that several packs have tells less: it weighs in each of them by its part.
    pub(super) fn selects(&self, pack: &str, task: &str) -> (bool, f64) {
        let Some(known) = self.packs.get(pack) else { return (false, 0.0) };
        let query = Query::of(task);
        let (mut all, mut matched, mut count) = (0.0, 0.0, 0_usize);
        for term in query.terms.iter().filter(|term| term.is_content) {
            let packs = self.packs.values().filter(|words| words.contains(&term.text)).count();
            #[expect(
                clippy::cast_precision_loss,
                reason = "packs are counted in thousands at most"
            )]
            let weight = 1.0 / packs.max(1) as f64;
            all += weight;
            if known.contains(&term.text) {
                matched += weight;
                count += 1;
            }
        }
        let share = if all > 0.0 { matched / all } else { 0.0 };
        (share >= CLEAR_SHARE || (count >= 2 && share >= SHARE), share)
    }
}

/// Returns the words of a text; pairs of characters in scripts without spaces.
fn terms(text: &str) -> HashSet<String> {
    let mut stream = Stream::new(text);
    let mut terms = HashSet::new();
    while stream.advance() {
        if stream.kind() != Kind::One {
            terms.insert(stream.token().text.clone());
        }
    }
    terms
}
