//! The figures of retrieval of `contexture knowledge eval` (MA-8).

use crate::output::text::{grouped, padded, width};
use crate::prelude::*;
use contexture::knowledge::maintenance::{Figures, RetrievalRun, Row};

/// Prints how many answers reached the context, by kind and language, beside bare BM25.
pub(super) fn show(run: &RetrievalRun, json: bool, terminal: &Terminal) -> CommandResult {
    let exit = if run.ok { Exit::Done } else { Exit::Failed };
    if json {
        terminal.print_json(&json!(run))?;
        return Ok(exit);
    }
    terminal.print(&text(run, terminal.out))?;
    for missed in &run.missed {
        let lacks = match missed.lacks.as_slice() {
            [] => "should be silent".to_owned(),
            lacks => format!("lacks {}", lacks.join("; ")),
        };
        terminal.say(&one_line(&format!("missed  {}  {}  {lacks}", missed.id, missed.query)));
    }
    terminal.note(&format!("at most {} tokens a question", grouped(run.budget)));
    Ok(exit)
}

/// Formats the rows: `paraphrase  52  sections 86.5 %  answers 82.7 %  1,204 tokens  (BM25 …)`.
fn text(run: &RetrievalRun, paint: Paint) -> String {
    let name = |row: &Row| row.name.clone().unwrap_or_else(|| row.by.to_owned());
    let names: Vec<String> = run.rows.iter().map(|row| one_line(&name(row))).collect();
    let wide = width(names.iter().map(String::as_str), 40);
    let mut text = format!("{}  {}\n", paint.bold(&one_line(&run.pack_name)), one_line(&run.suite));
    for (row, name) in run.rows.iter().zip(&names) {
        let own = figures(&row.resolver);
        let words = row.words.as_ref().map(|words| format!("words alone: {}  ", figures(words)));
        let others = format!("{}BM25: {}", words.unwrap_or_default(), figures(&row.bm25));
        let others = paint.dim(&others);
        // Writing to a string can't fail.
        let _ = writeln!(text, "  {}  {:>4}  {own}  {others}", padded(name, wide), row.questions);
    }
    text
}

fn figures(figures: &Figures) -> String {
    format!(
        "sections {:.1} %, answers {:.1} %, {:.0} tokens",
        figures.section_recall * 100.0,
        figures.answer_recall * 100.0,
        figures.tokens
    )
}
