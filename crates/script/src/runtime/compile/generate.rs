//! `generate` (AS-19): the options, then the visible uses, evaluated right there (AS-13).

use super::builder::Label;
use super::declare::{Global, Settings};
use super::function::FunctionCompiler;
use super::scope::VisibleUse;
use super::tables::push;
use crate::host::{GrantedMethod, GrantedTool};
use crate::reference::texts::Written;
use crate::reference::{Layer, LiteralText};
use crate::runtime::code::{GenerateSite, Op, OptionName, Reg, VisibleSite};
use crate::runtime::error::codes;
use crate::semantic::grant::{self, MethodFacts};
use crate::syntax::ast::{
    Expr, ExprKind, Generate, ImportKind, MOST_OUTPUT, Name, Text, Use, UseSource,
};
use crate::syntax::freedom::is_open;
use crate::syntax::walk::strip;
use contexture_diagnostic::{Span, suggestion};
use std::sync::Arc;

/// The options that take a value, by name.
pub(crate) const OPTIONS: &[(&str, OptionName)] = &[
    ("input", OptionName::Input),
    ("role", OptionName::Role),
    ("description", OptionName::Description),
    ("max_output", OptionName::MaxOutput),
    (MOST_OUTPUT, OptionName::MostOutput),
    ("on_cut", OptionName::OnCut),
    ("release", OptionName::Release),
    ("max_input", OptionName::MaxInput),
    ("attempts", OptionName::Attempts),
    ("temperature", OptionName::Temperature),
    ("think", OptionName::Think),
    ("strict", OptionName::Strict),
    ("debug", OptionName::Debug),
    ("cache", OptionName::Cache),
    ("timeout", OptionName::Timeout),
    ("plan", OptionName::Plan),
];

impl<'a> FunctionCompiler<'_, 'a> {
    pub(super) fn generate(&mut self, tree: &'a Generate, span: Span, to: Reg) {
        let mut tools: Vec<GrantedTool> = Vec::new();
        let mut changes = false;
        let mut options = Vec::new();
        let at = self.code.top();
        let settings = self.scopes.settings();
        let role = self.setting((settings.role, OptionName::Role), &mut options);
        let description =
            self.setting((settings.description, OptionName::Description), &mut options);
        for (name, value) in &tree.options {
            if name.value == "tools" {
                (tools, changes) = self.tools(value);
                continue;
            }
            let Some((_, option)) = OPTIONS.iter().find(|(known, _)| *known == name.value) else {
                return self.unknown_option(name);
            };
            let register = self.code.temp();
            self.expr(value, register);
            options.push((*option, value.span));
        }
        if !options.iter().any(|(option, _)| *option == OptionName::Input) {
            self.at(span);
            let help = "give the instruction: `generate({ input: \"…\" })`".to_owned();
            return self.fail(codes::OPTION, "missing option `input` of `generate`", Some(help));
        }
        let shape = match tree.shape.as_ref().map(|shape| self.shape(shape)).transpose() {
            Ok(shape) => shape,
            Err(fault) => {
                self.at(span);
                return self.unreadable_shape(&fault);
            }
        };
        let mut uses = Vec::new();
        for used in self.scopes.uses() {
            if self.code.overflow {
                return;
            }
            uses.push(self.visible_use(used));
        }
        self.at(span);
        let named = |name| self.context.declarations.model(self.home.file, name).ok_or(name);
        let model = match settings.model.map(named).transpose() {
            Ok(model) => model.map(Arc::new),
            Err(name) => {
                let message = format!("use of undefined model `{name}`");
                let help = Some(format!("write `import llm {name} from \"…\"`"));
                return self.fail(codes::UNKNOWN_NAME, message, help);
            }
        };
        let site = GenerateSite {
            place: self.site(span),
            options,
            changes,
            tools,
            shape,
            uses,
            literals: self.literals(tree, settings),
            model,
            role,
            description,
        };
        self.eventful += 1;
        let site = push(&mut self.tables.program.generates, site);
        self.code.emit(Op::Generate { at, site });
        self.code.emit(Op::Take { to, from: at });
    }

    /// Returns a role or description that is a string; another one is evaluated here, like a `use`, and
    /// is an option that one of the call replaces.
    fn setting(
        &mut self,
        (setting, option): (Option<(&'a Expr, usize)>, OptionName),
        options: &mut Vec<(OptionName, Span)>,
    ) -> Option<String> {
        let (expr, depth) = setting?;
        if let ExprKind::Str(text) = &expr.kind {
            return Some(text.clone());
        }
        let register = self.code.temp();
        let visible = self.scopes.set_visible(Some(depth));
        self.expr(expr, register);
        self.scopes.set_visible(visible);
        options.push((option, expr.span));
        None
    }

    fn unknown_option(&mut self, name: &Text) {
        self.at(name.span);
        let known = OPTIONS.iter().map(|(known, _)| *known);
        let known = known.filter(|name| *name != MOST_OUTPUT).chain(["tools"]);
        let help = suggestion(&name.value, known.clone())
            .unwrap_or_else(|| format!("the options are {}", known.collect::<Vec<_>>().join(", ")));
        let message = format!("unknown option `{}` of `generate`", name.value);
        self.fail(codes::OPTION, message, Some(help));
    }

    /// Returns the tools that a model is given, each once with all methods that were granted, and
    /// whether one of these changes something outside the run.
    fn tools(&mut self, value: &'a Expr) -> (Vec<GrantedTool>, bool) {
        let mut tools: Vec<GrantedTool> = Vec::new();
        let mut changes = false;
        let ExprKind::List(items) = &strip(value).kind else {
            let help = "write the tools' names: `tools: [Grep, File.read]`";
            self.refuse_tools(value.span, "`tools` must be a list of imported tools", help);
            return (tools, changes);
        };
        for item in items {
            let (tool, method) = grant::parts(item);
            let Some(Global::Import(import, ImportKind::Tool)) = self.global_of(tool) else {
                let help = "import it: `import tool Name from \"…\"`";
                self.refuse_tools(item.span, "`tools` must be a list of imported tools", help);
                continue;
            };
            let Some(binding) = self.binding(import) else { continue };
            let Some(granted) = self.granted(import, &binding.name, method) else { continue };
            changes |= granted.iter().any(|method| !method.runs_in_parallel);
            let methods = granted
                .into_iter()
                .map(|MethodFacts { own, class, .. }| GrantedMethod { name: own, class });
            match tools.iter_mut().find(|known| known.tool == binding) {
                Some(known) => {
                    let new: Vec<_> =
                        methods.filter(|method| !known.methods.contains(method)).collect();
                    known.methods.extend(new);
                }
                None => tools.push(GrantedTool { tool: binding, methods: methods.collect() }),
            }
        }
        (tools, changes)
    }

    fn granted(
        &mut self,
        import: u32,
        tool: &str,
        method: Option<&Name>,
    ) -> Option<Vec<MethodFacts>> {
        let (tree, file) = self.context.declarations.imports.get(import as usize)?;
        let facts = super::changes::facts(self.context, tree, *file);
        match (grant::grant(tree, facts, method.map(|name| name.text.as_str())), method) {
            (Ok(grant), _) => Some(grant.granted),
            (Err(unknown), Some(name)) => {
                let message = format!("`{tool}` has no method `{}`", name.text);
                let known = unknown.known.iter().map(String::as_str);
                let help = suggestion(&name.text, known)
                    .unwrap_or_else(|| format!("it has {}", unknown.known.join(", ")));
                self.refuse_tools(name.span, &message, &help);
                None
            }
            (Err(_), None) => None,
        }
    }

    fn refuse_tools(&mut self, span: Span, message: &str, help: &str) {
        self.at(span);
        self.fail(codes::OPTION, message, Some(help.to_owned()));
    }

    /// Returns the literal texts of the prompt, which may contain references.
    fn literals(&self, tree: &'a Generate, settings: Settings<'a>) -> Arc<[LiteralText]> {
        let Some(unit) = self.context.units.get(self.home.file) else { return Arc::default() };
        let source = &unit.source;
        let texts = [
            (Layer::Input, None),
            (Layer::Role, settings.role),
            (Layer::Description, settings.description),
        ];
        let written = texts.into_iter().filter_map(|(layer, setting)| {
            // Of an option given twice the last counts.
            let mut options = tree.options.iter().rev();
            let own = options.find(|(name, _)| Layer::of_option(&name.value) == Some(layer));
            let setting = setting.map(|(expr, _)| expr);
            Written::of_expr(own.map(|(_, value)| value).or(setting)?, layer, source)
        });
        written.map(|written| written.text).collect()
    }

    /// Evaluates a `use` into three registers: its value, the number of its candidate, and its
    /// question. A resource or a pack has no value here.
    fn visible_use(&mut self, used: VisibleUse<'a>) -> VisibleSite {
        let mut imports = Vec::new();
        let value = self.code.temp();
        let choice = self.code.temp();
        let question = self.code.temp();
        let blame = self.blame.replace(used.span);
        let visible = self.scopes.set_visible(Some(used.depth));
        self.scopes.set_in_use(true);
        match &used.tree.source {
            UseSource::Expr(expr) => {
                if is_open(used.tree) {
                    self.at(used.span);
                    self.code.emit(Op::Choose { to: choice, site: used.number });
                }
                match self.shown_by_host(expr) {
                    Some(import) => imports.extend(self.shown(used.number).map(|it| (it, import))),
                    None => self.shown_value(expr, used.tree, value),
                }
            }
            UseSource::OneOf(candidates) => {
                self.at(used.span);
                self.code.emit(Op::Choose { to: choice, site: used.number });
                let done = self.code.label();
                for (number, candidate) in candidates.iter().enumerate() {
                    let Some(source) = &candidate.source else { continue };
                    if let Some(import) = self.shown_by_host(source) {
                        imports.push((number, import));
                        continue;
                    }
                    self.candidate(source, used.tree, (number, choice), (value, done));
                }
                self.code.place(done);
            }
        }
        if let Some(tree) = &used.tree.question {
            self.expr(tree, question);
        }
        self.scopes.set_in_use(false);
        self.scopes.set_visible(visible);
        self.blame = blame;
        VisibleSite { number: used.number, imports }
    }

    /// Returns the numbers of the candidates of a `use` that show something.
    fn shown(&self, site: u32) -> impl Iterator<Item = usize> {
        let site = self.tables.program.uses.get(site as usize);
        let candidates = site.into_iter().flat_map(|site| site.candidates.iter().enumerate());
        candidates.filter(|(_, one)| one.source.is_some()).map(|(number, _)| number)
    }

    /// Evaluates what is shown; of a memory all records that a question may select from.
    fn shown_value(&mut self, expr: &'a Expr, used: &Use, value: Reg) {
        match self.global_of(expr) {
            Some(Global::Import(import, ImportKind::Memory)) if used.question.is_some() => {
                self.records(import, expr.span, value);
            }
            _ => self.expr(expr, value),
        }
    }

    /// Returns the import that an expression names, if it is a resource or a pack.
    fn shown_by_host(&self, expr: &'a Expr) -> Option<u32> {
        match self.global_of(expr) {
            Some(Global::Import(import, ImportKind::Resource | ImportKind::Knowledge)) => {
                Some(import)
            }
            _ => None,
        }
    }

    fn candidate(
        &mut self,
        source: &'a Expr,
        used: &Use,
        (number, choice): (usize, Reg),
        (value, done): (Reg, Label),
    ) {
        let next = self.code.label();
        let number = i16::try_from(number).unwrap_or(i16::MAX);
        self.code.emit(Op::IfEqualInt { left: choice, value: number });
        self.code.jump(next);
        self.shown_value(source, used, value);
        self.code.jump(done);
        self.code.place(next);
    }
}
