//! `contexture ref load`: loads a reference (REF-11 to REF-14).

use super::options::{self, ReferenceOptions, RelativeTo};
use crate::output::progress::ProgressDisplay;
use crate::output::text::{grouped, sanitized};
use crate::prelude::*;
use crate::support::runtime::single_threaded;
use contexture::reference::{LoadError, Loaded, Resource};
use contexture::references::References;
use serde_json::Map;
use std::io::IsTerminal as _;

const EXAMPLES: &str = "\
Examples:
  contexture ref load '@file://README.md?line=1-5'
  contexture ref load '@file://examples/**/*.md' --max 2k --json
  contexture ref load '@style://tone' --workspace examples/references

Exit code 0: loaded; 1: it can't be loaded; 2: it is not a reference.";

/// Loads a reference, whatever its prefix, and prints its text.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The reference.
    #[arg(value_name = "REF")]
    reference: String,
    /// The most tokens to load; longer texts are cut, with a note.
    #[arg(long, value_name = "TOKENS", value_parser = crate::support::values::tokens)]
    max: Option<u64>,
    #[command(flatten)]
    from: RelativeTo,
    #[command(flatten)]
    options: ReferenceOptions,
    /// Print one JSON object: items, each with reference, media_type, bytes, tokens, digest and
    /// text; and diagnostics.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let reference = options::reference(&args.reference, terminal.err)?;
    let references = args.options.open_for(None, Some(&args.reference))?;
    let place = args.from.place(&references)?;
    let loader = references.loader();
    let runtime = single_threaded()?;
    let load = async {
        let mut route = loader.route(&reference, &place)?;
        route.max = [route.max, args.max].into_iter().flatten().min();
        loader.walk(&route).await
    };
    let loaded = ProgressDisplay::waiting(terminal, "loading", || runtime.block_on(load));
    if !args.json {
        options::say_faults(&references, terminal);
    }
    let loaded =
        loaded.map_err(|error| failed(&reference.public(), error, &references, terminal.err))?;
    if args.json {
        terminal.print_json(&to_json(&loaded, &references))?;
    } else {
        print(&loaded, &references, terminal)?;
        options::say_notes(&loaded.notes, terminal);
    }
    Ok(Exit::Done)
}

/// Returns the error about a load; it names the requested reference and the resolved one.
fn failed(asked: &str, mut error: LoadError, references: &References, paint: Paint) -> Abort {
    if error.reference != asked {
        error.message = format!("`{}`: {}", error.reference, error.message);
        asked.clone_into(&mut error.reference);
    }
    let diagnostics = json!(options::diagnostics(references, []));
    let siblings =
        Map::from_iter([("items".to_owned(), json!([])), ("diagnostics".to_owned(), diagnostics)]);
    options::failed(&error, paint).siblings(siblings).into()
}

fn to_json(loaded: &Loaded, references: &References) -> Value {
    let items: Vec<Value> = loaded.resources.iter().map(|one| item(one, references)).collect();
    json!({ "items": items, "diagnostics": options::diagnostics(references, &loaded.notes) })
}

/// Returns a resource as JSON; a listed one has no text and no digest.
fn item(resource: &Resource, references: &References) -> Value {
    json!({
        "reference": resource.reference,
        "media_type": resource.media_type,
        "bytes": resource.size(),
        "tokens": tokens(resource, references),
        "digest": resource.digest(),
        "text": resource.text(),
    })
}

fn tokens(resource: &Resource, references: &References) -> u64 {
    resource.text().map_or(0, |text| references.loader().counter().count(text) as u64)
}

/// Prints a single text as it is, several ones each below its reference.
fn print(loaded: &Loaded, references: &References, terminal: &Terminal) -> Result<(), Abort> {
    // A terminal interprets some characters as commands; files and pipes get every byte.
    let is_terminal = std::io::stdout().is_terminal();
    let shown = |text: &str| if is_terminal { sanitized(text) } else { text.to_owned() };
    if let (false, [resource]) = (loaded.listing, loaded.resources.as_slice()) {
        let text = resource.text().unwrap_or_default();
        let end = if is_terminal && !text.ends_with('\n') { "\n" } else { "" };
        return terminal.print(&(shown(text) + end));
    }
    for (at, resource) in loaded.resources.iter().enumerate() {
        let mut text = head(resource, references, terminal.out);
        if let Some(content) = resource.text() {
            text.push_str(&shown(content));
            if !content.ends_with('\n') {
                text.push('\n');
            }
        }
        if at + 1 < loaded.resources.len() {
            text.push('\n');
        }
        terminal.print(&text)?;
    }
    Ok(())
}

/// Formats a heading: `── @file://a.md · 12 tokens ──`.
fn head(resource: &Resource, references: &References, paint: Paint) -> String {
    let size = match resource.text() {
        Some(_) => format!("{} tokens", grouped(tokens(resource, references))),
        None => "listed, not loaded".to_owned(),
    };
    let name = paint.bold(&one_line(&resource.reference));
    let mut text = String::new();
    // Writing to a string can't fail.
    let _ = writeln!(text, "{} {name} {}", paint.dim("──"), paint.dim(&format!("· {size} ──")));
    text
}
