//! `contexture token`: access to a server (CP-19).

mod add;
mod list;
mod revoke;
mod table;
mod token_file;

use super::command_group::command_group;

const EXAMPLES: &str = "\
Examples:
  contexture token add phone
  contexture token add reporter --owner ann --scope read --expires 30d
  contexture token list

The data folder of `contexture serve` keeps digests of the tokens in tokens.json; a running server
applies changes within a second.";

command_group! {
    /// Creates, lists and revokes the tokens of `contexture serve`.
    Add(add),
    List(list),
    Revoke(revoke),
}
