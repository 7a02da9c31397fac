//! `contexture migrate`: programs of version 0.1.3 in the current syntax (AS-31).

use super::rewrite::{self, Rewritten, Target};
use crate::prelude::*;
use contexture::context::Limits;
use contexture::diagnostic::{Diagnostic, Severity, SourceFile};
use contexture::script::migrate::migrate;

const EXAMPLES: &str = "\
Examples:
  printf 'main func(input) {\\n  use input < 4k -- all of it\\n}\\n' | contexture migrate -
  contexture migrate --write examples/*.as

Comments, layout and current syntax are unchanged. Exit code 0: done; 1: --check found files that
would change; 2: errors remain, and --write does not write that file.";

/// Rewrites the syntax of version 0.1.3: `<` to `max`, `limit` to `max_output`, commas and returns.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    target: Target,
}

pub(crate) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    rewrite::run(&args.target, "migrated", terminal, |source| {
        let new = migrate(source, &Limits::default());
        let is_error = |fault: &Diagnostic| fault.severity == Severity::Error;
        let errors: Vec<Diagnostic> = new.diagnostics.into_iter().filter(is_error).collect();
        let about = SourceFile::new(source.name(), new.text.as_str());
        let faults = (!errors.is_empty()).then_some((about, errors));
        Rewritten { text: Some(new.text), faults }
    })
}
