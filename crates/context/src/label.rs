//! Labels: the integrity of a value, its sources, and who may read it (GU-3).

use crate::Trust;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The most sources that a label names; more are "many".
pub const MOST_SOURCES: usize = 16;

/// The most steps between a source and a value that a label names.
const MOST_STEPS: usize = 8;

/// The label of a value.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Label {
    /// The lowest trust level of all that the value was made of or decided by.
    pub trust: Trust,
    /// The sources that it came from; those that the program wrote are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Source>,
    /// True if it has more sources than are named.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
    /// The readers that it may be shown to.
    #[serde(default, skip_serializing_if = "Readers::is_everyone")]
    pub readers: Readers,
}

/// The source of a value: an item, the input, or the result of a call.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub struct Source {
    /// Its name: a path, a URL, `input`, or a call such as `Web.get`.
    pub source: String,
    /// Its trust level.
    pub trust: Trust,
    /// The answers that it went through, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<String>,
}

impl Source {
    /// Creates a source that a value came from directly.
    #[must_use]
    pub fn new(source: impl Into<String>, trust: Trust) -> Self {
        Self { source: source.into(), trust, path: Vec::new() }
    }

    /// Returns the source as seen behind another step.
    #[must_use]
    pub fn through(mut self, step: &str) -> Self {
        if self.path.len() >= MOST_STEPS {
            self.path.remove(MOST_STEPS / 2);
        }
        self.path.push(step.to_owned());
        self
    }
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.source)?;
        self.path.iter().try_for_each(|step| write!(f, " → {step}"))
    }
}

/// The readers that a value may be shown to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Readers {
    /// Everybody.
    #[default]
    Everyone,
    /// The owner, and these origins, such as `https://api.example.com`.
    Origins(BTreeSet<String>),
}

impl Readers {
    /// The owner alone.
    pub const OWNER: Self = Self::Origins(BTreeSet::new());

    /// Reports whether everybody may read it.
    #[must_use]
    pub fn is_everyone(&self) -> bool {
        matches!(self, Self::Everyone)
    }

    /// Reports whether an origin may read it.
    #[must_use]
    pub fn include(&self, origin: &str) -> bool {
        match self {
            Self::Everyone => true,
            Self::Origins(origins) => origins.contains(origin),
        }
    }

    /// Returns the readers of a value made of two: those who may read both.
    #[must_use]
    pub fn both(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Everyone, readers) | (readers, Self::Everyone) => readers.clone(),
            (Self::Origins(left), Self::Origins(right)) => {
                Self::Origins(left.intersection(right).cloned().collect())
            }
        }
    }
}

impl Label {
    /// Creates the label of a value that came from one source.
    #[must_use]
    pub fn of(source: impl Into<String>, trust: Trust) -> Self {
        Self { trust, sources: vec![Source::new(source, trust)], ..Self::default() }
    }

    /// Returns the label with other readers.
    #[must_use]
    pub fn with_readers(mut self, readers: Readers) -> Self {
        self.readers = readers;
        self
    }

    /// Returns the label of a value made of two.
    #[must_use]
    pub fn join(mut self, other: &Self) -> Self {
        self.trust = self.trust.least(other.trust);
        self.more |= other.more;
        for source in &other.sources {
            if self.sources.contains(source) {
                continue;
            }
            if self.sources.len() == MOST_SOURCES {
                self.more = true;
                break;
            }
            self.sources.push(source.clone());
        }
        self.readers = self.readers.both(&other.readers);
        self
    }

    /// Returns the label of an answer to a prompt of this label: as low as the lowest that the
    /// prompt held, and never above [`Trust::Model`] (GU-4).
    #[must_use]
    pub fn answered(mut self, step: &str) -> Self {
        self.trust = self.trust.least(Trust::Model);
        self.sources = self.sources.into_iter().map(|source| source.through(step)).collect();
        if self.sources.is_empty() {
            self.sources.push(Source::new(step, Trust::Model));
        }
        self
    }

    /// Returns the label of a value that was kept as `step` and read as `name`: a way that comes
    /// back to where it was kept is cut there, so that a cycle adds nothing (GU-4).
    #[must_use]
    pub fn kept(mut self, step: &str, name: &str) -> Self {
        let through = |mut source: Source| {
            match source.path.iter().position(|known| known == step) {
                Some(at) => source.path.truncate(at + 1),
                None => source = source.through(step),
            }
            source
        };
        let others = std::mem::take(&mut self.sources).into_iter();
        let others = others.filter(|source| source.source != name).map(through);
        let sources = others.collect();
        Self::default().join(&Self { sources, ..self })
    }

    /// Returns the label of a value that a program let up for a reason, to `trust` (GU-4): its sources
    /// stay, with `way` as their last step.
    #[must_use]
    pub fn released(mut self, way: &str, trust: Trust) -> Self {
        if self.is_below_user() {
            self.trust = trust;
            self.sources = self.sources.into_iter().map(|source| source.through(way)).collect();
        }
        self
    }

    /// Reports whether something below the user had an influence. An answer to a prompt that held
    /// nothing lower counts as the prompt's own word.
    #[must_use]
    pub fn is_below_user(&self) -> bool {
        self.trust > Trust::Model
    }
}

impl Label {
    /// Reports whether it names a source below the user, even if a program let the value up since.
    #[must_use]
    pub fn is_of_low_sources(&self) -> bool {
        self.more || self.sources.iter().any(|source| source.trust > Trust::Model)
    }
}

impl From<Trust> for Label {
    fn from(trust: Trust) -> Self {
        Self { trust, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gu_3_joined_label_has_lowest_trust_all_sources_and_common_readers() {
        let origins = |all: &[&str]| Readers::Origins(all.iter().map(|&one| one.into()).collect());
        let page =
            Label::of("https://a", Trust::Web).with_readers(origins(&["https://a", "https://b"]));
        let file = Label::of("a.md", Trust::Tool).with_readers(origins(&["https://b"]));
        let both = Label::default().join(&page).join(&file).join(&page);
        assert_eq!(both.trust, Trust::Web);
        assert_eq!(both.sources.len(), 2, "each once");
        assert_eq!(both.readers, origins(&["https://b"]));
        assert!(both.readers.include("https://b") && !both.readers.include("https://a"));
    }

    #[test]
    fn gu_3_label_of_very_many_sources_says_many() {
        let all = (0..1_000_000).step_by(50_000);
        let label = all.fold(Label::default(), |label, number| {
            label.join(&Label::of(format!("{number}.md"), Trust::Tool))
        });
        assert_eq!((label.sources.len(), label.more), (MOST_SOURCES, true));
    }

    #[test]
    fn gu_4_cycle_through_store_keeps_sources_and_does_not_grow() {
        let mut kept = Label::of("page", Trust::Web).answered("answer 1");
        for turn in 1..100 {
            let read =
                Label::of("Notes.query", Trust::Memory).join(&kept.kept("memory n", "Notes.query"));
            assert_eq!((read.sources.len(), read.more), (2, false), "{read:?}");
            assert_eq!(read.sources[1].to_string(), "page → answer 1 → memory n");
            assert_eq!(read.trust, Trust::Web);
            kept = read.answered(&format!("answer {turn}"));
        }
    }

    #[test]
    fn gu_4_answer_has_at_most_trust_of_prompt_and_names_path() {
        let answer = Label::of("README.md", Trust::Tool).answered("answer 2");
        assert_eq!(answer.trust, Trust::Tool);
        assert_eq!(answer.sources[0].to_string(), "README.md → answer 2");
        let clean = Label::of("input", Trust::User).answered("answer 1");
        assert_eq!((clean.trust, clean.is_below_user()), (Trust::Model, false));
        let far = (0..100).fold(answer, |label, step| label.answered(&format!("answer {step}")));
        assert!(
            far.sources[0].path.len() <= 8 && far.sources[0].to_string().ends_with("answer 99")
        );
    }
}
