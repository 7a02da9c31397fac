//! What is known about a call of a tool before the run: whether it has an effect, and so is refused
//! in a `parallel for` (AS-10), and what a bare value stands for (TY-7).
//!
//! The checker finds them before a program runs; the same facts are consulted again at the call. An
//! unknown call may have any effect.

use super::function::Context;
use crate::capability::{self, Signature};
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
    let known = signature(uri, kind);
    let method = known.and_then(|known| known.method(method));
    method.is_none_or(|method| !method.runs_in_parallel())
}

fn signature(uri: &str, kind: ToolKind) -> Option<Signature> {
    match kind {
        ToolKind::Tool => capability::tool(uri).ok(),
        ToolKind::Memory => capability::memory(uri).ok(),
        ToolKind::Knowledge => Some(capability::KNOWLEDGE),
    }
}

/// Returns the only required parameter of a method.
pub(super) fn only_required(
    context: &Context<'_>,
    import: u32,
    kind: ToolKind,
    method: &str,
) -> Option<String> {
    let (import, file) = context.declarations.imports.get(import as usize)?;
    if let Some(server) = ServerImport::of(import) {
        let known = facts(context, import, *file)?.tool(&server, method)?;
        return known.only_required().map(|field| field.name.clone());
    }
    let known = signature(&import.from.value, kind)?;
    known.method(method)?.only_required().map(|field| field.name.to_owned())
}

pub(super) fn facts<'a>(
    context: &Context<'a>,
    import: &Import,
    file: usize,
) -> Option<&'a ServerFacts> {
    let servers = context.units.get(file)?.servers;
    servers.iter().find(|(own, _)| *own == import.name.text).map(|(_, facts)| facts)
}
