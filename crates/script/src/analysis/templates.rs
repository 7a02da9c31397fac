//! Calls of imported templates: the variables passed, and the variables needed (AS-2).

use super::Checker;
use super::calls::listed;
use super::tools::is_literal;
use crate::codes;
use crate::syntax::ast::{Expr, ExprKind, Import, Name, Text};
use crate::syntax::walk::strip;
use crate::template::TemplateFacts;
use contexture_diagnostic::{Span, nearest, suggestion};

/// The only method of a template; a call of the template itself does the same.
pub(super) const RENDER: &str = "render";

impl<'p> Checker<'p, '_> {
    pub(super) fn template_method(
        &mut self,
        import: &'p Import,
        name: &Name,
        span: Span,
        arguments: &'p [Expr],
    ) {
        if name.text == RENDER || name.text.is_empty() {
            return self.template_call(import, span, arguments);
        }
        let own = &import.name.text;
        let message = format!("`{own}` is a template and has no method `{}`", name.text);
        let help = suggestion(&name.text, [RENDER])
            .unwrap_or_else(|| format!("render it: `{own}({{ … }})` or `{own}.render({{ … }})`"));
        self.push(codes::UNKNOWN_TOOL_METHOD.at(name.span, message).with_help(help));
    }

    pub(super) fn template_call(&mut self, import: &'p Import, span: Span, arguments: &'p [Expr]) {
        let own = import.name.text.as_str();
        match arguments {
            [] => self.template_needs(own, span, &[]),
            [only] => match &strip(only).kind {
                ExprKind::Object(fields) => {
                    self.template_variables(own, fields);
                    self.template_needs(own, only.span, fields);
                }
                literal if is_literal(literal) => {
                    let message = format!("`{own}` takes an object of variables");
                    let help = format!("write `{own}({{ name: … }})`");
                    self.push(codes::TEMPLATE_ARGUMENTS.at(only.span, message).with_help(help));
                }
                _ => {}
            },
            several => {
                let message = format!(
                    "`{own}` takes one object of variables, not {} arguments",
                    several.len()
                );
                let help = format!("write `{own}({{ name: …, other: … }})`");
                self.push(codes::TEMPLATE_ARGUMENTS.at(span, message).with_help(help));
            }
        }
    }

    /// Returns the facts about a template of this file; `None` when it could not be read.
    fn facts(&self, name: &str) -> Option<&'p TemplateFacts> {
        let file = self.program.files.get(self.file)?;
        file.templates.iter().find(|(own, _)| own == name).map(|(_, facts)| facts)
    }

    /// Reports variables that every rendering needs and that are certainly missing.
    fn template_needs(&mut self, own: &str, span: Span, fields: &'p [(Text, Expr)]) {
        let Some(facts) = self.facts(own) else { return };
        for path in &facts.always {
            let Some(missing) = missing(path, fields) else { continue };
            let message = format!("missing variable `{missing}` of the template `{own}`");
            let help = match (missing.rsplit_once('.'), nearest(missing, unused(facts, fields))) {
                (Some((object, name)), _) => format!("add `{name}: …` to `{object}`"),
                (None, Some(other)) => format!("rename `{other}` if that is the one"),
                (None, None) => format!("add `{missing}: …`"),
            };
            self.push(codes::MISSING_VARIABLE.at(span, message).with_help(help));
        }
    }

    fn template_variables(&mut self, own: &str, fields: &'p [(Text, Expr)]) {
        let Some(facts) = self.facts(own) else { return };
        let known: Vec<&str> = facts.used.iter().map(|path| root(path)).collect();
        for (key, _) in fields {
            if known.contains(&key.value.as_str()) {
                continue;
            }
            let free = known.iter().copied().filter(|name| !gives(fields, name));
            let help = suggestion(&key.value, free).unwrap_or_else(|| match known.as_slice() {
                [] => "the template has no variables".to_owned(),
                known => {
                    let quoted = known.iter().map(|name| format!("`{name}`"));
                    format!("it reads {}", listed(quoted))
                }
            });
            let message = format!("the template `{own}` does not use the variable `{}`", key.value);
            self.push(codes::UNKNOWN_VARIABLE.at(key.span, message).with_help(help));
        }
    }
}

fn root(path: &str) -> &str {
    path.split_once('.').map_or(path, |(first, _)| first)
}

fn gives(fields: &[(Text, Expr)], name: &str) -> bool {
    fields.iter().any(|(key, _)| key.value == name)
}

/// Returns the passed names that the template does not read: one of them may be a misspelt
/// variable.
fn unused<'f>(facts: &TemplateFacts, fields: &'f [(Text, Expr)]) -> Vec<&'f str> {
    let is_used = |name: &str| facts.used.iter().any(|path| root(path) == name);
    let names = fields.iter().map(|(key, _)| key.value.as_str());
    names.filter(|name| !is_used(name)).collect()
}

/// Returns the part of a path up to the first step that literal objects certainly lack.
fn missing<'n>(path: &'n str, fields: &[(Text, Expr)]) -> Option<&'n str> {
    let mut fields = fields;
    let mut end = 0;
    for step in path.split('.') {
        end += step.len();
        let Some((_, value)) = fields.iter().rev().find(|(key, _)| key.value == step) else {
            return path.get(..end);
        };
        end += 1;
        match &strip(value).kind {
            ExprKind::Object(inner) => fields = inner,
            _ => return None,
        }
    }
    None
}
