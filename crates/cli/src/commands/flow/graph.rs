//! `contexture flow graph`: a set as a picture, before a run and after it (FL-13).

use super::document::{self, Document};
use super::outcomes;
use super::run::unnamed;
use crate::commands::Outcome;
use crate::complaint::{Complaint, Exit, Stop};
use crate::input;
use crate::terminal::Terminal;
use contexture::flow::Set;
use contexture::flow::picture::{Picture, PictureError};
use contexture::protocol::Limits;
use contexture::protocol::content::Outcome as Ended;
use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  contexture flow graph examples/flows/branches.json
  contexture flow graph examples/flows/branches.json --format svg --output branches.svg
  contexture flow run examples/flows/branches.json --json > report.json
  contexture flow graph examples/flows/branches.json --report report.json --format mermaid";

/// Draws a set: as a plan, or with what became of it and its critical path.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The set, as of `flow run`; `-` is stdin.
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: Option<PathBuf>,
    /// How it is drawn.
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    /// Show what became of it in this kept run, as `flow list` names it; FILE may then be left out.
    #[arg(long, value_name = "RUN", conflicts_with = "report")]
    run: Option<String>,
    /// Show what became of it in this report, as `flow run --json` prints it; `-` is stdin.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    report: Option<PathBuf>,
    /// Write the picture to a file.
    #[arg(long, short, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    output: Option<PathBuf>,
    /// Write over a file that is there.
    #[arg(long, requires = "output")]
    force: bool,
    #[command(flatten)]
    place: super::place::Place,
}

/// A kind of picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
enum Format {
    /// A tree for the terminal
    #[default]
    Text,
    /// For Markdown pages
    Mermaid,
    /// For Graphviz
    Dot,
    /// A picture that stands alone
    Svg,
}

/// Runs `contexture flow graph`.
pub(super) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    let is_stdin = |path: &Option<PathBuf>| path.as_deref().is_some_and(input::is_stdin);
    if is_stdin(&args.file) && is_stdin(&args.report) {
        let message = "the set and the report can't both be read from stdin";
        return Err(Complaint::refused("bad_usage", message).help("write one to a file").into());
    }
    let kept = args.run.as_deref().map(|run| args.place.find(run)).transpose()?;
    let (name, text) = match (&args.file, &kept) {
        (Some(file), _) => {
            let document = Document::read(file, terminal)?;
            (document.name, document.text)
        }
        (None, Some(kept)) => (format!("run {}", kept.id()), kept.document()?),
        (None, None) => return Err(unnamed("--run RUN").into()),
    };
    let set = match Set::parse(text.as_bytes(), &Limits::FILE) {
        Ok(set) => set,
        Err(report) => return document::refuse(&report, &name, false, terminal),
    };
    let picture = match (&kept, &args.report) {
        (Some(kept), _) => after(&set, kept.outcomes()?, &name)?,
        (None, Some(file)) => after(&set, outcomes::read(file, terminal)?, &name)?,
        (None, None) => Picture::plan(&set),
    };
    let text = draw(&picture, args.format)?;
    match &args.output {
        None => terminal.print(&text)?,
        Some(file) => {
            write(file, &text, args.force)?;
            terminal.note(&format!("the picture is in {}", file.display()));
        }
    }
    Ok(Exit::Done)
}

/// The picture of a set with outcomes, of which at least one must be its own.
fn after(set: &Set, outcomes: Vec<Ended>, name: &str) -> Result<Picture, Stop> {
    let ids: HashSet<&str> = outcomes.iter().map(|ended| ended.instruction_id.as_str()).collect();
    let is_known = set.steps.iter().any(|step| ids.contains(step.id.as_str()));
    if !is_known && !set.steps.is_empty() && !outcomes.is_empty() {
        let message = format!("no id of {name} has an outcome in the report");
        let help = "give the report of a run of this very set";
        return Err(Complaint::refused("flow_report", message).help(help).into());
    }
    drop(ids);
    Ok(Picture::after(set, outcomes))
}

fn draw(picture: &Picture, format: Format) -> Result<String, Stop> {
    Ok(match format {
        Format::Text => picture.text(),
        Format::Mermaid => picture.mermaid(),
        Format::Dot => picture.dot(),
        Format::Svg => picture.svg().map_err(|error| match error {
            PictureError::TooLarge(_) => {
                Complaint::refused("picture_too_large", error.to_string()).help("--format dot")
            }
        })?,
    })
}

/// Writes a file whole or not at all.
fn write(path: &Path, text: &str, force: bool) -> Result<(), Stop> {
    let failed = |error| Stop::write(&path.display().to_string(), &error);
    if !force && path.symlink_metadata().is_ok() {
        let message = format!("{} is there already", path.display());
        return Err(Complaint::refused("file_exists", message)
            .file(path)
            .help("give another name, or --force to write it anew")
            .into());
    }
    let Some(name) = path.file_name() else {
        let message = format!("{} is no name of a file", path.display());
        return Err(Complaint::refused("bad_usage", message).into());
    };
    let mut draft = name.to_owned();
    draft.push(format!(".{}.part", std::process::id()));
    let draft = path.with_file_name(draft);
    let opened = OpenOptions::new().write(true).create_new(true).open(&draft);
    let mut file = opened.map_err(failed)?;
    let written = file
        .write_all(text.as_bytes())
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&draft, path));
    if written.is_err() {
        // What is left of it is of no use; that it can't be removed either is no second failure.
        let _ = fs::remove_file(&draft);
    }
    written.map_err(failed)
}
