//! `contexture check`: the errors and warnings of programs, before they run (AS-32).

mod cache;
mod cost;
mod effects;
mod fix;
mod prompts;

use super::lock;
use crate::output::diagnostics;
use crate::prelude::*;
use cache::CachedPrompt;
use contexture::Project;
use contexture::diagnostic::SourceFile;
use contexture::run::{self, CheckReport, RunRequest, SetupError, load, load_text};
use contexture::script::program::Program;
use cost::ProgramCost;
use effects::CallEffects;
use prompts::Prompt;
use std::collections::{BTreeMap, HashSet};

const EXAMPLES: &str = "\
Examples:
  contexture check examples/hello.as
  contexture check examples/*.as --json
  contexture check examples/react_loop.as --effects
  contexture check examples/summarize_file.as --cost
  contexture check examples/summarize_file.as --prompts
  contexture check examples/react_loop.as --cache
  printf 'main func(input) { 1 + 2 }' | contexture check -

Exit code 0: no errors, though there may be warnings; 2: errors.";

/// Checks programs and everything they import; nothing runs.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The programs; `-` reads one from stdin.
    #[arg(value_name = "FILE", required = true, value_hint = clap::ValueHint::FilePath)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    workspace: Workspace,
    /// List what the model of each `generate` may call.
    #[arg(long)]
    effects: bool,
    /// Print the most that the model calls may take: calls, tokens in and out, and dollars, for each
    /// `generate` and in sum, and what nothing bounds.
    #[arg(long)]
    cost: bool,
    /// List for each `generate` the items that it can see, in their order, with source, budget, trust
    /// and condition, its tools and its shape; with --json as `prompts`.
    #[arg(long)]
    prompts: bool,
    /// Print for each `generate` how often its items change, in their order, which of them stand before what
    /// changes less, and how many bytes stay from one prompt to the next: predicted, and measured in
    /// kept runs; with --json as `cache`.
    #[arg(long)]
    cache: bool,
    /// Apply the fixes that are right whatever was meant, write the named files, and report what
    /// remains.
    #[arg(long)]
    fix: bool,
    /// Print one JSON object: diagnostics, each with code, severity, message, help, file, span,
    /// labels, notes and fixes; and generates, each with file, span, and can: the methods that its model may call, each with
    /// tool, method and class.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let mut found = Found::default();
    for file in &args.files {
        let text = read(file, terminal)?;
        if args.fix {
            fix::fix(file, &args.workspace, terminal)?;
        }
        found.check(file, text.as_deref(), args)?;
    }
    found.drift()?;
    if args.json {
        let generates = found.effects.iter().map(effects::json);
        let generates: Vec<Value> = generates.collect();
        let mut object = json!({ "diagnostics": found.json(), "generates": generates });
        if let (true, Value::Object(object)) = (args.cost, &mut object) {
            object.extend(
                cost::json(&found.costs, found.refused).map(|(key, value)| (key.to_owned(), value)),
            );
        }
        if let (true, Value::Object(object)) = (args.prompts, &mut object) {
            let all = found.prompts.iter().map(prompts::json).collect();
            object.insert("prompts".to_owned(), all);
        }
        if let (true, Value::Object(object)) = (args.cache, &mut object) {
            object.insert("cache".to_owned(), found.cached.iter().map(cache::json).collect());
        }
        terminal.print_json(&object)?;
        return Ok(found.exit());
    }
    if args.effects {
        terminal.print(&effects::text(&found.effects, terminal.out))?;
    }
    if args.prompts {
        terminal.print(&prompts::text(&found.prompts, terminal.out))?;
    }
    if args.cache {
        terminal.print(&cache::text(&found.cached, terminal.out))?;
    }
    if args.cost {
        terminal.print(&cost::text(&found.costs, found.refused, terminal.out))?;
    }
    if found.is_empty() {
        let count = counted(args.files.len() as u64, "program");
        terminal.say(&format!("{} {count} checked, no errors", terminal.err.green("ok:")));
    } else {
        terminal.print(&found.text(terminal))?;
    }
    Ok(found.exit())
}

/// Returns the text of a program that is read from stdin.
fn read(file: &Path, terminal: &Terminal) -> Result<Option<String>, Abort> {
    input::is_stdin(file).then(|| input::stdin("the program", terminal)).transpose()
}

/// Loads and checks a program: a file, or the text of stdin, whose imports are found from the
/// current folder.
fn checked(
    project: &Project,
    file: &Path,
    text: Option<&str>,
) -> Result<(Program, CheckReport), SetupError> {
    match text {
        Some(text) => load_text(project, Path::new("stdin.as"), text),
        None => load(project, file),
    }
}

/// The findings of all programs.
#[derive(Default)]
struct Found {
    reports: Vec<CheckReport>,
    /// Errors about files that can't be read.
    unreadable: Vec<CommandError>,
    /// The findings so far: a file that several programs import is reported once.
    known: HashSet<(PathBuf, String)>,
    /// The model calls of all programs, each once.
    effects: Vec<CallEffects>,
    /// What the model calls can see.
    prompts: Vec<Prompt>,
    /// What providers can keep of them.
    cached: Vec<CachedPrompt>,
    /// The worst cases of the programs that have no errors.
    costs: Vec<ProgramCost>,
    refused: bool,
    /// The projects of the programs, by their folders.
    projects: BTreeMap<PathBuf, Project>,
}

impl Found {
    /// Reports what has changed since the projects were pinned (EV-14).
    fn drift(&mut self) -> Result<(), Abort> {
        for project in self.projects.values() {
            let drift = lock::drift_of(project)?;
            self.refused |= !drift.is_empty();
            self.unreadable.extend(drift.iter().map(|one| lock::fault(project, one)));
        }
        Ok(())
    }

    fn check(&mut self, file: &Path, text: Option<&str>, args: &Args) -> Result<(), Abort> {
        let project = args.workspace.open_for(text.is_none().then_some(file))?;
        contexture::policy::check_rules(&project)?;
        self.projects.entry(project.root.clone()).or_insert_with(|| project.clone());
        let (program, mut report) = match checked(&project, file, text) {
            Ok(loaded) => loaded,
            Err(error) => {
                self.refused = true;
                self.unreadable.push(CommandError::from(error).file(file));
                return Ok(());
            }
        };
        self.refused |= report.has_errors();
        if args.cost && !report.has_errors() {
            let facts = run::cost(&project, &program, &RunRequest::default());
            self.costs.push(ProgramCost::new(facts, report.files.clone()));
        }
        if args.prompts {
            self.prompts.extend(Prompt::of(&program));
        }
        if args.cache {
            self.cached.extend(CachedPrompt::of(&project, &program)?);
        }
        let files: Vec<&SourceFile> = report.files.iter().collect();
        report.diagnostics.retain(|fault| {
            let fault = diagnostics::json(std::slice::from_ref(fault), &files).to_string();
            self.known.insert((project.root.clone(), fault))
        });
        for facts in std::mem::take(&mut report.generates) {
            let found = CallEffects::new(facts, &report.files);
            if self.known.insert((project.root.clone(), effects::json(&found).to_string())) {
                self.effects.push(found);
            }
        }
        self.reports.push(report);
        Ok(())
    }

    const fn exit(&self) -> Exit {
        if self.refused { Exit::Refused } else { Exit::Done }
    }

    fn is_empty(&self) -> bool {
        self.unreadable.is_empty()
            && self.reports.iter().all(|report| report.diagnostics.is_empty())
    }

    fn json(&self) -> Vec<Value> {
        let lists = self.reports.iter().map(|report| {
            diagnostics::json(&report.diagnostics, &report.files.iter().collect::<Vec<_>>())
        });
        let found = lists.flat_map(|list| list.as_array().cloned().unwrap_or_default());
        self.unreadable.iter().map(of_file).chain(found).collect()
    }

    fn text(&self, terminal: &Terminal) -> String {
        let mut text = String::new();
        for error in &self.unreadable {
            text.push_str(&error.text(terminal.out));
            text.push_str("\n\n");
        }
        for report in &self.reports {
            let files: Vec<&SourceFile> = report.files.iter().collect();
            text.push_str(&diagnostics::excerpts(&report.diagnostics, &files, terminal.out));
        }
        let all = self.reports.iter().flat_map(|report| &report.diagnostics);
        let counts = diagnostics::counts(all);
        if !counts.is_empty() {
            text.push_str(&counts);
            text.push('\n');
        }
        text
    }
}

/// Returns the error about an unreadable file as a diagnostic at its beginning.
fn of_file(error: &CommandError) -> Value {
    json!({
        "code": error.code,
        "severity": "error",
        "message": error.message,
        "help": error.help,
        "file": error.file,
        "span": { "line": 1, "column": 1, "end_line": 1, "end_column": 1 },
        "labels": [],
        "notes": [],
        "fixes": [],
    })
}
