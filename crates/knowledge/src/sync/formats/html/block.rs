//! Paragraphs, headings, lists, quotes, code and tables, as lines of Markdown.

use super::inline::{Inline, start_escaped};
use super::table::Table;
use super::tags::{is_block, level};
use super::{Links, StartTag, attribute};

/// The most levels of lists, items and quotes; what is deeper stays at the last.
const MAX_LEVELS: usize = 24;

/// The longest address of a link that is kept, in bytes.
const MAX_ADDRESS: usize = 2_000;

/// A page that is being written.
#[derive(Debug, Default)]
pub(super) struct Writer {
    links: Links,
    out: String,
    inline: Inline,
    kind: Kind,
    /// The lists and quotes that are open, outermost first.
    levels: Vec<Level>,
    table: Option<Table>,
    /// The text of preformatted code, and its language.
    code: Option<(String, String)>,
    /// The id of the place where the next heading begins.
    id: Option<String>,
    has_great_heading: bool,
    /// The text of the first heading.
    first_heading: String,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Kind {
    #[default]
    Paragraph,
    Heading(usize),
    /// A term that what follows describes.
    Term,
}

#[derive(Debug)]
enum Level {
    Quote,
    /// A list with the number of its next item, if its items are numbered.
    List(Option<usize>),
    /// An item: its mark until that is written, and the width of that.
    Item(Option<String>, usize),
}

impl Writer {
    /// Returns a page with these links.
    pub(super) fn keeping(links: Links) -> Self {
        Self { links, ..Self::default() }
    }

    /// Reports whether the page shows its title: as its only great heading, or as a lesser one that
    /// the title of a site, `Tanks - Fish`, begins with.
    pub(super) fn has_title(&self, title: &str) -> bool {
        let first = &self.first_heading;
        self.has_great_heading
            || (!first.is_empty() && title.to_lowercase().starts_with(&first.to_lowercase()))
    }

    /// Returns the page.
    pub(super) fn finish(mut self) -> String {
        self.end_code();
        self.flush();
        self.end_table();
        let kept = self.out.trim_end().len();
        self.out.truncate(kept);
        if kept > 0 {
            self.out.push('\n');
        }
        self.out
    }

    pub(super) fn text(&mut self, text: &str) {
        match &mut self.code {
            Some((code, _)) => code.push_str(text),
            None => self.inline.text(text),
        }
    }

    pub(super) fn start(&mut self, name: &[u8], tag: &StartTag) {
        if let Some((code, language)) = &mut self.code {
            if name == b"br" {
                code.push('\n');
            } else if name == b"code" && language.is_empty() {
                *language = self::language(tag);
            }
            return;
        }
        if let Some(level) = level(name) {
            self.leave_table();
            self.begin(Kind::Heading(level));
        }
        if let Some(id) = attribute(tag, b"id").filter(|id| is_plain(id))
            && self.inline.is_empty()
        {
            self.id = Some(id);
        }
        match name {
            b"pre" => {
                self.leave_table();
                self.flush();
                self.code = Some((String::new(), language(tag)));
            }
            b"ul" | b"ol" => self.begin_list(name == b"ol", tag),
            b"li" => self.begin_item(),
            b"blockquote" => {
                self.flush();
                self.push_level(Level::Quote);
            }
            b"dt" | b"summary" => self.begin(Kind::Term),
            b"table" => self.begin_table(),
            b"tr" | b"td" | b"th" => self.begin_cell(name),
            b"strong" | b"b" => self.mark("strong", "**"),
            b"em" | b"i" => self.mark("em", "*"),
            b"code" | b"kbd" | b"samp" | b"tt" => self.inline.open_code(),
            b"a" => self.begin_link(tag),
            b"img" => self.image(tag),
            b"br" => self.inline.line_break(),
            _ if is_block(name) => self.flush(),
            _ => {}
        }
    }

    pub(super) fn end(&mut self, name: &[u8]) {
        if self.code.is_some() {
            if name == b"pre" {
                self.end_code();
            }
            return;
        }
        match name {
            b"ul" | b"ol" => self.end_level(|level| matches!(level, Level::List(_))),
            b"li" => self.end_level(|level| matches!(level, Level::Item(..))),
            b"blockquote" => self.end_level(|level| matches!(level, Level::Quote)),
            b"table" => self.end_table(),
            b"tr" | b"td" | b"th" => self.flush(),
            b"strong" | b"b" => self.inline.close("strong"),
            b"em" | b"i" => self.inline.close("em"),
            b"code" | b"kbd" | b"samp" | b"tt" => self.inline.close_code(),
            b"a" => self.inline.close("a"),
            _ if is_block(name) || level(name).is_some() => self.flush(),
            _ => {}
        }
    }

    fn begin(&mut self, kind: Kind) {
        self.flush();
        self.kind = kind;
    }

    fn mark(&mut self, name: &'static str, mark: &'static str) {
        if self.kind == Kind::Paragraph {
            self.inline.open(name, mark, mark.to_owned());
        }
    }

    fn begin_link(&mut self, tag: &StartTag) {
        let address = attribute(tag, b"href").unwrap_or_default();
        let address = address.trim();
        let is_kept = !address.is_empty()
            && address.len() <= MAX_ADDRESS
            && !address.starts_with("javascript:")
            && self.links_to(address)
            && !address.contains(char::is_whitespace)
            && !matches!(self.kind, Kind::Heading(_));
        if is_kept {
            let address = address.replace('(', "%28").replace(')', "%29");
            self.inline.open("a", "[", format!("]({address})"));
        }
    }

    fn links_to(&self, address: &str) -> bool {
        self.links == Links::All || address.contains("://")
    }

    /// Writes the words that stand for an image, with its address.
    fn image(&mut self, tag: &StartTag) {
        let words = attribute(tag, b"alt").unwrap_or_default();
        if words.trim().is_empty() {
            return;
        }
        let address = attribute(tag, b"src").unwrap_or_default();
        let is_kept = address.len() <= MAX_ADDRESS
            && !address.starts_with("data:")
            && self.links_to(&address)
            && !address.contains([' ', '(', ')', '\n', '\t']);
        if is_kept && !matches!(self.kind, Kind::Heading(_)) {
            self.inline.verbatim("![");
            self.inline.text(&words);
            self.inline.verbatim(&format!("]({address})"));
        } else {
            self.inline.text(&words);
        }
    }

    fn begin_list(&mut self, is_numbered: bool, tag: &StartTag) {
        self.flush();
        let first = attribute(tag, b"start").and_then(|start| start.parse().ok()).unwrap_or(1);
        self.push_level(Level::List(is_numbered.then_some(first)));
    }

    fn push_level(&mut self, level: Level) {
        if self.levels.len() < MAX_LEVELS {
            self.levels.push(level);
        }
    }

    fn begin_item(&mut self) {
        self.flush();
        // The end tag of an item may be left out.
        if let Some(Level::Item(..)) = self.levels.last() {
            self.levels.pop();
        }
        let mark = match self.levels.last_mut() {
            Some(Level::List(Some(number))) => {
                let mark = format!("{number}. ");
                *number = number.saturating_add(1);
                mark
            }
            _ => "- ".to_owned(),
        };
        let width = mark.len();
        self.push_level(Level::Item(Some(mark), width));
    }

    /// Ends the innermost level of a kind, and those inside it.
    fn end_level(&mut self, is_it: impl Fn(&Level) -> bool) {
        self.flush();
        if let Some(at) = self.levels.iter().rposition(is_it) {
            self.levels.truncate(at);
        }
    }

    fn begin_table(&mut self) {
        self.flush();
        match &mut self.table {
            // A table inside a table arranges a page; nothing in it is a cell of a row.
            Some(_) => {
                self.leave_table();
                self.table = Some(Table::default());
            }
            None => self.table = Some(Table::default()),
        }
    }

    fn begin_cell(&mut self, name: &[u8]) {
        self.flush();
        match &mut self.table {
            Some(table) if name == b"tr" => table.begin_row(),
            Some(table) => table.begin_cell(),
            None => {}
        }
    }

    /// Writes the texts of a table that only arranges a page, and what follows without it.
    fn leave_table(&mut self) {
        self.flush();
        for text in self.table.take().map(Table::texts).unwrap_or_default() {
            self.write_lines(text.lines());
        }
    }

    fn end_table(&mut self) {
        self.flush();
        match self.table.take().map(Table::lines) {
            Some(Ok(lines)) => self.write_lines(lines.iter().map(String::as_str)),
            Some(Err(texts)) => {
                texts.iter().for_each(|text| self.write_lines(text.lines()));
            }
            None => {}
        }
    }

    fn end_code(&mut self) {
        let Some((code, language)) = self.code.take() else { return };
        let code = code.trim_matches('\n').trim_end();
        if code.is_empty() {
            return;
        }
        let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(3.max(longest + 1));
        let open = format!("{fence}{language}");
        self.write_lines([open.as_str()].into_iter().chain(code.lines()).chain([fence.as_str()]));
    }

    /// Ends the present paragraph.
    fn flush(&mut self) {
        let text = self.inline.take();
        let kind = std::mem::take(&mut self.kind);
        if text.is_empty() {
            return;
        }
        if let Some(table) = &mut self.table {
            table.add(&text);
            return;
        }
        let text = match kind {
            Kind::Paragraph => start_escaped(&text),
            Kind::Term => format!("**{}**", text.replace('\n', " ").replace("**", "")),
            Kind::Heading(level) => match self.heading(level, &text) {
                Some(heading) => heading,
                None => return,
            },
        };
        self.write_lines(text.lines());
    }

    /// Returns the line of a heading, with the id of its place.
    fn heading(&mut self, level: usize, text: &str) -> Option<String> {
        // Signs that only link to the heading itself.
        let text = text.trim_start_matches(['¶', '§', ' ']).trim_end_matches(['¶', '§', '#', ' ']);
        let text = text.replace('\n', " ");
        if text.is_empty() {
            return None;
        }
        self.has_great_heading |= level == 1;
        if self.first_heading.is_empty() {
            text.clone_into(&mut self.first_heading);
        }
        let marks = "#".repeat(level);
        let id = self.id.take().map(|id| format!(" {{#{id}}}")).unwrap_or_default();
        Some(format!("{marks} {text}{id}"))
    }

    /// Writes the lines of one block at the present level.
    fn write_lines<'t>(&mut self, lines: impl IntoIterator<Item = &'t str>) {
        let is_item = self.levels.iter().any(|level| matches!(level, Level::Item(Some(_), _)));
        let is_after_item = self.out.lines().next_back().is_some_and(is_list_line);
        self.id = None;
        if !self.out.is_empty() {
            self.out.push_str(if is_item && is_after_item { "\n" } else { "\n\n" });
        }
        for (number, line) in lines.into_iter().enumerate() {
            if number > 0 {
                self.out.push('\n');
            }
            self.write_indent();
            self.out.push_str(line);
        }
    }

    /// Writes what is before a line: the marks of quotes and, once, those of items.
    fn write_indent(&mut self) {
        for level in &mut self.levels {
            match level {
                Level::Quote => self.out.push_str("> "),
                Level::List(_) => {}
                Level::Item(mark, width) => match mark.take() {
                    Some(mark) => self.out.push_str(&mark),
                    None => self.out.push_str(&" ".repeat(*width)),
                },
            }
        }
    }
}

/// Reports whether a line begins an item of a list.
fn is_list_line(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '>']);
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with("- ") || (digits.len() < line.len() && digits.starts_with(". "))
}

/// Reports whether an id can stand beside a heading.
fn is_plain(id: &str) -> bool {
    !id.is_empty()
        && id.len() <= 200
        && id.chars().all(|c| c.is_alphanumeric() || "-_.:".contains(c))
}

/// Returns the language that the classes of an element name.
fn language(tag: &StartTag) -> String {
    let classes = attribute(tag, b"class").unwrap_or_default();
    let named = classes.split_whitespace().find_map(|class| {
        ["language-", "lang-", "highlight-source-"]
            .iter()
            .find_map(|start| class.strip_prefix(start))
    });
    named.filter(|name| is_plain(name)).unwrap_or_default().to_owned()
}
