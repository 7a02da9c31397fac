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
  contexture knowledge activate examples/knowledge/.agents/knowledge/acme-product-brief

The files of the pack are listed, not loaded: `resolve-context` selects among them.";

/// Prints the guide of a pack as a model receives it: its text and a list of its files.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The pack, by its folder or its name.
    #[arg(value_name = "PATH|NAME", value_hint = clap::ValueHint::DirPath)]
    pack: String,
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
    let named = args.source.named(slice::from_ref(&args.pack), terminal)?;
    let options = args.source.options_with(&args.consent)?;
    let packs = args.source.open_named(&named, options, !args.json, terminal)?;
    let name = named.names.first().map_or(args.pack.as_str(), String::as_str);
    let pack = packs.pack(name)?;
    let guide = packs.activate(name)?;
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
