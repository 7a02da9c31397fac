//! Tables of Markdown, read strictly: what a reader would see as a table and what is broken in it.

use super::lines::{Fence, Line, lines};
use super::report::{Report, span};
use crate::codes;
use std::ops::Range;

#[derive(Debug, Clone)]
pub(super) struct Table {
    pub(super) header: Vec<Cell>,
    pub(super) rows: Vec<Row>,
}

#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) cells: Vec<Cell>,
    pub(super) place: Range<usize>,
}

/// A cell.
#[derive(Debug, Clone, Default)]
pub(super) struct Cell {
    /// Without white space around it, backticks around it and backslashes before `|`.
    pub(super) text: String,
    /// Its bytes in the file, as written.
    pub(super) place: Range<usize>,
}

pub(super) fn read(
    source: &str,
    part: Range<usize>,
    max_rows: usize,
    report: &mut Report,
) -> Option<Table> {
    let mut found = None;
    let mut broken = None;
    for block in blocks(source, part) {
        let separator = separator(&block);
        match (&found, separator) {
            (None, Some(at)) => {
                found = Some(table(block.get(at - 1..).unwrap_or_default(), max_rows, report)?);
            }
            (Some(_), Some(_)) => report_further(&block, report),
            (_, None) => broken = broken.or(block.first().copied()),
        }
    }
    if found.is_none()
        && let Some(line) = broken
    {
        let fault = codes::TABLE_WITHOUT_SEPARATOR
            .at(span(line_place(&line)), "no row of dashes stands below this row");
        report.add(fault.with_help("put a row such as `|---|---|` below the header"));
    }
    found
}

/// Returns which line of a block stands below a header; never the first.
fn separator(block: &[Line<'_>]) -> Option<usize> {
    let mut below = block.iter().enumerate().skip(1);
    below.find(|(_, line)| is_separator(line.text)).map(|(at, _)| at)
}

fn report_further(block: &[Line<'_>], report: &mut Report) {
    if let Some(line) = block.first() {
        report.say(codes::FURTHER_TABLE, line_place(line), "a second table is not read");
    }
}

/// Runs of lines that are rows: they begin with `|`, or a separator makes them a table.
fn blocks(source: &str, part: Range<usize>) -> Vec<Vec<Line<'_>>> {
    let mut blocks: Vec<Vec<Line<'_>>> = vec![Vec::new()];
    let mut fence: Option<Fence> = None;
    for line in lines(source, part) {
        let mut is_row = false;
        match fence {
            Some(open) if open.is_closed_by(line.text) => fence = None,
            Some(_) => {}
            None => {
                fence = Fence::opened_by(line.text);
                is_row = fence.is_none() && line.text.contains('|');
            }
        }
        match blocks.last_mut() {
            Some(block) if is_row => block.push(line),
            Some(block) if !block.is_empty() => blocks.push(Vec::new()),
            _ => {}
        }
    }
    blocks.retain(|block| {
        let is_drawn = block.first().is_some_and(|line| line.text.trim_start().starts_with('|'));
        is_drawn || separator(block).is_some()
    });
    blocks
}

/// Reports whether a row consists of dashes, with colons at their ends perhaps.
fn is_separator(text: &str) -> bool {
    let is_dashes = |cell: &str| {
        let cell = cell.trim();
        let cell = cell.strip_prefix(':').unwrap_or(cell);
        let cell = cell.strip_suffix(':').unwrap_or(cell);
        !cell.is_empty() && cell.chars().all(|c| c == '-')
    };
    text.contains('|') && inner(text).split('|').all(is_dashes)
}

/// Returns a row without the marks at its ends.
fn inner(text: &str) -> &str {
    let text = text.trim();
    let text = text.strip_prefix('|').unwrap_or(text);
    let is_escaped = text.ends_with("\\|");
    if is_escaped { text } else { text.strip_suffix('|').unwrap_or(text) }
}

fn table(block: &[Line<'_>], max_rows: usize, report: &mut Report) -> Option<Table> {
    let (header, rest) = block.split_first()?;
    let (separator, rows) = rest.split_first()?;
    let header = cells(header);
    let width = cells(separator).len();
    if width != header.len() {
        let message = format!("the header has {} cells, this row has {width}", header.len());
        report.say(codes::SEPARATOR_WIDTH, line_place(separator), message);
        return None;
    }
    let mut table = Table { header, rows: Vec::new() };
    for line in rows {
        if table.rows.len() >= max_rows {
            let message = format!("a table has at most {max_rows} rows");
            report.say(codes::TOO_MANY_ROWS, line_place(line), message);
            break;
        }
        table.rows.extend(row(line, width, report));
    }
    Some(table)
}

fn row(line: &Line<'_>, width: usize, report: &mut Report) -> Option<Row> {
    let mut cells = cells(line);
    let place = line_place(line);
    let count = cells.len();
    if count > width {
        let message = format!("the header has {width} cells, this row has {count}");
        let fault = codes::LONG_ROW.at(span(place), message);
        report.add(fault.with_help("write `\\|` for a `|` inside a cell"));
        return None;
    }
    if count < width {
        let message = format!("the header has {width} cells, this row has {count}");
        report.say(codes::SHORT_ROW, place.clone(), message);
        cells.resize(width, Cell { text: String::new(), place: place.end..place.end });
    }
    Some(Row { cells, place })
}

/// Returns the cells of a row, split at every `|` that no backslash escapes.
fn cells(line: &Line<'_>) -> Vec<Cell> {
    let row = inner(line.text);
    // What `inner` took from the front is all that stands before it: it borrows from the line.
    let lead = line.text.len() - line.text.trim_start().len();
    let lead = lead + usize::from(line.text.trim_start().starts_with('|'));
    let mut cells = Vec::new();
    let (mut from, mut is_escaped) = (0, false);
    for (at, c) in row.char_indices().chain([(row.len(), '|')]) {
        if c == '|' && !(is_escaped && at < row.len()) {
            let text = row.get(from..at).unwrap_or_default();
            cells.push(cell(text, line.start + lead + from));
            from = at + 1;
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    cells
}

fn cell(written: &str, start: usize) -> Cell {
    let lead = written.len() - written.trim_start().len();
    let text = written.trim();
    let place = start + lead..start + lead + text.len();
    Cell { text: without_backticks(text).replace("\\|", "|"), place }
}

/// Returns a text without the backticks of inline code around it.
pub(super) fn without_backticks(text: &str) -> &str {
    let inside = text.trim_start_matches('`');
    let ticks = text.len() - inside.len();
    let ending = inside.trim_end_matches('`');
    let is_code = ticks > 0 && inside.len() - ending.len() == ticks && !ending.contains('`');
    if is_code { ending.trim() } else { text }
}

/// Returns the bytes of a line in the file, without white space around.
pub(super) fn line_place(line: &Line<'_>) -> Range<usize> {
    let lead = line.text.len() - line.text.trim_start().len();
    let start = line.start + lead;
    start..start + line.text.trim().len()
}
