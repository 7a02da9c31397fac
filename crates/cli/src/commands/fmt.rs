//! `contexture fmt`: the one layout for programs (AS-31).

use super::Outcome;
use super::rewrite::{self, Rewritten, Target};
use crate::terminal::Terminal;
use contexture::context::Limits;
use contexture::script::format::format;

const EXAMPLES: &str = "\
Examples:
  contexture fmt examples/hello.as
  contexture fmt --write examples/*.as
  contexture fmt --check examples/*.as
  echo 'main func(input){1+2}' | contexture fmt -

Exit code 0: done; 1: --check found files that would change; 2: a file has errors.";

/// Lays programs out; nothing of what they say changes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    target: Target,
}

/// Runs `contexture fmt`.
pub(crate) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    rewrite::run(&args.target, "formatted", terminal, |source| {
        match format(source, &Limits::default()) {
            Ok(text) => Rewritten { text: Some(text), faults: None },
            Err(faults) => Rewritten { text: None, faults: Some((source.clone(), faults)) },
        }
    })
}
