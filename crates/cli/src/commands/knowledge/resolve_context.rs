//! `contexture knowledge resolve-context`: sections of packs for a task, within a budget (KN-9 to
//! KN-13).

use super::pack_scope::{Consent, PackScope, printable};
use crate::output::progress::ProgressDisplay;
use crate::output::text::{grouped, padded, width};
use crate::prelude::*;
use crate::support::values::tokens;
use clap::ValueEnum;
use contexture::knowledge::Grounding;
use contexture::knowledge::resolve::{Intent, Resolution, Section, Task};
use contexture::packs::{Options, Packs};

const EXAMPLES: &str = "\
Examples:
  contexture knowledge resolve-context --root examples/knowledge --pack acme-product-brief \\
    --query 'What does the widget cost?' --max 2k
  contexture knowledge resolve-context --root examples/knowledge --pack acme-product-brief \\
    --query 'How long is the warranty?' --max 500 --dry-run --json
  contexture knowledge resolve-context examples/knowledge/.agents/knowledge/acme-product-brief \\
    --query 'What does the widget cost?' --dry-run

The context goes to stdout, fenced as data; the selection and its reasons go to stderr.";

/// Selects the sections of packs that answer a task, and prints them fenced, within a budget.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// A pack, by its folder or its name.
    #[arg(id = "target", value_name = "PATH|NAME", value_hint = clap::ValueHint::DirPath)]
    target: Option<String>,
    /// A pack, by its folder or its name. May be repeated.
    #[arg(long, value_name = "PATH|NAME", required_unless_present = "target")]
    pack: Vec<String>,
    /// The task: a question or an instruction.
    #[arg(long, value_name = "TEXT", value_parser = task_text)]
    query: String,
    /// The most tokens of the context, including its fence.
    #[arg(
        long,
        value_name = "TOKENS",
        value_parser = tokens,
        default_value = "2k",
        allow_negative_numbers = true
    )]
    max: u64,
    /// The intent of the task [default: derived from its words].
    #[arg(long, value_enum, value_name = "INTENT")]
    intent: Option<Purpose>,
    /// Also select sources and the findings of runs.
    #[arg(long)]
    evidence: bool,
    /// Whether claims need a source [default: as each pack defines].
    #[arg(long, value_enum, value_name = "POLICY")]
    grounding: Option<Policy>,
    /// The language of the notice in the fence: zh, as the format defines, or en.
    #[arg(long, value_enum, value_name = "LANG", default_value_t)]
    lang: Lang,
    /// The model whose tokenizer is used [default: the default model].
    #[arg(long, value_name = "URI")]
    model: Option<String>,
    /// Write neither the usage log nor the index.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    source: PackScope,
    #[command(flatten)]
    consent: Consent,
    /// Print one JSON object: selected_files, sections, source_anchors, tokens, warnings, missing,
    /// citation_gaps, context, and evidence_tokens, the tokens of the anchors, findings, provenance
    /// and gaps.
    #[arg(long)]
    json: bool,
}

/// The value of `--intent`.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Purpose {
    /// Find a fact
    Answer,
    /// Find details, reasons or relations
    Detail,
    /// Find sources
    Cite,
    /// Check claims
    Verify,
    /// Add new sources
    Ingest,
    /// Resolve a contradiction
    Dispute,
}

/// The value of `--grounding`.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Policy {
    /// No claim needs a source
    None,
    /// Claims should have a source
    Recommended,
    /// Each claim needs a source
    Required,
}

/// The language of the notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Lang {
    /// Chinese, as the format defines
    #[default]
    Zh,
    /// English
    En,
}

impl Purpose {
    const fn intent(self) -> Intent {
        match self {
            Self::Answer => Intent::Answer,
            Self::Detail => Intent::Detail,
            Self::Cite => Intent::Cite,
            Self::Verify => Intent::Verify,
            Self::Ingest => Intent::Ingest,
            Self::Dispute => Intent::Dispute,
        }
    }
}

impl Policy {
    const fn grounding(self) -> Grounding {
        match self {
            Self::None => Grounding::None,
            Self::Recommended => Grounding::Recommended,
            Self::Required => Grounding::Required,
        }
    }
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let given: Vec<String> = args.target.iter().chain(&args.pack).cloned().collect();
    let named = args.source.named(&given, terminal)?;
    let options = args.source.options_with(&args.consent)?;
    let options = Options { model: args.model.clone(), read_only: args.dry_run, ..options };
    let packs = args.source.open_named(&named, options, !args.json, terminal)?;
    let names: Vec<&str> = named.names.iter().map(String::as_str).collect();
    let resolve = || packs.resolve(&names, &task(args));
    let resolved = ProgressDisplay::waiting(terminal, "reading packs", resolve);
    let resolved = resolved?;
    if !args.dry_run
        && let Err(error) = packs.log(&resolved)
    {
        terminal.warn(&format!("can't write the usage log: {error}"));
    }
    if args.json {
        let mut value = json!(resolved);
        if let Some(object) = value.as_object_mut() {
            object.insert("evidence_tokens".to_owned(), json!(evidence(&packs, &resolved)));
        }
        terminal.print_json(&value)?;
        return Ok(Exit::Done);
    }
    if !resolved.context.is_empty() {
        terminal.print_line(printable(&resolved.context).trim_end())?;
    }
    explain(&resolved, args.max, evidence(&packs, &resolved), terminal);
    Ok(Exit::Done)
}

/// Counts the tokens of the evidence of a selection, as JSON (KN-1).
fn evidence(packs: &Packs, resolved: &Resolution) -> u64 {
    let parts = [
        json!(resolved.source_anchors),
        json!(resolved.findings),
        json!(resolved.provenance),
        json!(resolved.citation_gaps),
    ];
    let held = parts.iter().filter(|part| part.as_array().is_some_and(|list| !list.is_empty()));
    held.map(|part| packs.tokens(&part.to_string())).sum()
}

/// Reads a task that is not empty.
pub(super) fn task_text(text: &str) -> Result<String, String> {
    let said = Some(text).filter(|text| !text.trim().is_empty());
    said.map(str::to_owned).ok_or_else(|| "expected a question or an instruction".to_owned())
}

fn task(args: &Args) -> Task {
    Task {
        intent: args.intent.map(Purpose::intent),
        evidence: args.evidence,
        grounding: args.grounding.map(Policy::grounding),
        english: args.lang == Lang::En,
        ..Task::new(args.query.clone(), args.max)
    }
}

/// Prints the selection with its reasons, warnings and gaps.
fn explain(resolved: &Resolution, max: u64, evidence: u64, terminal: &Terminal) {
    let rows: Vec<(String, &Section)> =
        resolved.sections.iter().map(|section| (place_of(section), section)).collect();
    let wide = width(rows.iter().map(|(place, _)| place.as_str()), 72);
    for (place, section) in &rows {
        let cut = section.cut.map(|cut| format!(", cut from {}", grouped(cut.whole_tokens)));
        terminal.say(&format!(
            "{}  {:>5} tokens{}  {}  {}",
            terminal.err.bold(&format!("{:>6.2}", section.score)),
            grouped(section.tokens),
            cut.unwrap_or_default(),
            padded(place, wide),
            terminal.err.dim(&one_line(&section.reason)),
        ));
    }
    for warning in &resolved.warnings {
        terminal.warn(&one_line(warning));
    }
    for gap in &resolved.citation_gaps {
        let text = format!("{}:{}: {}: {}", gap.path, gap.line, gap.problem, gap.text);
        terminal.warn(&one_line(&text));
    }
    let sections = counted(resolved.sections.len() as u64, "section");
    let files = counted(resolved.selected_files.len() as u64, "file");
    let used = grouped(resolved.tokens);
    let beside = match evidence {
        0 => String::new(),
        tokens => format!("; the evidence has {}", grouped(tokens)),
    };
    terminal.note(&format!("{sections} of {files}, {used} of {} tokens{beside}", grouped(max)));
}

/// Formats a place: `pack/compiled/a.md › Heading`.
fn place_of(section: &Section) -> String {
    let pack = section.pack.as_ref().map_or(String::new(), |pack| format!("{pack}/"));
    let heading = if section.heading.is_empty() {
        String::new()
    } else {
        format!(" › {}", section.heading)
    };
    one_line(&format!("{pack}{}{heading}", section.path))
}
