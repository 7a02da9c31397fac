//! Commands that only have commands below them.

/// A command of commands: each is a module with `Args` and `run`, and the option `--json` in `Args`.
/// One without that option names a function that says whether its failures are told as JSON.
///
/// Makes `Args`, `wants_json` and `run` of a module that has `EXAMPLES`.
macro_rules! family {
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

        /// Whether the command was asked for JSON.
        pub(crate) fn wants_json(args: &Args) -> bool {
            match &args.action {
                $(Action::$name(args) => $crate::commands::family::family!(@json args $(, $json)?),)+
            }
        }

        /// Runs the command that was named.
        pub(crate) fn run(
            args: &Args,
            terminal: &$crate::terminal::Terminal,
        ) -> $crate::commands::Outcome {
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

pub(crate) use family;

/// Of a command whose result is JSON whatever was asked.
pub(crate) const fn always<A>(_: &A) -> bool {
    true
}

/// Of a command that has nothing to say in JSON.
pub(crate) const fn never<A>(_: &A) -> bool {
    false
}
