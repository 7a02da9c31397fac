//! The calls that have effects, and so are refused in a `parallel for` (AS-10).
//!
//! The checker finds them before a program runs; the same facts are consulted again at the call. An
//! unknown call may have any effect.

use super::function::Context;
use crate::capability;
use crate::runtime::code::ToolKind;
use crate::server::{ServerFacts, ServerImport};
use crate::syntax::ast::Import;

/// Reports whether a method of a tool, memory or pack has an effect outside the run.
pub(super) fn changes_outside(
    context: &Context<'_>,
    import: u32,
    kind: ToolKind,
    method: &str,
) -> bool {
    let Some((import, file)) = context.declarations.imports.get(import as usize) else {
        return true;
    };
    let uri = import.from.value.as_str();
    if let Some(server) = ServerImport::of(import) {
        return facts(context, import, *file).is_none_or(|facts| facts.writes(&server, method));
    }
    let known = match kind {
        ToolKind::Tool => capability::tool(uri).ok(),
        ToolKind::Memory => capability::memory(uri).ok(),
        ToolKind::Knowledge => Some(capability::KNOWLEDGE),
    };
    let method = known.and_then(|known| known.method(method));
    method.is_none_or(|method| !method.runs_in_parallel())
}

pub(super) fn facts<'a>(
    context: &Context<'a>,
    import: &Import,
    file: usize,
) -> Option<&'a ServerFacts> {
    let servers = context.units.get(file)?.servers;
    servers.iter().find(|(own, _)| *own == import.name.text).map(|(_, facts)| facts)
}
