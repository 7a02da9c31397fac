//! Calls of the tools of servers: which there are and what they take (AS-25).

use super::Checker;
use super::tools::is_literal;
use crate::codes;
use crate::server::{FieldFacts, FieldType, ServerFacts, ServerImport, ToolFacts};
use crate::syntax::ast::{Expr, ExprKind, Import, Name, Text, UnaryOp};
use crate::syntax::walk::strip;
use contexture_diagnostic::{Span, suggestion};

/// How many tools a message names.
const LISTED: usize = 12;

impl<'p> Checker<'p, '_> {
    /// A method of an import, for a message.
    pub(super) fn first_method(&self, import: &Import) -> String {
        let known = self.methods_of(import).next().map(str::to_owned);
        let of_server = || {
            let server = ServerImport::of(import)?;
            let first = self.server_facts(&import.name.text)?.tools.first()?;
            Some(server.method(server.tool.as_ref().unwrap_or(&first.name)))
        };
        known.or_else(of_server).unwrap_or_else(|| "run".to_owned())
    }

    /// What is known of a server of this file; nothing when that was told at its import.
    fn server_facts(&self, name: &str) -> Option<&'p ServerFacts> {
        self.program.server(self.file, name)
    }

    /// `Fs.read_file({ … })`
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
        self.server_arguments(&full, tool, call.span, arguments);
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
            names => {
                let more = if names.len() > LISTED { " …" } else { "" };
                let first: Vec<&str> = names.iter().take(LISTED).map(String::as_str).collect();
                format!("it has {}{more}", first.join(", "))
            }
        });
        let message = format!("`{own}` ({uri}) has no tool `{}`", name.text);
        self.push(codes::UNKNOWN_TOOL_METHOD.at(name.span, message).with_help(help));
    }

    fn server_arguments(
        &mut self,
        full: &str,
        tool: &ToolFacts,
        span: Span,
        arguments: &'p [Expr],
    ) {
        match arguments {
            [] => self.server_needs(full, tool, span, &[]),
            [only] => match &strip(only).kind {
                ExprKind::Object(fields) => {
                    for (key, value) in fields {
                        self.server_field(full, tool, key, value);
                    }
                    self.server_needs(full, tool, only.span, fields);
                }
                literal if is_literal(literal) => {
                    let message = format!("`{full}` takes an object");
                    let help = format!("write `{full}{}`", example(tool));
                    self.push(codes::TOOL_ARGUMENTS.at(only.span, message).with_help(help));
                }
                _ => {}
            },
            several => {
                let message = format!("`{full}` takes one object, not {} arguments", several.len());
                let help = format!("write `{full}{}`", example(tool));
                self.push(codes::TOOL_ARGUMENTS.at(span, message).with_help(help));
            }
        }
    }

    fn server_field(&mut self, full: &str, tool: &ToolFacts, key: &Text, value: &'p Expr) {
        let Some(field) = tool.fields.iter().find(|field| field.name == key.value) else {
            if tool.open {
                return;
            }
            let names: Vec<&str> = tool.fields.iter().map(|field| field.name.as_str()).collect();
            let help = suggestion(&key.value, names.iter().copied()).unwrap_or_else(|| match names
                .as_slice()
            {
                [] => format!("it takes none: `{full}()`"),
                names => format!("it takes {}", names.join(", ")),
            });
            let message = format!("`{full}` has no argument `{}`", key.value);
            self.push(codes::UNKNOWN_ARGUMENT.at(key.span, message).with_help(help));
            return;
        };
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

    fn server_needs(
        &mut self,
        full: &str,
        tool: &ToolFacts,
        span: Span,
        fields: &'p [(Text, Expr)],
    ) {
        let given = |name: &str| fields.iter().any(|(key, _)| key.value == name);
        for field in tool.fields.iter().filter(|field| field.required && !given(&field.name)) {
            let message = format!("`{full}` needs the argument `{}`", field.name);
            let help = format!("add `{}: …`, {}", field.name, field.describe());
            self.push(codes::MISSING_ARGUMENT.at(span, message).with_help(help));
        }
    }
}

/// `({ path: … })`, or `()` where nothing must be given.
fn example(tool: &ToolFacts) -> String {
    let required = tool.fields.iter().filter(|field| field.required);
    let parts: Vec<String> = required.map(|field| format!("{}: …", field.name)).collect();
    if parts.is_empty() { "()".to_owned() } else { format!("({{ {} }})", parts.join(", ")) }
}

/// Whether an expression may be what a field takes: literals are judged, all else may.
fn may_be(field: &FieldFacts, value: &Expr) -> bool {
    let value = strip(value);
    let Some(found) = literal_types(value) else { return true };
    // What is optional may be left out by giving none.
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

/// The types that a literal has.
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
