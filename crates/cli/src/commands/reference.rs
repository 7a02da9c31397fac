//! `contexture ref`: references (REF-1 to REF-24).

mod expand;
mod explain;
mod list;
mod load;
mod options;
mod parse;
mod plan;
mod scan;

use super::command_group::command_group;

const EXAMPLES: &str = "\
Examples:
  contexture ref parse '@file://a.md?line=5-10'
  contexture ref load '@markdown:file://README.md?section=Contexture&max=200'
  contexture ref expand examples/references/role.md --workspace examples/references
  contexture ref list

A shell interprets `?`, `!` and `*`: put single quotes around references.";

command_group! {
    /// Reads, finds, plans, loads, expands and explains references such as @file://a.md.
    Parse(parse),
    Scan(scan),
    Plan(plan),
    Load(load),
    Expand(expand),
    List(list),
    Explain(explain),
}
