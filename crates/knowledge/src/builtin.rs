//! The packs that come with the program (KN-2, KN-16).
//!
//! Decision: they are asked for. Without `[knowledge] built_in = true` a project without packs has
//! none, and nothing about packs stands in its prompts.
//!
//! ```
//! use contexture_knowledge::{DiscoveryOptions, Roots, builtin, discover};
//!
//! let roots = Roots { built_in: builtin::packs(), ..Roots::default() };
//! let found = discover(&roots, &DiscoveryOptions::default());
//! assert_eq!(found.packs[0].item.name, "contexture-manual");
//! assert!(found.open("contexture-manual")?.guide_body()?.contains("AgentScript"));
//! # Ok::<(), contexture_knowledge::PackError>(())
//! ```

use crate::manifest;
use crate::pack::{GUIDE_FILE, Pack};
use std::path::Path;

/// The files of the manual, by path.
const MANUAL: &[(&str, &str)] = &[
    ("KNOWLEDGE.md", include_str!("../assets/contexture-manual/KNOWLEDGE.md")),
    ("compiled/agents.md", include_str!("../assets/contexture-manual/compiled/agents.md")),
    ("compiled/context.md", include_str!("../assets/contexture-manual/compiled/context.md")),
    ("compiled/generate.md", include_str!("../assets/contexture-manual/compiled/generate.md")),
    ("compiled/imports.md", include_str!("../assets/contexture-manual/compiled/imports.md")),
    ("compiled/language.md", include_str!("../assets/contexture-manual/compiled/language.md")),
];

/// All packs that come with the program, by name.
#[must_use]
pub fn packs() -> Vec<Pack> {
    pack("built-in/contexture-manual", MANUAL).into_iter().collect()
}

/// None when its manifest is not right, which a test rules out.
fn pack(root: &str, files: &'static [(&'static str, &'static str)]) -> Option<Pack> {
    let (_, text) = files.iter().find(|(path, _)| *path == GUIDE_FILE)?;
    let item = manifest::read(text, Path::new(root), &[]).item?;
    Some(Pack::from_static(item, files))
}

#[cfg(test)]
mod tests;
