//! The manifest: the frontmatter of a `KNOWLEDGE.md`, checked (KN-4, KN-5).
//!
//! Decision: a pack is left out only where the format asks for it or where it could not be
//! addressed or described; everything else loads, with findings for what is doubtful. Reading is
//! in steps: what nearly all packs have is read without a parser, the rest by one, as the fields it
//! should be; and only when that fails, whatever there is, to find which field is wrong and how.
//!
//! ```
//! use contexture_knowledge::manifest;
//! use std::path::Path;
//!
//! let text = "---\nname: acme\ndescription: Facts about Acme.\ntype: brand-product\n\
//!             status: ready\nprofile: hybrid\n---\n# Guide\n";
//! let read = manifest::read(text, Path::new("/packs/acme"), &[]);
//! let item = read.item.ok_or("it is a good manifest")?;
//! assert_eq!((item.name.as_str(), item.profile.as_str()), ("acme", "hybrid"));
//! assert!(read.findings.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
mod fields;
mod node;
mod quick;
mod split;

pub use check::{KNOWN_TYPES, Read};
pub use split::{MAX_FRONTMATTER_BYTES, Parts, split};
pub(crate) use split::{SplitProblem, frontmatter};

use crate::finding::Finding;
use crate::item::GUIDE_FILE;
use std::path::Path;

/// Reads the text of the `KNOWLEDGE.md` in the folder `root`; `types` are allowed besides the known
/// ones. The body is not looked at.
#[must_use]
pub fn read(text: &str, root: &Path, types: &[String]) -> Read {
    match frontmatter(text.as_bytes(), true) {
        Ok(yaml) => read_yaml(yaml, root, types),
        Err(problem) => refused(problem.finding(&root.join(GUIDE_FILE))),
    }
}

/// Reads the frontmatter, from its opening line on, so that lines count as in the file.
pub(crate) fn read_yaml(yaml: &[u8], root: &Path, types: &[String]) -> Read {
    let location = root.join(GUIDE_FILE);
    let Ok(yaml) = std::str::from_utf8(yaml) else {
        return refused(SplitProblem::NotText.finding(&location));
    };
    let mut read = match fields::read(yaml, &location) {
        Ok((fields, findings)) => check::item(fields, findings, root, &location, types),
        Err(finding) => refused(finding),
    };
    let words = read.findings.iter().map(|finding| finding.message.clone()).collect();
    if let Some(item) = &mut read.item {
        item.diagnostics = words;
    }
    read
}

pub(crate) fn refused(finding: Finding) -> Read {
    Read { item: None, findings: vec![finding] }
}

#[cfg(test)]
mod tests;
