//! A picture of a text in an editor, as SVG that is readable on light and on dark ground.

use std::fmt::Write as _;

/// The width of a character and the height of a line; the font has a fixed width.
const WIDTH: usize = 8;
const HEIGHT: usize = 20;
/// The room around the text, and the height of the title.
const MARGIN: usize = 16;
const TITLE: usize = 34;
/// The greatest number of characters of a line of hover.
const HOVER: usize = 88;

const STYLE: &str = "text{font:13px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre;fill:#24292f}\
.g{fill:#fff;stroke:#d0d7de}.t,.n,.lens,.comment{fill:#6e7781}.hint{fill:#57606a;font-style:italic}.box{fill:#f6f8fa;stroke:#8c959f}\
.keyword{fill:#cf222e}.class,.type,.namespace{fill:#8250df}.function,.method{fill:#6639ba}.string{fill:#0a3069}.number,.property{fill:#0550ae}\
.parameter{fill:#953800}.s1{fill:#cf222e}.s2{fill:#9a6700}.s4{fill:#57606a}path{fill:none;stroke-width:1.2}path.s1{stroke:#cf222e}path.s2{stroke:#bf8700}path.s4{stroke:#8c959f}\
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.g{fill:#0d1117;stroke:#30363d}.t,.n,.lens,.comment{fill:#8b949e}.hint{fill:#9da7b3}.box{fill:#161b22;stroke:#6e7681}\
.keyword{fill:#ff7b72}.class,.type,.namespace{fill:#d2a8ff}.function,.method{fill:#d2a8ff}.string{fill:#a5d6ff}.number,.property{fill:#79c0ff}\
.parameter{fill:#ffa657}.s1{fill:#ff7b72}.s2{fill:#d29922}.s4{fill:#8b949e}path.s1{stroke:#f85149}path.s2{stroke:#d29922}path.s4{stroke:#6e7681}path{fill:none!important}}";

/// A line of the text with what is shown in it, above it and behind it. Columns are those of ASCII.
pub(crate) struct Row {
    text: String,
    /// The class of each character.
    classes: Vec<String>,
    hints: Vec<(usize, String)>,
    lenses: Vec<String>,
    faults: Vec<((usize, usize), usize, String)>,
}

impl Row {
    /// Creates a line; strings and comments have their colours, which a grammar gives in an editor.
    pub(crate) fn new(text: &str) -> Self {
        let mut classes = vec![String::new(); text.len()];
        let mut in_string = false;
        for (at, byte) in text.bytes().enumerate() {
            if !in_string && text[at..].starts_with("//") {
                classes[at..].fill("comment".to_owned());
                break;
            }
            if byte == b'"' || in_string {
                classes[at] = "string".to_owned();
            }
            in_string ^= byte == b'"';
        }
        let text = text.to_owned();
        Self { text, classes, hints: Vec::new(), lenses: Vec::new(), faults: Vec::new() }
    }

    pub(crate) fn colour(&mut self, at: usize, length: usize, class: &str) {
        self.classes[at..at + length].fill(class.to_owned());
    }

    pub(crate) fn hint(&mut self, at: usize, text: &str) {
        self.hints.push((at, text.to_owned()));
    }

    pub(crate) fn lens(&mut self, text: &str) {
        self.lenses.push(text.to_owned());
    }

    pub(crate) fn fault(&mut self, columns: (usize, usize), severity: usize, text: &str) {
        self.faults.push((columns, severity, text.to_owned()));
    }

    /// Returns the pieces of the line with their classes, hints among them.
    fn pieces(&self) -> Vec<(&str, &str)> {
        let mut pieces = Vec::new();
        let mut begin = 0;
        for at in 1..=self.text.len() {
            let ends = at == self.text.len()
                || self.classes[at] != self.classes[begin]
                || self.hints.iter().any(|(own, _)| *own == at);
            if ends {
                pieces.push((self.classes[begin].as_str(), &self.text[begin..at]));
                pieces.extend(
                    self.hints
                        .iter()
                        .filter(|(own, _)| *own == at)
                        .map(|(_, text)| ("hint", text.as_str())),
                );
                begin = at;
            }
        }
        pieces
    }

    /// Returns where a column of the text is shown, behind the hints before it.
    fn shown(&self, column: usize) -> usize {
        let before = self.hints.iter().filter(|(at, _)| *at < column.max(1));
        column + before.map(|(_, text)| text.chars().count()).sum::<usize>()
    }

    /// Returns the number of characters with everything behind the text.
    fn length(&self) -> usize {
        let told: usize = self.faults.iter().map(|(_, _, text)| text.chars().count() + 4).sum();
        self.shown(self.text.len() + 1) + told
    }
}

/// The lines of a text from one on, under a title, and the text of a hover below one of them.
pub(crate) struct Picture<'t> {
    pub(crate) title: &'t str,
    pub(crate) first: usize,
    pub(crate) rows: Vec<Row>,
    pub(crate) hover: Option<(usize, String)>,
}

impl Picture<'_> {
    pub(crate) fn svg(&self) -> String {
        let hover = self.hover.as_ref().map(|(line, text)| (*line, wrapped(text)));
        let rows = &self.rows[self.first..];
        let longest = rows.iter().map(Row::length).max().unwrap_or_default();
        let hover_width =
            hover.iter().flat_map(|(_, lines)| lines).map(|line| line.chars().count() + 12);
        let columns = hover_width.max().unwrap_or_default().max(longest + 5);
        let lenses = rows.iter().filter(|row| !row.lenses.is_empty()).count();
        let hover_lines = hover.as_ref().map_or(0, |(_, lines)| lines.len() + 1);
        let width = columns * WIDTH + 2 * MARGIN;
        let height = (rows.len() + lenses + hover_lines) * HEIGHT + TITLE + MARGIN;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{0}\">\n<style>{STYLE}</style>\n\
             <rect class=\"g\" x=\".5\" y=\".5\" width=\"{1}\" height=\"{2}\" rx=\"8\"/>\n<text class=\"t\" x=\"{MARGIN}\" y=\"22\">{0}</text>\n",
            escaped(self.title),
            width - 1,
            height - 1
        );
        let mut top = TITLE;
        for (number, row) in (self.first + 1..).zip(rows) {
            if !row.lenses.is_empty() {
                let indent = row.text.len() - row.text.trim_start().len();
                let lenses = row.lenses.join("  |  ");
                text(&mut svg, ("lens", left(indent), top), &lenses);
                top += HEIGHT;
            }
            line(&mut svg, number, row, top);
            top += HEIGHT;
            if let Some((_, lines)) = hover.as_ref().filter(|(below, _)| below + 1 == number) {
                hover_box(&mut svg, lines, top);
                top += (lines.len() + 1) * HEIGHT;
            }
        }
        svg.push_str("</svg>\n");
        svg
    }
}

fn left(column: usize) -> usize {
    MARGIN + (column + 5) * WIDTH
}

/// Draws a text; its length is told, as fonts of a fixed width are not all equally wide.
fn text(svg: &mut String, (class, x, top): (&str, usize, usize), inner: &str) {
    let (y, length) = (top + 14, inner.chars().count() * WIDTH);
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    let inner = escaped(inner);
    let _ =
        writeln!(svg, "<text{class} x=\"{x}\" y=\"{y}\" textLength=\"{length}\">{inner}</text>");
}

fn line(svg: &mut String, number: usize, row: &Row, top: usize) {
    text(svg, ("n", MARGIN, top), &format!("{number:3}"));
    let mut column = 0;
    for (class, piece) in row.pieces() {
        let blanks = piece.len() - piece.trim_start().len();
        let length = piece.chars().count();
        if !piece.trim().is_empty() {
            text(svg, (class, left(column + blanks), top), piece.trim());
        }
        column += length;
    }
    let mut end = row.shown(row.text.len() + 1) + 2;
    for ((from, to), severity, told) in &row.faults {
        let (from, to) = (row.shown(*from), row.shown(*to).max(row.shown(*from) + 1));
        let (x, y) = (left(from), top + 17);
        let waves = (to - from) * WIDTH / 4;
        let _ = writeln!(
            svg,
            "<path class=\"s{severity}\" d=\"M{x} {y}{}\"/>",
            "q1 -2 2 0t2 0".repeat(waves)
        );
        text(svg, (&format!("s{severity}"), left(end), top), told);
        end += told.chars().count() + 4;
    }
}

fn hover_box(svg: &mut String, lines: &[String], top: usize) {
    let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or_default();
    let (x, width) = (left(4) - 8, longest * WIDTH + 16);
    let height = lines.len() * HEIGHT + 8;
    let _ = writeln!(
        svg,
        "<rect class=\"box\" x=\"{x}\" y=\"{}\" width=\"{width}\" height=\"{height}\" rx=\"4\"/>",
        top + 2
    );
    for (line, at) in lines.iter().zip((top + 6..).step_by(HEIGHT)) {
        text(svg, ("", x + 8, at), line);
    }
}

/// Returns the lines of Markdown as an editor shows them, the long ones broken.
fn wrapped(markdown: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for line in markdown.lines().filter(|line| !line.starts_with("```")) {
        let plain = line.replace('`', "");
        let mut rest = String::new();
        for word in plain.replacen("- ", "• ", usize::from(plain.starts_with("- "))).split(' ') {
            if !rest.is_empty() && rest.chars().count() + word.chars().count() >= HOVER {
                lines.push(std::mem::take(&mut rest));
                rest.push(' ');
            }
            if !rest.trim().is_empty() {
                rest.push(' ');
            }
            rest.push_str(word);
        }
        lines.push(rest);
    }
    lines
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
