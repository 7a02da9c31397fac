//! `contexture ref`: references, from their text to what they name (REF-1 to REF-24).

mod explain;
mod list;
mod load;
mod parse;
mod plan;
mod scan;
mod scope;

pub(crate) use scope::tokens;

use super::family::family;

const EXAMPLES: &str = "\
Examples:
  contexture ref parse '@file://a.md?line=5-10'
  contexture ref load '@markdown:file://README.md?section=Contexture&max=200'
  contexture ref list

A shell takes `?`, `!` and `*` for itself: put single quotes around a reference.";

family! {
    /// Reads, finds, plans, loads and explains references such as @file://a.md.
    Parse(parse),
    Scan(scan),
    Plan(plan),
    Load(load),
    List(list),
    Explain(explain),
}
