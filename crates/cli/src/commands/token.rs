//! `contexture token`: who may come in to a server (CP-19).

mod add;
mod list;
mod place;
mod revoke;
mod show;

use super::family::family;

const EXAMPLES: &str = "\
Examples:
  contexture token add phone
  contexture token add reporter --owner ann --scope read --expires 30d
  contexture token list

Tokens stand as digests in tokens.json of the data folder of `contexture serve`; a server that runs
hears of changes within a second.";

family! {
    /// Makes, lists and takes back the tokens that let clients in to `contexture serve`.
    Add(add),
    List(list),
    Revoke(revoke),
}
