//! `contexture docs`: what a program offers and may touch (TY-12).

mod json;
mod markdown;
mod openapi;

use crate::output::diagnostics;
use crate::prelude::*;
use contexture::run::load;
use contexture::script::analysis;
use contexture::script::semantic::interface::Interface;

const EXAMPLES: &str = "\
Examples:
  contexture docs examples/hello.as
  contexture docs examples/hello.as --json
  contexture docs examples/hello.as --openapi > hello.openapi.json

Nothing runs. Exit code 0: done; 2: the program can't be read or has errors.";

/// Prints a program's interface as Markdown: entries, inputs, results, shapes, and what it may touch.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    program: ProgramFile,
    /// Print one JSON object with JSON Schemas: entries, touches, secrets, policy, and the named
    /// shapes as `$defs`.
    #[arg(long, conflicts_with = "openapi")]
    json: bool,
    /// Print an OpenAPI 3.1 document of `POST /v1/messages`, by which `contexture serve FILE` runs
    /// these entries.
    #[arg(long)]
    openapi: bool,
}

pub(crate) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let interface = args.program.interface(terminal)?;
    let name = args.program.name();
    if args.json {
        terminal.print_json(&json::document(&interface))?;
    } else if args.openapi {
        terminal.print_pretty(&openapi::document(&interface, &name))?;
    } else {
        terminal.print(&markdown::page(&interface, &name))?;
    }
    Ok(Exit::Done)
}

/// The arguments that name a program whose interface is shown.
#[derive(Debug, clap::Args)]
pub(super) struct ProgramFile {
    /// The program.
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    #[command(flatten)]
    workspace: Workspace,
}

impl ProgramFile {
    /// Loads and checks the program and returns its interface.
    pub(super) fn interface(&self, terminal: &Terminal) -> Result<Interface, Abort> {
        let file = &self.file;
        let project = self.workspace.open_for(Some(file))?;
        let (program, report) =
            load(&project, file).map_err(|error| CommandError::from(error).file(file))?;
        if report.has_errors() {
            return Err(diagnostics::refused_program(&report, terminal).into());
        }
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        Ok(analysis::interface(&program, &stem, &report.generates))
    }

    /// Returns the name of the file.
    pub(super) fn name(&self) -> String {
        self.file.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}
