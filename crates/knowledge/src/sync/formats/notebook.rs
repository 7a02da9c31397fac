//! Notebooks of Jupyter: their texts, their code, and the text of what it printed (MA-4).

use super::bounded::Bounded;
use super::{Unread, html};
use serde_json::Value;

/// The most characters of the output of one cell that are kept; the rest is counted.
const OUTPUT_LENGTH: usize = 2_000;

/// Returns the cells of a notebook.
pub(super) fn markdown(title: &str, notebook: &Value) -> Result<String, Unread> {
    // The third version of the format has its cells in worksheets.
    let cells = notebook.get("cells").or_else(|| notebook.pointer("/worksheets/0/cells"));
    let cells = cells.and_then(Value::as_array);
    let cells = cells.ok_or_else(|| Unread::Damaged("it has no cells".to_owned()))?;
    let language = notebook.pointer("/metadata/kernelspec/language").and_then(Value::as_str);
    let language =
        language.filter(|name| name.chars().all(char::is_alphanumeric)).unwrap_or("python");
    let mut out = Bounded::default();
    let is_titled = cells.first().is_some_and(|cell| lines(cell.get("source")).starts_with("# "));
    if !is_titled {
        out.push(&format!("# {}\n", html::escaped(title)));
    }
    for cell in cells {
        let source = lines(cell.get("source").or_else(|| cell.get("input")));
        match cell.get("cell_type").and_then(Value::as_str) {
            _ if source.trim().is_empty() => {}
            Some("markdown") => {
                out.block();
                out.push(source.trim_end());
            }
            Some("code") => {
                fenced(&mut out, language, &source);
                outputs(&mut out, cell);
            }
            _ => fenced(&mut out, "", &source),
        }
    }
    out.finish()
}

/// Adds the text of what a cell printed; pictures and pages are left out.
fn outputs(out: &mut Bounded, cell: &Value) {
    for output in cell.get("outputs").and_then(Value::as_array).into_iter().flatten() {
        let text = output.get("text").or_else(|| output.pointer("/data/text~1plain"));
        let text = match output.get("ename").and_then(Value::as_str) {
            Some(name) => format!("{name}: {}", lines(output.get("evalue"))),
            None => lines(text),
        };
        if text.trim().is_empty() {
            continue;
        }
        let shown: String = text.chars().take(OUTPUT_LENGTH).collect();
        let more = text.len() - shown.len();
        fenced(out, "text", &shown);
        if more > 0 {
            out.push(&format!("\n\n({more} more bytes of this output are left out.)"));
        }
    }
}

/// Adds code in a fence that is longer than any in it.
fn fenced(out: &mut Bounded, language: &str, code: &str) {
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    out.block();
    out.push(&format!("{fence}{language}\n{}\n{fence}", code.trim_end()));
}

/// Returns a text, which may be given by its lines.
fn lines(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ma_4_notebook_keeps_text_code_and_short_output() {
        let notebook = json!({ "cells": [
            { "cell_type": "markdown", "source": ["# Fit\n", "A line."] },
            { "cell_type": "code", "source": "print(1)", "outputs": [
                { "output_type": "stream", "text": ["1\n"] },
                { "data": { "image/png": "iVBOR", "text/plain": "<Figure>" } },
                { "ename": "ValueError", "evalue": "no" },
            ] },
            { "cell_type": "code", "source": "", "outputs": [] },
            { "cell_type": "code", "source": "x", "outputs": [{ "text": "y".repeat(5_000) }] },
        ] });
        let text = markdown("file", &notebook).unwrap();
        assert!(text.starts_with(
            "# Fit\nA line.\n\n```python\nprint(1)\n```\n\n```text\n1\n```\n\n```text\n<Figure>\n```\n\n\
             ```text\nValueError: no\n```\n\n```python\nx\n```"
        ), "{text}");
        assert!(text.ends_with("\n\n(3000 more bytes of this output are left out.)\n"));
        assert_eq!(
            markdown("x", &json!({})).unwrap_err().to_string(),
            "it is damaged: it has no cells"
        );
    }
}
