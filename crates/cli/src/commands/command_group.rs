//! Commands that only group other commands.

/// Defines `Args`, `wants_json` and `run` of a module that groups commands and has `EXAMPLES`.
///
/// Each command is a module with `Args` and `run`. Its `Args` have a field `json`, or the command
/// names a function that reports whether its errors are printed as JSON.
macro_rules! command_group {
    (
        $(#[doc = $about:literal])+
        $($name:ident($module:ident $(, $json:path)?),)+
    ) => {
        $(#[doc = $about])+
        #[derive(Debug, clap::Args)]
        #[command(after_help = EXAMPLES, subcommand_required = true, arg_required_else_help = true)]
        pub(crate) struct Args {
            #[command(subcommand)]
            action: Action,
        }

        #[derive(Debug, clap::Subcommand)]
        enum Action {
            $($name($module::Args),)+
        }

        /// Reports whether errors of the command are printed as JSON.
        pub(crate) fn wants_json(args: &Args) -> bool {
            match &args.action {
                $(Action::$name(args) => $crate::commands::command_group::command_group!(@json args $(, $json)?),)+
            }
        }

        /// Runs the selected command.
        pub(crate) fn run(
            args: &Args,
            terminal: &$crate::output::terminal::Terminal,
        ) -> $crate::output::error::CommandResult {
            match &args.action {
                $(Action::$name(args) => $module::run(args, terminal),)+
            }
        }
    };
    (@json $args:ident) => {
        $args.json
    };
    (@json $args:ident, $json:path) => {
        $json($args)
    };
}

pub(crate) use command_group;

/// For a command that always prints JSON.
pub(crate) const fn always<A>(_: &A) -> bool {
    true
}

/// For a command that never prints JSON.
pub(crate) const fn never<A>(_: &A) -> bool {
    false
}
