//! A report in each format. The names of products come from data: in every format they are text.

use super::page::{Block, Page, Section};
use crate::analysis::Analysis;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// Writes a line; writing to a string cannot fail.
macro_rules! line {
    ($out:expr, $($parts:tt)*) => {{
        let _ = writeln!($out, $($parts)*);
    }};
}

/// CommonMark, with tables.
pub(crate) fn markdown(page: &Page) -> String {
    let mut out = format!("# {}\n", page.title);
    for section in &page.sections {
        line!(out, "\n## {}", section.heading);
        for block in &section.blocks {
            out.push('\n');
            markdown_block(&mut out, block);
        }
    }
    out
}

fn markdown_block(out: &mut String, block: &Block) {
    match block {
        Block::Points(points) => points.iter().for_each(|point| line!(out, "- {}", plain(point))),
        Block::Steps(steps) => {
            for (number, step) in steps.iter().enumerate() {
                line!(out, "{}. {}", number + 1, plain(step));
            }
        }
        Block::Table { head, rows } => {
            line!(out, "| {} |", head.join(" | "));
            let right = head.iter().skip(1).map(|_| " ---: |").collect::<String>();
            line!(out, "| --- |{right}");
            for row in rows {
                let cells: Vec<_> = row.iter().map(|cell| plain(cell)).collect();
                line!(out, "| {} |", cells.join(" | "));
            }
        }
    }
}

/// A text that Markdown leaves as it is: one line, marks escaped. An underscore within a word marks
/// nothing.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = None;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let in_word = |other: Option<&char>| other.is_some_and(|other| other.is_alphanumeric());
        let marks = match character {
            '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '|' | '~' | '&' => true,
            '_' => !(in_word(before.as_ref()) && in_word(characters.peek())),
            _ => false,
        };
        if marks {
            out.push('\\');
        }
        out.push(if character.is_control() { ' ' } else { character });
        before = Some(character);
    }
    out
}

/// A fragment of HTML.
pub(crate) fn html(page: &Page) -> String {
    let mut out = format!("<article>\n<h1>{}</h1>\n", page.title);
    for section in &page.sections {
        line!(out, "<section>\n<h2>{}</h2>", section.heading);
        section.blocks.iter().for_each(|block| html_block(&mut out, block));
        line!(out, "</section>");
    }
    line!(out, "</article>");
    out
}

fn html_block(out: &mut String, block: &Block) {
    match block {
        Block::Points(points) => html_list(out, "ul", points),
        Block::Steps(steps) => html_list(out, "ol", steps),
        Block::Table { head, rows } => {
            line!(out, "<table>");
            let cells: String = head.iter().map(|cell| format!("<th>{cell}</th>")).collect();
            line!(out, "<tr>{cells}</tr>");
            for row in rows {
                let cells: String =
                    row.iter().map(|cell| format!("<td>{}</td>", escaped(cell))).collect();
                line!(out, "<tr>{cells}</tr>");
            }
            line!(out, "</table>");
        }
    }
}

fn html_list(out: &mut String, tag: &str, points: &[String]) {
    line!(out, "<{tag}>");
    points.iter().for_each(|point| line!(out, "<li>{}</li>", escaped(point)));
    line!(out, "</{tag}>");
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            control if control.is_control() => out.push(' '),
            other => out.push(other),
        }
    }
    out
}

/// Plain text.
pub(crate) fn text(page: &Page) -> String {
    let mut out = format!("{}\n{}\n", page.title, "=".repeat(page.title.len()));
    for section in &page.sections {
        line!(out, "\n{}\n{}", section.heading, "-".repeat(section.heading.len()));
        section.blocks.iter().for_each(|block| text_block(&mut out, block));
    }
    out
}

fn text_block(out: &mut String, block: &Block) {
    let one_line = |text: &str| text.replace(char::is_control, " ");
    match block {
        Block::Points(points) => {
            points.iter().for_each(|point| line!(out, "- {}", one_line(point)))
        }
        Block::Steps(steps) => {
            for (number, step) in steps.iter().enumerate() {
                line!(out, "{}. {}", number + 1, one_line(step));
            }
        }
        Block::Table { head, rows } => {
            let head = head.iter().map(|cell| (*cell).to_owned()).collect();
            let rows = rows.iter().map(|row| row.iter().map(|cell| one_line(cell)).collect());
            let lines: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
            columns(out, &lines);
        }
    }
}

/// The first column to the left, the others to the right.
fn columns(out: &mut String, lines: &[Vec<String>]) {
    let width = |column: usize| {
        let cells = lines.iter().filter_map(|line| line.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..lines.first().map_or(0, Vec::len)).map(width).collect();
    for line in lines {
        let mut text = String::new();
        for (column, (cell, width)) in line.iter().zip(&widths).enumerate() {
            let _ = if column == 0 {
                write!(text, "{cell:<width$}")
            } else {
                write!(text, "  {cell:>width$}")
            };
        }
        line!(out, "{}", text.trim_end());
    }
}

/// An object, with the figures beside the words.
pub(crate) fn json(page: &Page, analysis: &Analysis) -> Value {
    let sections: Vec<Value> = page.sections.iter().map(json_section).collect();
    json!({"title": page.title, "sections": sections, "analysis": analysis})
}

fn json_section(section: &Section) -> Value {
    let mut fields = Map::new();
    fields.insert("section".to_owned(), section.name.into());
    fields.insert("heading".to_owned(), section.heading.into());
    for block in &section.blocks {
        let (name, value) = match block {
            Block::Points(points) | Block::Steps(points) => ("points", json!(points)),
            Block::Table { head, rows } => ("table", json!({"columns": head, "rows": rows})),
        };
        fields.insert(name.to_owned(), value);
    }
    Value::Object(fields)
}
