//! What the elements of HTML are for.

use super::{StartTag, attribute};

/// The part of a page that an element is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Region {
    /// What is not text for a reader.
    Never,
    /// Ways to other pages.
    Navigation,
    /// The head and the foot of a page or an article.
    Frame,
    /// What the page is about.
    Main,
    /// Anything else.
    Content,
}

/// Returns the part of a page that an element is, by its name and its role.
pub(super) fn region(tag: &StartTag) -> Region {
    match attribute(tag, b"role").as_deref() {
        Some("main") => return Region::Main,
        Some("navigation" | "search" | "menu" | "menubar") => return Region::Navigation,
        Some("banner" | "contentinfo") => return Region::Frame,
        _ => {}
    }
    match tag.name.as_slice() {
        b"title" | b"script" | b"style" | b"template" | b"noscript" | b"svg" | b"iframe"
        | b"object" | b"canvas" | b"head" | b"select" | b"button" | b"textarea" | b"audio"
        | b"video" => Region::Never,
        b"nav" | b"menu" => Region::Navigation,
        b"header" | b"footer" => Region::Frame,
        b"main" => Region::Main,
        _ => Region::Content,
    }
}

/// Reports whether an element has no end tag.
pub(super) fn is_void(name: &[u8]) -> bool {
    matches!(
        name,
        b"area"
            | b"base"
            | b"br"
            | b"col"
            | b"embed"
            | b"hr"
            | b"img"
            | b"input"
            | b"link"
            | b"meta"
            | b"source"
            | b"track"
            | b"wbr"
    )
}

/// Returns the level of a heading.
pub(super) fn level(name: &[u8]) -> Option<usize> {
    match name {
        [b'h', digit @ b'1'..=b'6'] => Some(usize::from(digit - b'0')),
        _ => None,
    }
}

/// Reports whether text before and after an element are in paragraphs of their own.
pub(super) fn is_block(name: &[u8]) -> bool {
    matches!(
        name,
        b"address"
            | b"article"
            | b"aside"
            | b"body"
            | b"caption"
            | b"center"
            | b"dd"
            | b"details"
            | b"dialog"
            | b"div"
            | b"dl"
            | b"dt"
            | b"fieldset"
            | b"figcaption"
            | b"figure"
            | b"footer"
            | b"form"
            | b"header"
            | b"hgroup"
            | b"hr"
            | b"html"
            | b"legend"
            | b"main"
            | b"option"
            | b"p"
            | b"section"
            | b"summary"
    )
}
