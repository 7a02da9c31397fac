//! `contexture optimize`: the choices of a program, and programs in which others are made (AS-33).

mod inspect;
mod source;
mod specialize;

use super::command_group::command_group;

const EXAMPLES: &str = "\
Examples:
  contexture optimize inspect examples/use_one_of.as
  contexture optimize specialize examples/use_one_of.as --select evidence=overview";

command_group! {
    /// Lists the choices of a program, and marks other candidates.
    Inspect(inspect),
    Specialize(specialize),
}
