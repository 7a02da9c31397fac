//! `contexture ref expand`: a document with the references inside it loaded (MA-1).

use super::options::{self, ReferenceOptions, RelativeTo};
use crate::output::progress::ProgressDisplay;
use crate::output::text::{grouped, padded, sanitized, width};
use crate::prelude::*;
use crate::support::runtime::single_threaded;
use contexture::reference::expand::{ExpandOptions, Expansion};
use contexture::reference::syntax::Reference;
use contexture::reference::{ExpansionState, ExpansionStep, Policy};
use contexture::references::References;
use std::io::IsTerminal as _;

const EXAMPLES: &str = "\
Examples:
  contexture ref expand examples/references/role.md --workspace examples/references
  contexture ref expand '@style://tone' --workspace examples/references --json

Exit code 0: done; 1: a hot reference (`@!`) failed or lies beyond a limit.";

/// Prints a document with the text of its references in their places, and of those inside of them.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// A reference, or a file; `-` reads the text from stdin.
    #[arg(value_name = "REF|FILE", value_hint = clap::ValueHint::FilePath)]
    document: String,
    /// The policy for references with a plain `@`: budget, model or never.
    #[arg(long, value_name = "POLICY", value_parser = super::plan::policy)]
    policy: Option<Policy>,
    /// The token budget of all references with a plain `@`.
    #[arg(long, value_name = "TOKENS", value_parser = crate::support::values::tokens)]
    budget: Option<u64>,
    /// The most documents inside one another.
    #[arg(long, value_name = "NUMBER")]
    depth: Option<usize>,
    #[command(flatten)]
    from: RelativeTo,
    #[command(flatten)]
    options: ReferenceOptions,
    /// Print one JSON object: text; entries, each with reference, depth, state, tokens, reason and
    /// digest; and diagnostics.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let is_reference = args.document.starts_with('@');
    let (references, expansion) =
        if is_reference { of_reference(args, terminal)? } else { of_file(args, terminal)? };
    if args.json {
        terminal.print_json(&to_json(&expansion, &references))?;
    } else {
        options::say_faults(&references, terminal);
        print(&expansion, terminal)?;
        options::say_notes(&expansion.notes, terminal);
        say_open(&expansion, terminal);
        terminal.note(&summary(&expansion));
    }
    Ok(if expansion.hot_failure().is_some() { Exit::Failed } else { Exit::Done })
}

fn of_reference(args: &Args, terminal: &Terminal) -> Result<(References, Expansion), Abort> {
    let reference: Reference<'_> = options::reference(&args.document, terminal.err)?;
    let references = args.options.open_for(None, Some(&args.document))?;
    let place = args.from.place(&references)?;
    let options = expand_options(args, &references, place);
    let runtime = single_threaded()?;
    let expand = references.loader().expand(&reference, &options);
    let expansion = ProgressDisplay::waiting(terminal, "loading", || runtime.block_on(expand));
    Ok((references, expansion))
}

fn of_file(args: &Args, terminal: &Terminal) -> Result<(References, Expansion), Abort> {
    let path = Path::new(&args.document);
    let text = input::text(path, "the text", terminal)?;
    let file = (!input::is_stdin(path)).then_some(path);
    let references = args.options.open(file)?;
    let place = args.from.place_of_document(&references, file)?;
    let options = expand_options(args, &references, place);
    let runtime = single_threaded()?;
    let expand = references.loader().expand_text(&args.document, &text, &options);
    let expansion = ProgressDisplay::waiting(terminal, "loading", || runtime.block_on(expand));
    Ok((references, expansion))
}

fn expand_options(
    args: &Args,
    references: &References,
    place: contexture::reference::Place,
) -> ExpandOptions {
    let mut plan = references.plan_options(place);
    plan.policy = args.policy.unwrap_or(plan.policy);
    plan.budget = args.budget.or(plan.budget);
    let mut limits = references.loader().limits().expansion;
    limits.depth = args.depth.unwrap_or(limits.depth);
    ExpandOptions { plan, limits }
}

fn to_json(expansion: &Expansion, references: &References) -> Value {
    let entries: Vec<Value> = expansion.steps.iter().map(entry).collect();
    let diagnostics = options::diagnostics(references, &expansion.notes);
    json!({ "text": expansion.text, "entries": entries, "diagnostics": diagnostics })
}

fn entry(step: &ExpansionStep) -> Value {
    let error = step
        .error
        .as_ref()
        .map(|error| json!({ "code": error.code, "message": error.message, "help": error.help }));
    let mut object = json!({
        "reference": step.reference,
        "depth": step.depth,
        "state": step.state.as_str(),
        "tokens": step.tokens,
        "reason": step.reason,
        "digest": step.digest.as_ref().map(ToString::to_string),
    });
    if let (Some(fields), Some(error)) = (object.as_object_mut(), error) {
        fields.insert("error".to_owned(), error);
    }
    object
}

fn print(expansion: &Expansion, terminal: &Terminal) -> Result<(), Abort> {
    // A terminal interprets some characters as commands; files and pipes get every byte.
    let is_terminal = std::io::stdout().is_terminal();
    let text = &expansion.text;
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let shown = if is_terminal { sanitized(text) } else { text.clone() };
    terminal.print(&(shown + end))
}

/// Prints the steps that are not loaded, one a line; all that is loaded is in the text.
fn say_open(expansion: &Expansion, terminal: &Terminal) {
    let table = table(expansion, terminal.err);
    if !table.is_empty() {
        terminal.say(table.trim_end());
    }
}

fn table(expansion: &Expansion, paint: Paint) -> String {
    let open: Vec<&ExpansionStep> =
        expansion.steps.iter().filter(|step| step.state != ExpansionState::Loaded).collect();
    let names: Vec<String> = open.iter().map(|step| one_line(&step.reference)).collect();
    let wide = width(names.iter().map(String::as_str), 60);
    let mut text = String::new();
    for (step, name) in open.iter().zip(&names) {
        let state = padded(step.state.as_str(), 7);
        let state = match step.state {
            ExpansionState::Pending | ExpansionState::Cycle => paint.yellow(&state),
            _ => paint.red(&state),
        };
        let reason = paint.dim(&one_line(&step.reason));
        // Writing to a string can't fail.
        let _ = writeln!(text, "{state}  {}  {reason}", padded(name, wide));
        if let Some(help) = step.error.as_ref().and_then(|error| error.help.as_deref()) {
            let _ = writeln!(text, "         {} {}", paint.cyan("help:"), one_line(help));
        }
    }
    text
}

/// Summarises an expansion: `19 references: 18 loaded (12,345 tokens), 1 pending`.
fn summary(expansion: &Expansion) -> String {
    let tokens: u64 = expansion.steps.iter().filter_map(|step| step.tokens).sum();
    let states = [
        ExpansionState::Loaded,
        ExpansionState::Pending,
        ExpansionState::Failed,
        ExpansionState::Cycle,
        ExpansionState::Limit,
    ];
    let inside = || expansion.steps.iter().filter(|step| step.depth > 0);
    let counts = states.into_iter().filter_map(|state| {
        let count = inside().filter(|step| step.state == state).count();
        (count > 0).then(|| format!("{count} {}", state.as_str()))
    });
    let counts: Vec<String> = counts.collect();
    let tokens = grouped(tokens);
    match inside().count() {
        0 => format!("no references inside ({tokens} tokens)"),
        1 => format!("1 reference inside: {} ({tokens} tokens)", counts.join(", ")),
        many => format!("{many} references inside: {} ({tokens} tokens)", counts.join(", ")),
    }
}
