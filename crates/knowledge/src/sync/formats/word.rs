//! Documents of Word: headings by their styles, paragraphs, lists, tables and notes (MA-4).

use super::archive::Archive;
use super::bounded::Bounded;
use super::xml::{self, Piece, Tag};
use super::{Unread, html};
use std::collections::HashMap;

/// The most cells of a row.
const MAX_CELLS: usize = 200;

/// Returns the text of a document.
pub(super) fn markdown(title: &str, bytes: &[u8]) -> Result<String, Unread> {
    let mut archive = Archive::open(bytes)?;
    let styles = match archive.part("word/styles.xml")? {
        Some(styles) => levels(&String::from_utf8_lossy(&styles))?,
        None => HashMap::new(),
    };
    let body = archive.text("word/document.xml")?;
    let mut document = Document { styles, ..Document::default() };
    xml::read(&body, |piece| document.take(piece))?;
    if let Some(notes) = archive.part("word/footnotes.xml")? {
        document.begin_notes();
        xml::read(&String::from_utf8_lossy(&notes), |piece| document.take(piece))?;
    }
    let mut out = Bounded::default();
    if !document.has_title {
        out.push(&format!("# {}\n\n", html::escaped(title)));
    }
    let text = document.out.finish()?;
    out.push(&text);
    out.finish()
}

/// Returns the level of headings of each style, by its id: the names are the same in all languages,
/// the ids are not.
fn levels(styles: &str) -> Result<HashMap<String, usize>, Unread> {
    let (mut levels, mut id) = (HashMap::new(), String::new());
    xml::read(styles, |piece| {
        let Piece::Start(tag) = piece else { return };
        match tag.name.as_str() {
            "style" => id = tag.get("styleId").unwrap_or_default().to_owned(),
            "name" => {
                let name = tag.get("val").unwrap_or_default().to_lowercase();
                let level = match name.strip_prefix("heading ") {
                    Some(digit) => digit.parse().ok(),
                    None => (name == "title").then_some(1),
                };
                if let Some(level) = level.filter(|level| (1..=6).contains(level)) {
                    levels.insert(id.clone(), level);
                }
            }
            "outlineLvl" => {
                let level = tag.get("val").and_then(|level| level.parse::<usize>().ok());
                if let Some(level) = level.filter(|level| *level < 6) {
                    levels.entry(id.clone()).or_insert(level + 1);
                }
            }
            _ => {}
        }
    })?;
    Ok(levels)
}

#[derive(Default)]
struct Document {
    styles: HashMap<String, usize>,
    out: Bounded,
    has_title: bool,
    paragraph: String,
    /// True inside an element whose text is shown.
    is_text: bool,
    level: Option<usize>,
    /// The depth of the item of a list that the paragraph is.
    item: Option<usize>,
    was_item: bool,
    /// The rows of the table, and how many tables are open.
    rows: Vec<Vec<String>>,
    tables: usize,
}

impl Document {
    fn begin_notes(&mut self) {
        self.out.block();
        self.level = Some(2);
        self.paragraph = "Notes".to_owned();
        self.end_paragraph();
    }

    fn take(&mut self, piece: Piece) {
        match piece {
            Piece::Start(tag) => self.start(&tag),
            Piece::End(name) => self.end(&name),
            Piece::Text(text) if self.is_text => self.paragraph.push_str(&text),
            Piece::Text(_) => {}
        }
    }

    fn start(&mut self, tag: &Tag) {
        match tag.name.as_str() {
            "p" => {
                self.paragraph.clear();
                (self.level, self.item) = (None, None);
            }
            "t" => self.is_text = true,
            "tab" => self.paragraph.push(' '),
            "br" | "cr" => self.paragraph.push('\n'),
            "pStyle" => {
                let style = tag.get("val").unwrap_or_default();
                self.level = self.styles.get(style).copied().or_else(|| named_level(style));
            }
            "numPr" => self.item = Some(0),
            "ilvl" => {
                let depth = tag.get("val").and_then(|level| level.parse().ok()).unwrap_or(0);
                self.item = self.item.map(|_| std::cmp::min(depth, 8));
            }
            "tbl" => self.tables += 1,
            "tr" if self.tables == 1 => self.rows.push(Vec::new()),
            "tc" if self.tables == 1 => {
                if let Some(row) = self.rows.last_mut().filter(|row| row.len() < MAX_CELLS) {
                    row.push(String::new());
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "t" => self.is_text = false,
            "p" => self.end_paragraph(),
            "tbl" => {
                self.tables = self.tables.saturating_sub(1);
                if self.tables == 0 {
                    self.end_table();
                }
            }
            _ => {}
        }
    }

    fn end_paragraph(&mut self) {
        let text = std::mem::take(&mut self.paragraph);
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        if self.tables > 0 {
            if let Some(cell) = self.rows.last_mut().and_then(|row| row.last_mut()) {
                let text = text.replace('\n', " ").replace('|', "\\|");
                cell.push_str(if cell.is_empty() { "" } else { " " });
                cell.push_str(&text);
            }
            return;
        }
        match (self.level, self.item) {
            (Some(level), _) => {
                self.has_title |= level == 1;
                self.out.block();
                let text = html::escaped(text);
                self.out.push(&format!("{} {text}", "#".repeat(level)));
            }
            (None, Some(depth)) => {
                if self.was_item {
                    self.out.push("\n");
                } else {
                    self.out.block();
                }
                self.out.push(&format!("{}- {}", "  ".repeat(depth), text.replace('\n', " ")));
            }
            (None, None) => {
                self.out.block();
                self.out.push(&html::start_escaped(text));
            }
        }
        self.was_item = self.level.is_none() && self.item.is_some();
    }

    fn end_table(&mut self) {
        let mut rows = std::mem::take(&mut self.rows);
        rows.retain(|row| row.iter().any(|cell| !cell.is_empty()));
        let width = rows.iter().map(Vec::len).max().unwrap_or(0);
        self.out.block();
        for (number, mut row) in rows.into_iter().enumerate() {
            row.resize(width, String::new());
            self.out.push(&format!("| {} |\n", row.join(" | ")));
            if number == 0 {
                self.out.push(&format!("|{}\n", " --- |".repeat(width)));
            }
        }
        self.was_item = false;
    }
}

/// Returns the level of a style that a document does not describe.
fn named_level(style: &str) -> Option<usize> {
    let level = style.strip_prefix("Heading")?.parse().ok()?;
    (1..=6).contains(&level).then_some(level)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::formats::archive::made;

    const STYLES: &str = r#"<w:styles xmlns:w="w"><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
        <w:style w:styleId="Own"><w:name w:val="Mine"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style></w:styles>"#;

    fn paragraph(properties: &str, text: &str) -> String {
        format!("<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
    }

    #[test]
    fn ma_4_word_document_keeps_headings_lists_and_tables() {
        let item = r#"<w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr>"#;
        let body = [
            paragraph(r#"<w:pStyle w:val="berschrift1"/>"#, "Tee &amp; Wasser"),
            paragraph("", "# no heading &#x4E00;"),
            paragraph(r#"<w:pStyle w:val="Own"/>"#, "Sorten"),
            paragraph("<w:numPr/>", "grün"),
            paragraph(item, "Sencha"),
            "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a|b</w:t></w:r></w:p></w:tc><w:tc/></w:tr></w:tbl>"
                .to_owned(),
        ];
        let document =
            format!("<w:document xmlns:w=\"w\"><w:body>{}</w:body></w:document>", body.join(""));
        let bytes = made(&[("word/styles.xml", STYLES), ("word/document.xml", &document)]);
        assert_eq!(
            markdown("file", &bytes).unwrap(),
            "# Tee & Wasser\n\n\\# no heading 一\n\n## Sorten\n\n- grün\n  - Sencha\n\n\
             | a\\|b |  |\n| --- | --- |\n"
        );
    }

    #[test]
    fn ma_4_word_document_with_entities_or_bombs_is_told() {
        let told = |parts: &[(&str, &str)]| markdown("x", &made(parts)).unwrap_err().to_string();
        let entity = "<!DOCTYPE d [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><d>&x;</d>";
        assert!(told(&[("word/document.xml", entity)]).contains("`DOCTYPE`"));
        assert!(told(&[("word/document.xml", "<t>&x;</t>")]).contains("`x`"));
        assert!(told(&[("other", "")]).contains("`word/document.xml` is missing"));
        let bomb = " ".repeat(65 << 20);
        assert!(told(&[("word/document.xml", &bomb)]).contains("unpacks to more"));
        assert!(markdown("x", b"PK").unwrap_err().to_string().contains("not an archive"));
        assert_eq!(markdown("x", &made(&[("word/document.xml", "<d/>")])), Err(Unread::Empty));
    }
}
