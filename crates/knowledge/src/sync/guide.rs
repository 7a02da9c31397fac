//! The guide of a new pack that stands on a source.

use super::NewSource;
use super::error::SyncError;
use super::source::Source;
use crate::anchor::without_forged;
use crate::item::{GUIDE_FILE, MAX_GUIDE_BYTES, PackTrust, Profile, Status};
use crate::maintenance::{MaintenanceError, quoted, title};
use crate::manifest;
use std::path::Path;

/// The most titles that a description names.
const NAMED_TITLES: usize = 12;

/// The most characters of a title in a description.
const TITLE_LENGTH: usize = 60;

/// Writes the guide of a pack. It is the person's own from then on: no sync changes it.
pub(super) fn write(
    new: &NewSource<'_>,
    sources: &[Source],
    titles: &[(usize, String)],
    pack: &Path,
) -> Result<(), SyncError> {
    let description = match new.description {
        Some(description) => description.to_owned(),
        None => description(sources, titles),
    };
    let trust = if has_web(sources) { PackTrust::External } else { PackTrust::Unreviewed };
    let text = text(new, &description, trust);
    let read = manifest::read(&text, pack, new.types);
    if read.item.is_none() {
        let reasons: Vec<String> = read.findings.into_iter().map(|found| found.message).collect();
        return Err(MaintenanceError::LeftOut { reason: reasons.join("; ") }.into());
    }
    let path = pack.join(GUIDE_FILE);
    std::fs::write(&path, text).map_err(|error| SyncError::not_written(&path, &error))
}

fn has_web(sources: &[Source]) -> bool {
    sources.iter().any(|source| source.mirror.is_some())
}

/// Refuses pages of the web for a pack that claims more trust than they have.
pub(super) fn require_trust(
    sources: &[Source],
    types: &[String],
    pack: &Path,
) -> Result<(), SyncError> {
    if !has_web(sources) {
        return Ok(());
    }
    let path = pack.join(GUIDE_FILE);
    let bytes = crate::files::head(&path, MAX_GUIDE_BYTES)
        .map_err(|error| SyncError::not_written(&path, &error))?;
    let read = manifest::read(&String::from_utf8_lossy(&bytes), pack, types);
    match read.item.and_then(|item| item.trust) {
        Some(PackTrust::External) => Ok(()),
        _ => Err(SyncError::BadSource {
            reason: "pages of the web have the trust `external`, and the KNOWLEDGE.md of the pack \
                     does not say `trust: external`"
                .to_owned(),
        }),
    }
}

fn text(new: &NewSource<'_>, description: &str, trust: PackTrust) -> String {
    let root = new.site_root.map(|root| format!("  siteRoot: {}\n", quoted(root)));
    let root = root.unwrap_or_default();
    format!(
        "---\nname: {}\ndescription: {}\ntype: {}\nstatus: {}\ntrust: {trust}\nprofile: {}\n\
         grounding: recommended\nruntime:\n  mode: data\nmetadata:\n  producedBy:\n    kind: import\n    \
         name: contexture knowledge add\n{root}---\n\n# {}\n\n## Context map\n\n\
         - `wiki/` has the pages of the source, under the paths that they have there.\n\n\
         ## Limits\n\n- What is not on these pages is unknown: ask, or mark it as unknown.\n",
        new.name,
        quoted(description),
        quoted(new.kind.unwrap_or("domain-reference")),
        Status::Ready,
        Profile::WikiFirst,
        title(new.name),
    )
}

/// Returns what a pack is about: its source and the titles of its outermost pages.
fn description(sources: &[Source], titles: &[(usize, String)]) -> String {
    let names: Vec<String> = sources.iter().map(|source| format!("`{}`", source.name)).collect();
    let mut sorted: Vec<&(usize, String)> = titles.iter().collect();
    sorted.sort_by_key(|(depth, _)| *depth);
    let mut shown: Vec<String> = Vec::new();
    for (_, title) in sorted {
        let title: String = title.chars().take(TITLE_LENGTH).collect();
        // An anchor in a title is not one of the guide.
        let title = without_forged(&title, |_| false).into_owned();
        if shown.len() < NAMED_TITLES && !shown.contains(&title) {
            shown.push(title);
        }
    }
    let more = if titles.len() > shown.len() { ", and more" } else { "" };
    format!("The pages of {}: {}{more}.", names.join(" and "), shown.join(", "))
}
