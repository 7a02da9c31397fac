//! `contexture optimize`: the choices of a program, and programs in which others are made (AS-33).

mod inspect;
mod source;
mod specialize;
mod trial;

use super::command_group::command_group;

const EXAMPLES: &str = "\
Examples:
  contexture optimize inspect examples/use_one_of.as
  contexture optimize trial examples/use_one_of.as --cases examples/use_one_of.test.yaml
  contexture optimize specialize examples/use_one_of.as --select evidence=overview";

command_group! {
    /// Lists the choices of a program, tries other candidates and marks them.
    Inspect(inspect),
    Trial(trial),
    Specialize(specialize),
}
