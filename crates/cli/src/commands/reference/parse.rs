//! `contexture ref parse`: the parts of a reference (REF-1 to REF-5).

use super::options;
use crate::output::diagnostics;
use crate::prelude::*;
use contexture::diagnostic::SourceFile;
use contexture::reference::syntax::{Reference, ReferenceBuf, SyntaxError};
use serde_json::Map;

const EXAMPLES: &str = "\
Examples:
  contexture ref parse '@file://a.md?line=5-10'
  contexture ref parse '@!thinking:@?file://large.md' --json";

/// Shows the parts of a reference without loading it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The reference.
    #[arg(value_name = "REF")]
    reference: String,
    /// Print one JSON object: semantics, protocol, path, query, inner and canonical.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let reference = Reference::parse(&args.reference)
        .map_err(|error| refused(&args.reference, &error, terminal.err))?;
    if args.json {
        terminal.print_json(&json(&reference, true))?;
    } else {
        terminal.print(&text(&reference, terminal.out))?;
    }
    Ok(Exit::Done)
}

/// Returns the error with the argument as the caller wrote it.
fn refused(text: &str, error: &SyntaxError, paint: Paint) -> Abort {
    let source = SourceFile::new("reference", text);
    let fault = error.diagnostic(0);
    let shown = diagnostics::text(std::slice::from_ref(&fault), &[&source], paint);
    options::refused(error).rendered(shown).into()
}

/// Returns a level with its inner levels. Path and query belong to the whole reference: the path is
/// at the innermost level, the query at the outermost.
fn json(level: &Reference<'_>, outermost: bool) -> Value {
    let inner = level.inner();
    let query = if outermost { query(level) } else { Map::new() };
    let canonical = if outermost {
        level.canonical()
    } else {
        ReferenceBuf::with_query(*level, [])
            .map_or_else(|_| level.canonical(), |bare| bare.as_ref().canonical())
    };
    json!({
        "semantics": level.semantics().as_str(),
        "protocol": level.protocol(),
        "path": if inner.is_some() { None } else { Some(level.path()) },
        "query": query,
        "inner": inner.map(|inner| json(&inner, false)),
        "canonical": canonical,
    })
}

/// Returns the parameters by name; a repeated one, as http allows, has a list of values.
fn query(reference: &Reference<'_>) -> Map<String, Value> {
    let mut query = Map::new();
    for (name, value) in reference.query() {
        let value = Value::from(value.into_owned());
        match query.get_mut(name.as_ref()) {
            None => {
                query.insert(name.into_owned(), value);
            }
            Some(Value::Array(values)) => values.push(value),
            Some(first) => *first = json!([first.take(), value]),
        }
    }
    query
}

fn text(reference: &Reference<'_>, paint: Paint) -> String {
    let mut text = String::new();
    // Writing to a string can't fail.
    for (depth, level) in reference.levels().enumerate() {
        let branch =
            if depth == 0 { String::new() } else { format!("{}└ ", "  ".repeat(depth - 1)) };
        let path = match level.inner() {
            Some(_) => String::new(),
            None => format!("  {}", one_line(level.path())),
        };
        let _ = writeln!(
            text,
            "{}{}  {}{path}",
            paint.dim(&branch),
            paint.bold(level.protocol()),
            paint.dim(level.semantics().as_str()),
        );
    }
    for (name, value) in reference.query() {
        let _ = writeln!(text, "{} {} = {}", paint.dim("?"), one_line(&name), one_line(&value));
    }
    let _ = writeln!(text, "{} {}", paint.dim("canonical:"), one_line(&reference.canonical()));
    text
}
