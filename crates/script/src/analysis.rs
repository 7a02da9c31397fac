//! The checker: everything that can be known to be wrong before a program runs (AS-32).
//!
//! Decisions. All files are checked, and all faults are reported at once: a fault never stops the
//! check. A name that could not be imported is assumed to exist, so that one fault is not reported
//! again at every use of the name. Checks that depend on a value are left to the run.
//!
//! ```
//! use contexture_context::Limits;
//! use contexture_script::analysis::check;
//! use contexture_script::host::{LoadedSource, MemoryLoader};
//! use contexture_script::program::load;
//!
//! let root = LoadedSource {
//!     name: "main.as".to_owned(),
//!     text: "main func(input) { qestion = 1 question }".to_owned(),
//! };
//! let program = load(root, &MemoryLoader::new(), &Limits::default());
//! let faults = check(&program);
//! assert_eq!(faults[0].code, "AS2001");
//! assert_eq!(faults[0].help.as_deref(), Some("did you mean `qestion`?"));
//! ```

mod aliases;
mod answers;
mod calls;
mod cost;
mod declarations;
mod derived;
mod effects;
mod expressions;
mod freedoms;
mod generate;
mod granted;
mod imports;
mod interface;
mod lints;
mod mains;
mod methods;
pub(crate) mod narrowed;
mod prompts;
mod resolve;
mod scope;
mod servers;
mod shapes;
mod statements;
mod templates;
mod tools;
mod types;
mod uses;
mod visible;
mod volatility;

#[cfg(test)]
mod tests;

pub use answers::answer_sites;
pub use cost::{Models, cost};
pub use generate::options;
pub use interface::interface;
pub use prompts::{FixedText, PromptFacts, PromptItem, prompts};
pub use resolve::symbols;
pub use types::{VariableType, type_of, variable_types};
pub use volatility::{Moved, Volatility, fixed_head, moved, volatility};

use crate::codes;
use crate::program::Program;
use crate::semantic::{GenerateFacts, SemanticModel};
use crate::syntax::ast::{Agent, Config, ConfigKind, Func, Item};
use aliases::Aliases;
use contexture_diagnostic::{Diagnostic, Severity, Span};
use declarations::{Declarations, Global};
use effects::Effects;
use scope::Scopes;
use std::collections::HashSet;
use types::Types;

const MAX_ERRORS: usize = 1_000;

/// Checks a program and returns its faults of syntax, loading and meaning, ordered by file and
/// position, each with its file.
#[must_use]
pub fn check(program: &Program) -> Vec<Diagnostic> {
    analyze(program).faults
}

/// Checks a program and returns all that is known of it.
#[must_use]
pub fn analyze(program: &Program) -> SemanticModel {
    let declarations = Declarations::collect(program);
    let effects = Effects::collect(program, &declarations);
    let aliases = Aliases::collect(&declarations);
    let types = Types::new(program, &declarations);
    let mut model = SemanticModel::default();
    for index in 0..program.files.len() {
        let known = (&effects, &aliases, &types);
        check_file(program, &declarations, known, index, &mut model);
    }
    model
}

/// Checks one file of a program, as [`analyze`] does for all.
#[must_use]
pub fn analyze_file(program: &Program, file: usize) -> SemanticModel {
    let declarations = Declarations::collect(program);
    let effects = Effects::collect(program, &declarations);
    let aliases = Aliases::collect(&declarations);
    let types = Types::new(program, &declarations);
    let mut model = SemanticModel::default();
    check_file(program, &declarations, (&effects, &aliases, &types), file, &mut model);
    model
}

fn check_file(
    program: &Program,
    declarations: &Declarations<'_>,
    (effects, aliases, types): (&Effects<'_>, &Aliases<'_>, &Types<'_, '_>),
    index: usize,
    model: &mut SemanticModel,
) {
    let Some(file) = program.files.get(index) else { return };
    let mut checker = Checker {
        program,
        declarations,
        effects,
        aliases,
        file: index,
        agent: None,
        scopes: Scopes::default(),
        known: HashSet::new(),
        faults: Vec::new(),
        generates: Vec::new(),
        errors: 0,
        broken: file.parsed.diagnostics.iter().any(is_plain_error),
        bad_generates: bad_generates(&file.parsed.diagnostics),
    };
    checker.items(&file.parsed.file.items);
    checker.outer_writes();
    checker.imports();
    types.faults(index).into_iter().for_each(|fault| checker.push(fault));
    checker.duplicates();
    checker.mains();
    let name = file.source.name();
    let mut faults = checker.faults;
    derived::without_derived(file, &mut faults);
    faults.extend(file.parsed.diagnostics.iter().cloned());
    faults.extend(program.faults.iter().filter(|fault| fault.file == name).cloned());
    if file.parsed.is_valid() {
        let errors = faults.iter().filter(|fault| fault.severity == Severity::Error);
        let errors: Vec<Span> = errors.map(|fault| fault.span).collect();
        // What is wrong is told once.
        let is_told = |lint: &Diagnostic| {
            errors.iter().any(|span| span.start < lint.span.end && lint.span.start < span.end)
        };
        let found = lints::lint(file, errors.is_empty());
        faults.extend(found.into_iter().filter(|lint| !is_told(lint)));
    }
    faults.sort_by_key(|fault| (fault.span.start, fault.span.end, fault.code));
    faults.dedup();
    lints::without_allowed(file, &mut faults);
    model.faults.extend(faults.into_iter().map(|fault| fault.in_file(name)));
    checker.generates.sort_by_key(|facts| facts.span.start);
    model.generates.append(&mut checker.generates);
}

struct Checker<'p, 'c> {
    program: &'p Program,
    declarations: &'c Declarations<'p>,
    effects: &'c Effects<'p>,
    aliases: &'c Aliases<'p>,
    file: usize,
    /// The item of the current agent.
    agent: Option<usize>,
    scopes: Scopes<'p>,
    /// The names of this file's declarations that are referred to.
    known: HashSet<&'p str>,
    faults: Vec<Diagnostic>,
    generates: Vec<GenerateFacts>,
    errors: usize,
    /// True if the file has syntax errors, so that something missing may only be unparsed.
    broken: bool,
    /// The positions of malformed `generate`s, in order.
    bad_generates: Vec<Span>,
}

/// Reports whether a syntax error hides a part of the file; old syntax does not.
fn is_plain_error(fault: &Diagnostic) -> bool {
    fault.severity == Severity::Error && !fault.code.starts_with("AS7")
}

fn bad_generates(faults: &[Diagnostic]) -> Vec<Span> {
    let bad = faults.iter().filter(|fault| fault.code == codes::BAD_GENERATE.code);
    bad.map(|fault| fault.span).collect()
}

impl<'p> Checker<'p, '_> {
    fn push(&mut self, fault: Diagnostic) {
        self.errors += usize::from(fault.severity == Severity::Error);
        if self.errors < MAX_ERRORS {
            self.faults.push(fault);
        } else if self.errors == MAX_ERRORS {
            self.errors += 1;
            let message = format!("more than {MAX_ERRORS} errors; the rest are not shown");
            self.faults.push(codes::TOO_MANY_ERRORS.at(fault.span, message));
        }
    }

    /// Reports whether the limit of errors is reached, so that looking for causes is pointless.
    fn is_full(&self) -> bool {
        self.errors >= MAX_ERRORS
    }

    fn slice(&self, span: Span) -> &'p str {
        self.program.files.get(self.file).map_or("", |file| file.source.slice(span))
    }

    /// Returns `line 12`, for messages about another place.
    fn line(&self, span: Span) -> u32 {
        self.program.files.get(self.file).map_or(0, |file| file.source.position(span.start).line)
    }

    fn items(&mut self, items: &'p [Item]) {
        self.level(items);
        for item in items {
            match item {
                Item::Agent(agent) => self.agent(items, item, agent),
                Item::Func(func) => self.func(func),
                Item::Shape(decl) => self.shape_declaration(decl),
                Item::Import(_) | Item::Config(_) | Item::Use(_) => {}
            }
        }
    }

    /// Checks uses and settings of a file or agent, which see no variables.
    fn level(&mut self, items: &'p [Item]) {
        for item in items {
            match item {
                Item::Config(config) => self.at_level(|this| this.config(config)),
                Item::Use(used) => self.at_level(|this| this.use_statement(used)),
                Item::Import(_) | Item::Agent(_) | Item::Func(_) | Item::Shape(_) => {}
            }
        }
    }

    fn agent(&mut self, items: &'p [Item], item: &'p Item, agent: &'p Agent) {
        let outer = self.agent;
        if outer.is_none() {
            self.agent = items.iter().position(|other| std::ptr::eq(other, item));
        }
        self.items(&agent.items);
        self.agent = outer;
    }

    fn func(&mut self, func: &'p Func) {
        let outer = std::mem::take(&mut self.scopes);
        self.scopes.enter_function(&func.body);
        for param in &func.params {
            if self.scopes.is_defined_here(&param.name.text) {
                let message = format!("duplicate parameter `{}`", param.name.text);
                let fault = codes::DUPLICATE_NAME.at(param.name.span, message);
                self.push(fault.with_help("rename one of them"));
            }
            self.scopes.define(&param.name.text, param.name.span);
            if let Some(shape) = &param.shape {
                self.shape(shape);
            }
        }
        if let Some(result) = &func.result {
            self.shape(result);
        }
        self.block_body(&func.body);
        self.leave();
        self.scopes = outer;
    }

    fn config(&mut self, config: &'p Config) {
        let name = match &config.kind {
            ConfigKind::Model(name) => name,
            ConfigKind::Policy { class, verdict } => return self.policy(config, class, verdict),
            ConfigKind::Role(text) | ConfigKind::Description(text) => return self.expr(text),
        };
        match self.declarations.global(self.file, None, &name.text) {
            Some(Global::Import(import)) => {
                self.known.insert(&name.text);
                self.model_import(import, name.span);
            }
            _ if name.text.is_empty() => {}
            found => self.unknown_model(&name.text, name.span, found.is_some()),
        }
    }

    /// Checks something outside functions, where there are no variables.
    fn at_level(&mut self, check: impl FnOnce(&mut Self)) {
        let outer = std::mem::take(&mut self.scopes);
        self.scopes.enter();
        check(self);
        self.leave();
        self.scopes = outer;
    }

    /// Returns the declaration of a name that is not a variable, and marks it as referred to.
    fn global(&mut self, name: &str) -> Option<Global<'p>> {
        let found = self.declarations.lookup(self.file, self.agent, name);
        if let Some((own, global)) = found {
            self.known.insert(own);
            return Some(global);
        }
        None
    }
}
