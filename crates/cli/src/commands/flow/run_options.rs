//! The options of new and resumed runs: models, permissions, limits and concurrency.

use super::live_board::LiveBoard;
use crate::output::error::Abort;
use crate::output::progress::Verbosity;
use crate::support::options::{Models, Permissions, Spend, stand_in};
use contexture::flows::FlowRequest;
use contexture::run::RunRequest;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(super) struct RunOptions {
    #[command(flatten)]
    models: Models,
    /// Call no model: return placeholders of the right type, or the answers of a file in order.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, conflicts_with = "replay", help_heading = "Model")]
    mock: Option<Option<PathBuf>>,
    /// Answer from a file that `contexture run --record` wrote.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, help_heading = "Model")]
    replay: Option<PathBuf>,
    #[command(flatten)]
    permissions: Permissions,
    #[command(flatten)]
    spend: Spend,
    /// The number of concurrent instructions or calls [default: 64].
    #[arg(long, value_name = "N", value_parser = crate::support::values::whole_number, allow_negative_numbers = true, help_heading = "What to run")]
    concurrency: Option<usize>,
    /// Print only errors to stderr.
    #[arg(long, short, help_heading = "Output")]
    pub(super) quiet: bool,
}

impl RunOptions {
    pub(super) fn request(&self, board: &LiveBoard) -> Result<FlowRequest, Abort> {
        let (model, models) = self.models.chosen(true)?;
        let run = RunRequest {
            model,
            models,
            stand_in: stand_in(self.replay.as_deref(), self.mock.as_ref()),
            allow_packs: self.permissions.allow_pack.clone(),
            servers: self.permissions.servers(),
            yes_to: self.permissions.yes_to.clone(),
            permission: board.person(),
            ledger: self.spend.account(),
            ..RunRequest::default()
        };
        Ok(FlowRequest {
            run,
            concurrency: self.concurrency,
            observer: board.observer(),
            progress: Some(board.listener()),
            ..FlowRequest::default()
        })
    }

    /// Returns how much to print beside the result.
    pub(super) const fn verbosity(&self, is_json: bool) -> Verbosity {
        if self.quiet || is_json { Verbosity::Quiet } else { Verbosity::Normal }
    }
}
