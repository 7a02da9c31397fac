//! The trust of values, as far as a program's text tells.
//!
//! Decision: what depends on a caller, on another function or on the settings of a project is not
//! known, and is not guessed. The words are those of the manifest.

use crate::capability;
use crate::program::ProgramFile;
use crate::stack::deeper;
use crate::syntax::ast::{Expr, ExprKind, Func, Import, ImportKind, StatementKind};
use crate::syntax::walk::{self, Parts, strip};
use contexture_context::Trust;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

/// What the variables of a function hold.
pub(super) struct Origins<'p> {
    file: &'p ProgramFile,
    function: &'p Func,
    /// The expressions from which a variable has its value or a part of it.
    values: HashMap<&'p str, Vec<&'p Expr>>,
    /// The names of errors, whose texts come from anywhere.
    errors: HashSet<&'p str>,
    /// The variables that are being looked at.
    open: RefCell<HashSet<&'p str>>,
}

impl<'p> Origins<'p> {
    pub(super) fn of(file: &'p ProgramFile, function: &'p Func) -> Self {
        let mut values: HashMap<&str, Vec<&Expr>> = HashMap::new();
        let mut errors = HashSet::new();
        walk::statements(&function.body, &mut |statement| match &statement.kind {
            StatementKind::Assign { target, value, .. } => {
                values.entry(&target.base.text).or_default().push(value);
            }
            StatementKind::For(each) => {
                values.entry(&each.variable.text).or_default().push(&each.list);
            }
            _ => {}
        });
        walk::block_expressions(&function.body, &mut |expr| match &expr.kind {
            ExprKind::ParallelFor(each) => {
                values.entry(&each.variable.text).or_default().push(&each.list);
            }
            ExprKind::Try { error: Some(error), .. } => drop(errors.insert(error.text.as_str())),
            ExprKind::Call { callee, arguments } => {
                if let Some(list) = added_to(callee) {
                    values.entry(list).or_default().extend(arguments);
                }
            }
            _ => {}
        });
        Self { file, function, values, errors, open: RefCell::default() }
    }

    /// Returns the trust of a value; none when it is not known.
    pub(super) fn trust(&self, expr: &Expr) -> Option<Trust> {
        deeper(|| match &expr.kind {
            ExprKind::Name(name) => self.of_name(name),
            ExprKind::Call { callee, arguments } => self.of_call(callee, arguments),
            ExprKind::Generate(_) => Some(Trust::Model),
            ExprKind::ParallelFor(_) | ExprKind::Try { .. } | ExprKind::Error => None,
            _ => self.least(Parts::of_expr(expr).exprs),
        })
    }

    fn least<'e>(&self, parts: impl IntoIterator<Item = &'e Expr>) -> Option<Trust> {
        let mut all = parts.into_iter();
        all.try_fold(Trust::Program, |least, part| Some(least.least(self.trust(part)?)))
    }

    fn of_name(&self, name: &str) -> Option<Trust> {
        if self.errors.contains(name) {
            return None;
        }
        let is_param = self.function.params.iter().any(|param| param.name.text == name);
        let given = match (is_param, self.function.main) {
            (true, true) => Some(Trust::User),
            (true, false) => return None,
            (false, _) => None,
        };
        let Some((own, values)) = self.values.get_key_value(name) else {
            return given.or_else(|| of_import(self.import(name)?));
        };
        if !self.open.borrow_mut().insert(own) {
            return Some(Trust::Program);
        }
        let least = self.least(values.iter().copied());
        self.open.borrow_mut().remove(own);
        Some(least?.least(given.unwrap_or_default()))
    }

    fn import(&self, name: &str) -> Option<&'p Import> {
        self.file.imports().find(|import| import.name.text == name)
    }

    fn of_call(&self, callee: &Expr, arguments: &[Expr]) -> Option<Trust> {
        match &strip(callee).kind {
            ExprKind::Field { base, .. } => {
                let import = match &strip(base).kind {
                    ExprKind::Name(name) if !self.values.contains_key(name.as_str()) => {
                        self.import(name)
                    }
                    _ => None,
                };
                match import.map(|import| (import.kind, of_import(import))) {
                    Some((ImportKind::Template, _)) => self.least(arguments),
                    Some((ImportKind::File, _)) | None => {
                        self.least(std::iter::once(&**base).chain(arguments))
                    }
                    Some((_, trust)) => trust,
                }
            }
            ExprKind::Name(name) if name == capability::TRUST => Some(Trust::User),
            ExprKind::Name(name) => {
                let import = self.import(name)?;
                (import.kind == ImportKind::Template).then(|| self.least(arguments)).flatten()
            }
            _ => None,
        }
    }
}

/// Returns the list of `list.add(…)`.
fn added_to(callee: &Expr) -> Option<&str> {
    match &callee.kind {
        ExprKind::Field { base, name } if name.text == "add" => match &base.kind {
            ExprKind::Name(list) => Some(list),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the trust of what an import gives.
fn of_import(import: &Import) -> Option<Trust> {
    let uri = import.from.value.trim_start_matches(['@', '!', '?']);
    let web = uri.starts_with("http://") || uri.starts_with("https://");
    match import.kind {
        ImportKind::File => Some(Trust::Program),
        ImportKind::Knowledge => Some(Trust::Pack),
        ImportKind::Memory => Some(Trust::Memory),
        ImportKind::Tool | ImportKind::Resource if web => Some(Trust::Web),
        ImportKind::Tool => Some(Trust::Tool),
        ImportKind::Resource if uri.starts_with("file://") => Some(Trust::Resource),
        ImportKind::Resource
        | ImportKind::Llm
        | ImportKind::Agent
        | ImportKind::Template
        | ImportKind::Shape
        | ImportKind::Func => None,
    }
}
