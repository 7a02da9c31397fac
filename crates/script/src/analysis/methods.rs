//! Calls of the library: methods of values and functions (AS-8, TY-6).

use super::Checker;
use super::declarations::Global;
use crate::codes;
use crate::library::{self, Entry, PROPERTIES, Receiver, Type};
use crate::syntax::ast::{Expr, ExprKind, Name};
use crate::syntax::walk::strip;
use contexture_diagnostic::{Span, nearest, suggestion};

impl<'p> Checker<'p, '_> {
    /// Checks the arguments of a value's method; some methods take a function by name.
    pub(super) fn method_arguments(&mut self, method: &Name, arguments: &'p [Expr]) {
        let methods = library::methods_named(&method.text);
        let function = methods.iter().find_map(|entry| Some((*entry, entry.function_parameter()?)));
        for (index, argument) in arguments.iter().enumerate() {
            let Some((entry, (_, count))) = function.filter(|(_, (at, _))| *at == index) else {
                self.expr(argument);
                continue;
            };
            let own = self.global_name(argument);
            match own.and_then(|own| self.global(own)) {
                Some(Global::Function(number)) => {
                    self.mapped_function((&method.text, count), number, argument.span)
                }
                _ => self.function_wanted(entry, argument),
            }
        }
    }

    fn function_wanted(&mut self, entry: &Entry, argument: &'p Expr) {
        self.expr(argument);
        let or_field = entry.parameters.iter().any(|one| one.accepts == Type::Key);
        let value = match strip(argument).kind {
            ExprKind::Name(_) | ExprKind::Error => false,
            // A field's name may be computed.
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) | ExprKind::List(_) => true,
            _ => !or_field,
        };
        if value {
            let call = matches!(strip(argument).kind, ExprKind::Call { .. });
            let message = format!("`{}` takes the name of a function", entry.name);
            let help = match (call, or_field) {
                (true, _) => "write the name alone, without a call",
                (false, true) => {
                    "declare a function and write its name here, or a field's name as a string"
                }
                (false, false) => "declare a function and write its name here",
            };
            self.push(codes::METHOD_ARGUMENTS.at(argument.span, message).with_help(help));
        }
    }

    fn mapped_function(&mut self, (method, wanted): (&str, usize), number: usize, span: Span) {
        let Some(decl) = self.declarations.functions.get(number) else { return };
        let takes = decl.func.params.len();
        if takes != wanted {
            let (plural, parameters) =
                if wanted == 1 { ("", "one parameter") } else { ("s", "two parameters") };
            let message = format!(
                "`{method}` calls the function with {wanted} argument{plural}, but it takes {takes}"
            );
            let help = format!("declare it with {parameters}");
            self.push(codes::WRONG_ARITY.at(span, message).with_help(help));
        }
    }

    /// Checks `json.parse(…)`.
    pub(super) fn module_call(&mut self, module: &str, name: &Name, span: Span, given: usize) {
        let full = format!("{module}.{}", name.text);
        if let Some((_, entry)) = library::called(&full) {
            return self.library_arity(entry, span, given);
        }
        let names: Vec<&str> = library::functions()
            .iter()
            .filter_map(|entry| entry.name.strip_prefix(module)?.strip_prefix('.'))
            .collect();
        let help = suggestion(&name.text, names.iter().copied())
            .unwrap_or_else(|| format!("`{module}` has {}", names.join(" and ")));
        let message = format!("call of undefined function `{full}`");
        self.push(codes::UNKNOWN_NAME.at(name.span, message).with_help(help));
    }

    pub(super) fn library_arity(&mut self, entry: &Entry, span: Span, given: usize) {
        if (entry.least()..=entry.most()).contains(&given) {
            return;
        }
        let takes = takes(entry.least(), entry.most());
        let message = format!("`{}` takes {takes}, not {given}", entry.name);
        let help = format!("write `{}`", entry.signature());
        self.push(codes::WRONG_ARITY.at(span, message).with_help(help));
    }

    /// Checks a method of a value. No value holds a function, so the name must be one of the
    /// library's.
    pub(super) fn method(&mut self, name: &Name, span: Span, base: &Expr, given: usize) {
        if name.text.is_empty() {
            return;
        }
        let methods = library::methods_named(&name.text);
        let Some(first) = methods.first() else { return self.unknown_method(name) };
        if let Some(kind) = literal_kind(base)
            && library::method(kind, &name.text).is_none()
        {
            let message = format!("{} has no method `{}`", kind.noun(), name.text);
            let owners = library::RECEIVERS
                .iter()
                .filter(|kind| library::method(**kind, &name.text).is_some());
            let owners: Vec<&str> = owners.map(|kind| kind.noun()).collect();
            let help = format!("it is a method of {}", owners.join(" and "));
            self.push(codes::UNKNOWN_VALUE_METHOD.at(name.span, message).with_help(help));
            return;
        }
        let least = methods.iter().map(|method| method.least()).min().unwrap_or_default();
        let most = methods.iter().map(|method| method.most()).max().unwrap_or_default();
        if (least..=most).contains(&given) {
            return;
        }
        let takes = takes(least, most);
        let message = format!("`.{}` takes {takes}, not {given}", name.text);
        let help = format!("write `.{}`", first.signature());
        self.push(codes::METHOD_ARGUMENTS.at(span, message).with_help(help));
    }

    fn unknown_method(&mut self, name: &Name) {
        let text = name.text.as_str();
        let fault = codes::UNKNOWN_VALUE_METHOD.at(name.span, format!("unknown method `{text}`"));
        if library::is_property(text) {
            self.push(fault.with_help(format!("read it without a call: `.{text}`")));
            return;
        }
        let names = library::method_names();
        let properties = PROPERTIES.iter().map(|property| property.name);
        let near = || nearest(text, names.iter().copied().chain(properties));
        let help = match library::other_name(text).or_else(near) {
            Some(meant) if library::is_property(meant) => {
                format!("did you mean `.{meant}`? Read it without a call")
            }
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("the methods are {}", names.join(", ")),
        };
        self.push(fault.with_help(help));
    }
}

fn literal_kind(expr: &Expr) -> Option<Receiver> {
    match strip(expr).kind {
        ExprKind::Str(_) => Some(Receiver::String),
        ExprKind::List(_) => Some(Receiver::List),
        ExprKind::Object(_) => Some(Receiver::Object),
        _ => None,
    }
}

fn takes(least: usize, most: usize) -> String {
    match (least, most) {
        (0, 0) => "no argument".to_owned(),
        (1, 1) => "exactly 1 argument".to_owned(),
        (least, most) if least == most => format!("{least} arguments"),
        (least, most) => format!("{least} to {most} arguments"),
    }
}
