//! `contexture flow graph`: a picture of a set, before or after a run (FL-13).

use super::report_file;
use super::set_file::{self, SetFile, no_set};
use crate::prelude::*;
use crate::support::new_file::NewFile;
use contexture::flow::Set;
use contexture::flow::picture::{Picture, PictureError};
use contexture::protocol::Limits;
use contexture::protocol::content::Outcome as Ended;
use std::collections::HashSet;

const EXAMPLES: &str = "\
Examples:
  contexture flow graph examples/flows/branches.json
  contexture flow graph examples/flows/branches.json --format svg --output branches.svg
  contexture flow run examples/flows/branches.json --json > report.json
  contexture flow graph examples/flows/branches.json --report report.json --format mermaid";

/// Draws a set as a plan, or with the outcomes and the critical path of a run.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The set, as in `flow run`; `-` is stdin.
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: Option<PathBuf>,
    /// The format of the picture.
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    /// Show the outcomes of this stored run, as in `flow list`; FILE is then optional.
    #[arg(long, value_name = "RUN", conflicts_with = "report")]
    run: Option<String>,
    /// Show the outcomes of this report, as `flow run --json` prints it; `-` is stdin.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    report: Option<PathBuf>,
    /// Write the picture to a file.
    #[arg(long, short, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    output: Option<PathBuf>,
    /// Replace an existing file.
    #[arg(long, requires = "output")]
    force: bool,
    #[command(flatten)]
    location: super::stored_runs::FlowLocation,
}

/// The value of `--format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
enum Format {
    /// A tree for the terminal
    #[default]
    Text,
    /// For Markdown pages
    Mermaid,
    /// For Graphviz
    Dot,
    /// A self-contained picture
    Svg,
}

pub(super) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let is_stdin = |path: &Option<PathBuf>| path.as_deref().is_some_and(input::is_stdin);
    if is_stdin(&args.file) && is_stdin(&args.report) {
        let message = "the set and the report can't both be read from stdin";
        return Err(CommandError::refused("bad_usage", message)
            .help("write one of them to a file")
            .into());
    }
    let kept = args.run.as_deref().map(|run| args.location.find(run)).transpose()?;
    let (name, text) = match (&args.file, &kept) {
        (Some(file), _) => {
            let set = SetFile::read(file, terminal)?;
            (set.name, set.text)
        }
        (None, Some(kept)) => (format!("run {}", kept.id()), kept.document()?),
        (None, None) => return Err(no_set("--run RUN").into()),
    };
    let set = match Set::parse(text.as_bytes(), &Limits::FILE) {
        Ok(set) => set,
        Err(report) => return set_file::refuse(&report, &name, false, terminal),
    };
    let picture = match (&kept, &args.report) {
        (Some(kept), _) => after(&set, kept.outcomes()?, &name)?,
        (None, Some(file)) => after(&set, report_file::read(file, terminal)?, &name)?,
        (None, None) => Picture::plan(&set),
    };
    let text = draw(&picture, args.format)?;
    match &args.output {
        None => terminal.print(&text)?,
        Some(file) => {
            let target = NewFile::create(file, args.force)?;
            target.fill(|out| {
                out.write_all(text.as_bytes()).map_err(|error| Abort::write("the picture", &error))
            })?;
            terminal.note(&format!("wrote {}", file.display()));
        }
    }
    Ok(Exit::Done)
}

/// Draws a set with outcomes, of which at least one must belong to it.
fn after(set: &Set, outcomes: Vec<Ended>, name: &str) -> Result<Picture, Abort> {
    let ids: HashSet<&str> = outcomes.iter().map(|ended| ended.instruction_id.as_str()).collect();
    let is_known = set.steps.iter().any(|step| ids.contains(step.id.as_str()));
    if !is_known && !set.steps.is_empty() && !outcomes.is_empty() {
        let message = format!("the report has no outcome for any id of {name}");
        let help = "use the report of a run of this set";
        return Err(CommandError::refused("flow_report", message).help(help).into());
    }
    drop(ids);
    Ok(Picture::after(set, outcomes))
}

fn draw(picture: &Picture, format: Format) -> Result<String, Abort> {
    Ok(match format {
        Format::Text => picture.text(),
        Format::Mermaid => picture.mermaid(),
        Format::Dot => picture.dot(),
        Format::Svg => picture.svg().map_err(|error| match error {
            PictureError::TooLarge(_) => {
                CommandError::refused("picture_too_large", error.to_string())
                    .help("use --format dot")
            }
        })?,
    })
}
