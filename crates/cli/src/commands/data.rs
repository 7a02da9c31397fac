//! `contexture data`: all that a server keeps, as a whole (WA-11).

mod copy;

use super::command_group::command_group;

const EXAMPLES: &str = "\
Examples:
  contexture data copy .contexture/data sqlite:elsewhere

A place is one that `contexture serve --data` takes: a folder, sqlite:FOLDER, or postgres://…";

command_group! {
    /// Copies all that `contexture serve` keeps from one place to another.
    Copy(copy),
}
