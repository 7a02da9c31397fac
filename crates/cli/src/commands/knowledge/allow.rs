//! `contexture knowledge allow`: what a person has approved for good (KN-8, CA-11).

use super::pack_scope::PackScope;
use crate::output::text::sanitized;
use crate::prelude::*;
use contexture::diagnostic::suggestion;
use contexture::knowledge::approval::{Allowance, Approvals};
use contexture::packs::{Options, PacksError};

const EXAMPLES: &str = "\
Examples:
  contexture knowledge allow acme-product-brief --root examples/knowledge
  contexture knowledge allow --list
  contexture knowledge allow --revoke acme-product-brief

A pack is approved in its present state: when anything in it changes, it is asked for again. The
approvals are in ~/.contexture/approvals.json. `--allow-pack` holds for one run and is not kept.";

/// Approves knowledge packs of a project for good, lists what is approved, and revokes it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[group(id = "what", required = true, multiple = false, args = ["packs_to_allow", "list", "revoke"])]
pub(super) struct Args {
    /// The packs to approve in their present state, by folder or name; NAME@DIGEST only in that
    /// state.
    #[arg(id = "packs_to_allow", value_name = "PATH|NAME")]
    names: Vec<String>,
    /// List all that is approved, also the MCP servers that a person allowed.
    #[arg(long)]
    list: bool,
    /// Revoke an approval: its ID in the list, or the name of a pack for all of its states.
    #[arg(long, value_name = "ID")]
    revoke: Option<String>,
    #[command(flatten)]
    source: PackScope,
    /// Print one JSON object: approved or revoked, each with id, name and digest.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let project = args.source.project()?;
    let Some(record) = Approvals::of_home(project.home()) else {
        let refused = CommandError::refused("no_home", "there is no home folder");
        return Err(refused.help("set the environment variable HOME").into());
    };
    match &args.revoke {
        Some(id) => revoke(&record, id, args.json, terminal),
        None if args.list => list(&record, args.json, terminal),
        None => allow(args, &record, terminal),
    }
}

fn allow(args: &Args, record: &Approvals, terminal: &Terminal) -> CommandResult {
    let options = Options { approve_project: false, ..args.source.options()? };
    let named = args.source.named(&args.names, terminal)?;
    let packs = args.source.open_named(&named, options, false, terminal)?;
    let mut allowed = Vec::new();
    for given in &named.names {
        let exact: Option<Allowance> = given.parse().ok();
        let name = exact.as_ref().map_or(given.as_str(), |exact| exact.name.as_str());
        let allowance = packs.approve(name, exact.as_ref())?;
        let is_kept = record.list().map_err(PacksError::from)?.contains(&allowance);
        if !is_kept {
            terminal.note(&format!(
                "`{name}` needs no approval that is kept: it is your own, or asked for each time"
            ));
            continue;
        }
        allowed.push(allowance);
    }
    tell("approved", &allowed, args.json, terminal)
}

fn list(record: &Approvals, json: bool, terminal: &Terminal) -> CommandResult {
    let approved = record.list().map_err(PacksError::from)?;
    if approved.is_empty() && !json {
        terminal.note("nothing is approved; `contexture knowledge allow NAME` approves a pack");
    }
    tell("approved", &approved, json, terminal)
}

fn revoke(record: &Approvals, id: &str, json: bool, terminal: &Terminal) -> CommandResult {
    let revoked = record.revoke(id).map_err(PacksError::from)?;
    if revoked.is_empty() {
        let known = record.list().map_err(PacksError::from)?;
        let names = known.iter().map(|known| known.name.as_str());
        let help = suggestion(id, names)
            .unwrap_or_else(|| "`contexture knowledge allow --list` shows what is".to_owned());
        let message = format!("nothing is approved under `{id}`");
        return Err(CommandError::refused("not_approved", message).help(help).into());
    }
    tell("revoked", &revoked, json, terminal)
}

fn tell(what: &str, all: &[Allowance], json: bool, terminal: &Terminal) -> CommandResult {
    if json {
        let all: Vec<Value> = all
            .iter()
            .map(|one| json!({ "id": one.to_string(), "name": one.name, "digest": one.digest }))
            .collect();
        terminal.print_json(&json!({ what: all }))?;
        return Ok(Exit::Done);
    }
    for one in all {
        terminal.print_line(&sanitized(&format!("{what} {one}")))?;
    }
    Ok(Exit::Done)
}
