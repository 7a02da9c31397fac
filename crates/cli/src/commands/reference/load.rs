//! `contexture ref load`: what a reference names (REF-11 to REF-14).

use super::scope::{self, From, Scope};
use crate::columns::grouped;
use crate::commands::Outcome;
use crate::commands::run::{Screen, runtime};
use crate::complaint::{Exit, Stop};
use crate::paint::{Paint, harmless, one_line};
use crate::terminal::Terminal;
use contexture::reference::{LoadError, Loaded, Resource};
use contexture::references::References;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::io::IsTerminal as _;

const EXAMPLES: &str = "\
Examples:
  contexture ref load '@file://README.md?line=1-5'
  contexture ref load '@file://examples/**/*.md' --max 2k --json
  contexture ref load '@style://tone' --workspace examples/references

Exit code 1: it could not be loaded; 2: it is no reference.";

/// Loads a reference now, whatever its prefix, and prints its text.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The reference.
    #[arg(value_name = "REF")]
    reference: String,
    /// The most tokens of all that is loaded; what does not fit is cut, and said.
    #[arg(long, value_name = "TOKENS", value_parser = scope::tokens)]
    max: Option<u64>,
    #[command(flatten)]
    from: From,
    #[command(flatten)]
    scope: Scope,
    /// Print one JSON object: items, each with reference, media_type, bytes, tokens, digest and
    /// text; and diagnostics.
    #[arg(long)]
    pub(super) json: bool,
}

/// Runs `contexture ref load`.
pub(super) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    let reference = scope::reference(&args.reference, terminal.err)?;
    let references = args.scope.open_for(None, Some(&args.reference))?;
    let place = args.from.place(&references)?;
    let loader = references.loader();
    let runtime = runtime()?;
    let load = async {
        let mut route = loader.route(&reference, &place)?;
        route.max = [route.max, args.max].into_iter().flatten().min();
        loader.walk(&route).await
    };
    let loaded = Screen::waiting(terminal, "loading", || runtime.block_on(load));
    if !args.json {
        scope::say_faults(&references, terminal);
    }
    let loaded =
        loaded.map_err(|error| failed(&reference.public(), error, &references, terminal.err))?;
    if args.json {
        terminal.print_json(&to_json(&loaded, &references))?;
    } else {
        print(&loaded, &references, terminal)?;
        scope::say_notes(&loaded.notes, terminal);
    }
    Ok(Exit::Done)
}

/// The complaint about a load; when registries led elsewhere, it names both ends.
fn failed(asked: &str, mut error: LoadError, references: &References, paint: Paint) -> Stop {
    if error.reference != asked {
        error.message = format!("`{}`: {}", error.reference, error.message);
        asked.clone_into(&mut error.reference);
    }
    let diagnostics = json!(scope::diagnostics(references, []));
    let beside =
        Map::from_iter([("items".to_owned(), json!([])), ("diagnostics".to_owned(), diagnostics)]);
    scope::failed(&error, paint).beside(beside).into()
}

fn to_json(loaded: &Loaded, references: &References) -> Value {
    let items: Vec<Value> = loaded.resources.iter().map(|one| item(one, references)).collect();
    json!({ "items": items, "diagnostics": scope::diagnostics(references, &loaded.notes) })
}

/// What is only named has no text and no digest.
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

/// One text as it is; of several, each below its reference.
fn print(loaded: &Loaded, references: &References, terminal: &Terminal) -> Result<(), Stop> {
    // A terminal takes some characters for commands; a file or pipe gets every byte.
    let is_terminal = std::io::stdout().is_terminal();
    let shown = |text: &str| if is_terminal { harmless(text) } else { text.to_owned() };
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

/// `── @file://a.md · 12 tokens ──`
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
