//! `contexture knowledge`: packs, from a folder to what a model may be shown (KN-1 to KN-17).

mod activate;
mod add;
mod eval;
mod findings;
mod index;
mod list;
mod new;
mod place;
mod read_properties;
mod resolve_context;
mod table;
mod target;
mod to_catalog;
mod usage;
mod validate;
mod validate_run;

use super::Outcome;
use crate::terminal::Terminal;
use clap::Subcommand;

const EXAMPLES: &str = "\
Examples:
  contexture knowledge list --root examples/knowledge
  contexture knowledge activate acme-product-brief --root examples/knowledge
  contexture knowledge resolve-context --root examples/knowledge --pack acme-product-brief \\
    --query 'What does the widget cost?' --max 2k
  contexture knowledge new our-handbook && contexture knowledge validate our-handbook

A pack is a folder with a KNOWLEDGE.md. Packs of a project lie in .contexture/knowledge/ or
.agents/knowledge/, yours in the same folders of your home.";

/// Lists, checks, activates and resolves knowledge packs; makes and measures them.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    List(list::Args),
    Validate(validate::Args),
    ReadProperties(read_properties::Args),
    ToCatalog(to_catalog::Args),
    Activate(activate::Args),
    ResolveContext(resolve_context::Args),
    Index(index::Args),
    Eval(eval::Args),
    ValidateRun(validate_run::Args),
    Usage(usage::Args),
    New(new::Args),
    Add(add::Args),
}

/// Whether the command was asked for JSON.
pub(crate) fn wants_json(args: &Args) -> bool {
    match &args.action {
        Action::List(args) => args.json,
        Action::Validate(args) => args.json,
        // Its result is JSON whatever was asked.
        Action::ReadProperties(_) => true,
        Action::ToCatalog(args) => args.is_json(),
        Action::Activate(args) => args.json,
        Action::ResolveContext(args) => args.json,
        Action::Index(args) => args.json,
        Action::Eval(args) => args.json,
        Action::ValidateRun(args) => args.json,
        Action::Usage(args) => args.json,
        Action::New(args) => args.json,
        Action::Add(args) => args.json,
    }
}

/// Runs `contexture knowledge`.
pub(crate) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    match &args.action {
        Action::List(args) => list::run(args, terminal),
        Action::Validate(args) => validate::run(args, terminal),
        Action::ReadProperties(args) => read_properties::run(args, terminal),
        Action::ToCatalog(args) => to_catalog::run(args, terminal),
        Action::Activate(args) => activate::run(args, terminal),
        Action::ResolveContext(args) => resolve_context::run(args, terminal),
        Action::Index(args) => index::run(args, terminal),
        Action::Eval(args) => eval::run(args, terminal),
        Action::ValidateRun(args) => validate_run::run(args, terminal),
        Action::Usage(args) => usage::run(args, terminal),
        Action::New(args) => new::run(args, terminal),
        Action::Add(args) => add::run(args, terminal),
    }
}
