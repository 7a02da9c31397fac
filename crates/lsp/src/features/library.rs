//! The methods of values and of tools, as one table for completion, hover and signatures.

use contexture_core::signature::{Method as ToolMethod, Signature};
use contexture_script::capability;
use contexture_script::library::{self, Entry, Receiver, methods_of};
use contexture_script::program::Program;
use contexture_script::server::ServerImport;
use contexture_script::syntax::ast::{Import, ImportKind, ShapeKind, ShapeNode};

/// A method that can be called at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Callable {
    pub(crate) name: String,
    /// Such as `slice(from, to?)`.
    pub(crate) signature: String,
    pub(crate) description: String,
    /// The fields of the object that a tool takes: name, type with its description, required.
    pub(crate) fields: Vec<(String, String, bool)>,
}

/// Returns the methods of values of a shape; those of all values when it is not known.
pub(crate) fn of_values(shape: Option<&ShapeNode>) -> Vec<Callable> {
    let receivers: &[Receiver] = match shape.map(|shape| &shape.kind) {
        Some(ShapeKind::String | ShapeKind::Enum(_)) => &[Receiver::String],
        Some(ShapeKind::List(_)) => &[Receiver::List],
        Some(ShapeKind::Object(_)) => &[Receiver::Object],
        Some(ShapeKind::Number | ShapeKind::Integer | ShapeKind::Boolean) => &[],
        _ => &[Receiver::String, Receiver::List, Receiver::Object],
    };
    let mut found: Vec<Callable> = Vec::new();
    for method in receivers.iter().flat_map(|receiver| methods_of(*receiver)) {
        if found.iter().all(|known| known.name != method.name) {
            found.push(of_entry(method));
        }
    }
    found
}

/// Returns the functions that every program has.
pub(crate) fn functions() -> Vec<Callable> {
    library::functions().iter().map(of_entry).collect()
}

fn of_entry(entry: &Entry) -> Callable {
    Callable {
        name: entry.name.to_owned(),
        signature: entry.signature(),
        description: entry.summary.to_owned(),
        fields: Vec::new(),
    }
}

/// Returns the methods of an imported tool, memory or pack.
pub(crate) fn of_import(program: &Program, file: usize, import: &Import) -> Vec<Callable> {
    if ServerImport::of(import).is_some() {
        return of_server(program, file, import);
    }
    let uri = &import.from.value;
    let known: Option<Signature> = match import.kind {
        ImportKind::Tool => capability::tool(uri).ok(),
        ImportKind::Memory => capability::memory(uri).ok(),
        ImportKind::Knowledge => capability::pack(uri).ok().map(|_| capability::KNOWLEDGE),
        _ => None,
    };
    known.map_or_else(Vec::new, |known| known.methods.iter().map(of_tool).collect())
}

fn of_tool(method: &ToolMethod) -> Callable {
    let fields = method.parameters.iter().map(|field| {
        let kind = field.kind.describe();
        let about = match field.description {
            "" => kind,
            description => format!("{kind}: {description}"),
        };
        (field.name.to_owned(), about, field.required)
    });
    let fields: Vec<_> = fields.collect();
    Callable {
        name: method.name.to_owned(),
        signature: signature(method.name, &fields),
        description: method.description.to_owned(),
        fields,
    }
}

fn of_server(program: &Program, file: usize, import: &Import) -> Vec<Callable> {
    let Some(server) = ServerImport::of(import) else { return Vec::new() };
    let Some(facts) = program.server(file, &import.name.text) else { return Vec::new() };
    let tools = facts.tools.iter().map(|tool| {
        let fields: Vec<_> = tool
            .fields
            .iter()
            .map(|field| (field.name.clone(), String::new(), field.required))
            .collect();
        let name = server.method(&tool.name);
        Callable { signature: signature(&name, &fields), name, description: String::new(), fields }
    });
    tools.collect()
}

fn signature(name: &str, fields: &[(String, String, bool)]) -> String {
    let mark = |required: bool| if required { "" } else { "?" };
    let fields: Vec<String> =
        fields.iter().map(|(name, _, required)| format!("{name}{}", mark(*required))).collect();
    match fields.is_empty() {
        true => format!("{name}()"),
        false => format!("{name}({{ {} }})", fields.join(", ")),
    }
}
