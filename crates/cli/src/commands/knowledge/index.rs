//! `contexture knowledge index`: updates the search indexes of packs (KN-10, KN-17).

use super::pack_scope::{Consent, PackScope};
use crate::output::progress::ProgressDisplay;
use crate::output::text::{padded, width};
use crate::prelude::*;
use contexture::knowledge::resolve::{IndexReport, NotIndexed};
use contexture::packs::{NOT_ALLOWED, Packs};

const EXAMPLES: &str = "\
Examples:
  contexture knowledge index --root examples/knowledge
  contexture knowledge index --root examples/knowledge --pack acme-product-brief --rebuild --json

Indexes are stored in .contexture/cache/ of the project, never in a pack, and follow every change
automatically: the command only spares the first question the wait.";

/// Builds or updates the search indexes of packs.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// A pack, by its folder or its name [default: all]. May be repeated.
    #[arg(long, value_name = "PATH|NAME")]
    pack: Vec<String>,
    /// Rebuild existing indexes.
    #[arg(long)]
    rebuild: bool,
    #[command(flatten)]
    source: PackScope,
    #[command(flatten)]
    consent: Consent,
    /// Print one JSON object: packs, each with pack, files, sections, read, removed, folder, warnings
    /// and not_indexed of path and reason; and skipped, each with pack and reason.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let named = args.source.named(&args.pack, terminal)?;
    let options = args.source.options_with(&args.consent)?;
    let packs = args.source.open_named(&named, options, !args.json, terminal)?;
    let work = || index(&named.names, args.rebuild, &packs);
    let done = ProgressDisplay::waiting(terminal, "indexing packs", work)?;
    if args.json {
        let skipped =
            done.skipped.iter().map(|(pack, reason)| json!({ "pack": pack, "reason": reason }));
        let skipped: Vec<_> = skipped.collect();
        terminal.print_json(&json!({ "packs": done.reports, "skipped": skipped }))?;
        return Ok(Exit::Done);
    }
    terminal.print(&text(&done.reports, terminal.out))?;
    for warning in done.reports.iter().flat_map(|report| &report.warnings) {
        terminal.warn(&one_line(warning));
    }
    for report in &done.reports {
        for NotIndexed { path, reason } in
            report.not_indexed.iter().filter(|one| !is_told(report, one))
        {
            terminal.warn(&one_line(&format!("`{path}` is not indexed: {reason}")));
        }
    }
    for (pack, reason) in &done.skipped {
        terminal.note(&one_line(&format!("skipped `{pack}`: {reason}")));
    }
    Ok(Exit::Done)
}

/// Reports whether a warning names the file already.
fn is_told(report: &IndexReport, file: &NotIndexed) -> bool {
    let named = format!("`{}", file.path);
    report.warnings.iter().any(|warning| warning.contains(&named))
}

/// The indexed and the skipped packs.
#[derive(Default)]
struct Done {
    reports: Vec<IndexReport>,
    skipped: Vec<(String, String)>,
}

fn index(named: &[String], rebuild: bool, packs: &Packs) -> Result<Done, Abort> {
    let all = || packs.discovery().packs.iter().map(|found| found.item.name.clone()).collect();
    let names: Vec<String> = if named.is_empty() { all() } else { named.to_vec() };
    let mut done = Done::default();
    for name in names {
        match packs.index(&name, rebuild) {
            Ok(report) => done.reports.push(report),
            // A draft that was not named does not fail the others.
            Err(error) if named.is_empty() && error.code == NOT_ALLOWED => {
                done.skipped.push((name, error.message));
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(done)
}

/// Formats reports: `acme-product-brief  9 sections of 5 files, 5 read`.
fn text(reports: &[IndexReport], paint: Paint) -> String {
    let names: Vec<String> = reports.iter().map(|report| one_line(&report.pack)).collect();
    let wide = width(names.iter().map(String::as_str), 40);
    let line = |(report, name): (&IndexReport, &String)| {
        let sections = counted(report.sections, "section");
        let files = counted(report.files, "file");
        let news = match (report.read, report.removed) {
            (0, 0) => "unchanged".to_owned(),
            (read, 0) => format!("{read} read"),
            (read, removed) => format!("{read} read, {removed} removed"),
        };
        let name = paint.bold(&padded(name, wide));
        format!("{name}  {sections} of {files}, {}\n", paint.dim(&news))
    };
    reports.iter().zip(&names).map(line).collect()
}
