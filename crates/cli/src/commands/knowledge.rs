//! `contexture knowledge`: knowledge packs (KN-1 to KN-17, MA-4).

mod activate;
mod add;
mod allow;
mod embedder;
mod eval;
mod findings;
mod index;
mod list;
mod new;
mod pack_scope;
mod pack_target;
mod read_properties;
mod resolve_context;
mod retrieval;
mod search;
mod sync;
mod table;
mod to_catalog;
mod usage;
mod validate;
mod validate_run;
mod watch;

use super::command_group::command_group;

const EXAMPLES: &str = "\
Examples:
  contexture knowledge list --root examples/knowledge
  contexture knowledge activate acme-product-brief --root examples/knowledge
  contexture knowledge resolve-context --root examples/knowledge --pack acme-product-brief \\
    --query 'What does the widget cost?' --max 2k
  contexture knowledge new our-handbook && contexture knowledge validate our-handbook

A pack is a folder with a KNOWLEDGE.md. The packs of a project are in .contexture/knowledge/ or
.agents/knowledge/, your own in the same folders of your home.";

command_group! {
    /// Lists, checks, activates and resolves knowledge packs; creates and evaluates them.
    List(list),
    Validate(validate),
    ReadProperties(read_properties),
    ToCatalog(to_catalog),
    Activate(activate),
    Allow(allow),
    ResolveContext(resolve_context),
    Search(search),
    Index(index),
    Eval(eval),
    ValidateRun(validate_run),
    Usage(usage),
    New(new),
    Add(add),
    Sync(sync),
    Embedder(embedder),
}
