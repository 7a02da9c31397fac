//! A new pack: the folders of its profile, with texts to replace (KN-17).

use super::error::MaintenanceError;
use super::record::told;
use crate::discovery::is_skipped;
use crate::item::{Profile, Status};
use crate::manifest;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const MAX_NAME: usize = 64;

/// The properties of a new pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPack<'a> {
    /// Its name, which its folder gets as well.
    pub name: &'a str,
    /// Its profile.
    pub profile: Profile,
    /// Its subject and purpose; a text to replace when there is none.
    pub description: Option<&'a str>,
    /// Its type, such as `brand-product`; `domain-reference` when there is none.
    pub kind: Option<&'a str>,
    /// The types that are allowed besides the known ones.
    pub types: &'a [String],
}

/// Makes a new pack in the folder `into`, which holds packs: a draft that passes
/// [`validate`](super::validate) but for being one.
///
/// Gives the files that were written, the first being its `KNOWLEDGE.md`.
///
/// # Errors
/// [`MaintenanceError`] when the name is bad, the pack would be left out when packs are
/// looked for, something is there already, or the system refuses.
pub fn new(pack: &NewPack<'_>, into: &Path) -> Result<Vec<PathBuf>, MaintenanceError> {
    if let Some(reason) = name_problem(pack.name) {
        return Err(MaintenanceError::BadName { name: pack.name.to_owned(), reason });
    }
    if is_skipped(pack.name) {
        let reason = "folders of that name are never searched for packs";
        return Err(MaintenanceError::BadName { name: pack.name.to_owned(), reason });
    }
    let root = into.join(pack.name);
    let read = manifest::read(&guide(pack), &root, pack.types);
    if read.item.is_none() {
        let reasons: Vec<String> = read.findings.into_iter().map(|found| found.message).collect();
        return Err(MaintenanceError::LeftOut { reason: reasons.join("; ") });
    }
    let failed = |path: &Path, error: io::Error| MaintenanceError::NotWritten {
        path: path.to_owned(),
        reason: told(&error),
    };
    fs::create_dir_all(into).map_err(|error| failed(into, error))?;
    fs::create_dir(&root).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => MaintenanceError::Exists { path: root.clone() },
        _ => failed(&root, error),
    })?;
    let mut written = Vec::new();
    for (path, text) in files(pack) {
        let path = root.join(path);
        write(&path, &text).map_err(|error| failed(&path, error))?;
        written.push(path);
    }
    Ok(written)
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    OpenOptions::new().write(true).create_new(true).open(path)?.write_all(text.as_bytes())
}

/// Returns the reason why a name is not one that every client takes: lower-case letters, digits and hyphens.
pub(crate) fn name_problem(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        return Some("it is empty");
    }
    if name.len() > MAX_NAME {
        return Some("it is longer than 64 characters");
    }
    if !name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-')) {
        return Some("only lower-case letters, digits and hyphens may stand in it");
    }
    let is_loose = name.starts_with('-') || name.ends_with('-') || name.contains("--");
    is_loose.then_some("hyphens stand alone between letters or digits")
}

fn files(pack: &NewPack<'_>) -> Vec<(String, String)> {
    let name = pack.name;
    let mut files = vec![
        ("KNOWLEDGE.md".to_owned(), guide(pack)),
        ("compiled/briefing.md".to_owned(), BRIEFING.to_owned()),
        ("sources/notes.md".to_owned(), SOURCE.to_owned()),
        ("evals/discovery.validation.json".to_owned(), evals(pack)),
    ];
    if pack.profile != Profile::WikiFirst {
        let (document, split) =
            (format!("documents/{name}.md"), format!("compiled/splits/{name}/01-overview.md"));
        files.push((document.clone(), format!("# {}\n\n{OVERVIEW}", title(name))));
        files.push((
            split.clone(),
            format!("{}\n[source: {document}#overview]\n", OVERVIEW.replacen("## ", "# ", 1)),
        ));
        files.push(("indexes/source-map.json".to_owned(), source_map(&document, &split)));
    }
    if pack.profile != Profile::DocumentFirst {
        files.push(("wiki/index.md".to_owned(), format!("# {}\n\n{WIKI_INDEX}", title(name))));
        files.push(("wiki/overview.md".to_owned(), OVERVIEW.replacen("## ", "# ", 1)));
    }
    files
}

const BRIEFING: &str = "\
# Briefing

- What is asked most often, one fact a line, with its source. [source: sources/notes.md#L3]
";

const OVERVIEW: &str = "\
## Overview

Write what is known, in sections that each answer one question. [source: sources/notes.md#L3]
";

const SOURCE: &str = "\
# Notes

Put what the knowledge comes from here: reports, interviews, records.
";

const WIKI_INDEX: &str = "\
- [Overview](overview.md)
";

/// `acme-brief` as a title: `Acme brief`.
pub(crate) fn title(name: &str) -> String {
    let words = name.replace('-', " ");
    let mut rest = words.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}

fn guide(pack: &NewPack<'_>) -> String {
    let name = pack.name;
    let description = pack.description.map_or_else(
        || format!("What is known about {}, and for which tasks it is meant.", title(name)),
        str::to_owned,
    );
    let primary = match pack.profile {
        Profile::WikiFirst => String::new(),
        Profile::DocumentFirst | Profile::Hybrid => {
            format!("metadata:\n  primaryDocument: documents/{name}.md\n")
        }
    };
    let map = match pack.profile {
        Profile::DocumentFirst => {
            format!("- `documents/{name}.md` is the document.\n{SPLITS_LINE}")
        }
        Profile::WikiFirst => WIKI_LINE.to_owned(),
        Profile::Hybrid => {
            format!("- `documents/{name}.md` is the document.\n{SPLITS_LINE}{WIKI_LINE}")
        }
    };
    format!(
        "---\nname: {name}\ndescription: {}\ntype: {}\nstatus: {}\nprofile: {}\nversion: 0.1.0\n\
         grounding: recommended\nruntime:\n  mode: data\n{primary}---\n\n# {}\n\n## Context map\n\n\
         - `compiled/briefing.md` has what is asked most often.\n{map}\
         - `sources/` is for citation and checking alone.\n\n## Limits\n\n\
         - What does not stand here is unknown: ask, or mark it as unknown.\n",
        quoted(&description),
        quoted(pack.kind.unwrap_or("domain-reference")),
        Status::Draft,
        pack.profile,
        title(name),
    )
}

const SPLITS_LINE: &str = "- `compiled/splits/` has its sections, one file each.\n";
const WIKI_LINE: &str = "- `wiki/` has the details; begin at `wiki/index.md`.\n";

/// Returns a text as YAML: every JSON string is one.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn evals(pack: &NewPack<'_>) -> String {
    let subject = pack.description.map_or_else(|| title(pack.name), str::to_owned);
    let cases = serde_json::json!({
        "pack_name": pack.name,
        "cases": [
            {
                "id": "in-scope",
                "prompt": format!("A question about this: {subject}"),
                "expected": "select",
                "reason": "It is what the pack is for.",
            },
            {
                "id": "out-of-scope",
                "prompt": "Sing happy birthday.",
                "expected": "reject",
                "reason": "It needs no knowledge of the pack.",
            },
        ],
    });
    pretty(&cases)
}

fn source_map(document: &str, split: &str) -> String {
    pretty(&serde_json::json!({
        "claims": [],
        "document_sections": [{
            "document": document,
            "section_id": "overview",
            "title": "Overview",
            "source_anchors": ["sources/notes.md#L3"],
            "compiled_into": [split],
        }],
    }))
}

fn pretty(value: &serde_json::Value) -> String {
    format!("{value:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discovery::{DiscoveryOptions, Roots, discover};
    use crate::maintenance::{eval, validate};

    fn brief(profile: Profile) -> NewPack<'static> {
        NewPack { name: "acme-brief", profile, description: None, kind: None, types: &[] }
    }

    #[test]
    fn kn_17_new_pack_of_each_profile_is_draft_without_fault() {
        for profile in Profile::ALL {
            let folder = tempfile::tempdir().unwrap();
            let into = folder.path().join(".agents/knowledge");
            let written = new(&brief(*profile), &into).unwrap();
            assert_eq!(written[0], into.join("acme-brief/KNOWLEDGE.md"));
            assert!(written.iter().all(|path| path.is_file()));

            let roots = Roots { project: Some(folder.path().to_owned()), ..Roots::default() };
            let discovery = discover(&roots, &DiscoveryOptions::default());
            let item = &discovery.packs[0].item;
            assert_eq!((item.status, item.profile), (Status::Draft, *profile));
            assert!(discovery.findings.iter().all(|finding| finding.code == "KN1121"));

            let checked = validate(&into.join("acme-brief"), &DiscoveryOptions::default()).unwrap();
            assert_eq!(checked.packs[0].files, written.len());
            let rest: Vec<_> = checked.findings.iter().filter(|f| f.code != "KN1121").collect();
            assert!(rest.is_empty(), "{profile}: {rest:#?}");
            assert!(eval(&discovery, None).unwrap().ok, "{profile}");

            // The cases hold for the pack that it becomes, too.
            let guide = std::fs::read_to_string(&written[0]).unwrap();
            let guide = guide.replace("status: draft", "status: ready");
            std::fs::write(&written[0], guide).unwrap();
            let discovery = discover(&roots, &DiscoveryOptions::default());
            assert_eq!(discovery.packs[0].item.status, Status::Ready);
            assert!(eval(&discovery, None).unwrap().ok, "{profile}, ready");
        }
    }

    #[test]
    fn kn_17_description_of_any_characters_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let description = "Acme: \"facts\" # and\nmore — 茶";
        let pack = NewPack {
            description: Some(description),
            kind: Some("custom:tea"),
            ..brief(Profile::WikiFirst)
        };
        new(&pack, folder.path()).unwrap();
        let roots = Roots { explicit: vec![folder.path().to_owned()], ..Roots::default() };
        let found = discover(&roots, &DiscoveryOptions::default());
        assert_eq!(found.packs[0].item.kind, "custom:tea");
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(words(&found.packs[0].item.description), words(description));
    }

    #[test]
    fn kn_17_bad_names_and_existing_folders_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let long = "a".repeat(65);
        for name in
            ["", "Acme", "../acme", "a/b", "a b", "-a", "a-", "a--b", ".hidden", "茶", &long]
        {
            let error =
                new(&NewPack { name, ..brief(Profile::Hybrid) }, folder.path()).unwrap_err();
            assert_eq!(error.code(), "KN4201", "{name}");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);

        std::fs::create_dir(folder.path().join("acme-brief")).unwrap();
        let error = new(&brief(Profile::Hybrid), folder.path()).unwrap_err();
        assert_eq!(error.code(), "KN4202");
        assert_eq!(std::fs::read_dir(folder.path().join("acme-brief")).unwrap().count(), 0);

        let file = folder.path().join("file");
        std::fs::write(&file, "x").unwrap();
        assert_eq!(new(&brief(Profile::Hybrid), &file).unwrap_err().code(), "KN4203");
    }

    #[test]
    fn kn_17_what_discovery_would_leave_out_is_not_made() {
        let folder = tempfile::tempdir().unwrap();
        let code = |pack: &NewPack<'_>| new(pack, folder.path()).unwrap_err().code();
        let good = brief(Profile::Hybrid);
        assert_eq!(code(&NewPack { kind: Some("gadgets"), ..good.clone() }), "KN4207");
        assert_eq!(code(&NewPack { description: Some(""), ..good.clone() }), "KN4207");
        assert_eq!(code(&NewPack { description: Some("  "), ..good.clone() }), "KN4207");
        assert_eq!(code(&NewPack { name: "indexes", ..good.clone() }), "KN4201");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let types = ["gadgets".to_owned()];
        let allowed = NewPack { kind: Some("gadgets"), types: &types, ..good };
        assert!(new(&allowed, folder.path()).is_ok());
    }
}
