//! `contexture prompt`: templates and messages on the command line (PT-1 to PT-11).

mod check;
mod compose;
mod library;
mod references;
mod render;

use super::Outcome;
use crate::terminal::Terminal;
use clap::Subcommand;

const EXAMPLES: &str = r#"Examples:
  contexture prompt check examples/prompts/review.md --partials examples/prompts/partials
  contexture prompt render examples/prompts/greeting.md --vars '{"name":"Ada"}'
  contexture prompt compose examples/prompts/chat.yaml"#;

/// Renders and checks templates, composes messages.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Render(render::Args),
    Check(check::Args),
    Compose(compose::Args),
}

/// Whether the command was asked for JSON.
pub(crate) fn wants_json(args: &Args) -> bool {
    matches!(&args.action, Action::Check(args) if args.json)
}

/// Runs `contexture prompt`.
pub(crate) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    match &args.action {
        Action::Render(args) => render::run(args, terminal),
        Action::Check(args) => check::run(args, terminal),
        Action::Compose(args) => compose::run(args, terminal),
    }
}
