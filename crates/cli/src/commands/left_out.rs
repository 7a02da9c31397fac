//! Commands that this build leaves out: each reports so, and how to build it.

use crate::output::error::{CommandError, CommandResult};
use contexture::diagnostic::MissingFeature;
use std::ffi::OsString;

/// Not in this build.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Args {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<OsString>,
}

pub(crate) fn refuse(part: &'static str, feature: &'static str) -> CommandResult {
    let missing = MissingFeature { part, feature };
    let help =
        format!("build it with `cargo install --path crates/cli --features {}`", missing.feature);
    Err(CommandError::refused(MissingFeature::CODE, missing.to_string()).help(help).into())
}

/// Makes the module of a command that is left out.
macro_rules! left_out {
    ($command:ident, $part:literal, $feature:literal) => {
        pub(crate) mod $command {
            pub(crate) use crate::commands::left_out::Args;

            pub(crate) fn run(
                _args: &Args,
                _terminal: &crate::output::terminal::Terminal,
            ) -> crate::output::error::CommandResult {
                crate::commands::left_out::refuse($part, $feature)
            }
        }
    };
}

pub(crate) use left_out;
