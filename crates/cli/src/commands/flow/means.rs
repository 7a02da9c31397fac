//! What a run is done with: models, permissions, how much at a time. The same for new runs and for
//! those that are gone on with.

use super::board::Board;
use crate::commands::run::Talk;
use contexture::flows::FlowRequest;
use contexture::knowledge::Allowance;
use contexture::models::StandIn;
use contexture::servers::Consent;
use std::path::PathBuf;

/// The options.
#[derive(Debug, clap::Args)]
pub(super) struct Means {
    /// The model that `default` stands for in generations and agents, such as
    /// openai://gpt-4o-mini or builtin://extractive.
    #[arg(long, value_name = "URI", help_heading = "Model")]
    model: Option<String>,
    /// Ask no model: give placeholders of the right type, or the answers of a file, in order.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, conflicts_with = "replay", help_heading = "Model")]
    mock: Option<Option<PathBuf>>,
    /// Answer from a file that `contexture run --record` made.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, help_heading = "Model")]
    replay: Option<PathBuf>,
    /// Let agents read this knowledge pack in this state; a refusal names it. May be given several
    /// times.
    #[arg(long, value_name = "NAME@DIGEST", help_heading = "What to run")]
    allow_pack: Vec<Allowance>,
    /// Let the run use this MCP server of the project, as contexture.toml describes it now; a
    /// refusal names it. May be given several times.
    #[arg(long, value_name = "NAME@DIGEST", help_heading = "What to run")]
    allow_server: Vec<Allowance>,
    /// How many instructions or calls run at the same time [default: 64].
    #[arg(long, value_name = "N", value_parser = crate::args::whole_number, allow_negative_numbers = true, help_heading = "What to run")]
    concurrency: Option<usize>,
    /// Say nothing on stderr but errors.
    #[arg(long, short, help_heading = "Output")]
    pub(super) quiet: bool,
}

impl Means {
    /// Puts them into a request.
    pub(super) fn put(&self, request: FlowRequest, board: &Board) -> FlowRequest {
        let stand_in = match (&self.replay, &self.mock) {
            (Some(recording), _) => StandIn::Replay(recording.clone()),
            (None, Some(Some(answers))) => StandIn::Answers(answers.clone()),
            (None, Some(None)) => StandIn::Mock,
            (None, None) => StandIn::None,
        };
        FlowRequest {
            model: self.model.clone(),
            stand_in,
            allow_packs: self.allow_pack.clone(),
            servers: Consent { allow: self.allow_server.clone(), ..Consent::default() },
            concurrency: self.concurrency,
            observer: board.observer(),
            progress: Some(board.listener()),
            ..request
        }
    }

    /// What is said beside the result.
    pub(super) const fn talk(&self, is_json: bool) -> Talk {
        if self.quiet || is_json { Talk::Quiet } else { Talk::Normal }
    }
}
