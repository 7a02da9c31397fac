//! PDF: the text of each page under a heading `Page N`, which anchors `#page=N` lead to (MA-4).
//!
//! Decision: a document can make a reader work without end (streams that unpack to gigabytes, pages
//! that share one stream), so each page has a limit, and the file as a whole has a time.

use super::bounded::Bounded;
use super::{Unread, html};
use lopdf::{DecompressError, Dictionary, Document, LoadOptions, Object, ObjectId, dictionary};
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// The largest stream, in bytes, that is unpacked to find the objects of a document, and that of the
/// text of one page.
const MAX_STREAM: usize = 64 << 20;
const MAX_PAGE_STREAM: usize = 8 << 20;

/// The most pages that are read.
const MAX_PAGES: usize = 10_000;

/// The numbers of a tree of one page and its root, which no document takes: one that is cut off may name
/// objects that it does not have.
const TREE: ObjectId = (u32::MAX, 0);
const ROOT: ObjectId = (u32::MAX - 1, 0);

/// The time that the pages of a file may take.
const TIME: Duration = Duration::from_secs(30);

/// Returns the text of a document by page.
pub(super) fn markdown(name: &str, bytes: &[u8]) -> Result<String, Unread> {
    // The library is young in its handling of damage: a panic of it is a file that can't be read.
    let read = catch_unwind(AssertUnwindSafe(|| pages(name, bytes)));
    read.unwrap_or_else(|_| Err(Unread::Damaged("its reader failed".to_owned())))
}

fn pages(name: &str, bytes: &[u8]) -> Result<String, Unread> {
    let options = LoadOptions { max_decompressed_size: Some(MAX_STREAM), ..LoadOptions::default() };
    let document = Document::load_mem_with_options(bytes, options);
    let mut document = document.map_err(|error| match error {
        lopdf::Error::InvalidPassword | lopdf::Error::Unimplemented(_) => Unread::Encrypted,
        error => Unread::Damaged(error.to_string()),
    })?;
    // What has an empty password was decrypted as it was loaded.
    if document.trailer.has(b"Encrypt") && !document.was_encrypted() {
        return Err(Unread::Encrypted);
    }
    let numbers = document.get_pages();
    if numbers.is_empty() {
        return Err(Unread::Damaged("it has no pages".to_owned()));
    }
    if numbers.len() > MAX_PAGES {
        return Err(Unread::Damaged(format!("it has more than {MAX_PAGES} pages")));
    }
    let begun = Instant::now();
    let mut out = Bounded::default();
    out.push(&format!(
        "# {}\n",
        html::escaped(&title(&document).unwrap_or_else(|| name.to_owned()))
    ));
    let (mut read, mut blank, mut fault) = (0_usize, Vec::new(), None);
    document.set_object(TREE, dictionary! { "Type" => "Pages", "Count" => 1 });
    document.set_object(ROOT, dictionary! { "Type" => "Catalog", "Pages" => TREE });
    document.trailer.set("Root", ROOT);
    for (number, id) in &numbers {
        if begun.elapsed() > TIME {
            return Err(Unread::Slow(TIME.as_secs()));
        }
        // The library walks the tree of pages for each text that it takes: it has one page at a time.
        let kids = vec![Object::Reference(*id)];
        let pages = document.get_object_mut(TREE).and_then(Object::as_dict_mut);
        let alone = pages.map(|pages: &mut Dictionary| pages.set("Kids", kids));
        let text = alone.and_then(|()| document.extract_text_with_limit(&[1], MAX_PAGE_STREAM));
        let text = match text.map(|text| paragraphs(&text)) {
            Ok(text) => text,
            Err(error) => {
                fault = fault.or_else(|| Some(unread(*number, &error)));
                String::new()
            }
        };
        if text.is_empty() {
            let missing = || missing(&document, *number, *id);
            fault = fault.or_else(missing);
            blank.push(number.to_string());
            continue;
        }
        read += 1;
        out.block();
        out.push(&format!("## Page {number}\n\n{text}"));
    }
    if read == 0 {
        return Err(fault.unwrap_or(Unread::Scanned));
    }
    if !blank.is_empty() {
        out.block();
        // Writing to a text can't fail.
        let _ = write!(out, "(No text could be read on these pages: {}.)", blank.join(", "));
    }
    out.finish()
}

/// Returns the reason why a page could not be read.
fn unread(number: u32, error: &lopdf::Error) -> Unread {
    match error {
        lopdf::Error::Decompress(DecompressError::MemoryLimitExceeded { .. }) => {
            Unread::Unpacked(format!("page {number}"))
        }
        error => Unread::Damaged(format!("page {number}: {error}")),
    }
}

/// Returns the fault of a page whose text is named and not there, as in a file that is cut off.
fn missing(document: &Document, number: u32, id: ObjectId) -> Option<Unread> {
    let is_there =
        |id: &ObjectId| document.get_object(*id).is_ok_and(|one| one.as_stream().is_ok());
    let is_whole = document.get_page_contents(id).iter().all(is_there);
    let fault = || Unread::Damaged(format!("the text of page {number} is missing"));
    (!is_whole).then(fault)
}

/// Returns the title that a document gives itself.
fn title(document: &Document) -> Option<String> {
    let info = document.trailer.get(b"Info").and_then(Object::as_reference).ok()?;
    let title = document.get_dictionary(info).ok()?.get(b"Title").ok()?;
    let title = lopdf::decode_text_string(title).ok()?;
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_shown = !title.is_empty() && !title.chars().any(char::is_control);
    is_shown.then_some(title)
}

/// Returns the lines of a page, without what is not text and with one blank line at most between
/// them.
fn paragraphs(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let plain: String = line.chars().filter(|c| !c.is_control() && *c != '\u{fffd}').collect();
        let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_second_blank = plain.is_empty() && lines.last().is_none_or(String::is_empty);
        if !is_second_blank {
            lines.push(html::start_escaped(&plain));
        }
    }
    lines.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a document whose pages show these contents, without a table of its objects, which
    /// readers rebuild.
    fn made(pages: &[&str], trailer: &str) -> Vec<u8> {
        let mut text = String::from("%PDF-1.4\n");
        let mut object = |number: usize, body: &str| {
            let _ = write!(text, "{number} 0 obj\n{body}\nendobj\n");
        };
        let kids: Vec<String> = (0..pages.len()).map(|n| format!("{} 0 R", 10 + 2 * n)).collect();
        let count = pages.len();
        object(1, "<</Type/Catalog/Pages 2 0 R>>");
        object(2, &format!("<</Type/Pages/Count {count}/Kids[{}]>>", kids.join(" ")));
        object(3, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>");
        object(4, "<</Title(On tea)>>");
        for (n, content) in pages.iter().enumerate() {
            let (page, stream) = (10 + 2 * n, 11 + 2 * n);
            object(
                page,
                &format!(
                    "<</Type/Page/Parent 2 0 R/Resources<</Font<</F1 3 0 R>>>>/Contents {stream} 0 R>>"
                ),
            );
            let length = content.len();
            object(stream, &format!("<</Length {length}>>\nstream\n{content}\nendstream"));
        }
        text.push_str(&format!("trailer\n<</Root 1 0 R/Info 4 0 R/Size 99{trailer}>>\n%%EOF\n"));
        text.into_bytes()
    }

    #[test]
    fn ma_4_pdf_page_becomes_section_with_anchor() {
        let show = |text: &str| format!("BT /F1 12 Tf 72 700 Td ({text}) Tj ET");
        let bytes = made(&[&show("# Green tea"), "", &show("80 degrees")], "");
        let text = markdown("file", &bytes).unwrap();
        assert_eq!(
            text,
            "# On tea\n\n## Page 1\n\n\\# Green tea\n\n## Page 3\n\n80 degrees\n\n\
             (No text could be read on these pages: 2.)\n"
        );
        struct One(String);
        impl crate::anchor::AnchorFiles for One {
            fn has(&self, path: &str) -> bool {
                path == "wiki/a.pdf.md"
            }
            fn facts(&self, path: &str) -> Option<std::sync::Arc<crate::anchor::Facts>> {
                Some(std::sync::Arc::new(crate::anchor::Facts::of(path, &self.0)))
            }
        }
        let files = One(text);
        let problem = |fragment: &str| {
            let anchor = crate::anchor::Anchor::parse(&format!("wiki/a.pdf.md#{fragment}"), 0..0);
            crate::anchor::problem(&anchor.unwrap(), "KNOWLEDGE.md", &files)
        };
        assert_eq!(problem("page=3"), None);
        assert_eq!(problem("page=4").unwrap(), "`wiki/a.pdf.md` has 3 pages, no page 4");
    }

    #[test]
    fn ma_4_pdf_without_text_or_with_password_is_told() {
        let told = |bytes: &[u8]| markdown("x", bytes).unwrap_err().to_string();
        assert!(
            told(&made(&["", "q Q"], "")).starts_with("none of its pages has text, as in a scan")
        );
        let encrypted = made(
            &["BT ET"],
            "/Encrypt<</Filter/Standard/V 1/R 2/O(12345678901234567890123456789012)\
            /U(12345678901234567890123456789012)/P -4>>/ID[(a)(b)]",
        );
        assert!(told(&encrypted).starts_with("it is encrypted"), "{}", told(&encrypted));
        assert!(told(b"%PDF-1.4\n").starts_with("it is damaged: "));
        assert!(told(b"").starts_with("it is damaged: "));
    }

    #[test]
    fn ma_4_pdf_that_is_cut_or_unpacks_without_end_is_not_taken_for_scan() {
        let told = |bytes: &[u8]| markdown("x", bytes).unwrap_err().to_string();
        let whole = made(&["BT /F1 12 Tf (tea) Tj ET"], "");
        let at = whole.windows(8).position(|part| part == b"11 0 obj").unwrap();
        let cut = [&whole[..at], b"trailer\n<</Root 1 0 R/Size 99>>\n%%EOF\n"].concat();
        assert_eq!(told(&cut), "it is damaged: the text of page 1 is missing");
        let large = format!("BT /F1 12 Tf (tea) Tj ET{}", " ".repeat(MAX_PAGE_STREAM));
        assert!(told(&made(&[&large], "")).starts_with("its part `page 1` unpacks to more"));
    }

    #[test]
    fn ma_4_pdf_of_any_damage_does_not_panic() {
        let whole = made(&["BT /F1 12 Tf (tea) Tj ET"], "");
        for cut in (0..whole.len()).step_by(7) {
            let mut bytes = whole.clone();
            let _ = markdown("x", whole.get(..cut).unwrap());
            bytes[cut] = bytes[cut].wrapping_add(13);
            let _ = markdown("x", &bytes);
        }
    }
}
