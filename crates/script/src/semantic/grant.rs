//! The methods that an item of `tools` grants to a model (GU-2).
//!
//! Decision: `File.write` grants the method that it names. A tool named whole grants what only
//! reads, but an import that binds one tool, such as `mcp://fs/write_file`, has named it already.
//! Checker and compiler ask this module, so that what is shown is what is granted.

use crate::capability;
use crate::server::{RUN, ServerFacts, ServerImport, method_name};
use crate::syntax::ast::{Expr, ExprKind, Import, Name};
use crate::syntax::walk::strip;
use contexture_core::policy::Class;
use contexture_core::signature::{Effect, Method};

/// A method of an imported tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodFacts {
    /// Its name in the program, such as `read`.
    pub name: String,
    /// Its name where it is defined; a server's tool may have signs that a program can't write.
    pub own: String,
    /// Its class.
    pub class: Class,
    /// True if a `parallel for` may call it (AS-10).
    pub runs_in_parallel: bool,
}

impl MethodFacts {
    fn of_table(method: &Method) -> Self {
        Self {
            name: method.name.to_owned(),
            own: method.name.to_owned(),
            class: method.class(),
            runs_in_parallel: method.runs_in_parallel(),
        }
    }

    fn of_server(server: &ServerImport, own: &str, effect: Effect) -> Self {
        Self {
            name: server.method(own),
            own: own.to_owned(),
            class: effect.class(),
            runs_in_parallel: !effect.changes(),
        }
    }
}

/// The methods of an imported tool, divided by an item of `tools`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Grant {
    /// The methods that the model may call.
    pub granted: Vec<MethodFacts>,
    /// Those that the item does not grant, because it names the tool whole.
    pub withheld: Vec<MethodFacts>,
}

/// An item of `tools` whose method does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownMethod {
    /// The methods of the tool.
    pub known: Vec<String>,
}

/// Splits an item of `tools` into the tool and the method, if it names one.
#[must_use]
pub fn parts(item: &Expr) -> (&Expr, Option<&Name>) {
    match &strip(item).kind {
        ExprKind::Field { base, name } => (base, Some(name)),
        _ => (item, None),
    }
}

/// Returns the methods that an item of `tools` grants; `facts` are those of an imported server. A
/// tool whose methods are unknown grants none: its import has been reported.
///
/// # Errors
/// [`UnknownMethod`] when the item names a method that the tool does not have.
pub fn grant(
    import: &Import,
    facts: Option<&ServerFacts>,
    method: Option<&str>,
) -> Result<Grant, UnknownMethod> {
    let server = ServerImport::of(import);
    let Some(all) = methods(import, server.as_ref(), facts) else { return Ok(Grant::default()) };
    let uri = import.from.value.as_str();
    let frontend = capability::frontend(uri).ok().flatten();
    let Some(named) = method else {
        let binds_one = frontend.is_some() || server.is_some_and(|server| server.tool.is_some());
        let (granted, withheld) =
            all.into_iter().partition(|method| binds_one || method.class == Class::Read);
        return Ok(Grant { granted, withheld });
    };
    // As in a call, the own name of a front end's tool means `run`.
    let named = if frontend.is_some_and(|tool| method_name(tool) == named) { RUN } else { named };
    let own = match &server {
        Some(server) => server.tool(all.iter().map(|method| method.own.as_str()), named),
        None => Some(named),
    };
    match all.iter().find(|method| Some(method.own.as_str()) == own) {
        Some(found) => Ok(Grant { granted: vec![found.clone()], withheld: Vec::new() }),
        None => Err(UnknownMethod { known: all.into_iter().map(|method| method.name).collect() }),
    }
}

/// Returns the methods that an import binds; `None` when they are unknown.
fn methods(
    import: &Import,
    server: Option<&ServerImport>,
    facts: Option<&ServerFacts>,
) -> Option<Vec<MethodFacts>> {
    let Some(server) = server else {
        let found = capability::tool(&import.from.value).ok()?;
        return Some(found.methods.iter().map(MethodFacts::of_table).collect());
    };
    let bound = facts?.tools.iter();
    let bound = bound.filter(|tool| server.tool.as_ref().is_none_or(|own| *own == tool.name));
    Some(bound.map(|tool| MethodFacts::of_server(server, &tool.name, tool.effect)).collect())
}
