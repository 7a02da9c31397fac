//! Discovery: which packs there are, in which places, and what is wrong with them (KN-2, KN-3).
//!
//! Decision: a location is searched level by level, by name, several folders at a time, so that the
//! same tree gives the same answer also where a maximum cuts it off. Symlinked folders are never
//! followed: a pack is found where it is, or its folder is named as a location. Nothing fails; what
//! is wrong becomes a [`Finding`].
//!
//! ```
//! # let folder = tempfile::tempdir()?;
//! # let pack = folder.path().join(".agents/knowledge/acme");
//! # std::fs::create_dir_all(&pack)?;
//! # std::fs::write(pack.join("KNOWLEDGE.md"), "---\nname: acme\ndescription: Facts.\ntype: brand-product\nstatus: ready\nprofile: hybrid\n---\n")?;
//! use contexture_knowledge::discovery::{DiscoveryOptions, Roots, discover};
//!
//! let roots = Roots { project: Some(folder.path().to_owned()), ..Roots::default() };
//! let found = discover(&roots, &DiscoveryOptions::default());
//! assert_eq!(found.packs[0].item.name, "acme");
//! assert_eq!(found.open("acmee").unwrap_err().help(), "did you mean `acme`?");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cache;
mod folder;
mod guide_file;
mod listing;
mod locations;
mod options;
mod order;
mod walk;

pub(crate) use listing::is_skipped;
pub use options::{DiscoveryOptions, Found, Roots};

use crate::finding::Finding;
use crate::item::{CatalogItem, Scope};
use crate::pack::{Pack, PackError};
use contexture_diagnostic::nearest;
use std::path::PathBuf;

/// The result of looking for packs.
#[derive(Debug, Clone, Default)]
pub struct Discovery {
    /// The packs by precedence, then name; of several with one name the one that goes before.
    pub packs: Vec<Found>,
    /// The faults, by precedence of the location, then path.
    pub findings: Vec<Finding>,
    /// All locations, also those that are not there.
    pub scanned: Vec<PathBuf>,
    built_in: Vec<Pack>,
    types: Vec<String>,
}

/// Looks for packs. Never fails.
#[must_use]
pub fn discover(roots: &Roots, options: &DiscoveryOptions) -> Discovery {
    let mut findings = Vec::new();
    let locations = locations::of(roots, &mut findings);
    let scanned = locations.iter().map(|location| location.path.clone()).collect();
    let cache = cache::Cache::load(options);
    let mut searched = Vec::new();
    for location in &locations {
        searched.push(walk::search(location, options, &cache));
    }
    let packs = searched.iter().flat_map(|searched| &searched.packs).map(|pack| &pack.kept);
    let folders = searched.iter().flat_map(|searched| &searched.folders);
    findings.extend(cache.save(packs.chain(folders)));
    let packs = order::settle(searched, &roots.built_in, options, &mut findings);
    Discovery {
        packs,
        findings,
        scanned,
        built_in: roots.built_in.clone(),
        types: options.types.clone(),
    }
}

impl Discovery {
    /// Opens a pack that was found. Its manifest is read again, so that a cache never decides about
    /// its use.
    ///
    /// # Errors
    /// [`PackError`] when there is no such pack, or it can't be used any more.
    pub fn open(&self, name: &str) -> Result<Pack, PackError> {
        let found = self.packs.iter().find(|found| found.item.name == name);
        let found = found.ok_or_else(|| PackError::Unknown {
            name: name.to_owned(),
            similar: nearest(name, self.packs.iter().map(|found| found.item.name.as_str()))
                .map(str::to_owned),
        })?;
        if found.scope == Scope::BuiltIn {
            let is_it = |pack: &&Pack| pack.item().name == name;
            return self
                .built_in
                .iter()
                .find(is_it)
                .cloned()
                .ok_or_else(|| PackError::Unknown { name: name.to_owned(), similar: None });
        }
        let item = self.read_again(&found.item)?;
        Pack::open(item, found.scope)
    }

    fn read_again(&self, item: &CatalogItem) -> Result<CatalogItem, PackError> {
        let changed = |reason: String| PackError::Changed { pack: item.name.clone(), reason };
        let read = guide_file::read(&item.pack_root, &self.types);
        let read = read.map_err(|finding| changed(finding.message))?;
        let Some(now) = read.item else {
            let reason = read.findings.into_iter().next().map(|finding| finding.message);
            return Err(changed(reason.unwrap_or_default()));
        };
        if now.name != item.name {
            return Err(changed(format!("its name is `{}` now", now.name)));
        }
        Ok(now)
    }
}

#[cfg(test)]
mod tests;
