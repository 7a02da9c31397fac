//! `use`: the values that may be shown, their labels and their questions (AS-12 to AS-17, CA-16).

use super::Checker;
use super::declarations::Global;
use super::scope::Pending;
use super::tools::is_literal;
use crate::capability::{self, UriFault, noun};
use crate::codes;
use crate::syntax::ast::{Candidate, Expr, ExprKind, ImportKind, Text, Use, UseSource};
use crate::syntax::walk;
use crate::syntax::walk::strip;
use contexture_diagnostic::Span;
use std::collections::HashSet;

/// Labels that read as roles of a provider's protocol.
const RESERVED_LABELS: &[&str] = &["system", "assistant", "tool", "developer"];

impl<'p> Checker<'p, '_> {
    pub(super) fn use_statement(&mut self, used: &'p Use) {
        match &used.source {
            UseSource::Expr(expr) => {
                self.shown(expr, used.question.is_some());
                self.freedom(used, expr);
            }
            UseSource::OneOf(candidates) => self.candidates(used, candidates),
        }
        if let Some(question) = &used.question {
            self.question(question);
        }
        if let Some(label) = &used.label {
            self.label(label);
        }
    }

    /// Checks a question, which is evaluated like what is shown.
    fn question(&mut self, question: &'p Expr) {
        match &strip(question).kind {
            ExprKind::Str(text) if text.trim().is_empty() => {
                let fault = codes::BAD_QUESTION.at(question.span, "the question is empty");
                self.push(fault.with_help("write what to select by, or leave `for` out"));
            }
            ExprKind::Str(_) => {}
            kind if is_literal(kind) || matches!(kind, ExprKind::List(_) | ExprKind::Object(_)) => {
                let message = "`for` takes a text to select by";
                let help = "write a question, as in `for input.question`; a loop begins on a line of its own";
                self.push(codes::BAD_QUESTION.at(question.span, message).with_help(help));
            }
            _ if self.refuse_call(question, "for") => {}
            _ => self.shown(question, false),
        }
    }

    fn label(&mut self, label: &Text) {
        let name = label.value.trim();
        if name.is_empty() {
            let help = "write a word, or leave `as` out";
            self.push(codes::BAD_LABEL.at(label.span, "the label is empty").with_help(help));
        } else if name.chars().any(char::is_control) {
            let message = "a label must be one line without control characters";
            self.push(codes::BAD_LABEL.at(label.span, message).with_help("write it in one line"));
        } else if RESERVED_LABELS.contains(&name.to_lowercase().as_str()) {
            let message =
                format!("`{name}` is reserved: it reads as a role of the model's protocol");
            let help = "choose another label; `user` is allowed, and so are longer ones";
            self.push(codes::RESERVED_LABEL.at(label.span, message).with_help(help));
        }
    }

    fn candidates(&mut self, used: &'p Use, candidates: &'p [Candidate]) {
        if candidates.len() < 2 {
            let message = "`use one of` needs at least two candidates";
            let help = "add one, such as `none: empty`, or write a plain `use`";
            self.push(codes::FEW_CANDIDATES.at(used.span, message).with_help(help));
        }
        let mut names = HashSet::new();
        let mut selected: Option<Span> = None;
        for candidate in candidates {
            if !names.insert(candidate.name.text.as_str()) {
                let message = format!("duplicate candidate `{}`", candidate.name.text);
                let fault = codes::DUPLICATE_CANDIDATE.at(candidate.name.span, message);
                self.push(fault.with_help("rename one of them"));
            }
            match (selected, candidate.selected) {
                (Some(first), Some(again)) => {
                    let fault =
                        codes::SEVERAL_SELECTED.at(again, "more than one candidate is `selected`");
                    let fault = fault.with_label(first, "the first one");
                    self.push(fault.with_help("keep one of the marks"));
                }
                (None, Some(mark)) => selected = Some(mark),
                _ => {}
            }
            if let Some(source) = &candidate.source {
                self.shown(source, used.question.is_some());
            }
        }
    }

    /// Checks the source of a `use`; its names may be assigned later, before the `generate`
    /// (AS-13).
    fn shown(&mut self, expr: &'p Expr, has_question: bool) {
        if has_question && self.is_memory(expr) {
            return;
        }
        if self.refuse_call(expr, "use") || self.refuse_capability(expr) || self.refuse_uri(expr) {
            return;
        }
        let whole = matches!(strip(expr).kind, ExprKind::Name(_));
        let mut names = Vec::new();
        walk::expressions(expr, &mut |part| {
            if let ExprKind::Name(name) = &part.kind {
                names.push((name.as_str(), part.span));
            }
        });
        for (name, span) in names {
            if self.scopes.is_variable(name) {
                continue;
            }
            match self.global(name) {
                Some(Global::Import(import)) if import.kind == ImportKind::Resource && !whole => {
                    let message = format!("`{name}` is a resource and is shown as a whole");
                    let help = format!(
                        "write `use {name}`; for a part of it, import a reference such as `…?line=1-20`"
                    );
                    self.push(codes::NOT_USABLE.at(span, message).with_help(help));
                }
                Some(Global::Import(import)) if import.kind == ImportKind::Knowledge && !whole => {
                    let message = format!("`{name}` is a knowledge pack and is shown as a whole");
                    let help = format!(
                        "write `use {name} max 3k`, which selects what matters for the instruction; or store `{name}.resolve({{ task: … }})` and use a part of that"
                    );
                    self.push(codes::NOT_USABLE.at(span, message).with_help(help));
                }
                Some(global) => self.refuse_global(name, global, span),
                None => self.scopes.wait(Pending { name, span }),
            }
        }
    }

    /// Reports whether it names an imported memory, of whose records a question selects some.
    fn is_memory(&mut self, expr: &Expr) -> bool {
        let ExprKind::Name(name) = &strip(expr).kind else { return false };
        !self.scopes.is_variable(name)
            && matches!(self.global(name), Some(Global::Import(import)) if import.kind == ImportKind::Memory)
    }

    /// Refuses a call, a model call or anything with a block: it would be evaluated once per
    /// `generate`.
    fn refuse_call(&mut self, expr: &'p Expr, word: &str) -> bool {
        let mut found: Option<&Expr> = None;
        walk::expressions(expr, &mut |part| {
            let active = matches!(
                part.kind,
                ExprKind::Call { .. }
                    | ExprKind::Generate(_)
                    | ExprKind::ParallelFor(_)
                    | ExprKind::Try { .. }
            );
            if active && found.is_none() {
                found = Some(part);
            }
        });
        let Some(call) = found else { return false };
        let message = format!("`{word}` takes a stored value, not a computation");
        let source = self.slice(call.span);
        let short = source.len() <= 60 && !source.contains(['\n', '\r']);
        let help = if short {
            format!("store the result first: `result = {source}`, then `{word} result`")
        } else {
            "store the result in a variable first, then use that".to_owned()
        };
        self.push(codes::CALL_IN_USE.at(call.span, message).with_help(help));
        // Faults inside the call are reported too.
        if !self.scopes.in_parallel() {
            self.expr(expr);
        }
        true
    }

    /// Refuses a capability, or a part of one, as the whole source.
    fn refuse_capability(&mut self, expr: &'p Expr) -> bool {
        let Some(name) = super::statements::root(expr) else { return false };
        if self.scopes.is_variable(name) {
            return false;
        }
        match self.global(name) {
            Some(global) => self.refuse_global(name, global, expr.span),
            None if matches!(name, "model" | "role" | "description") => {
                let message = format!("`{name}` is configuration and can't be used");
                let help =
                    "the model sees role and description anyway; put other text into a variable";
                self.push(codes::NOT_USABLE.at(expr.span, message).with_help(help));
                return true;
            }
            None => return false,
        }
        !matches!(self.global(name), Some(Global::Import(import)) if is_data(import.kind))
    }

    fn refuse_global(&mut self, name: &str, global: Global<'p>, span: Span) {
        let (what, help) = match global {
            Global::Function(_) => (
                "a function",
                format!("use what it returns: `result = {name}(…)`, then `use result`"),
            ),
            Global::Shape => ("a shape", "use a value of it".to_owned()),
            Global::Agent(_) => (
                "an agent",
                format!("use what it returns: `result = {name}(…)`, then `use result`"),
            ),
            Global::Import(import) if is_data(import.kind) => return,
            Global::Import(import) => (noun(import.kind), self.instead(name, import.kind)),
        };
        let message = format!("`{name}` is {what} and can't be used");
        self.push(codes::NOT_USABLE.at(span, message).with_help(help));
    }

    fn instead(&self, name: &str, kind: ImportKind) -> String {
        match kind {
            ImportKind::Llm => format!("a model is chosen with `model {name}`"),
            ImportKind::Template => {
                format!("render it first: `text = {name}({{ … }})`, then `use text`")
            }
            ImportKind::Memory => {
                format!(
                    "use what it returns: `past = {name}.query({{ … }})`, then `use past`; or select by a question: `use {name} max 2k for question`"
                )
            }
            _ => format!("use what it returns: `result = {name}.run({{ … }})`, then `use result`"),
        }
    }

    /// Refuses a literal URI: it names a capability and is not data.
    fn refuse_uri(&mut self, expr: &'p Expr) -> bool {
        let ExprKind::Str(text) = &strip(expr).kind else { return false };
        let model = text.contains("://") && capability::model(text, &[]).is_ok();
        let tool = matches!(capability::tool(text), Ok(_) | Err(UriFault::Shell));
        let memory = text.contains("://") && capability::memory(text).is_ok();
        let pack = capability::pack(text).is_ok();
        let found = text.contains("://") && (model || tool || memory || pack);
        if found {
            let message = "this is the URI of a capability and can't be used";
            let help = "import it, call it, and use what it returns";
            self.push(codes::NOT_USABLE.at(expr.span, message).with_help(help));
        }
        found
    }

    /// Reports a name in a `use` that is undefined when the prompt is built.
    pub(super) fn unknown_in_use(&mut self, name: &str, span: Span, generate: Option<Span>) {
        let assigned = self.scopes.assigned_elsewhere(name);
        let (Some(generate), Some(assigned)) = (generate, assigned) else {
            return self.unknown_name(name, span);
        };
        let message = format!("`{name}` is used before it is assigned");
        let fault =
            codes::UNKNOWN_NAME.at(span, message).with_label(generate, "the prompt is built here");
        let fault = fault.with_label(assigned.name, "assigned here");
        self.push(fault.with_help("assign it in the same scope, before this `generate`"));
    }
}

const fn is_data(kind: ImportKind) -> bool {
    matches!(kind, ImportKind::File | ImportKind::Knowledge | ImportKind::Resource)
}
