//! A report before it has a format.

/// Sections under a title.
#[derive(Debug, PartialEq)]
pub(super) struct Page {
    pub(super) title: &'static str,
    pub(super) sections: Vec<Section>,
}

/// A section.
#[derive(Debug, PartialEq)]
pub(super) struct Section {
    /// Its name in `sections`.
    pub(super) name: &'static str,
    pub(super) heading: &'static str,
    pub(super) blocks: Vec<Block>,
}

/// A part of a section; its texts are plain.
#[derive(Debug, PartialEq)]
pub(super) enum Block {
    /// Points in any order.
    Points(Vec<String>),
    /// Numbered points.
    Steps(Vec<String>),
    /// A table; the first column names, the others have numbers.
    Table { head: Vec<&'static str>, rows: Vec<Vec<String>> },
}
