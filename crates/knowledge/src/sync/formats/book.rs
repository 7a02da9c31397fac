//! EPUB: the chapters of a book, in the order in which they are read (MA-4).

use super::archive::Archive;
use super::bounded::Bounded;
use super::xml::{self, Piece};
use super::{Unread, html};
use crate::anchor::{decoded, joined};
use std::collections::HashMap;

/// Returns the chapters of a book as one page.
pub(super) fn markdown(name: &str, bytes: &[u8]) -> Result<String, Unread> {
    let mut archive = Archive::open(bytes)?;
    let container = archive.text("META-INF/container.xml")?;
    let mut root = None;
    xml::read(&container, |piece| {
        if let Piece::Start(tag) = piece
            && tag.name == "rootfile"
            && root.is_none()
        {
            root = tag.get("full-path").map(str::to_owned);
        }
    })?;
    let root = root.ok_or_else(|| Unread::Damaged("it names no list of chapters".to_owned()))?;
    let book = Book::of(&archive.text(&root)?)?;
    let folder = root.rsplit_once('/').map_or("", |(folder, _)| folder);
    let title = if book.title.trim().is_empty() { name } else { book.title.trim() };
    let mut out = Bounded::default();
    out.push(&format!("# {}\n", html::escaped(title)));
    let mut count = 0;
    for chapter in book.chapters {
        let Some(path) = joined(folder, &decoded(&chapter)) else { continue };
        let Some(page) = archive.part(&path)? else { continue };
        match html::chapter(&page) {
            Ok(text) => {
                out.block();
                out.push(&text);
                count += 1;
            }
            Err(Unread::Empty) => {}
            Err(error) => return Err(error),
        }
    }
    if count == 0 {
        return Err(Unread::Empty);
    }
    out.finish()
}

#[derive(Default)]
struct Book {
    title: String,
    chapters: Vec<String>,
}

impl Book {
    /// Reads the list of a book's files, and the order of its chapters.
    fn of(list: &str) -> Result<Self, Unread> {
        let mut book = Self::default();
        let (mut files, mut is_title) = (HashMap::new(), false);
        let mut order = Vec::new();
        xml::read(list, |piece| match piece {
            Piece::Start(tag) => {
                is_title = tag.name == "title" && book.title.is_empty();
                match tag.name.as_str() {
                    "item" => {
                        if let (Some(id), Some(file)) = (tag.get("id"), tag.get("href")) {
                            files.insert(id.to_owned(), file.to_owned());
                        }
                    }
                    "itemref" => order.extend(tag.get("idref").map(str::to_owned)),
                    _ => {}
                }
            }
            Piece::Text(text) if is_title => book.title.push_str(&text),
            Piece::End(_) => is_title = false,
            Piece::Text(_) => {}
        })?;
        book.chapters = order.iter().filter_map(|id| files.remove(id)).collect();
        Ok(book)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::formats::archive::made;

    #[test]
    fn ma_4_book_has_its_chapters_in_order() {
        let container =
            "<container><rootfiles><rootfile full-path='OPS/b.opf'/></rootfiles></container>";
        let list = "<package xmlns:dc='dc'><metadata><dc:title>On Tea</dc:title></metadata><manifest>\
            <item id='b' href='two.xhtml'/><item id='a' href='t/one%20.xhtml'/></manifest>\
            <spine><itemref idref='a'/><itemref idref='b'/><itemref idref='gone'/></spine></package>";
        let bytes = made(&[
            ("META-INF/container.xml", container),
            ("OPS/b.opf", list),
            (
                "OPS/two.xhtml",
                "<html><head><title>x</title></head><body><h2>Two</h2><p><a href='t/one.xhtml'>one</a></body></html>",
            ),
            (
                "OPS/t/one .xhtml",
                "<!DOCTYPE html><body><h2>One</h2><p>Leaves. <a href='https://e.org/'>web</a></body>",
            ),
        ]);
        assert_eq!(
            markdown("file", &bytes).unwrap(),
            "# On Tea\n\n## One\n\nLeaves. [web](https://e.org/)\n\n## Two\n\none\n"
        );
        assert!(
            markdown("x", &made(&[("a", "")])).unwrap_err().to_string().contains("container.xml")
        );
    }
}
