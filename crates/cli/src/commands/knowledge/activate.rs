//! `contexture knowledge activate`: the guide of a pack, and a list of its files (KN-7).

use super::findings;
use super::pack_scope::{Consent, PackScope, printable};
use crate::prelude::*;
use contexture::knowledge::guide::Guide;
use contexture::knowledge::item::CatalogItem;
use std::slice;

const EXAMPLES: &str = "\
Examples:
  contexture knowledge activate acme-product-brief --root examples/knowledge
  contexture knowledge activate acme-product-brief --root examples/knowledge --json

The files of the pack are listed, not loaded: `resolve-context` selects among them.";

/// Prints the guide of a pack as a model receives it: its text and a list of its files.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The name of the pack.
    #[arg(value_name = "NAME")]
    name: String,
    #[command(flatten)]
    source: PackScope,
    #[command(flatten)]
    consent: Consent,
    /// Print one JSON object: name, status, trust, profile, runtime_mode, pack_root, body,
    /// resources, each with kind and path; warnings, text, and the tokens of the text.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let named = slice::from_ref(&args.name);
    let options = args.source.options_for(named, &args.consent)?;
    let packs = args.source.open_named(options, !args.json, terminal)?;
    let pack = packs.pack(&args.name)?;
    let guide = packs.activate(&args.name)?;
    let tokens = packs.tokens(&guide.text);
    if args.json {
        terminal.print_json(&to_json(pack.item(), &guide, tokens))?;
    } else {
        terminal.print_line(printable(&guide.text).trim_end())?;
        terminal.note(&format!("the guide has {}", counted(tokens, "token")));
        findings::say(&guide.warnings, "contexture knowledge activate", terminal);
    }
    Ok(Exit::Done)
}

fn to_json(item: &CatalogItem, guide: &Guide, tokens: u64) -> Value {
    json!({
        "name": item.name,
        "status": item.status,
        "trust": item.trust,
        "profile": item.profile,
        "runtime_mode": item.runtime.mode,
        "pack_root": item.pack_root,
        "body": guide.body,
        "resources": guide.resources,
        "warnings": findings::json(&guide.warnings),
        "text": guide.text,
        "tokens": tokens,
    })
}
