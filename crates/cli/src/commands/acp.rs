//! `contexture acp`: an agent for editors that speak the Agent Client Protocol (WA-9).

use crate::prelude::*;
use crate::support::options::{Models, Recorded};
use crate::support::project;
use crate::support::runtime::multi_threaded;
use crate::support::signals::asked_to_end;
use contexture::run::RunRequest;
use contexture_server::serve::{Serve, Settings, acp};

const EXAMPLES: &str = "\
Examples:
  contexture acp examples/ask_docs.as

An editor starts the command and talks to it over stdin and stdout. In Zed's settings.json:
  \"agent_servers\": {
    \"Docs\": { \"command\": \"contexture\", \"args\": [\"acp\", \"/path/to/examples/ask_docs.as\"] }
  }

A session is a context: the agent gets `input.text`, what the editor attaches as `input.attachments`,
and the conversation so far as `input.messages`. What an agent may do only when a person allows it, the
editor asks. Messages go to stderr.";

/// Serves an agent to an editor over the Agent Client Protocol.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The program; its main agent answers.
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    program: PathBuf,
    /// The folder of the sessions, which one process uses at a time [default: .contexture/acp in the
    /// project].
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    data: Option<PathBuf>,
    /// The project folder [default: the project of the program]. Naming it approves its packs, except
    /// drafts and disputed packs.
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    root: Option<PathBuf>,
    #[command(flatten)]
    models: Models,
    #[command(flatten)]
    recorded: Recorded,
}

pub(crate) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let project = project::of_program(args.root.as_deref(), &args.program)?;
    let data = args.data.clone().unwrap_or_else(|| project.state_folder().join("acp"));
    let (model, models) = args.models.chosen(true)?;
    let turns = RunRequest {
        model,
        models,
        stand_in: args.recorded.stand_in(),
        record: args.recorded.record.clone(),
        approve_packs: args.root.is_some(),
        ..RunRequest::default()
    };
    let settings = Settings { data, turns, ..Settings::new(project, vec![args.program.clone()]) };
    let runtime = multi_threaded()?;
    let served = runtime.block_on(async {
        let stop = asked_to_end();
        let serve = Serve::open(settings)?;
        for warning in serve.warnings() {
            terminal.warn(&warning);
        }
        terminal.note(&format!("serving {} to an editor over stdio", serve.agents().join(", ")));
        acp::serve(&serve, stop).await
    });
    // A pending read of stdin can't be cancelled.
    runtime.shutdown_background();
    Ok(served.map(|()| Exit::Done)?)
}
