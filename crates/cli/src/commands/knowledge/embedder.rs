//! `contexture knowledge embedder`: the model by which packs are searched beside words (MA-7).

mod add;

use crate::commands::command_group::command_group;

const EXAMPLES: &str = "\
Examples:
  contexture knowledge embedder add models/english

An embedder finds sections by their meaning, beside those that words find.";

command_group! {
    /// Sets the model by which packs are searched beside their words.
    Add(add),
}
