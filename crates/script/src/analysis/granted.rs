//! `tools` of a `generate`: the methods that its model may call (AS-19, GU-2).

use super::Checker;
use super::calls::listed;
use super::declarations::Global;
use crate::capability::noun;
use crate::codes;
use crate::semantic::Cause;
use crate::semantic::grant::{self, Grant, MethodFacts, UnknownMethod};
use crate::syntax::ast::{Expr, ExprKind, Import, ImportKind, Name};
use crate::syntax::walk::strip;
use contexture_core::policy::Class;
use contexture_diagnostic::{Span, suggestion};

impl<'p> Checker<'p, '_> {
    /// Checks the list of tools, and adds the methods that it grants. Tools are not values, so the
    /// list must be a literal.
    pub(super) fn tools_option(&mut self, value: &'p Expr, can: &mut Vec<Cause>) {
        let ExprKind::List(items) = &strip(value).kind else {
            if self.global_name(value).is_none_or(|name| self.global(name).is_none()) {
                self.expr(value);
            }
            return self.bad_tools(value.span);
        };
        for item in items {
            let (tool, method) = grant::parts(item);
            let own = self.global_name(tool);
            match own.and_then(|own| self.global(own)) {
                Some(Global::Import(import)) if import.kind != ImportKind::Tool => {
                    self.no_tool(item.span, import);
                }
                Some(Global::Import(import)) => self.granted(import, item.span, method, can),
                Some(Global::Agent(_)) => self.bad_tool(item.span, "an agent"),
                Some(Global::Function(_)) => self.bad_tool(item.span, "a function"),
                Some(Global::Shape) => self.bad_tool(item.span, "a shape"),
                None => {
                    let unknown = own.is_some();
                    self.expr(item);
                    if !unknown && !matches!(strip(item).kind, ExprKind::Error) {
                        self.bad_tools(item.span);
                    }
                }
            }
        }
    }

    fn granted(
        &mut self,
        import: &Import,
        span: Span,
        method: Option<&Name>,
        can: &mut Vec<Cause>,
    ) {
        if method.is_some_and(|name| name.text.is_empty()) {
            return;
        }
        let facts = self.program.server(self.file, &import.name.text);
        let named = method.map(|name| name.text.as_str());
        let Grant { granted, withheld } = match (grant::grant(import, facts, named), method) {
            (Ok(grant), _) => grant,
            (Err(unknown), Some(name)) => return self.unknown_granted(import, name, &unknown),
            (Err(_), None) => return,
        };
        if self.scopes.in_parallel() {
            self.granted_in_parallel(import, &granted, span);
        }
        if !withheld.is_empty() {
            self.partly_granted(import, span, &granted, &withheld);
        }
        for MethodFacts { name, class, .. } in granted {
            let cause = Cause { tool: import.name.text.clone(), method: name, class };
            if !can.contains(&cause) {
                can.push(cause);
            }
        }
    }

    fn unknown_granted(&mut self, import: &Import, name: &Name, unknown: &UnknownMethod) {
        let (own, uri) = (&import.name.text, &import.from.value);
        let known = unknown.known.iter().map(String::as_str);
        let help = suggestion(&name.text, known.clone())
            .unwrap_or_else(|| format!("it has {}", listed(known)));
        let message = format!("`{own}` ({uri}) has no method `{}`", name.text);
        self.push(codes::UNKNOWN_TOOL_METHOD.at(name.span, message).with_help(help));
    }

    fn granted_in_parallel(&mut self, import: &Import, granted: &[MethodFacts], span: Span) {
        let Some(method) = granted.iter().find(|method| !method.runs_in_parallel) else { return };
        let what = match method.class {
            Class::Read => "is not a plain read",
            Class::Write => "writes",
            Class::Send => "sends",
            Class::Execute => "may have any effect",
        };
        let name = format!("{}.{}", import.name.text, method.name);
        let message = format!("a model in a `parallel for` can't be given `{name}`, which {what}");
        let help = "give it methods that only read, or use a plain `for`";
        self.push(codes::PARALLEL_EFFECT.at(span, message).with_help(help));
    }

    /// Warns that a tool named whole grants only what reads. The fix spells out what is granted: it
    /// must not widen it.
    fn partly_granted(
        &mut self,
        import: &Import,
        span: Span,
        granted: &[MethodFacts],
        withheld: &[MethodFacts],
    ) {
        let own = import.name.text.as_str();
        let full = |method: &MethodFacts| format!("{own}.{}", method.name);
        let quoted: Vec<String> =
            withheld.iter().map(|method| format!("`{}`", full(method))).collect();
        let first = withheld.first().map(full).unwrap_or_default();
        let message = format!("`{own}` grants only what reads, not {}", listed(&quoted));
        let fault = codes::PARTLY_GRANTED.at(span, message);
        let kept: Vec<String> = granted.iter().map(full).collect();
        let fault = if kept.is_empty() {
            fault.with_help(format!("name the methods that the model needs, as in `{first}`"))
        } else {
            let kept = kept.join(", ");
            let help = format!(
                "name the methods that the model needs: `{kept}`, and `{first}` if it must have it"
            );
            fault.with_help(help).with_edit(span, kept)
        };
        self.push(fault);
    }

    /// Reports an import of another kind: only what `import tool` binds can be given to a model.
    fn no_tool(&mut self, span: Span, import: &Import) {
        let name = import.name.text.as_str();
        let help = match import.kind {
            ImportKind::Memory => format!(
                "query it first: `past = {name}.query({{ … }})`, then `use past`; a model can only be given what `import tool` binds"
            ),
            ImportKind::File | ImportKind::Knowledge | ImportKind::Resource => {
                format!("show it to the model: `use {name}`")
            }
            ImportKind::Template => format!("render it: `text = {name}({{ … }})`, then `use text`"),
            _ => return self.bad_tool(span, noun(import.kind)),
        };
        let message =
            format!("`{name}` is {}, and a model can only be given tools", noun(import.kind));
        self.push(codes::BAD_TOOLS.at(span, message).with_help(help));
    }

    fn bad_tool(&mut self, span: Span, what: &str) {
        let message = format!("this is {what}, and a model can only be given tools");
        let help = "list imported tools and their methods, as in `tools: [Grep, File.read]`";
        self.push(codes::BAD_TOOLS.at(span, message).with_help(help));
    }

    fn bad_tools(&mut self, span: Span) {
        let message =
            "the option `tools` must be a literal list of imported tools and their methods";
        let help = "write their names, as in `tools: [Grep, File.read]`";
        self.push(codes::BAD_TOOLS.at(span, message).with_help(help));
    }
}
