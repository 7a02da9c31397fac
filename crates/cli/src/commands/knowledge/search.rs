//! `contexture knowledge search`: the sections of packs for a question, best first (MA-10).

use super::pack_scope::{Consent, NamedPacks, PackScope, printable};
use crate::output::progress::ProgressDisplay;
use crate::output::text::{padded, shortened, width};
use crate::prelude::*;
use contexture::knowledge::resolve::SearchHit;
use contexture::packs::{NOT_ALLOWED, Packs};

const EXAMPLES: &str = "\
Examples:
  contexture knowledge search 'What does the widget cost?' --root examples/knowledge
  contexture knowledge search warranty --root examples/knowledge --pack acme-product-brief --json

`resolve-context` packs the same sections under a budget of tokens, fenced for a model.";

/// The most hits that can be asked for.
const MOST: u64 = 100;
/// The columns of the beginning of a text.
const EXCERPT: usize = 96;

/// Searches packs for the sections that answer a question, best first.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The question, or words to search.
    #[arg(value_name = "QUERY", value_parser = super::resolve_context::task_text)]
    query: String,
    /// A pack, by its folder or its name [default: all packs that may be read]. May be repeated.
    #[arg(long, value_name = "PATH|NAME")]
    pack: Vec<String>,
    /// The most hits.
    #[arg(long, value_name = "NUMBER", default_value_t = 10,
        value_parser = clap::value_parser!(u64).range(1..=MOST))]
    limit: u64,
    #[command(flatten)]
    source: PackScope,
    #[command(flatten)]
    consent: Consent,
    /// Print one JSON object: hits, each with pack, path, heading, score, text and anchor, and warnings.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let named = args.source.named(&args.pack, terminal)?;
    let options = args.source.options_with(&args.consent)?;
    let packs = args.source.open_named(&named, options, !args.json, terminal)?;
    let names = searched(&named, &packs, terminal)?;
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let most = usize::try_from(args.limit).unwrap_or(usize::MAX);
    let search = || packs.search(&names, &args.query, most);
    let found = ProgressDisplay::waiting(terminal, "searching packs", search)?;
    if args.json {
        terminal.print_json(&json!(found))?;
        return Ok(Exit::Done);
    }
    terminal.print(&text(&found.hits, terminal.out))?;
    found.warnings.iter().for_each(|warning| terminal.warn(&one_line(warning)));
    terminal.note(&match found.hits.len() {
        0 => "nothing in these packs matches".to_owned(),
        hits => counted(hits as u64, "section"),
    });
    Ok(Exit::Done)
}

/// Returns the packs that were named, or all that may be read.
fn searched(named: &NamedPacks, packs: &Packs, terminal: &Terminal) -> Result<Vec<String>, Abort> {
    if !named.names.is_empty() {
        return Ok(named.names.clone());
    }
    let mut names = Vec::new();
    for found in &packs.discovery().packs {
        let name = &found.item.name;
        match packs.pack(name) {
            Ok(_) => names.push(name.clone()),
            // A draft that was not named does not fail the others.
            Err(error) if error.code == NOT_ALLOWED => {
                terminal.note(&one_line(&format!("skipped `{name}`: {}", error.message)));
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(names)
}

/// Formats hits: `12.31  acme/wiki/prices.md#L3-L9  Prices > Widget`, and how the text begins.
fn text(hits: &[SearchHit], paint: Paint) -> String {
    let places: Vec<String> =
        hits.iter().map(|hit| one_line(&format!("{}/{}", hit.pack, hit.anchor))).collect();
    let wide = width(places.iter().map(String::as_str), 72);
    let mut text = String::new();
    for (hit, place) in hits.iter().zip(&places) {
        let heading = paint.bold(&one_line(&hit.heading));
        let begins = shortened(&one_line(&hit.text), EXCERPT);
        // Writing to a string can't fail.
        let _ = writeln!(text, "{:>6.2}  {}  {heading}", hit.score, padded(place, wide));
        let _ = writeln!(text, "        {}", paint.dim(&printable(&begins)));
    }
    text
}
