//! Calls of the tools of servers: which there are and what they take (AS-25).

use super::Checker;
use super::calls::listed;
use super::tools::is_bare;
use crate::codes;
use crate::server::{FieldFacts, FieldType, ServerFacts, ServerImport, ToolFacts};
use crate::syntax::ast::{Expr, ExprKind, Import, Name, Text, UnaryOp};
use crate::syntax::walk::strip;
use contexture_diagnostic::suggestion;

impl<'p> Checker<'p, '_> {
    pub(super) fn first_method(&self, import: &Import) -> String {
        let known = self.methods_of(import).next().map(str::to_owned);
        let of_server = || {
            let server = ServerImport::of(import)?;
            let first = self.server_facts(&import.name.text)?.tools.first()?;
            Some(server.method(server.tool.as_ref().unwrap_or(&first.name)))
        };
        known.or_else(of_server).unwrap_or_else(|| "run".to_owned())
    }

    fn server_facts(&self, name: &str) -> Option<&'p ServerFacts> {
        self.program.server(self.file, name)
    }

    pub(super) fn server_call(
        &mut self,
        call: &'p Expr,
        (import, server): (&Import, &ServerImport),
        name: &Name,
        arguments: &'p [Expr],
    ) {
        let Some(facts) = self.server_facts(&import.name.text) else { return };
        if name.text.is_empty() {
            return;
        }
        let names = || facts.tools.iter().map(|tool| tool.name.as_str());
        let Some(tool) = server.tool(names(), &name.text) else {
            return self.unknown_server_method((import, server), facts, name);
        };
        let Some(tool) = facts.tools.iter().find(|known| known.name == tool) else { return };
        let full = format!("{}.{}", import.name.text, name.text);
        if let [only] = arguments
            && is_bare(only)
            && let Some(field) = tool.only_required()
        {
            return self.field_type(&full, field, only);
        }
        let given = self.one_object(&full, &example(tool), call.span, arguments);
        let Some((span, fields)) = given else { return };
        for (key, value) in fields {
            self.server_field(&full, tool, key, value);
        }
        let needed = tool.fields.iter().filter(|field| field.required);
        let needed = needed.map(|field| (field.name.as_str(), field.describe()));
        self.missing_arguments(&full, span, fields, needed);
    }

    fn unknown_server_method(
        &mut self,
        (import, server): (&Import, &ServerImport),
        facts: &ServerFacts,
        name: &Name,
    ) {
        let own = &import.name.text;
        let uri = &import.from.value;
        let names: Vec<String> = match &server.tool {
            Some(tool) => vec![server.method(tool)],
            None => facts.tools.iter().map(|tool| server.method(&tool.name)).collect(),
        };
        let help = suggestion(&name.text, names.iter().map(String::as_str));
        let help = help.unwrap_or_else(|| match names.as_slice() {
            [] => "its server has no tools".to_owned(),
            [only] => format!("it has {only}"),
            names => format!("it has {}", listed(names)),
        });
        let message = format!("`{own}` ({uri}) has no tool `{}`", name.text);
        self.push(codes::UNKNOWN_TOOL_METHOD.at(name.span, message).with_help(help));
    }

    fn server_field(&mut self, full: &str, tool: &ToolFacts, key: &Text, value: &'p Expr) {
        let Some(field) = tool.fields.iter().find(|field| field.name == key.value) else {
            if tool.open {
                return;
            }
            let known = tool.fields.iter().map(|field| field.name.as_str());
            return self.unknown_argument(full, key, known);
        };
        self.field_type(full, field, value);
    }

    fn field_type(&mut self, full: &str, field: &FieldFacts, value: &'p Expr) {
        if may_be(field, value) {
            return;
        }
        let wanted = field.describe();
        let message = format!("the argument `{}` of `{full}` must be {wanted}", field.name);
        let near = match &strip(value).kind {
            ExprKind::Str(text) => suggestion(text, field.words.iter().map(String::as_str)),
            _ => None,
        };
        let help = near.unwrap_or_else(|| format!("give {wanted}"));
        self.push(codes::ARGUMENT_TYPE.at(value.span, message).with_help(help));
    }
}

/// Returns `({ path: … })`, or `()` for a tool without required fields.
fn example(tool: &ToolFacts) -> String {
    let required = tool.fields.iter().filter(|field| field.required);
    let parts: Vec<String> = required.map(|field| format!("{}: …", field.name)).collect();
    if parts.is_empty() { "()".to_owned() } else { format!("({{ {} }})", parts.join(", ")) }
}

/// Reports whether a field may accept an expression; only literals are checked.
fn may_be(field: &FieldFacts, value: &Expr) -> bool {
    let value = strip(value);
    let Some(found) = literal_types(value) else { return true };
    // `none` leaves out an optional field.
    if found.contains(&FieldType::Null) && !field.required {
        return true;
    }
    let kind = field.types.is_empty() || found.iter().any(|kind| field.types.contains(kind));
    let word = match &value.kind {
        ExprKind::Str(text) => field.words.is_empty() || field.words.contains(text),
        _ => true,
    };
    kind && word
}

fn literal_types(value: &Expr) -> Option<&'static [FieldType]> {
    Some(match &value.kind {
        ExprKind::None => &[FieldType::Null],
        ExprKind::Bool(_) => &[FieldType::Flag],
        ExprKind::Int(_) => &[FieldType::Whole, FieldType::Number],
        ExprKind::Float(number) if number.fract() == 0.0 => &[FieldType::Whole, FieldType::Number],
        ExprKind::Float(_) => &[FieldType::Number],
        ExprKind::Str(_) => &[FieldType::Text],
        ExprKind::List(_) => &[FieldType::List],
        ExprKind::Object(_) => &[FieldType::Object],
        ExprKind::Unary { op: UnaryOp::Negate, operand } => match &strip(operand).kind {
            ExprKind::Int(_) | ExprKind::Float(_) => literal_types(strip(operand))?,
            _ => return None,
        },
        _ => return None,
    })
}
