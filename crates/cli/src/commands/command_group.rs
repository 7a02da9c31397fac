//! Commands that only group other commands.

/// Defines `Args` and `run` of a module that groups commands and has `EXAMPLES`.
///
/// Each command is a module with `Args` and `run`.
macro_rules! command_group {
    (
        $(#[doc = $about:literal])+
        $($name:ident($module:ident),)+
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

        pub(crate) fn run(
            args: &Args,
            terminal: &$crate::output::terminal::Terminal,
        ) -> $crate::output::error::CommandResult {
            match &args.action {
                $(Action::$name(args) => $module::run(args, terminal),)+
            }
        }
    };
}

pub(crate) use command_group;
