//! A report before it has a format.

/// Sections under a title.
#[derive(Debug, PartialEq)]
pub(crate) struct Page {
    pub(crate) title: &'static str,
    pub(crate) sections: Vec<Section>,
}

/// A section.
#[derive(Debug, PartialEq)]
pub(crate) struct Section {
    /// Its name in `sections`.
    pub(crate) name: &'static str,
    pub(crate) heading: &'static str,
    pub(crate) blocks: Vec<Block>,
}

/// A part of a section; its texts are plain.
#[derive(Debug, PartialEq)]
pub(crate) enum Block {
    /// Points in any order.
    Points(Vec<String>),
    /// Numbered points.
    Steps(Vec<String>),
    /// A table; the first column names, the others have numbers.
    Table { head: Vec<&'static str>, rows: Vec<Vec<String>> },
}
