//! `contexture ref plan`: how the references of a text are loaded (REF-7 to REF-9).

use super::options::{self, ReferenceOptions, RelativeTo};
use crate::output::progress::ProgressDisplay;
use crate::output::text::{grouped, padded, width};
use crate::prelude::*;
use crate::support::runtime::single_threaded;
use contexture::reference::{Note, Plan, PlanEntry, Policy, State};

const EXAMPLES: &str = "\
Examples:
  contexture ref plan examples/references/brief.md --workspace examples/references
  echo 'Follow @!file://README.md.' | contexture ref plan - --budget 500 --json

Exit code 0: done; 1: a hot reference (`@!`) failed.";

/// Shows which references of a text are loaded, which remain pending, and why.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The text; `-` reads it from stdin.
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// The policy for references with a plain `@`: budget, model or never.
    #[arg(long, value_name = "POLICY", value_parser = policy)]
    policy: Option<Policy>,
    /// The token budget of all references with a plain `@`.
    #[arg(long, value_name = "TOKENS", value_parser = crate::support::values::tokens)]
    budget: Option<u64>,
    #[command(flatten)]
    from: RelativeTo,
    #[command(flatten)]
    options: ReferenceOptions,
    /// Print one JSON object: entries, each with reference, semantics, state, tokens, reason, inner,
    /// start and end; and diagnostics.
    #[arg(long)]
    json: bool,
}

pub(super) fn policy(word: &str) -> Result<Policy, String> {
    Policy::parse(word).ok_or_else(|| "expected `budget`, `model` or `never`".to_owned())
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let text = input::text(&args.file, "the text", terminal)?;
    let file = (!input::is_stdin(&args.file)).then_some(args.file.as_path());
    let references = args.options.open(file)?;
    let place = args.from.place_of_document(&references, file)?;
    let mut options = references.plan_options(place);
    options.policy = args.policy.unwrap_or(options.policy);
    options.budget = args.budget.or(options.budget);
    let runtime = single_threaded()?;
    let plan = references.loader().plan(&text, &options);
    let plan = ProgressDisplay::waiting(terminal, "loading", || runtime.block_on(plan));
    let plan = plan.map_err(|error| -> Abort { options::failed(&error, terminal.err).into() })?;
    let notes = plan.entries.iter().filter_map(|entry| entry.loaded.as_ref());
    let notes: Vec<Note> = notes.flat_map(|loaded| loaded.notes.clone()).collect();
    if args.json {
        let entries: Vec<Value> = plan.entries.iter().map(to_json).collect();
        let diagnostics = options::diagnostics(&references, &notes);
        terminal.print_json(&json!({ "entries": entries, "diagnostics": diagnostics }))?;
    } else {
        options::say_faults(&references, terminal);
        terminal.print(&table(&plan, terminal.out))?;
        options::say_notes(&notes, terminal);
        terminal.note(&summary(&plan));
    }
    Ok(if plan.hot_failure().is_some() { Exit::Failed } else { Exit::Done })
}

/// Returns an entry with its inner entries, which have no place of their own.
fn to_json(entry: &PlanEntry) -> Value {
    let mut object = json!({
        "reference": entry.reference,
        "semantics": entry.semantics.as_str(),
        "state": entry.state.as_str(),
        "tokens": entry.tokens,
        "reason": entry.reason,
        "inner": entry.inner.as_deref().map(to_json),
    });
    if let Some(fields) = object.as_object_mut() {
        if let Some((start, end)) = entry.span {
            fields.insert("start".to_owned(), json!(start));
            fields.insert("end".to_owned(), json!(end));
        }
        if let Some(error) = &entry.error {
            let error = json!({ "code": error.code, "message": error.message, "help": error.help });
            fields.insert("error".to_owned(), error);
        }
    }
    object
}

/// A row of the table.
struct Row<'p> {
    entry: &'p PlanEntry,
    name: String,
    tokens: String,
}

fn rows<'p>(entry: &'p PlanEntry, depth: usize, rows: &mut Vec<Row<'p>>) {
    let branch = if depth == 0 { String::new() } else { format!("{}└ ", "  ".repeat(depth - 1)) };
    let prefix = entry.semantics.prefix();
    let bare = entry.reference.trim_start_matches('@').trim_start_matches(['!', '?']);
    // The effective prefix, which may come from a registry.
    let name = format!("{branch}{prefix}{}", one_line(bare));
    let tokens = entry.tokens.map_or_else(|| "·".to_owned(), grouped);
    rows.push(Row { entry, name, tokens });
    if let Some(inner) = &entry.inner {
        self::rows(inner, depth + 1, rows);
    }
}

fn state(state: State, paint: Paint) -> String {
    let text = padded(state.as_str(), 7);
    match state {
        State::Loaded => paint.green(&text),
        State::Pending => paint.yellow(&text),
        State::Failed => paint.red(&text),
    }
}

fn table(plan: &Plan, paint: Paint) -> String {
    let mut all = Vec::new();
    for entry in &plan.entries {
        rows(entry, 0, &mut all);
    }
    let names = width(all.iter().map(|row| row.name.as_str()), 60);
    let tokens = width(all.iter().map(|row| row.tokens.as_str()), 20);
    let mut text = String::new();
    for row in all {
        let name = padded(&row.name, names);
        let reason = one_line(&row.entry.reason);
        // Writing to a string can't fail.
        let _ = writeln!(
            text,
            "{}  {:>tokens$}  {name}  {}",
            state(row.entry.state, paint),
            row.tokens,
            paint.dim(&reason),
        );
        let help = row.entry.error.as_ref().and_then(|error| error.help.as_deref());
        if let Some(help) = help {
            let blank = " ".repeat(7 + 2 + tokens + 2);
            let _ = writeln!(text, "{blank}{} {}", paint.cyan("help:"), one_line(help));
        }
    }
    text
}

/// Summarises a plan: `3 references: 2 loaded (1,234 tokens), 1 pending`.
fn summary(plan: &Plan) -> String {
    let of = |state: State| plan.entries.iter().filter(move |entry| entry.state == state);
    let tokens: u64 = of(State::Loaded).filter_map(|entry| entry.tokens).sum();
    let parts = [State::Loaded, State::Pending, State::Failed].into_iter().filter_map(|state| {
        let count = of(state).count();
        let size = match state {
            State::Loaded => format!(" ({} tokens)", grouped(tokens)),
            _ => String::new(),
        };
        (count > 0).then(|| format!("{count} {}{size}", state.as_str()))
    });
    let parts: Vec<String> = parts.collect();
    match plan.entries.len() {
        0 => "no references in the text".to_owned(),
        1 => format!("1 reference: {}", parts.join(", ")),
        count => format!("{count} references: {}", parts.join(", ")),
    }
}
