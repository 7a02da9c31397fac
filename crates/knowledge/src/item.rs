//! The item of the catalog: facts about a pack that is not opened (KN-4).

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The name that makes a folder a pack.
pub const GUIDE_FILE: &str = "KNOWLEDGE.md";

/// The largest guide that is read, in bytes.
pub const MAX_GUIDE_BYTES: u64 = 1 << 20;

/// The degree to which a pack is finished (KN-4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Not finished: programs ask before they use it.
    Draft,
    /// In use.
    Ready,
    /// In use, with gaps to be shown.
    NeedsReview,
    /// Perhaps no longer true: used with a warning.
    Stale,
    /// Contested: used after explicit confirmation.
    Disputed,
    /// Kept, and shown only when asked for.
    Archived,
}

/// The degree to which a pack's content was checked, as the pack itself reports (KN-4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PackTrust {
    /// By nobody.
    Unreviewed,
    /// By its user.
    UserConfirmed,
    /// By the one it is about.
    Official,
    /// It comes from somebody else.
    External,
}

/// The part of a pack that answers (KN-4, KN-10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// In `compiled/splits/`, made from a primary document.
    DocumentFirst,
    /// In `compiled/`, with pages in `wiki/` behind it.
    WikiFirst,
    /// In both, by the task.
    Hybrid,
}

/// The use of the content (KN-4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RuntimeMode {
    /// Facts.
    #[default]
    Data,
    /// Tone, persona and taboos as well; still data, never an instruction.
    Persona,
}

/// The rule on sources of claims (KN-4, KN-12).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grounding {
    /// No.
    None,
    /// It would be good.
    #[default]
    Recommended,
    /// Each claim; what has none is reported.
    Required,
}

/// The scope in which a pack was found, in falling precedence (KN-2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// Named by its path.
    Explicit,
    /// In the project.
    Project,
    /// In the home of the user.
    User,
    /// Given by the organization: a folder, an archive, a registry.
    Organization,
    /// Shipped with the program.
    BuiltIn,
}

/// Gives each kind its word, as packs, catalogs, records and logs write it.
macro_rules! words {
    ($($kind:ident: $($value:ident $word:literal),+;)+) => {$(
        impl $kind {
            /// All values.
            pub const ALL: &'static [Self] = &[$(Self::$value),+];

            /// Returns the word that is written.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$value => $word),+ }
            }

            /// Returns the value of a word.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.as_str() == word)
            }
        }

        impl std::fmt::Display for $kind {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    )+};
}

pub(crate) use words;

words! {
    Status: Draft "draft", Ready "ready", NeedsReview "needs-review", Stale "stale",
        Disputed "disputed", Archived "archived";
    PackTrust: Unreviewed "unreviewed", UserConfirmed "user-confirmed", Official "official",
        External "external";
    Profile: DocumentFirst "document-first", WikiFirst "wiki-first", Hybrid "hybrid";
    RuntimeMode: Data "data", Persona "persona";
    Grounding: None "none", Recommended "recommended", Required "required";
    Scope: Explicit "explicit", Project "project", User "user", Organization "organization",
        BuiltIn "built-in";
    ProducerKind: Skill "skill", Tool "tool", Manual "manual", Import "import";
}

/// The metadata of a pack from its `KNOWLEDGE.md`, the source's `KnowledgeCatalogItem`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CatalogItem {
    /// Its name.
    pub name: String,
    /// Its subject and purpose.
    pub description: String,
    /// Its kind, such as `brand-product` or `custom:recipes`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The degree to which it is finished.
    pub status: Status,
    /// The degree to which it was checked.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub trust: Option<PackTrust>,
    /// Its effective profile.
    pub profile: Profile,
    /// Its use; the effective mode.
    #[serde(default)]
    pub runtime: Runtime,
    /// Its producer and its main document.
    #[serde(skip_serializing_if = "Metadata::is_empty", default)]
    pub metadata: Metadata,
    /// Its version.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub version: Option<String>,
    /// The language of its texts.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub language: Option<String>,
    /// The rule on sources of claims.
    #[serde(default)]
    pub grounding: Grounding,
    /// Its licence.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub license: Option<String>,
    /// The people who keep it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub maintainers: Vec<String>,
    /// The area it covers, in its author's words.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub scope: Option<String>,
    /// Its last update, as its author reports.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub updated: Option<String>,
    /// Compatible systems, in its author's words.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub compatibility: Option<String>,
    /// The path of its `KNOWLEDGE.md`.
    pub location: PathBuf,
    /// The path of its folder.
    pub pack_root: PathBuf,
    /// Probable mistakes, in words; the same as the diagnostics with their codes.
    pub diagnostics: Vec<String>,
}

impl Status {
    /// Returns the meaning of a status for users of the pack, when it is not simply ready.
    pub(crate) fn caution(self) -> Option<&'static str> {
        match self {
            Self::Ready | Self::Archived => None,
            Self::Draft => Some("the pack is a draft: what it says is not finished"),
            Self::NeedsReview => Some("the pack needs review: it may have gaps"),
            Self::Stale => Some("the pack is stale: what it says may no longer be true"),
            Self::Disputed => Some("the pack is disputed: using it needs explicit confirmation"),
        }
    }
}

impl CatalogItem {
    /// Reports whether the manifest names a primary document that lies outside the pack and is
    /// ignored.
    pub(crate) fn primary_is_outside(&self) -> bool {
        self.metadata.primary_document.is_none()
            && self.diagnostics.iter().any(|told| {
                told.starts_with(OUTSIDE_PRIMARY.0) && told.ends_with(OUTSIDE_PRIMARY.1)
            })
    }
}

/// The texts by which the diagnostic about a primary document outside the pack begins and ends.
pub(crate) const OUTSIDE_PRIMARY: (&str, &str) =
    ("the primary document `", "` lies outside the pack");

/// The use of a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Runtime {
    /// The mode.
    #[serde(default)]
    pub mode: RuntimeMode,
}

/// Further facts of a pack.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    /// The main document of a document-first pack, relative to its folder.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub primary_document: Option<String>,
    /// Its producer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub produced_by: Option<ProducedBy>,
    /// The beginning of the addresses that the pages of `wiki/` have on their site, such as `/docs/`:
    /// links from there lead to pages of the pack (MA-5).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub site_root: Option<String>,
}

impl Metadata {
    /// Reports whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The producer of a pack. It is evidence, shown for citation, checking and dispute (KN-1).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ProducedBy {
    /// The kind of producer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub kind: Option<ProducerKind>,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub name: Option<String>,
    /// Its version.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub version: Option<String>,
    /// Its digest.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub digest: Option<String>,
}

/// The kinds of makers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProducerKind {
    /// A skill of an agent.
    Skill,
    /// A program.
    Tool,
    /// A person, by hand.
    Manual,
    /// Taken over from elsewhere.
    Import,
}
