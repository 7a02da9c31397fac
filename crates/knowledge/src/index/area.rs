//! Which part of a pack a file belongs to (KN-10).

use crate::section::is_text;

/// A part of a pack, as the resolver's rules name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Area {
    /// `compiled/splits/`.
    Split,
    /// The rest of `compiled/`.
    Compiled,
    /// The primary document.
    Primary,
    /// The rest of `documents/`.
    Document,
    /// `wiki/`.
    Wiki,
    /// `sources/`.
    Source,
}

impl Area {
    /// All, in the order of their numbers.
    pub(crate) const ALL: [Self; 6] =
        [Self::Split, Self::Compiled, Self::Primary, Self::Document, Self::Wiki, Self::Source];

    /// Returns its number.
    pub(crate) const fn number(self) -> usize {
        self as usize
    }

    /// Returns the area of a file that can be indexed.
    pub(crate) fn of(path: &str, primary: Option<&str>) -> Option<Self> {
        if !is_text(path) {
            return None;
        }
        if primary.is_some_and(|primary| normal(primary) == path) {
            return Some(Self::Primary);
        }
        let (folder, rest) = path.split_once('/')?;
        match folder {
            "compiled" if rest.starts_with("splits/") => Some(Self::Split),
            "compiled" => Some(Self::Compiled),
            "documents" => Some(Self::Document),
            "wiki" => Some(Self::Wiki),
            "sources" => Some(Self::Source),
            _ => None,
        }
    }
}

fn normal(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}
