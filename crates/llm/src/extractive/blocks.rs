//! Blocks of a text: headings, paragraphs, list items, table rows. Markdown is understood; plain
//! text is Markdown with little in it.

use super::sentences::{normal, unmarked};
use super::terms::words;

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Block {
    /// A heading with its level, 1 to 6.
    Heading(u8, String),
    /// Running text: lines that were wrapped are joined again.
    Prose(String),
    /// Running text that quotes somebody else: lines that begin with `>`.
    Quote(String),
    /// A name and its value that stand apart: columns, front matter.
    Pair(String, String),
    /// A line that stands for itself.
    Line(String),
    /// An item of a list.
    Item(String),
    /// A row of a table with the header's cells.
    Row {
        /// The header's cells.
        header: Vec<String>,
        /// The row's cells.
        cells: Vec<String>,
    },
}

/// Returns the blocks of a text in order. Code, pictures and markup without text are left out.
pub(super) fn blocks(text: &str) -> Vec<Block> {
    let mut reader = Reader { width: wrap_width(text), ..Reader::default() };
    let mut lines = text.lines().peekable();
    if lines.peek().is_some_and(|line| line.trim_end() == "---") {
        skip_front_matter(text, &mut lines, &mut reader);
    }
    while let Some(line) = lines.next() {
        let next = lines.peek().copied();
        if reader.line(line, next) {
            lines.next();
        }
    }
    reader.flush();
    reader.out
}

/// Skips front matter between `---` lines; its title is kept as a heading.
fn skip_front_matter<'a>(
    text: &str,
    lines: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>,
    reader: &mut Reader,
) {
    if !text.lines().skip(1).take(100).any(|line| line.trim_end() == "---") {
        return;
    }
    lines.next();
    for line in lines.by_ref().take_while(|line| line.trim_end() != "---") {
        let Some((key, value)) = line.split_once(": ") else { continue };
        let value = normal(value.trim().trim_matches(['"', '\'']));
        reader.out.push(match key {
            "title" => Block::Heading(1, value),
            _ => Block::Pair(key.to_owned(), value),
        });
    }
}

#[derive(Default)]
struct Reader {
    out: Vec<Block>,
    /// The width at which the text was wrapped.
    width: usize,
    lines: Vec<String>,
    in_item: bool,
    in_quote: bool,
    /// The level of the heading whose tag has just been opened.
    opened: Option<u8>,
    /// The mark that ends the code block.
    code: Option<String>,
    in_comment: bool,
    header: Option<Vec<String>>,
}

impl Reader {
    /// Takes a line; true when `next` was used up as well.
    fn line(&mut self, raw: &str, next: Option<&str>) -> bool {
        let line = raw.trim();
        if self.skipped(line) {
            return false;
        }
        if line.is_empty() {
            self.flush();
            self.header = None;
            return false;
        }
        if let Some(level) = opened_heading(line) {
            self.flush();
            self.opened = Some(level);
            return false;
        }
        let opened = self.opened.take().filter(|_| !line.starts_with('<'));
        let titled = opened.map(|level| (level, normal(line)));
        if let Some((level, text)) = titled.or_else(|| heading(line)) {
            self.flush();
            self.push(Block::Heading(level, text));
            return false;
        }
        if self.table(line, next) {
            return self.header.is_some() && is_rule(next.unwrap_or_default());
        }
        if let Some(level) = next.and_then(underline).filter(|_| self.lines.is_empty()) {
            self.push(Block::Heading(level, normal(line)));
            return true;
        }
        if let Some((key, value)) = columns(line) {
            self.flush();
            self.push(Block::Pair(key.to_owned(), normal(value)));
            self.push(Block::Line(normal(line)));
            return false;
        }
        let indented = raw.starts_with("    ") || raw.starts_with('\t');
        if is_ruler(line) || is_markup(line) || (indented && is_drawing(line)) {
            self.flush();
            return false;
        }
        if let Some(item) = list_item(line) {
            self.flush();
            self.in_item = true;
            self.lines.push(item.to_owned());
            return false;
        }
        let is_quote = line.starts_with('>');
        if is_quote != self.in_quote {
            self.flush();
            self.in_quote = is_quote;
        }
        let indented = raw.starts_with([' ', '\t']);
        // The next entry of a record in a list.
        let entry = indented && !line.contains(['"', '`']) && is_entry(line) && one_word(line);
        let beside = !indented && !self.lines.is_empty() && !self.wrapped(line);
        if self.in_item && (entry || beside) {
            self.flush();
        }
        self.lines.push(line.trim_start_matches(['>', ' ']).to_owned());
        false
    }

    /// Reports whether the line belongs to code or to a comment.
    fn skipped(&mut self, line: &str) -> bool {
        if let Some(mark) = &self.code {
            if line.starts_with(mark.as_str()) && line.trim_matches(['`', '~']).is_empty() {
                self.code = None;
            }
            return true;
        }
        if self.in_comment {
            self.in_comment = !line.contains("-->");
            return true;
        }
        if let Some(mark) = ["```", "~~~"].into_iter().find(|mark| line.starts_with(mark)) {
            self.flush();
            self.code = Some(mark.to_owned());
            return true;
        }
        if line.starts_with("<!--") {
            self.in_comment = !line.contains("-->");
            return true;
        }
        false
    }

    fn table(&mut self, line: &str, next: Option<&str>) -> bool {
        if line.matches('|').count() < 2 && !line.starts_with('|') {
            return false;
        }
        if next.is_some_and(is_rule) {
            self.flush();
            self.header = Some(cells(line));
            return true;
        }
        let Some(header) = &self.header else { return false };
        let row = Block::Row { header: header.clone(), cells: cells(line) };
        self.push(row);
        true
    }

    fn push(&mut self, block: Block) {
        self.out.push(block);
    }

    /// Reports whether the line above was full, so that this one continues it.
    fn wrapped(&self, line: &str) -> bool {
        let Some(last) = self.lines.last() else { return false };
        let first = words_width(line);
        width(last) + 1 + first > self.width
    }

    /// Ends the paragraph or item that has begun.
    fn flush(&mut self) {
        let lines = std::mem::take(&mut self.lines);
        let item = std::mem::take(&mut self.in_item);
        let quote = std::mem::take(&mut self.in_quote);
        if item {
            let text = normal(&lines.join(" "));
            if !text.is_empty() {
                self.push(Block::Item(text));
            }
            return;
        }
        let mut paragraphs: Vec<Vec<String>> = Vec::new();
        for line in lines {
            match paragraphs.last_mut() {
                Some(paragraph) if goes_on(paragraph, &line, self.width) => paragraph.push(line),
                _ => paragraphs.push(vec![line]),
            }
        }
        let alone = paragraphs.len() > 1;
        for paragraph in paragraphs {
            let single = paragraph.len() == 1 && alone;
            let text = normal(&paragraph.join(" "));
            if !text.is_empty() {
                self.push(match (quote, single) {
                    (true, _) => Block::Quote(text),
                    (false, true) => Block::Line(text),
                    (false, false) => Block::Prose(text),
                });
            }
        }
    }
}

/// Reports whether a line continues the sentence above: that line was full, or this one begins in
/// the middle of a sentence.
fn goes_on(paragraph: &[String], line: &str, wrap: usize) -> bool {
    let Some(last) = paragraph.last() else { return false };
    if is_entry(line) {
        return false;
    }
    let open = !last.ends_with(['.', '!', '?', ':', ';', '。', '！', '？', '：', '；']);
    let inside = open && width(last) >= 24 && line.starts_with(char::is_lowercase);
    inside || width(last) + 1 + words_width(line) > wrap
}

/// Reports whether a line reads `Key: value` or `key = value`, as those of a form or of settings.
fn is_entry(line: &str) -> bool {
    let Some((key, _)) = line.split_once(": ").or_else(|| line.split_once(" = ")) else {
        return line.ends_with(':') && !line.contains(' ');
    };
    match words(key).len() {
        0 => false,
        1 => !key.contains(' '),
        parts => !key.contains(' ') || (parts <= 3 && line.starts_with(char::is_uppercase)),
    }
}

/// Reports whether the key of an entry is one word, as in settings.
fn one_word(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(key, _)| !key.contains(' '))
}

/// Returns a name and its value that a wide gap or leaders keep apart: `Total ..... 418.60`.
fn columns(line: &str) -> Option<(&str, &str)> {
    let gap = ["   ", "\t", "...."].iter().filter_map(|gap| line.find(gap)).min()?;
    let (key, rest) = line.split_at_checked(gap)?;
    let value = rest.trim_start_matches([' ', '\t', '.']);
    let key = key.trim_end_matches([':', ' ', '.']);
    let named = (1..=5).contains(&words(key).len()) && !key.chars().any(|c| c.is_ascii_digit());
    let single = !value.contains("   ") && !value.contains('\t') && words(value).len() <= 6;
    let told = value.chars().any(|c| c.is_ascii_digit()) && !value.contains("....");
    let plain = !key.contains(['|', '(', '{', '`', '<', '#', '=']);
    (named && single && told && plain && key.starts_with(char::is_alphabetic))
        .then_some((key, value))
}

/// Columns of a text; characters of East Asian scripts take two.
fn width(text: &str) -> usize {
    text.chars().map(|c| if u32::from(c) >= 0x1100 { 2 } else { 1 }).sum()
}

/// Columns of what a line must have had room for to take one more word.
fn words_width(line: &str) -> usize {
    let word = line.split_whitespace().next().unwrap_or_default();
    match word.chars().next() {
        Some(c) if u32::from(c) >= 0x1100 => 2,
        _ => width(word),
    }
}

/// Returns the width at which a text was wrapped: that of its longer lines that continue.
fn wrap_width(text: &str) -> usize {
    let mut widths = Vec::new();
    let mut before: Option<&str> = None;
    for line in text.lines().map(str::trim_end) {
        if let Some(above) = before
            && is_running(line)
            && is_running(above)
        {
            widths.push(width(above));
        }
        before = Some(line);
    }
    widths.sort_unstable();
    let at = widths.len() * 9 / 10;
    widths.get(at).or(widths.last()).copied().unwrap_or(0).max(40)
}

fn is_running(line: &str) -> bool {
    let line = line.trim_start();
    !line.is_empty() && !line.starts_with(['|', '#', '`', '~', '<', '{', '}']) && !is_drawing(line)
}

/// Columns or a drawing made of spaces: nothing to read as a sentence.
fn is_drawing(line: &str) -> bool {
    line.trim().contains("   ") || line.contains(['│', '─', '┌', '└', '├'])
}

/// Returns the level of a heading whose opening tag stands alone in a line.
fn opened_heading(line: &str) -> Option<u8> {
    let rest = line.strip_prefix("<h").filter(|_| line.ends_with('>') && !line.contains("</"))?;
    let level = rest.chars().next()?.to_digit(10)?;
    u8::try_from(level).ok().filter(|level| (1..=6).contains(level))
}

fn heading(line: &str) -> Option<(u8, String)> {
    if let Some(rest) = line.strip_prefix("<h").filter(|_| line.contains("</h")) {
        let level = rest.chars().next()?.to_digit(10)?;
        let inner = rest.split_once('>')?.1.split("</h").next()?;
        let text = normal(inner.split('>').next_back()?);
        let level = u8::try_from(level).ok()?;
        return (!text.is_empty()).then_some((level, text));
    }
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    if !(1..=6).contains(&level) || !rest.starts_with([' ', '\t']) {
        return None;
    }
    let text = normal(rest.trim().trim_end_matches('#'));
    // Badges beside a title are not part of it.
    let text = ["[![", "![", "&emsp;", "&nbsp;"]
        .iter()
        .filter_map(|mark| text.split_once(mark))
        .map(|(before, _)| before.trim())
        .min_by_key(|before| before.len())
        .unwrap_or(&text);
    let text = unmarked(text).to_owned();
    (!text.is_empty()).then_some((u8::try_from(level).unwrap_or(6), text))
}

/// Returns the level of a heading that is underlined so.
fn underline(line: &str) -> Option<u8> {
    let line = line.trim();
    let all = |mark: char| line.len() >= 3 && line.chars().all(|c| c == mark);
    if all('=') { Some(1) } else { all('-').then_some(2) }
}

fn is_ruler(line: &str) -> bool {
    let mut marks = line.chars().filter(|c| !c.is_whitespace());
    let first = marks.next().unwrap_or(' ');
    "-*_=".contains(first) && marks.clone().count() >= 2 && marks.all(|c| c == first)
}

/// Reports whether a line is the one between a table's header and its rows.
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.contains('-') && line.contains('|') && line.chars().all(|c| "|-: ".contains(c))
}

fn cells(line: &str) -> Vec<String> {
    line.trim().trim_matches('|').split('|').map(normal).collect()
}

/// Pictures, badges, tags and link definitions: nothing that can be quoted.
fn is_markup(line: &str) -> bool {
    if line.starts_with("[!") || line.starts_with("![") {
        return true;
    }
    if line.starts_with('[') && line.contains("]: ") {
        return true;
    }
    line.starts_with('<') && line.ends_with('>') && only_tags(line)
}

fn only_tags(line: &str) -> bool {
    let mut depth = 0_i32;
    for c in line.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            c if depth == 0 && c.is_alphanumeric() => return false,
            _ => {}
        }
    }
    true
}

fn list_item(line: &str) -> Option<&str> {
    let bullet =
        ["- ", "* ", "+ ", "• ", "– ", "・"].iter().find_map(|mark| line.strip_prefix(mark));
    let text = bullet.or_else(|| {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = line.len() - rest.len();
        let mark = [". ", ") ", "、", "．"].iter().find_map(|mark| rest.strip_prefix(mark));
        mark.filter(|_| (1..=3).contains(&digits))
    })?;
    let text = text.trim_start();
    Some(["[ ] ", "[x] ", "[X] "].iter().find_map(|mark| text.strip_prefix(mark)).unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prose(text: &str) -> Block {
        Block::Prose(text.into())
    }

    fn line(text: &str) -> Block {
        Block::Line(text.into())
    }

    #[test]
    fn as_24_markdown_is_split_into_blocks() {
        let text = "---\ntitle: \"Front\"\n---\n# One `two` #\n\n[![badge](x)](y)\n<p align=\"center\">\n\nA line that is wrapped at the\nusual width of its file, and\nends here.\n\n```rust\n# no heading\n```\n- first item\n  goes on\n- second\n\n1. third\n\nUnder\n=====\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> quoted\n***\n<!-- gone\ngone -->\n";
        assert_eq!(
            blocks(text),
            [
                Block::Heading(1, "Front".into()),
                Block::Heading(1, "One `two`".into()),
                prose("A line that is wrapped at the usual width of its file, and ends here."),
                Block::Item("first item goes on".into()),
                Block::Item("second".into()),
                Block::Item("third".into()),
                Block::Heading(1, "Under".into()),
                Block::Row {
                    header: vec!["a".into(), "b".into()],
                    cells: vec!["1".into(), "2".into()]
                },
                Block::Quote("quoted".into()),
            ]
        );
    }

    #[test]
    fn as_24_lines_of_plain_text_stand_for_themselves() {
        let text = "Northwind GmbH\nInvoice number: NP-1\nDate: 17 March 2024\n\nTerms: payable within 14 days without deduction of any.";
        assert_eq!(
            blocks(text),
            [
                line("Northwind GmbH"),
                line("Invoice number: NP-1"),
                line("Date: 17 March 2024"),
                prose("Terms: payable within 14 days without deduction of any."),
            ]
        );
    }

    #[test]
    fn ca_9_forms_settings_and_opened_tags_are_read() {
        let pair = |key: &str, value: &str| Block::Pair(key.into(), value.into());
        assert_eq!(
            blocks("Sum .......... 12.50\nTotal     418.60 EUR\n"),
            [
                pair("Sum", "12.50"),
                line("Sum .......... 12.50"),
                pair("Total", "418.60 EUR"),
                line("Total 418.60 EUR"),
            ]
        );
        let text = "title: a long enough name of a tool\nlicence: MIT\nedition = \"2024\"\n\n<h3 name=\"x\">\nHow?\n</h3>\n";
        assert_eq!(
            blocks(text),
            [
                line("title: a long enough name of a tool"),
                line("licence: MIT"),
                line("edition = \"2024\""),
                Block::Heading(3, "How?".into()),
            ]
        );
    }

    #[test]
    fn as_24_chinese_lines_are_kept_apart_when_they_end_sentences() {
        let text = "周会\n\n会议决定发布。\n会议决定推迟移动端的改版，先完成支付接口。\n";
        assert_eq!(
            blocks(text),
            [
                prose("周会"),
                line("会议决定发布。"),
                line("会议决定推迟移动端的改版，先完成支付接口。"),
            ]
        );
    }
}
