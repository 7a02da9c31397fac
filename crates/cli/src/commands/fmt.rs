//! `contexture fmt`: the standard layout of programs (AS-31).

use super::rewrite::{self, Rewritten, Target};
use crate::prelude::*;
use contexture::context::Limits;
use contexture::script::format::format;

const EXAMPLES: &str = "\
Examples:
  contexture fmt examples/hello.as
  contexture fmt --write examples/*.as
  contexture fmt --check examples/*.as
  echo 'main func(input){1+2}' | contexture fmt -

Exit code 0: done; 1: --check found files that would change; 2: a file has errors.";

/// Formats programs; their meaning does not change.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    target: Target,
}

pub(crate) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    rewrite::run(&args.target, "formatted", terminal, |source| {
        match format(source, &Limits::default()) {
            Ok(text) => Rewritten { text: Some(text), faults: None },
            Err(faults) => Rewritten { text: None, faults: Some((source.clone(), faults)) },
        }
    })
}
