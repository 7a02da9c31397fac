//! `contexture knowledge usage`: how often packs were used, with which files and warnings (KN-15).

use super::pack_scope::PackScope;
use crate::output::text::{grouped, padded, width};
use crate::prelude::*;
use contexture::knowledge::usage::{Fault, Summary, UsageLog};

const EXAMPLES: &str = "\
Examples:
  contexture knowledge usage --root examples/knowledge
  contexture knowledge usage --root examples/knowledge --json

The log is .contexture/usage.jsonl of the project, or runs/usage.jsonl of each pack, depending on the
settings; it has one JSON line per use.";

/// The most files and warnings to show per pack.
const SHOWN: usize = 5;

/// Shows how often packs were used, with which files and warnings.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Show only this pack, by its folder or its name. May be repeated.
    #[arg(long, value_name = "PATH|NAME")]
    pack: Vec<String>,
    #[command(flatten)]
    source: PackScope,
    /// Print one JSON object: packs, each with pack, uses, versions, first, last, files,
    /// citation_gaps and warnings; faults, and logs.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let named = args.source.named(&args.pack, terminal)?;
    let packs = args.source.open_named(&named, args.source.options()?, false, terminal)?;
    let mut all = UsageLog::default();
    let mut faults: Vec<(PathBuf, Fault)> = Vec::new();
    let logs = packs.usage_logs();
    for path in &logs {
        let log = UsageLog::read(path).map_err(|error| -> Abort {
            CommandError::failed("usage_log", error.to_string()).file(path).into()
        })?;
        faults.extend(log.faults.into_iter().map(|fault| (path.clone(), fault)));
        all.lines.extend(log.lines);
    }
    all.lines.retain(|line| named.names.is_empty() || named.names.contains(&line.pack));
    let summary = all.summary();
    if args.json {
        let packs: Vec<Value> = summary.iter().map(|one| json!(one)).collect();
        let faults: Vec<Value> =
            faults.iter().map(|(path, fault)| fault_json(path, fault)).collect();
        terminal.print_json(&json!({ "packs": packs, "faults": faults, "logs": logs }))?;
        return Ok(Exit::Done);
    }
    terminal.print(&text(&summary, terminal.out))?;
    for (path, fault) in &faults {
        let place = format!("{}:{}", path.display(), fault.line);
        terminal.warn(&one_line(&format!("{place}: {}", fault.message)));
    }
    if summary.is_empty() {
        terminal.note("no uses of packs are logged");
    }
    Ok(Exit::Done)
}

fn fault_json(path: &Path, fault: &Fault) -> Value {
    json!({ "path": path, "line": fault.line, "message": fault.message })
}

fn text(summary: &[Summary], paint: Paint) -> String {
    let names: Vec<String> = summary.iter().map(|one| one_line(&one.pack)).collect();
    let wide = width(names.iter().map(String::as_str), 40);
    let mut text = String::new();
    for (one, name) in summary.iter().zip(&names) {
        let name = paint.bold(&padded(name, wide));
        let gaps = match one.citation_gaps {
            0 => String::new(),
            gaps => paint.yellow(&format!(", {} without a source", counted(gaps, "claim"))),
        };
        // Writing to a string can't fail.
        let _ = writeln!(
            text,
            "{name}  {}, last {}{gaps}",
            counted(one.uses, "use"),
            one_line(&one.last)
        );
        let files = one.files.iter().map(|file| (file.value.as_str(), file.count));
        lines(&mut text, files, |line| paint.dim(line));
        let warnings = one.warnings.iter().map(|warning| (warning.value.as_str(), warning.count));
        lines(&mut text, warnings, |line| paint.yellow(line));
    }
    text
}

/// Appends counts: `  3× compiled/briefing.md`.
fn lines<'t>(
    text: &mut String,
    counts: impl ExactSizeIterator<Item = (&'t str, u64)>,
    style: impl Fn(&str) -> String,
) {
    let more = counts.len().saturating_sub(SHOWN);
    for (value, count) in counts.take(SHOWN) {
        let _ = writeln!(text, "{:>5}× {}", grouped(count), style(&one_line(value)));
    }
    if more > 0 {
        let _ = writeln!(text, "{:>5}  {}", "", style(&format!("… and {more} more")));
    }
}
