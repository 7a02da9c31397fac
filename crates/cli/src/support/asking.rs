//! How an eval or a trial asks models, and what it may take (EV-4).

use crate::output::error::Abort;
use crate::support::options::{Models, Spend, stand_in};
use contexture::eval::EvalOptions;
use std::path::PathBuf;
use std::time::Duration;

/// The models of many cases and the limits of all of them together.
#[derive(Debug, clap::Args)]
pub(crate) struct Asking {
    #[command(flatten)]
    models: Models,
    /// Call no model: return placeholders of the right type, or the answers of a file.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, help_heading = "Model")]
    mock: Option<Option<PathBuf>>,
    #[command(flatten)]
    spend: Spend,
    /// Send at most this many requests to models.
    #[arg(long, value_name = "N", help_heading = "Model")]
    max_calls: Option<u64>,
    /// Begin nothing after this many seconds, and end what is under way.
    #[arg(long, value_name = "N", help_heading = "Model")]
    max_seconds: Option<u64>,
}

impl Asking {
    /// Returns the options of an eval of one program, or of several.
    pub(crate) fn options(&self, of_several: bool) -> Result<EvalOptions, Abort> {
        let mut options = EvalOptions::default();
        (options.model, options.models) = self.models.chosen(of_several)?;
        options.stand_in = stand_in(None, self.mock.as_ref());
        options.limit = self.spend.limit();
        options.limit.calls = self.max_calls;
        options.time = self.max_seconds.map(Duration::from_secs);
        Ok(options)
    }
}
