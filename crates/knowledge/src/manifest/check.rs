//! The source's table of checks: which packs are left out, which load with a warning (KN-5).

use super::fields::{Fields, MetadataFields, ProducedByFields};
use crate::codes::{self, Code};
use crate::finding::Finding;
use crate::item::{
    CatalogItem, Grounding, Metadata, OUTSIDE_PRIMARY, PackTrust, ProducedBy, ProducerKind,
    Profile, Runtime, RuntimeMode, Status,
};
use crate::said;
use contexture_context::fence::suspicious;
use contexture_diagnostic::{Severity, suggestion};
use std::path::{Component, Path};

const MOST: usize = 4;

/// The types that the format knows; others need a namespace or are allowed one by one.
pub const KNOWN_TYPES: [&str; 5] = [
    "personal-profile",
    "brand-product",
    "organization-knowhow",
    "domain-reference",
    "research-wiki",
];

/// The result of reading a manifest.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Read {
    /// The pack; none when it is left out, and the findings show why.
    pub item: Option<CatalogItem>,
    /// Faults and doubts.
    pub findings: Vec<Finding>,
}

/// Makes the item of a pack from its fields, or returns why it is left out.
pub(super) fn item(
    fields: Fields,
    findings: Vec<Finding>,
    root: &Path,
    location: &Path,
    types: &[String],
) -> Read {
    let mut check = Check { location, findings };
    let name = check.name(fields.name, root);
    let kind = check.kind(fields.kind, types);
    let description = check.description(fields.description);
    let (Some(name), Some(kind), Some(description)) = (name, kind, description) else {
        // What is doubtful about a pack that is left out is of no use to anybody.
        check.findings.retain(|finding| finding.severity == Severity::Error);
        return Read { item: None, findings: check.findings };
    };
    let status = check.status(fields.status.as_deref());
    let item = CatalogItem {
        name,
        description,
        kind,
        status,
        trust: check.word("trust", fields.trust.as_deref(), PackTrust::from_word, "unreviewed"),
        profile: check.profile(fields.profile.as_deref()),
        runtime: Runtime {
            mode: check.mode(fields.runtime.and_then(|runtime| runtime.mode).as_deref()),
        },
        metadata: check.metadata(fields.metadata.unwrap_or_default()),
        version: present(fields.version),
        language: present(fields.language),
        grounding: check
            .word("grounding", fields.grounding.as_deref(), Grounding::from_word, "recommended")
            .unwrap_or_default(),
        license: present(fields.license),
        maintainers: fields.maintainers.unwrap_or_default(),
        scope: present(fields.scope),
        updated: present(fields.updated),
        compatibility: present(fields.compatibility),
        location: location.to_owned(),
        pack_root: root.to_owned(),
        diagnostics: Vec::new(),
    };
    check.look_twice(&item);
    Read { item: Some(item), findings: check.findings }
}

fn present(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

struct Check<'p> {
    location: &'p Path,
    findings: Vec<Finding>,
}

impl Check<'_> {
    fn note(&mut self, code: Code, message: impl Into<String>) {
        self.note_with(code, message, code.explanation);
    }

    fn note_with(&mut self, code: Code, message: impl Into<String>, help: impl Into<String>) {
        self.findings.push(Finding::new(code, self.location, message).with_help(help));
    }

    /// Scans the texts that are shown before anybody opens the pack, like its sections (KN-13).
    fn look_twice(&mut self, item: &CatalogItem) {
        let fields = [
            ("name", Some(&item.name)),
            ("description", Some(&item.description)),
            ("type", Some(&item.kind)),
            ("scope", item.scope.as_ref()),
            ("metadata.primaryDocument", item.metadata.primary_document.as_ref()),
        ];
        for (field, text) in fields {
            for found in text.map(|text| suspicious(text)).unwrap_or_default().iter().take(MOST) {
                self.note(codes::SUSPICIOUS_TEXT, format!("in `{field}`, {found}"));
            }
        }
    }

    fn name(&mut self, name: Option<String>, root: &Path) -> Option<String> {
        let folder = root.file_name().map(|folder| folder.to_string_lossy().into_owned());
        let Some(name) = present(name) else {
            let folder = folder.unwrap_or_default();
            self.note(codes::MISSING_NAME, format!("`name` is missing; `{folder}` is taken"));
            return self.addressable(folder);
        };
        if folder.is_some_and(|folder| folder != name) && problem(&name).is_none() {
            self.note(codes::NAME_DIFFERS, format!("`{name}` is not the name of the folder"));
        }
        self.addressable(name)
    }

    fn addressable(&mut self, name: String) -> Option<String> {
        let Some(problem) = problem(&name) else { return Some(name) };
        let shown: String = name.chars().take(80).flat_map(char::escape_debug).collect();
        self.note(codes::BAD_NAME, format!("`{shown}` cannot name a pack: {problem}"));
        None
    }

    fn kind(&mut self, kind: Option<String>, types: &[String]) -> Option<String> {
        let Some(kind) = present(kind) else {
            self.note(codes::MISSING_TYPE, "`type` is missing; the pack is left out");
            return None;
        };
        let has_namespace = kind
            .split_once(':')
            .is_some_and(|(space, rest)| !space.trim().is_empty() && !rest.trim().is_empty());
        let is_known = KNOWN_TYPES.contains(&kind.as_str());
        if is_known || has_namespace || types.contains(&kind) {
            return Some(kind);
        }
        let help = suggestion(&kind, KNOWN_TYPES)
            .unwrap_or_else(|| codes::UNKNOWN_TYPE.explanation.to_owned());
        let message = format!("the type `{kind}` is not known; the pack is left out");
        self.note_with(codes::UNKNOWN_TYPE, message, help);
        None
    }

    fn description(&mut self, description: Option<String>) -> Option<String> {
        let description = present(description);
        if description.is_none() {
            let message = "`description` is missing; the pack is left out";
            self.note(codes::MISSING_DESCRIPTION, message);
        }
        description.map(|text| text.trim().to_owned())
    }

    fn status(&mut self, status: Option<&str>) -> Status {
        let known = status.and_then(Status::from_word);
        match (known, status) {
            (Some(Status::Archived), _) => {
                self.note(codes::ARCHIVED, "the pack is archived: only shown when asked for");
            }
            (Some(Status::Draft), _) => {}
            (Some(status), _) => {
                if let Some(message) = status.caution() {
                    self.note(codes::NOT_CURRENT, message);
                }
            }
            (None, Some(word)) => {
                let message = format!("the status `{word}` is not known; the pack counts as draft");
                self.note(codes::NO_STATUS, message);
            }
            (None, None) => {
                self.note(codes::NO_STATUS, "`status` is missing; the pack counts as draft");
            }
        }
        known.unwrap_or(Status::Draft)
    }

    fn profile(&mut self, profile: Option<&str>) -> Profile {
        let Some(word) = profile else {
            let message = "`profile` is missing; for compatibility the pack is read as wiki-first";
            self.note(codes::NO_PROFILE, message);
            return Profile::WikiFirst;
        };
        Profile::from_word(word).unwrap_or_else(|| {
            let message =
                format!("the profile `{word}` is not known; the pack is read as wiki-first");
            self.note(codes::UNKNOWN_PROFILE, message);
            Profile::WikiFirst
        })
    }

    fn mode(&mut self, mode: Option<&str>) -> RuntimeMode {
        self.word("runtime.mode", mode, RuntimeMode::from_word, "data").unwrap_or_default()
    }

    /// Returns a word of a fixed set; another is noted and counts as absent.
    fn word<T>(
        &mut self,
        field: &str,
        word: Option<&str>,
        known: impl Fn(&str) -> Option<T>,
        instead: &str,
    ) -> Option<T> {
        let word = word?;
        let value = known(word);
        if value.is_none() {
            let message = format!("`{field}: {word}` is not known; it counts as {instead}");
            self.note(codes::UNKNOWN_VALUE, message);
        }
        value
    }

    fn metadata(&mut self, fields: MetadataFields) -> Metadata {
        let primary = present(fields.primary_document);
        let is_inside = primary.as_deref().is_none_or(stays_inside);
        if !is_inside {
            let shown = primary.as_deref().unwrap_or_default();
            let (before, after) = OUTSIDE_PRIMARY;
            let message = format!("{before}{}{after}", said::quote(shown));
            self.note(codes::BAD_PRIMARY, message);
        }
        Metadata {
            primary_document: primary.filter(|_| is_inside),
            produced_by: fields.produced_by.and_then(|by| self.produced_by(by)),
            site_root: present(fields.site_root),
        }
    }

    fn produced_by(&mut self, by: ProducedByFields) -> Option<ProducedBy> {
        let field = "metadata.producedBy.kind";
        let made = ProducedBy {
            kind: self.word(field, by.kind.as_deref(), ProducerKind::from_word, "absent"),
            name: present(by.name),
            version: present(by.version),
            digest: present(by.digest),
        };
        (made != ProducedBy::default()).then_some(made)
    }
}

/// Reports whether a path names something below the folder it is relative to.
fn stays_inside(path: &str) -> bool {
    let normal = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    Path::new(path).components().all(normal) && !path.contains('\\') && !path.contains('\0')
}

const MAX_CHARACTERS: usize = 128;

/// Returns the reason why a name can't address a pack; nothing when it can.
pub(crate) fn problem(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        Some("it is empty")
    } else if name.contains(['/', '\\']) {
        Some("it has a slash or backslash in it, as a path has")
    } else if matches!(name, "." | "..") {
        Some("it is a path")
    } else if name.chars().any(is_unseen) {
        Some("it has control or invisible characters in it")
    } else if name.trim() != name {
        Some("it begins or ends with a blank")
    } else if name.chars().count() > MAX_CHARACTERS {
        Some("it has more than 128 characters")
    } else {
        None
    }
}

/// Reports whether nobody sees the character, so that two names could look the same.
fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}
