//! The types in one function: its variables, and the value of each expression.

use super::{Kind, MAX_FIELDS, Type, Types};
use crate::analysis::declarations::FuncDecl;
use crate::codes;
use crate::stack::deeper;
use crate::syntax::ast::{
    AssignOp, Block, Expr, ExprKind, For, Func, Statement, StatementKind, Target, Use, UseSource,
};
use crate::syntax::walk::{self, strip};
use contexture_diagnostic::{Diagnostic, Span};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// The greatest number of rounds until the types of variables no longer change; then all are
/// unknown.
const MAX_ROUNDS: usize = 8;

/// The greatest number of fields in a path that is followed.
const MAX_STEPS: usize = 8;

/// The greatest nesting of lists and objects as written whose types are followed.
pub(super) const MAX_NESTED: usize = 8;

/// The types in a function.
pub(super) struct FunctionTypes<'p, 'a> {
    pub(super) types: &'a Types<'p, 'a>,
    pub(super) file: usize,
    pub(super) agent: Option<usize>,
    pub(super) func: &'p Func,
    variables: HashMap<&'p str, Type<'p>>,
    changed: bool,
    returned: Type<'p>,
    /// The paths that a test mentions, such as `issue.note`.
    tested: HashSet<String>,
    /// The paths of optional fields, as far as they were read.
    pub(super) optional: HashSet<String>,
    faults: Option<Vec<Diagnostic>>,
    /// The number of `try` around the current place.
    pub(super) tries: usize,
}

impl<'p, 'a> FunctionTypes<'p, 'a> {
    pub(super) fn new(types: &'a Types<'p, 'a>, decl: &FuncDecl<'p>) -> Self {
        let param = |param: &'p crate::syntax::ast::Param| {
            let of = param.shape.as_ref().map(|shape| Type::Shaped(decl.file, shape));
            (param.name.text.as_str(), of.unwrap_or(Type::Unknown))
        };
        Self {
            types,
            file: decl.file,
            agent: decl.agent,
            func: decl.func,
            variables: decl.func.params.iter().map(param).collect(),
            changed: false,
            returned: Type::Never,
            tested: tested_paths(&decl.func.body),
            optional: HashSet::new(),
            faults: None,
            tries: 0,
        }
    }

    /// Returns the faults in the function.
    pub(super) fn faults(mut self) -> Vec<Diagnostic> {
        self.settle();
        self.faults = Some(Vec::new());
        let value = self.body();
        if let Some(last) = self.func.body.statements.last()
            && let StatementKind::Expr(expr) = &last.kind
        {
            self.result(expr, &value);
        }
        self.faults.unwrap_or_default()
    }

    /// Returns the type of the function's value.
    pub(super) fn value(mut self) -> Type<'p> {
        self.settle();
        let value = self.body();
        match self.types.join(value, self.returned.clone()) {
            Type::Never => Type::None,
            known => known,
        }
    }

    /// Returns the types of the function's variables and parameters.
    pub(super) fn variables(mut self) -> HashMap<&'p str, Type<'p>> {
        self.settle();
        self.variables
    }

    /// Returns the type of an expression of the function.
    pub(super) fn of(mut self, expr: &Expr) -> Type<'p> {
        self.settle();
        let mut same = None;
        walk::block_expressions(&self.func.body, &mut |own| {
            if std::ptr::eq(own, expr) {
                same = Some(own);
            }
        });
        same.map_or(Type::Unknown, |own| self.expr(own))
    }

    /// Finds the types of all variables.
    fn settle(&mut self) {
        for _ in 0..MAX_ROUNDS {
            self.changed = false;
            self.body();
            if !self.changed {
                return;
            }
        }
        self.variables.values_mut().for_each(|of| *of = Type::Unknown);
    }

    fn body(&mut self) -> Type<'p> {
        self.block(&self.func.body)
    }

    /// Returns the type of a block's value: of its last statement, if that is an expression.
    fn block(&mut self, block: &'p Block) -> Type<'p> {
        let mut value = Type::Never;
        for statement in &block.statements {
            value = deeper(|| self.statement(statement));
        }
        value
    }

    fn statement(&mut self, statement: &'p Statement) -> Type<'p> {
        match &statement.kind {
            StatementKind::Expr(expr) => return self.expr(expr),
            StatementKind::Assign { target, op, value } => self.assign(target, *op, value),
            StatementKind::Return(value) => {
                let of = value.as_ref().map_or(Type::None, |value| self.expr(value));
                if let Some(value) = value {
                    self.result(value, &of);
                }
                self.returned = self.types.join(self.returned.clone(), of);
            }
            StatementKind::If { arms, otherwise } => {
                for (condition, block) in arms {
                    self.expr(condition);
                    self.block(block);
                }
                if let Some(block) = otherwise {
                    self.block(block);
                }
            }
            StatementKind::Loop { until, max, body } => {
                self.expr(until);
                self.all(max.iter());
                self.block(body);
            }
            StatementKind::Repeat { count, body } => {
                self.expr(count);
                self.block(body);
            }
            StatementKind::For(each) => {
                self.each(each);
            }
            StatementKind::Use(used) => self.used_items(used),
            StatementKind::Config(_) | StatementKind::Error => {}
        }
        Type::Never
    }

    fn all(&mut self, exprs: impl Iterator<Item = &'p Expr>) {
        exprs.for_each(|expr| {
            self.expr(expr);
        });
    }

    fn used_items(&mut self, used: &'p Use) {
        match &used.source {
            UseSource::Expr(expr) => {
                self.expr(expr);
            }
            UseSource::OneOf(candidates) => {
                self.all(candidates.iter().filter_map(|one| one.source.as_ref()));
            }
        }
        self.all(used.question.as_deref().into_iter());
    }

    fn each(&mut self, each: &'p For) -> Type<'p> {
        let list = self.expr(&each.list);
        self.used(&each.list, &list);
        if let Some(kind) = self.types.kind(&list).filter(|kind| *kind != Kind::List)
            && !matches!(strip(&each.list).kind, ExprKind::Str(_) | ExprKind::Object(_))
            && !is_plain_literal(&each.list)
        {
            let message = format!("a loop needs a list, not {}", kind.noun());
            let help = match kind {
                Kind::Object => "go through its `.keys()`",
                Kind::Text => "split it: `.lines()`, `.split(\",\")`",
                _ => "to repeat something n times, `repeat * n { … }`",
            };
            self.report(codes::NOT_A_LIST.at(each.list.span, message).with_help(help));
        }
        let item = self.types.item(&list);
        self.set(&each.variable.text, item);
        self.all(each.max.iter());
        self.block(&each.body)
    }

    fn assign(&mut self, target: &'p Target, op: AssignOp, value: &'p Expr) {
        let of = self.expr(value);
        for step in &target.path {
            if let crate::syntax::ast::Accessor::Index(index) = step {
                self.expr(index);
            }
        }
        if !target.path.is_empty() {
            return;
        }
        let name = target.base.text.as_str();
        let of = match op {
            AssignOp::Set => of,
            AssignOp::Add | AssignOp::Subtract => {
                let old = self.variables.get(name).cloned().unwrap_or(Type::Unknown);
                self.compound(op, target.span, (&old, &of), value)
            }
        };
        self.set(name, of);
    }

    fn set(&mut self, name: &'p str, of: Type<'p>) {
        let old = self.variables.get(name).cloned().unwrap_or(Type::Never);
        let joined = self.types.join(old.clone(), of);
        if !self.types.is_same(&old, &joined) {
            self.changed = true;
            self.variables.insert(name, joined);
        }
    }

    /// Reports whether a name is a variable of the function.
    pub(super) fn is_variable(&self, name: &str) -> bool {
        self.variables.contains_key(name)
    }

    /// Returns the type of an expression, and reports what is certain to fail in it.
    pub(super) fn expr(&mut self, expr: &'p Expr) -> Type<'p> {
        deeper(|| self.expr_kind(expr))
    }

    fn expr_kind(&mut self, expr: &'p Expr) -> Type<'p> {
        match &expr.kind {
            ExprKind::None => Type::None,
            ExprKind::Bool(_) => Type::Boolean,
            ExprKind::Int(_) => Type::Integer,
            ExprKind::Float(_) => Type::Number,
            ExprKind::Str(word) => Type::Word(word),
            ExprKind::Interpolation(parts) => {
                self.all(parts.iter());
                Type::Text
            }
            ExprKind::List(items) => self.list(items),
            ExprKind::Object(fields) => {
                let types: Vec<(&'p str, Type<'p>)> =
                    fields.iter().map(|(key, value)| (&*key.value, self.expr(value))).collect();
                let is_large =
                    types.len() > MAX_FIELDS || types.iter().any(|(_, of)| is_deep(of, MAX_NESTED));
                if is_large { Type::Unknown } else { Type::Object(Rc::new(types)) }
            }
            // Another name is the import of a file, or read before its first assignment.
            ExprKind::Name(name) => {
                self.variables.get(name.as_str()).cloned().unwrap_or(Type::Unknown)
            }
            ExprKind::Paren(inner) => self.expr(inner),
            ExprKind::Unary { op, operand } => self.unary(*op, operand),
            ExprKind::Binary { op, op_span, left, right } => {
                self.binary(*op, *op_span, left, right)
            }
            ExprKind::Field { base, name } => self.field(base, &name.text, expr.span),
            ExprKind::Index { base, index } => {
                let of = self.expr(base);
                self.used(base, &of);
                self.expr(index);
                self.types.item(&of)
            }
            ExprKind::Call { callee, arguments } => self.call(expr, callee, arguments),
            ExprKind::Generate(generate) => {
                self.all(generate.options.iter().map(|(_, value)| value));
                match &generate.shape {
                    Some(shape) => Type::Shaped(self.file, shape),
                    None => Type::Text,
                }
            }
            ExprKind::ParallelFor(each) => {
                let value = self.each(each);
                let is_known = !matches!(value, Type::Never) && !is_deep(&value, MAX_NESTED);
                Type::List(is_known.then(|| Rc::new(value)))
            }
            ExprKind::Try { body, handler, error } => {
                self.tries += 1;
                let tried = self.block(body);
                self.tries -= 1;
                if let Some(error) = error {
                    self.set(&error.text, Type::Unknown);
                }
                let handled = self.block(handler);
                self.types.join(tried, handled)
            }
            ExprKind::Error => Type::Unknown,
        }
    }

    fn list(&mut self, items: &'p [Expr]) -> Type<'p> {
        let mut joined = Type::Never;
        for item in items {
            let of = self.expr(item);
            joined = self.types.join(joined, of);
        }
        let is_known =
            !matches!(joined, Type::Never | Type::Unknown) && !is_deep(&joined, MAX_NESTED);
        Type::List(is_known.then(|| Rc::new(joined)))
    }

    /// Notes that a value is used as if it were there, and warns if it may be none.
    pub(super) fn used(&mut self, expr: &'p Expr, of: &Type<'p>) {
        let Some(path) = path(expr).filter(|path| path.contains('.')) else { return };
        if !self.optional.contains(&path) || self.tested.contains(&path) {
            return;
        }
        let Some(kind) = self.types.kind(of) else { return };
        let message = format!("`{path}` is optional, and used as if it were always there");
        let instead = match kind {
            Kind::Text => "\"\"",
            Kind::List => "[]",
            Kind::Number => "0",
            _ => "none",
        };
        let (base, field) = path.rsplit_once('.').unwrap_or(("value", &path));
        let help = format!(
            "test it first: `if {path} != none {{ … }}`, or give a value for it: `{base}.get(\"{field}\", {instead})`"
        );
        self.report(codes::MAYBE_NONE.at(expr.span, message).with_help(help));
    }

    /// Reports a fault, unless `try` may expect it.
    pub(super) fn report(&mut self, fault: Diagnostic) {
        if self.tries == 0
            && let Some(faults) = &mut self.faults
        {
            faults.push(fault);
        }
    }

    /// Reports whether this round reports faults.
    pub(super) const fn is_reporting(&self) -> bool {
        self.faults.is_some() && self.tries == 0
    }

    fn result(&mut self, value: &'p Expr, of: &Type<'p>) {
        let Some(result) = &self.func.result else { return };
        if self.is_reporting()
            && let Some(misfit) = self.misfit(value, of, self.file, result)
        {
            let name = self.func.name.as_ref().map_or("main", |name| name.text.as_str());
            let message = format!(
                "`{name}` returns {}: {}",
                self.types.written(self.file, result),
                misfit.message
            );
            let fault = codes::WRONG_RESULT.at(misfit.span, message).with_help(misfit.help);
            self.report(fault.with_label(result.span, "declared here"));
        }
    }
}

/// Returns the path of a value by its names: `issue.note`; none for a long one.
pub(super) fn path(expr: &Expr) -> Option<String> {
    let mut names = Vec::new();
    let mut at = expr;
    loop {
        at = match &strip(at).kind {
            _ if names.len() > MAX_STEPS => return None,
            ExprKind::Name(name) => {
                names.push(name.as_str());
                break;
            }
            ExprKind::Field { base, name } => {
                names.push(&name.text);
                base
            }
            _ => return None,
        };
    }
    names.reverse();
    Some(names.join("."))
}

/// Reports whether a type is nested deeper than a number of levels.
pub(super) fn is_deep(of: &Type<'_>, left: usize) -> bool {
    match of {
        Type::List(Some(item)) => left == 0 || is_deep(item, left - 1),
        Type::Object(fields) => left == 0 || fields.iter().any(|(_, of)| is_deep(of, left - 1)),
        _ => false,
    }
}

/// Reports whether the checker judges an expression by its own text.
fn is_plain_literal(expr: &Expr) -> bool {
    matches!(
        strip(expr).kind,
        ExprKind::None
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Unary { .. }
    )
}

/// Collects the paths that stand in conditions, comparisons and logical operators anywhere in a
/// function: one that is tested somewhere counts as looked after.
fn tested_paths(body: &Block) -> HashSet<String> {
    let mut tested = HashSet::new();
    let mut note = |expr: &Expr| tested.extend(path(expr));
    walk::statements(body, &mut |statement| {
        let conditions: Vec<&Expr> = match &statement.kind {
            StatementKind::If { arms, .. } => arms.iter().map(|(condition, _)| condition).collect(),
            StatementKind::Loop { until, .. } => vec![until],
            _ => return,
        };
        for condition in conditions {
            walk::expressions(condition, &mut |part| {
                if let ExprKind::Field { .. } = &part.kind {
                    note(part);
                }
            });
        }
    });
    walk::block_expressions(body, &mut |expr| {
        use crate::syntax::ast::BinaryOp::{And, Equal, NotEqual, Or};
        use crate::syntax::ast::UnaryOp::Not;
        match &expr.kind {
            ExprKind::Binary { op: And | Or | Equal | NotEqual, left, right, .. } => {
                note(left);
                note(right);
            }
            ExprKind::Unary { op: Not, operand } => note(operand),
            _ => {}
        }
    });
    tested
}

/// Returns the place of an operator's operand, for a message.
pub(super) fn operand_span(expr: &Expr) -> Span {
    strip(expr).span
}
