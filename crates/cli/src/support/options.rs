//! Options that several commands take.

use contexture::diagnostic::suggestion;
use contexture::knowledge::Allowance;
use contexture::models::StandIn;
use contexture::ports::policy::Class;
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
    /// Allow effects of these classes although something below the user had an influence on them,
    /// unless the policy of the project denies them: write, send, execute.
    #[arg(long, value_name = "CLASSES", value_delimiter = ',', value_parser = class, help_heading = "Permissions")]
    pub(crate) yes_to: Vec<Class>,
}

fn class(word: &str) -> Result<Class, String> {
    let known = Class::parse(word.trim()).filter(|class| *class != Class::Read);
    known.ok_or_else(|| {
        let known = Class::EFFECTS.map(Class::as_str);
        suggestion(word, known).unwrap_or_else(|| format!("expected {}", known.join(", ")))
    })
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
