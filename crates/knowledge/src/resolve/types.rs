//! The questions to the resolver and its answers.

use crate::item::{CatalogItem, Grounding, PackTrust, ProducedBy, Status};
use contexture_context::Digest;
use serde::{Deserialize, Serialize};

/// The intent of a task, which decides where to look (KN-10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Intent {
    /// A fact is wanted.
    Answer,
    /// Details, reasons or relations are wanted: pages behind the compiled view join.
    Detail,
    /// Sources are wanted.
    Cite,
    /// Claims are to be checked against their sources.
    Verify,
    /// New sources are to be taken in.
    Ingest,
    /// A contradiction is to be settled.
    Dispute,
}

impl Intent {
    /// Reports whether `sources/` may be read and run findings are shown: the evidence tier (KN-1).
    #[must_use]
    pub const fn wants_evidence(self) -> bool {
        matches!(self, Self::Cite | Self::Verify | Self::Ingest | Self::Dispute)
    }
}

/// A task that needs context (KN-9).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// The question or instruction.
    pub text: String,
    /// The most tokens of [`Resolution::context`], fences and citation list counted in.
    pub budget: u64,
    /// Its intent; `None`: taken from its words.
    pub intent: Option<Intent>,
    /// True if the evidence tier joins whatever the intent is.
    pub evidence: bool,
    /// The grounding policy; `None`: as each pack declares.
    pub grounding: Option<Grounding>,
    /// True if the notice of the fence is in English.
    pub english: bool,
}

impl Task {
    /// Returns a task whose intent and grounding are left to its words and to the packs.
    #[must_use]
    pub fn new(text: impl Into<String>, budget: u64) -> Self {
        Self {
            text: text.into(),
            budget,
            intent: None,
            evidence: false,
            grounding: None,
            english: false,
        }
    }
}

/// The selection for a task, with its warnings (KN-9).
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Resolution {
    /// The files of the sections, each once, in the order of the sections. When several packs were
    /// asked, each begins with the name of its pack and a slash.
    pub selected_files: Vec<String>,
    /// The sections, in the order in which they stand in the context.
    pub sections: Vec<Section>,
    /// The source anchors of the sections, `FILE#FRAGMENT`, each once.
    pub source_anchors: Vec<String>,
    /// Findings of runs about the pack; only in the evidence tier.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<RunFinding>,
    /// The producers of the packs; only in the evidence tier.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub provenance: Vec<Provenance>,
    /// The tokens of the context.
    pub tokens: u64,
    /// Warnings for the reader about the packs and their content.
    pub warnings: Vec<String>,
    /// Facts that the task asks for and the packs do not have.
    pub missing: Vec<Missing>,
    /// Claims without a source and anchors that lead nowhere.
    pub citation_gaps: Vec<CitationGap>,
    /// The fenced text, ready for a prompt; empty when nothing was selected.
    pub context: String,
    /// The use of each pack, for the usage log, sessions and manifests.
    #[serde(skip)]
    pub uses: Vec<PackUse>,
}

/// What found a section (MA-7).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FoundBy {
    /// Its words.
    #[default]
    Lexical,
    /// Its meaning, by an embedder.
    Dense,
    /// Its words and its meaning.
    Both,
}

/// One section of the context.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Section {
    /// The pack it is from; absent when one pack was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pack: Option<String>,
    /// Its file, relative to the pack.
    pub path: String,
    /// The headings over it, outermost first, joined with ` > `.
    pub heading: String,
    /// Its first and last line in the file, counted from 1.
    pub lines: (u32, u32),
    /// Its BM25 score: the match with the task. Scores of one pack can be compared.
    pub score: f64,
    /// The tokens it takes in the context, its heading and source line included.
    pub tokens: u64,
    /// The reason why it was selected.
    pub reason: String,
    /// What found it.
    pub found_by: FoundBy,
    /// The citations of sections that say the same, and are left out for it.
    pub near_duplicates: Vec<String>,
    /// Its citation, such as `wiki/prices.md#L3-L9`: the lines that are shown (MA-9).
    pub citation: String,
    /// The source anchors in it or mapped to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub anchors: Vec<String>,
    /// The part that was cut off its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<SectionCut>,
}

/// A section found by a search (MA-10).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SearchHit {
    /// The pack it is from.
    pub pack: String,
    /// Its file, relative to the pack.
    pub path: String,
    /// The headings over it, outermost first, joined with ` > `.
    pub heading: String,
    /// Its score: the match with the question. Scores of one pack can be compared.
    pub score: f64,
    /// Its text, without its heading.
    pub text: String,
    /// Its citation, such as `wiki/prices.md#L3-L9`.
    pub anchor: String,
}

/// The sections that a search found, with the warnings about it (MA-7, MA-10).
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SearchHits {
    /// The sections, best first.
    pub hits: Vec<SearchHit>,
    /// What kept the search from its best, such as an embedder that failed.
    pub warnings: Vec<String>,
}

/// Returns the citation of lines of a file: `path#L3`, `path#L3-L9` (MA-9).
#[must_use]
pub fn citation(path: &str, first: u32, last: u32) -> String {
    if last > first { format!("{path}#L{first}-L{last}") } else { format!("{path}#L{first}") }
}

/// The kept part of a section; it ends at the end of a paragraph (KN-11).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SectionCut {
    /// The tokens of the part that was kept.
    pub kept_tokens: u64,
    /// The tokens of the whole section.
    pub whole_tokens: u64,
}

/// A fact that the task asks for and no pack has (KN-9).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Missing {
    /// The words of the task.
    pub fact: String,
    /// The recommended action: [`Missing::RECOMMENDATION`].
    pub recommendation: &'static str,
}

impl Missing {
    /// The recommendation for every missing fact.
    pub const RECOMMENDATION: &'static str = "ask_user_or_mark_unknown";

    /// Returns a missing fact.
    #[must_use]
    pub fn new(fact: impl Into<String>) -> Self {
        Self { fact: fact.into(), recommendation: Self::RECOMMENDATION }
    }
}

/// A claim without a source, or an anchor that leads nowhere (KN-12).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct CitationGap {
    /// The pack; absent when one pack was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pack: Option<String>,
    /// The file, relative to the pack.
    pub path: String,
    /// The line of the claim or anchor, counted from 1.
    pub line: u32,
    /// The claim or the anchor.
    pub text: String,
    /// The fault in it.
    pub problem: String,
}

/// A finding of a run (KN-9).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunFinding {
    /// The pack; absent when one pack was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pack: Option<String>,
    /// The file of the run, relative to the pack.
    pub path: String,
    /// Its severity, as the run reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<String>,
    /// The file that it is about, as the run reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// The finding.
    pub message: String,
}

/// The producer of a pack (KN-1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Provenance {
    /// The pack.
    pub pack: String,
    /// Its builder.
    #[serde(rename = "producedBy")]
    pub produced_by: ProducedBy,
}

/// The use of a pack (KN-14, KN-15).
#[derive(Debug, Clone, PartialEq)]
pub struct PackUse {
    /// The pack.
    pub item: CatalogItem,
    /// The files of its sections and, when it was read, its source map, each with the digest of the
    /// content that was read.
    pub files: Vec<(String, Digest)>,
    /// The files of its sections alone.
    pub selected_files: Vec<String>,
    /// The grounding policy that applied.
    pub grounding: Grounding,
    /// Its gaps.
    pub citation_gaps: Vec<CitationGap>,
    /// The warnings about it.
    pub warnings: Vec<String>,
    /// The tokens of its sections in the context.
    pub tokens: u64,
}

/// Returns the remarks on a pack that are shown with its content: its status, and who has checked
/// it.
#[must_use]
pub fn standing(item: &CatalogItem) -> Vec<String> {
    let name = &item.name;
    let status = match item.status {
        Status::Ready => None,
        Status::Draft => Some("is a draft: it is not finished"),
        Status::NeedsReview => Some("has the status needs-review: its gaps are not closed"),
        Status::Stale => Some("is stale: what it says may no longer be true"),
        Status::Disputed => Some("is disputed: what it says is contested"),
        Status::Archived => Some("is archived: it is kept and no longer in use"),
    };
    let trust = match item.trust {
        None => Some("declares no trust and counts as unreviewed: nobody has checked it"),
        Some(PackTrust::Unreviewed) => Some("is unreviewed: nobody has checked it"),
        Some(PackTrust::External) => Some("is external: it comes from somebody else"),
        Some(PackTrust::UserConfirmed | PackTrust::Official) => None,
    };
    [status, trust].into_iter().flatten().map(|what| format!("`{name}` {what}")).collect()
}
