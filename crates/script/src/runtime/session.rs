//! A session: lines that see the variables, declarations, uses and settings of earlier ones, as
//! in a REPL (AS-31).
//!
//! All lines together are one text, so a place in an error is a line of the session.

use super::code::Reg;
use super::compile::session::{self as compile, Line};
use super::compile::unit::Unit;
use super::drive::drive;
use super::error::RunError;
use super::events::data;
use super::machine::{Machine, Past, RunOptions};
use super::run::{end, unplaced};
use super::value::Value;
use super::value::json::exported;
use super::vm::fiber::{Fiber, Frame, Keys};
use super::warnings::Warning;
use crate::analysis::narrowed;
use crate::host::{Host, MemoryLoader, SourceLoader};
use crate::program::faults::{pack_faults, resource_fault, template_fault, text_faults};
use crate::program::{ProgramFile, imports_of, load};
use crate::reference::literals::{texts_of_block, texts_of_items};
use crate::server::{ServerFacts, ServerImport};
use crate::syntax::ast::{
    Block, Config, ConfigKind, File, Import, ImportKind, Item, Statement, StatementKind, Use,
};
use crate::syntax::parse_repl;
use crate::template::{TemplateFault, TemplateImport, templates_of};
use contexture_context::TraceKind;
use contexture_core::policy::{Class, Verdict, narrow};
use contexture_diagnostic::{Diagnostic, Severity, SourceFile, Span};
use serde_json::Value as Json;
use std::sync::Arc;

/// The prompt layer's code of a missing partial.
const UNKNOWN_PARTIAL: &str = "PT2002";

/// The name of a session's text in errors.
const NAME: &str = "session";

/// The outcome of a line.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionOutcome {
    /// The value of its last expression; none when it ends in none.
    pub value: Option<Json>,
    /// Behaviour that its author may not have meant.
    pub warnings: Vec<Warning>,
}

/// The reason why a line gave no outcome.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// A bracket or block string is still open: more lines may follow.
    #[error("the input is incomplete")]
    Incomplete,
    /// It can't be parsed.
    #[error("{}", .0.first().map_or("the input can't be parsed", |fault| fault.message.as_str()))]
    Syntax(Vec<Diagnostic>),
    /// It failed. Its changes up to then remain.
    #[error(transparent)]
    Run(Box<RunError>),
}

/// A sequence of lines that build on each other.
pub struct Session {
    options: RunOptions,
    loader: Box<dyn SourceLoader>,
    text: String,
    items: Vec<Item>,
    links: Vec<(String, usize)>,
    files: Vec<ProgramFile>,
    uses: Vec<Use>,
    configs: Vec<Config>,
    variables: Vec<(String, Value)>,
    past: Past,
}

impl Session {
    /// Creates a session that imports no agents from files.
    #[must_use]
    pub fn new(options: RunOptions) -> Self {
        Self::with_loader(options, Box::new(MemoryLoader::new()))
    }

    /// Creates a session that loads imported agents.
    #[must_use]
    pub fn with_loader(options: RunOptions, loader: Box<dyn SourceLoader>) -> Self {
        Self {
            options,
            loader,
            text: String::new(),
            items: Vec::new(),
            links: Vec::new(),
            files: Vec::new(),
            uses: Vec::new(),
            configs: Vec::new(),
            variables: Vec::new(),
            past: Past::default(),
        }
    }

    /// Returns the names of the variables so far, for completion.
    #[must_use]
    pub fn variables(&self) -> Vec<&str> {
        self.variables.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// Returns all lines so far as one text, to show an excerpt for an error.
    #[must_use]
    pub fn source(&self) -> SourceFile {
        SourceFile::new(NAME, self.text.as_str())
    }

    /// Parses and runs a line, which may be several lines of text.
    ///
    /// # Errors
    /// [`SessionError`]; after `Incomplete` the same text has to be passed again with more.
    pub async fn eval(
        &mut self,
        line: &str,
        host: &dyn Host,
    ) -> Result<SessionOutcome, SessionError> {
        // Blanks in place of earlier lines keep the spans of the line right.
        let blank: String =
            self.text.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect();
        let input = parse_repl(&(blank + line), &self.options.limits);
        if input.incomplete {
            return Err(SessionError::Incomplete);
        }
        let whole = format!("{}{line}\n", self.text);
        self.text.clone_from(&whole);
        if input.diagnostics.iter().any(|fault| fault.severity == Severity::Error) {
            let faults = input.diagnostics.into_iter().map(|fault| fault.in_file(NAME));
            return Err(SessionError::Syntax(faults.collect()));
        }
        let source = Arc::new(SourceFile::new(NAME, whole));
        let block = Block { statements: input.statements, span: Span::default() };
        let faults = bad_policies(&block);
        if !faults.is_empty() {
            return Err(SessionError::Syntax(faults));
        }
        self.check_references(&source, &input.items, &block)?;
        self.declare(input.items)?;
        let outcome = self.run(&source, &block, host).await?;
        self.keep(&block.statements);
        Ok(outcome)
    }

    /// Adds declarations; a later one replaces an earlier one of its name.
    fn declare(&mut self, items: Vec<Item>) -> Result<(), SessionError> {
        for item in items {
            if let Item::Import(import) = &item
                && import.kind.is_declaration()
            {
                self.import_declaration(import)?;
            }
            if let Item::Import(import) = &item {
                self.check_template(import)?;
            }
            if let Some(name) = item.name().map(|name| &name.text) {
                self.items.retain(|known| known.name().map(|known| &known.text) != Some(name));
            }
            self.items.push(item);
        }
        Ok(())
    }

    fn import_declaration(&mut self, import: &Import) -> Result<(), SessionError> {
        let fault = |message: String, help: Option<String>| {
            let fault = Diagnostic::error("AS2013", message, import.from.span).in_file(NAME);
            SessionError::Syntax(vec![fault.with_optional_help(help)])
        };
        let root = self.loader.load(NAME, &import.from.value);
        let root = root.map_err(|error| fault(error.message, error.help))?;
        let program = load(root, &*self.loader, &self.options.limits);
        let unreadable = program.files.iter().flat_map(|file| &file.parsed.diagnostics);
        let errors =
            unreadable.chain(&program.faults).filter(|fault| fault.severity == Severity::Error);
        let errors: Vec<Diagnostic> = errors.cloned().collect();
        if !errors.is_empty() {
            return Err(SessionError::Syntax(errors));
        }
        // The session's own text is file 0.
        let first = self.files.len() + 1;
        self.files.extend(program.files.into_iter().map(|mut file| {
            file.links.iter_mut().for_each(|(_, target)| *target += first);
            file
        }));
        self.links.retain(|(name, _)| *name != import.name.text);
        self.links.push((import.name.text.clone(), first));
        Ok(())
    }

    fn check_references(
        &self,
        source: &SourceFile,
        items: &[Item],
        block: &Block,
    ) -> Result<(), SessionError> {
        let resources = imports_of(items).filter(|import| import.kind == ImportKind::Resource);
        let mut faults: Vec<Diagnostic> =
            resources.filter_map(|import| resource_fault(import, source, &*self.loader)).collect();
        let texts = texts_of_items(items, source).into_iter().chain(texts_of_block(block, source));
        faults.extend(texts.flat_map(|text| text_faults(&text, &*self.loader)));
        let packs = |import| pack_faults(import, source, &*self.loader);
        faults.extend(imports_of(items).flat_map(packs));
        let errors = faults.into_iter().filter(|fault| fault.severity == Severity::Error);
        let errors: Vec<Diagnostic> = errors.map(|fault| fault.in_file(NAME)).collect();
        if errors.is_empty() { Ok(()) } else { Err(SessionError::Syntax(errors)) }
    }

    /// Refuses a template that can't be used. Partials may still be imported by later lines.
    fn check_template(&self, import: &Import) -> Result<(), SessionError> {
        if import.kind != ImportKind::Template {
            return Ok(());
        }
        let template = TemplateImport::new(import, NAME, &templates_of(imports_of(&self.items)));
        let faults = self.loader.template(&template).err().unwrap_or_default();
        let later = |fault: &&TemplateFault| {
            !matches!(fault, TemplateFault::Invalid { code: UNKNOWN_PARTIAL, .. })
        };
        let (name, span) = (&import.name.text, import.from.span);
        let told = faults.iter().filter(later);
        let told: Vec<Diagnostic> =
            told.map(|fault| template_fault(fault, name, span).in_file(NAME)).collect();
        if told.is_empty() { Ok(()) } else { Err(SessionError::Syntax(told)) }
    }

    async fn run(
        &mut self,
        source: &Arc<SourceFile>,
        block: &Block,
        host: &dyn Host,
    ) -> Result<SessionOutcome, SessionError> {
        let line = self.compile(source, block);
        let machine = Machine::new(&line.program, host, &self.options, self.past.clone());
        let event =
            machine.trace.begin(None, TraceKind::Run, data([("program", Json::from(NAME))]));
        let values = self.variables.iter().map(|(_, value)| value.clone());
        let mut fiber = Fiber {
            stack: machine.stacks.add(values.collect()),
            frames: vec![Frame { function: line.function, ..Frame::default() }],
            parent: Some(event.id),
            epoch: 1,
            keys: Keys::of_turn("line", event.id),
            ..Fiber::default()
        };
        narrow(&mut fiber.narrowed, self.forbidden(block));
        let outcome = drive(&machine, &mut fiber).await.map_err(|error| *error);
        let outcome = outcome.and_then(|value| {
            let text = exported(&value, &machine.meter).map(|(text, _)| text);
            text.map_err(|fault| unplaced(&machine, *fault))
        });
        end(&machine, event, outcome.as_ref());
        let (past, warnings) = (machine.past(), machine.warnings());
        self.past = past;
        let known = if outcome.is_ok() { line.variables.len() } else { self.variables.len() };
        self.variables = read_variables(&line.variables, &fiber, known);
        match outcome {
            Ok(value) => {
                let value = value.value();
                Ok(SessionOutcome { value: Some(value).filter(|value| !value.is_null()), warnings })
            }
            Err(error) => Err(SessionError::Run(Box::new(error))),
        }
    }

    /// Returns what the lines so far, this one and all imported files forbid (GU-6).
    fn forbidden(&self, block: &Block) -> Vec<(Class, Verdict)> {
        let own = self.configs.iter().chain(configs_of(block)).filter_map(narrowed::of_config);
        let files = self.files.iter().map(|file| &file.parsed.file.items);
        let items = files.chain([&self.items]).flat_map(|items| narrowed::of_items(items));
        own.chain(items).collect()
    }

    fn compile(&self, source: &Arc<SourceFile>, block: &Block) -> Line {
        let own = File { items: self.items.clone() };
        let servers = self.servers();
        let mut units = vec![Unit {
            source: Arc::clone(source),
            tree: &own,
            links: &self.links,
            servers: &servers,
        }];
        units.extend(self.files.iter().map(|file| Unit {
            source: Arc::new(file.source.clone()),
            tree: &file.parsed.file,
            links: &file.links,
            servers: &file.servers,
        }));
        let names: Vec<String> = self.variables.iter().map(|(name, _)| name.clone()).collect();
        let past = compile::Past { variables: &names, uses: &self.uses, configs: &self.configs };
        compile::compile_line(units, block, past)
    }

    fn servers(&self) -> Vec<(String, ServerFacts)> {
        let known = imports_of(&self.items).filter_map(|import| {
            let server = ServerImport::of(import)?;
            Some((import.name.text.clone(), self.loader.server(&server).ok()?))
        });
        known.collect()
    }

    fn keep(&mut self, statements: &[Statement]) {
        for statement in statements {
            match &statement.kind {
                StatementKind::Use(used) => self.uses.push(used.clone()),
                StatementKind::Config(config) => self.configs.push(config.clone()),
                StatementKind::Assign { .. }
                | StatementKind::Return(_)
                | StatementKind::If { .. }
                | StatementKind::Loop { .. }
                | StatementKind::Repeat { .. }
                | StatementKind::For(_)
                | StatementKind::Expr(_)
                | StatementKind::Error => {}
            }
        }
    }
}

fn configs_of(block: &Block) -> impl Iterator<Item = &Config> {
    block.statements.iter().filter_map(|statement| match &statement.kind {
        StatementKind::Config(config) => Some(config),
        _ => None,
    })
}

/// Returns what is wrong with what a line forbids.
fn bad_policies(block: &Block) -> Vec<Diagnostic> {
    let faults = configs_of(block).flat_map(|config| match &config.kind {
        ConfigKind::Policy { class, verdict } => narrowed::faults(class, verdict),
        _ => Vec::new(),
    });
    faults.map(|fault| fault.in_file(NAME)).collect()
}

/// Returns the first `known` variables with their values after a line.
fn read_variables(
    variables: &[(String, Reg)],
    fiber: &Fiber,
    known: usize,
) -> Vec<(String, Value)> {
    let stack = fiber.stack.borrow();
    let values = variables.iter().take(known).map(|(name, register)| {
        let value = stack.get(usize::from(*register)).cloned().unwrap_or_default();
        (name.clone(), value)
    });
    values.collect()
}
