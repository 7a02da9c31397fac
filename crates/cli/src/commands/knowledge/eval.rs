//! `contexture knowledge eval`: tests which tasks select a pack (KN-17).

use super::findings;
use super::pack_scope::PackScope;
use super::retrieval;
use super::to_catalog::one_of;
use crate::output::progress::ProgressDisplay;
use crate::prelude::*;
use contexture::knowledge::maintenance::{
    CaseResult, Choice, Evaluation, eval, eval_pack, is_question_suite,
};
use contexture::knowledge::pack::GUIDE_FILE;
use contexture::packs::Options;

const EXAMPLES: &str = "\
Examples:
  contexture knowledge eval --root examples/knowledge
  cd examples/knowledge && contexture knowledge eval \\
    .agents/knowledge/acme-product-brief/evals/selection.json --json

  contexture knowledge eval examples/knowledge/.agents/knowledge/acme-product-brief \\
    --suite evals/selection.json

A file of questions, `{pack_name, language, budget, questions: [{id, kind, query, answers}]}`, is
asked of the pack: whether the texts of the answers reach the context, beside bare BM25.

Exit code 0: all cases pass; 1: some fail; 2: there are no cases.";

/// Runs the cases that define which tasks select a pack, using the catalog alone; or asks a pack
/// questions, and reports how many answers it finds.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// A pack, by its folder or its name, or a file of cases [default: `evals/` of every pack].
    #[arg(value_name = "PATH|NAME|FILE", value_hint = clap::ValueHint::AnyPath)]
    target: Option<String>,
    /// The file of cases, relative to the pack.
    #[arg(long, value_name = "FILE", requires = "target", value_hint = clap::ValueHint::FilePath)]
    suite: Option<PathBuf>,
    #[command(flatten)]
    source: PackScope,
    /// Print one JSON object: ok, status, runs, each with results and a summary; summary, with
    /// precision, recall and warning_accuracy; and diagnostics. Of questions: ok, rows, each with
    /// section_recall, answer_recall and tokens of resolver and bm25; and missed.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let options = Options { archived: true, ..args.source.options()? };
    let file = args.target.as_deref().map(Path::new).filter(|_| args.suite.is_none());
    let file = file.filter(|path| is_suite(path));
    let given = args.target.as_slice();
    let named = args.source.named(if file.is_some() { &[] } else { given }, terminal)?;
    let packs = args.source.open_named(&named, options, false, terminal)?;
    let done = match named.names.first() {
        None => eval(packs.discovery(), file)?,
        Some(name) => {
            let one = one_of(name, &packs)?;
            let suite = args.suite.as_ref().map(|suite| one.item.pack_root.join(suite));
            if let Some(suite) = suite.as_deref()
                && is_question_suite(suite)?
            {
                let work = || packs.eval_retrieval(name, suite);
                let run = ProgressDisplay::waiting(terminal, "asking questions", work)?;
                return retrieval::show(&run, args.json, terminal);
            }
            eval_pack(packs.discovery(), name, suite.as_deref())?
        }
    };
    if args.json {
        terminal.print_json(&json!({
            "ok": done.ok,
            "status": done.status,
            "runs": done.runs,
            "summary": done.summary,
            "diagnostics": findings::json(&done.findings),
        }))?;
    } else {
        terminal.print(&text(&done, terminal.out))?;
        findings::say(&done.findings, "contexture knowledge eval", terminal);
    }
    Ok(if done.ok { Exit::Done } else { Exit::Failed })
}

/// Reports whether an argument names a file of cases, and not a pack.
fn is_suite(path: &Path) -> bool {
    let is_record = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("json"));
    is_record || path.is_file() && path.file_name().is_none_or(|name| name != GUIDE_FILE)
}

fn text(done: &Evaluation, paint: Paint) -> String {
    let mut text = String::new();
    for run in &done.runs {
        // Writing to a string can't fail.
        let _ =
            writeln!(text, "{}  {}", paint.bold(&one_line(&run.pack_name)), one_line(&run.suite));
        for case in &run.results {
            text.push_str(&case_line(case, paint));
        }
    }
    let figures = &done.summary;
    let passed = format!("{} of {}", figures.passed, counted(figures.total as u64, "case"));
    let _ = writeln!(
        text,
        "{passed} passed · precision {} · recall {} · warnings {}",
        share(figures.precision),
        share(figures.recall),
        share(figures.warning_accuracy),
    );
    text
}

/// Formats a case: `  failed  in-scope  expected select, found reject; missing warning stale`.
fn case_line(case: &CaseResult, paint: Paint) -> String {
    let mark = if case.passed { paint.green("passed") } else { paint.red("failed") };
    let mut why = Vec::new();
    if case.expected != case.actual {
        why.push(format!("expected {}, found {}", word(case.expected), word(case.actual)));
    }
    if !case.missing_warnings.is_empty() {
        why.push(format!("missing warning {}", case.missing_warnings.join(", ")));
    }
    let why = if case.passed { word(case.actual).to_owned() } else { why.join("; ") };
    format!("  {mark}  {}  {}\n", one_line(&case.id), paint.dim(&one_line(&why)))
}

const fn word(choice: Choice) -> &'static str {
    match choice {
        Choice::Select => "select",
        Choice::Reject => "reject",
        Choice::Warn => "warn",
    }
}

/// Formats a ratio: `0.95`, or `·` without cases.
fn share(share: Option<f64>) -> String {
    share.map_or_else(|| "·".to_owned(), |share| format!("{share:.2}"))
}
