//! What is kept of the use of packs: in the manifest, and in the usage log (KN-15).

use super::host_error;
use crate::host::LiveHost;
use crate::packs::DEFAULT_BUDGET;
use crate::references;
use contexture_context::manifest::{PackFileRecord, PackRecord};
use contexture_context::tokens::O200K_BASE;
use contexture_context::{Digest, Position, TokenCounter};
use contexture_knowledge::pack::{GUIDE_FILE, Pack};
use contexture_knowledge::resolve::{PackUse, Resolution, Task};
use contexture_reference::{Loaded, Resource};
use contexture_script::host::HostError;
use serde_json::json;

/// What is kept of the packs of a call.
#[derive(Default)]
pub(in crate::host) struct Kept {
    /// What was resolved or read, for the usage log.
    pub(in crate::host) found: Vec<Resolution>,
    /// For the manifest.
    pub(in crate::host) records: Vec<PackRecord>,
}

impl Kept {
    /// Adds what a call has from elsewhere.
    pub(in crate::host) fn extend(&mut self, other: Self) {
        self.found.extend(other.found);
        self.records.extend(other.records);
    }
}

/// What is kept of a reference to a pack that was loaded into a prompt; nothing of others.
pub(in crate::host) fn of_reference(
    host: &LiveHost,
    reference: &str,
    loaded: &Loaded,
    position: &Position,
) -> Result<Kept, HostError> {
    let Some(asked) = references::asked_of(reference) else { return Ok(Kept::default()) };
    let pack = host.packs().allowed(&asked.pack).map_err(host_error)?;
    let budget = asked.budget.unwrap_or(DEFAULT_BUDGET);
    let found = match &asked.query {
        Some(query) => {
            let task = Task::new(query.as_str(), budget);
            host.packs().get().resolve(&[&asked.pack], &task).map_err(host_error)?
        }
        None => read(&pack, loaded),
    };
    let records = records(host, &found, position, budget)?;
    Ok(Kept { found: vec![found], records })
}

/// Files that were read as they are.
fn read(pack: &Pack, loaded: &Loaded) -> Resolution {
    let files: Vec<(String, Digest)> = loaded
        .resources
        .iter()
        .filter_map(|resource| {
            let path = references::path_in_pack(&resource.reference)?;
            let path = if path.is_empty() { GUIDE_FILE.to_owned() } else { path };
            Some((path, resource.digest()?))
        })
        .collect();
    let texts = loaded.resources.iter().filter_map(Resource::text);
    let used = PackUse {
        item: pack.item().clone(),
        selected_files: files.iter().map(|(path, _)| path.clone()).collect(),
        files,
        grounding: pack.item().grounding,
        citation_gaps: Vec::new(),
        warnings: Vec::new(),
        tokens: texts.map(|text| O200K_BASE.count(text) as u64).sum(),
    };
    Resolution { uses: vec![used], ..Resolution::default() }
}

/// Writes down that what was resolved reaches a model. A log that can't be written stops nobody.
pub(in crate::host) fn log(host: &LiveHost, found: &[Resolution]) {
    for found in found {
        if let Err(error) = host.packs().get().log(found) {
            host.warn(format!("the use of knowledge was not written down: {error}"));
        }
    }
}

/// The records of what was resolved, one for each pack.
pub(super) fn records(
    host: &LiveHost,
    found: &Resolution,
    position: &Position,
    budget: u64,
) -> Result<Vec<PackRecord>, HostError> {
    let missing: Vec<String> = found.missing.iter().map(|missing| missing.fact.clone()).collect();
    let record = |used: &PackUse| {
        let pack = host.packs().allowed(&used.item.name).map_err(host_error)?;
        let digest = pack.digest().map_err(|error| host_error(error.into()))?;
        let file = |(path, digest): &(String, _)| PackFileRecord {
            path: path.clone(),
            digest: Clone::clone(digest),
        };
        Ok(PackRecord {
            name: used.item.name.clone(),
            version: used.item.version.clone(),
            status: used.item.status.as_str().to_owned(),
            trust: used.item.trust.map(|trust| trust.as_str().to_owned()),
            digest,
            profile: used.item.profile.as_str().to_owned(),
            runtime_mode: used.item.runtime.mode.as_str().to_owned(),
            grounding: used.grounding.as_str().to_owned(),
            position: position.clone(),
            budget,
            tokens: used.tokens,
            files: used.files.iter().map(file).collect(),
            warnings: used.warnings.clone(),
            missing: missing.clone(),
            citation_gaps: used.citation_gaps.iter().map(|gap| json!(gap)).collect(),
        })
    };
    found.uses.iter().map(record).collect()
}
