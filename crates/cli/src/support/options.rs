//! Options that several commands take.

use contexture::knowledge::Allowance;
use contexture::models::StandIn;
use contexture::servers;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(crate) struct Permissions {
    /// Allow reading this knowledge pack in this state, such as acme@sha256:0123456789ab; an error
    /// about a pack names its digest. May be repeated.
    #[arg(long, value_name = "NAME@DIGEST", help_heading = "Permissions")]
    pub(crate) allow_pack: Vec<Allowance>,
    /// Allow using this MCP server of the project as contexture.toml describes it now, such as
    /// fs@sha256:0123456789ab; an error about a server names its digest. May be repeated.
    #[arg(long, value_name = "NAME@DIGEST", help_heading = "Permissions")]
    pub(crate) allow_server: Vec<Allowance>,
}

impl Permissions {
    /// Returns the permission to use MCP servers.
    pub(crate) fn servers(&self) -> servers::Consent {
        servers::Consent { allow: self.allow_server.clone(), ..servers::Consent::default() }
    }
}

/// Returns what answers in place of a model, given `--replay` and `--mock`.
pub(crate) fn stand_in(replay: Option<&Path>, mock: Option<&Option<PathBuf>>) -> StandIn {
    match (replay, mock) {
        (Some(recording), _) => StandIn::Replay(recording.to_owned()),
        (None, Some(Some(answers))) => StandIn::Answers(answers.clone()),
        (None, Some(None)) => StandIn::Mock,
        (None, None) => StandIn::None,
    }
}
