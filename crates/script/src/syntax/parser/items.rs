//! Imports, agents, functions and configuration (AS-1, AS-2).

use super::super::ast::{
    Agent, Alternative, Block, Config, ConfigKind, File, Func, Import, ImportKind, Item, Name,
    Param, ShapeNode, Text,
};
use super::super::token::{Token, TokenKind};
use super::Parser;
use super::expressions::error_at;
use crate::capability;
use crate::codes;
use contexture_diagnostic::{Diagnostic, Span, nearest};

pub(super) const IMPORT_KINDS: &[(&str, ImportKind)] = &[
    ("llm", ImportKind::Llm),
    ("tool", ImportKind::Tool),
    ("memory", ImportKind::Memory),
    ("file", ImportKind::File),
    ("agent", ImportKind::Agent),
    ("knowledge", ImportKind::Knowledge),
    ("resource", ImportKind::Resource),
    ("template", ImportKind::Template),
    ("shape", ImportKind::Shape),
    ("func", ImportKind::Func),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    File,
    Agent,
    Function,
}

impl Parser<'_> {
    pub(crate) fn file(&mut self) -> File {
        let mut items = Vec::new();
        while !self.at_end() {
            self.outer_statement = self.current.span.start;
            if self.kind().is_closer() {
                self.stray_closer();
                continue;
            }
            self.top_level(&mut items);
        }
        File { items }
    }

    /// Parses an item of a file, or the statements that are its main function (TY-7).
    fn top_level(&mut self, items: &mut Vec<Item>) {
        let before = self.current.span.start;
        if self.assigns_a_keyword() {
            self.script(items);
        } else if let Some(item) = self.item(Place::File) {
            items.push(item);
        } else if self.current.span.start > before {
            // It was an item with a fault.
        } else if self.begins_script() {
            self.script(items);
        } else {
            self.no_item();
        }
    }

    /// Parses an item, or the statements of the file; returns false if it has a fault, or may have
    /// one by words elsewhere in the file.
    pub(in crate::syntax) fn faultless_item(&mut self, items: &mut Vec<Item>) -> bool {
        self.outer_statement = self.current.span.start;
        self.top_level(items);
        self.diagnostics.is_empty() && !self.asks_for_words
    }

    pub(super) fn stray_closer(&mut self) {
        let message = format!("unmatched {}", self.kind().describe());
        let fault = codes::STRAY_CLOSER.at(self.current.span, message);
        self.push_here(fault.with_help("remove it, or add the bracket that it should close"));
        self.bump();
    }

    /// Parses an item; reports and skips anything else.
    fn item_or_fault(&mut self, place: Place) -> Option<Item> {
        let item = self.item(place);
        if item.is_none() {
            self.no_item();
        }
        item
    }

    /// Reports and skips what is not an item.
    fn no_item(&mut self) {
        if self.at(TokenKind::Semicolon) {
            self.semicolon();
        } else {
            self.misplaced_statement();
        }
    }

    pub(super) fn semicolon(&mut self) {
        let span = self.current.span;
        let fault = codes::SEMICOLON.at(span, "unexpected `;`").with_help("end the line instead");
        let next = self.peek(1);
        // Without it, `x = f; (a)` would be a call.
        let ends_line = next.starts_line || next.kind.is_closer() || next.kind == TokenKind::End;
        self.push_here(Diagnostic { safe: ends_line, ..fault.with_edit(span, "") });
        self.bump();
    }

    fn misplaced_statement(&mut self) {
        let span = self.current.span;
        let start = span.start;
        if let Some(help) = self.foreign_item() {
            let message = format!(
                "expected an import, an agent or a function, found {}",
                self.describe_current()
            );
            self.push_here(codes::FOREIGN_STATEMENT.at(span, message).with_help(help));
            self.fault_at = Some(start);
            self.skip_foreign_item();
            return;
        }
        let plain = !(self.starts_expression() || self.starts_statement());
        if plain {
            self.push_here(self.unexpected("an import, an agent or a function"));
        } else {
            let message = "a statement is not allowed in an agent, outside its functions";
            let help = "put it into `main func(input) { … }`";
            self.push_here(codes::MISPLACED_STATEMENT.at(span, message).with_help(help));
        }
        if plain {
            self.skip_line();
        } else {
            self.statement();
        }
        if self.current.span.start == start && !self.kind().is_closer() {
            self.bump();
        }
    }

    pub(super) fn foreign_item(&self) -> Option<String> {
        let word = self.word()?;
        let help = match word {
            "import" => "write an import as `import tool Name from \"…\"`",
            "agent" | "class" | "struct" => "write an agent as `agent Name { … }`",
            "func" | "function" | "fn" | "def" | "fun" | "async" => {
                "write a function as `func name(input) { … }`"
            }
            "main" => "write `main func(input) { … }` or `main agent { … }`",
            "from" => "write an import as `import tool Name from \"…\"`",
            "shape" | "enum" | "type" | "interface" | "schema" => {
                "declare a shape: `shape Kind \"a\" | \"b\"`, `shape Issue { title string }`"
            }
            "test" => "write a program of its own, and compare what it returns",
            _ => {
                let words = ["import", "agent", "func", "main"];
                let meant = nearest(word, words)?;
                return Some(format!("did you mean `{meant}`?"));
            }
        };
        Some(help.to_owned())
    }

    /// Skips to the end of the first group in braces, so that its body is not read as items.
    fn skip_foreign_item(&mut self) {
        while !self.at_end() && !self.kind().is_closer() {
            let brace = self.at(TokenKind::OpenBrace);
            self.skip_balanced();
            if brace || (self.current.starts_line && !self.at(TokenKind::OpenBrace)) {
                return;
            }
        }
    }

    /// Reports whether an item begins here, judged by the tokens that follow.
    pub(super) fn starts_item(&mut self) -> bool {
        match self.word() {
            Some("func") => {
                let next = self.peek_kind();
                next == TokenKind::Word
                    || (next == TokenKind::OpenParen
                        && self.peek_past_group().is_some_and(|t| t.kind == TokenKind::OpenBrace))
            }
            Some("main") => matches!(self.peek_word(1), Some("func" | "agent")),
            Some("agent") => {
                self.peek_kind() == TokenKind::Word
                    && matches!(self.peek(2).kind, TokenKind::OpenBrace | TokenKind::Arrow)
            }
            Some("import") => self.peek_kind() == TokenKind::Word,
            Some("shape") => {
                self.peek_kind() == TokenKind::Word
                    && matches!(self.peek(2).kind, TokenKind::OpenBrace)
            }
            _ => false,
        }
    }

    /// Returns the token after `word ( … )`, looking ahead a few tokens only.
    pub(super) fn peek_past_group(&mut self) -> Option<Token> {
        const FAR: usize = 32;
        let close = (2..FAR).find(|at| self.peek(*at).kind == TokenKind::CloseParen)?;
        Some(self.peek(close + 1))
    }

    pub(super) fn item(&mut self, place: Place) -> Option<Item> {
        let start = self.current.span;
        let doc = self.description();
        let word = match self.word()? {
            "import" | "agent" | "func" | "main" | "shape" | "use" | "model" | "role"
            | "description" | "policy" => self.word()?,
            word if place == Place::Function => word,
            word if self.begins_import_without_keyword(word) => {
                let fault = self.unexpected("`import`").with_help("write `import` before it");
                self.push_here(fault.with_edit(Span::at(start.start), "import "));
                return self.import(start.start).map(Item::Import);
            }
            word => self.misspelt_item().unwrap_or(word),
        };
        let main = word == "main" && matches!(self.peek_word(1), Some("func" | "agent"));
        let kind = if main { self.peek_word(1).unwrap_or_default() } else { word };
        let next = self.peek_kind();
        match kind {
            "import" if next == TokenKind::Word => {
                let message = "an import is only allowed at the top level of a file";
                self.report_misplaced(place != Place::File, message);
                self.bump();
                self.import(start.start).map(Item::Import)
            }
            "agent"
                if main
                    || matches!(
                        next,
                        TokenKind::Word | TokenKind::OpenBrace | TokenKind::Arrow
                    ) =>
            {
                let message = "an agent is only allowed at the top level of a file";
                self.report_misplaced(place != Place::File, message);
                self.skip_head(main);
                Some(Item::Agent(self.agent(main, start, doc)))
            }
            word if place != Place::Function && self.begins_func_without_keyword() => {
                let missing = if word == "main" { self.bump().span.end } else { start.start };
                let fault = self.unexpected("`func`").with_help("write `func` before it");
                self.push_here(fault.with_edit(Span::at(missing), "func "));
                Some(Item::Func(self.func(word == "main", start, doc)))
            }
            "func" => {
                let message =
                    "a function is only allowed in an agent or at the top level of a file";
                self.report_misplaced(place == Place::Function, message);
                self.skip_head(main);
                Some(Item::Func(self.func(main, start, doc)))
            }
            "shape" if place != Place::Function && next == TokenKind::Word => {
                let message = "a shape is only allowed at the top level of a file";
                self.report_misplaced(place == Place::Agent, message);
                self.shape_declaration(doc).map(Item::Shape)
            }
            "use" => Some(Item::Use(self.use_statement())),
            _ => self.config(word).map(Item::Config),
        }
    }

    /// Skips `func` or `agent`, and a `main` before it.
    fn skip_head(&mut self, main: bool) {
        if main {
            self.bump();
        }
        self.bump();
    }

    fn report_misplaced(&mut self, misplaced: bool, message: &str) {
        if misplaced {
            let fault = codes::MISPLACED_ITEM.at(self.current.span, message);
            self.push_here(fault.with_help("move it there"));
        }
    }

    fn import(&mut self, start: u32) -> Option<Import> {
        let known = self.import_kind();
        let kind = known.unwrap_or(ImportKind::Template);
        let name = self.binding("the name of the import");
        let Some(name) = name else {
            self.skip_line();
            return None;
        };
        if !self.eat_keyword("from") {
            self.push_here(
                self.unexpected("`from`").with_help("write `import tool Name from \"…\"`"),
            );
        }
        let mut sources = self.sources(known == Some(ImportKind::Llm)).into_iter();
        let Some(Alternative { from, .. }) = sources.next() else {
            if self.same_line() {
                self.skip_line();
            }
            let span = self.span_from(start);
            // An import without a source still binds its name, so that its uses are not faults.
            return Some(Import { kind, name, from: nowhere(span), or: Vec::new(), span });
        };
        let span = self.span_from(start);
        // What it gives is guessed, so that its uses are not faults.
        let kind = known.unwrap_or_else(|| guessed(&from.value));
        let from = if known.is_some() { from } else { nowhere(span) };
        Some(Import { kind, name, from, or: sources.collect(), span })
    }

    /// Parses the sources of an import: one, or for a model also those that are asked in its place
    /// (CA-3): `"A" or ["B", "C"]`.
    fn sources(&mut self, is_model: bool) -> Vec<Alternative> {
        let mut all = Vec::new();
        if !is_model {
            all.extend(self.source("a URI or path in quotes", false));
            if self.at_word("or") {
                let fault = self.unexpected("the next item");
                self.push_here(fault.with_help("`import llm` alone has alternatives"));
                self.skip_line();
            }
            return all;
        }
        self.equal_models(&mut all);
        while !all.is_empty() && self.eat_word("or") {
            self.equal_models(&mut all);
        }
        all
    }

    /// Parses a model, or several equal ones in brackets.
    fn equal_models(&mut self, all: &mut Vec<Alternative>) {
        const WANTED: &str = "the URI of a model in quotes";
        if !self.at(TokenKind::OpenBracket) {
            return all.extend(self.source(WANTED, false));
        }
        let opening = self.open();
        let mut is_first = true;
        while let Some(source) = self.source(WANTED, !is_first) {
            all.push(source);
            is_first = false;
            if self.eat(TokenKind::Comma).is_none() || self.at(TokenKind::CloseBracket) {
                break;
            }
        }
        self.close(opening);
    }

    fn source(&mut self, wanted: &str, equal: bool) -> Option<Alternative> {
        let from = self.expect_string(wanted)?;
        Some(Alternative { span: from.span, from, equal })
    }

    /// Parses the kind of an import. One that is misspelt counts as what was meant, so that nothing
    /// that follows is a fault, too.
    fn import_kind(&mut self) -> Option<ImportKind> {
        let word = self.word().unwrap_or_default();
        if let Some((_, kind)) = IMPORT_KINDS.iter().find(|(name, _)| *name == word) {
            self.bump();
            return Some(*kind);
        }
        if self.peek_word(1) == Some("from") {
            let span = self.current.span;
            let help = "write `import tool Name from \"…\"`; the kinds are llm, tool, memory, file, agent, knowledge, resource, template";
            self.report(codes::UNKNOWN_IMPORT_KIND, span, "missing kind of the import", help);
            return None;
        }
        let words = IMPORT_KINDS.iter().map(|(word, _)| *word);
        let meant = if word == "model" { Some("llm") } else { nearest(word, words) };
        let kind = IMPORT_KINDS.iter().find(|(name, _)| meant == Some(*name));
        let help = match (word, meant) {
            ("model", _) => "import a model with `import llm`".to_owned(),
            (_, Some(meant)) => format!("did you mean `{meant}`?"),
            _ => "the kinds are llm, tool, memory, file, agent, knowledge, resource, template, shape, func"
                .to_owned(),
        };
        let message = format!("unknown import kind `{}`", super::clip(word));
        self.report(codes::UNKNOWN_IMPORT_KIND, self.current.span, message, help);
        self.bump();
        kind.map(|(_, kind)| *kind)
    }

    fn agent(&mut self, main: bool, start: Span, doc: Option<String>) -> Agent {
        let unnamed = main && self.word().is_none();
        let name = if unnamed { None } else { self.binding("the name of an agent") };
        let result = self.eat(TokenKind::Arrow).is_some().then(|| self.shape());
        let mut items = self.agent_body();
        if let Some(result) = &result {
            give_result(&mut items, result);
        }
        Agent { main, name, result, items, doc, span: self.span_from(start.start) }
    }

    fn agent_body(&mut self) -> Vec<Item> {
        let opening = if self.at(TokenKind::OpenBrace) {
            Some(self.open())
        } else {
            self.push_here(self.unexpected("`{`"));
            if !self.take_spare_brace() {
                return Vec::new();
            }
            None
        };
        let read = |p: &mut Self| {
            let mut items = Vec::new();
            while !p.at_end() && !p.at(TokenKind::CloseBrace) {
                p.outer_statement = p.current.span.start;
                if p.kind().is_closer() {
                    p.stray_closer();
                } else if p.agent_is_left_open() || p.is_dedented() {
                    break;
                } else {
                    items.extend(p.item_or_fault(Place::Agent));
                }
            }
            items
        };
        let mut items = self.inside(read);
        match opening {
            Some(opening) => self.close(opening),
            None => drop(self.eat(TokenKind::CloseBrace)),
        }
        // An agent in an agent is an error; many in each other would only make the tree higher.
        if self.depth > 2 {
            items.clear();
        }
        items
    }

    /// Reports whether an import or agent at the start of a line begins the next item, so that a
    /// brace is missing.
    fn agent_is_left_open(&mut self) -> bool {
        let outer = match self.word() {
            Some("import" | "agent") => self.starts_item(),
            Some("main") => self.peek_word(1) == Some("agent"),
            _ => false,
        };
        outer && self.current.starts_line && self.line_indent == 0
    }

    fn func(&mut self, main: bool, start: Span, doc: Option<String>) -> Func {
        let indent = self.line_indent;
        // The name of a main function may be left out, and so may a parenthesis.
        let unnamed = main && (self.word().is_none() || self.peek_kind() != TokenKind::OpenParen);
        let name = if unnamed { None } else { self.binding("the name of a function") };
        let params = self.params();
        let result = self.eat(TokenKind::Arrow).is_some().then(|| self.shape());
        self.function_start.push(indent);
        let outer = std::mem::replace(&mut self.body_depth, self.depth + 1);
        let body = self.block("the body of the function");
        self.body_depth = outer;
        self.function_start.pop();
        self.report_block_return(&body);
        let span = self.span_from(start.start);
        Func { main, name, params, result, doc, body, is_script: false, span }
    }

    fn params(&mut self) -> Vec<Param> {
        if !self.at(TokenKind::OpenParen) {
            let at = Span::at(self.previous_end);
            self.push_here(
                self.unexpected("`(`")
                    .with_help("write `()` for a function without parameters")
                    .with_edit(at, "()"),
            );
            return self.params_without_paren();
        }
        let opening = self.open();
        let mut params = Vec::new();
        if self.at(TokenKind::OpenBrace) && !self.body_follows_parameter() {
            self.push_here(self.unexpected("a parameter"));
            self.shape();
        }
        while !self.at_end() && !self.kind().is_closer() && !self.at(TokenKind::OpenBrace) {
            let before = self.current.span.start;
            params.extend(self.param());
            if self.eat(TokenKind::Comma).is_some() || self.at(TokenKind::CloseParen) {
                continue;
            }
            if self.at(TokenKind::Word) && self.current.span.start > before {
                if self.current.starts_line
                    && self.fault_at.is_some_and(|at| at >= opening.span.start)
                {
                    continue;
                }
                let at = Span::at(self.previous_end);
                let fault = self.unexpected("`,`").with_help("add a comma").with_safe_edit(at, ",");
                self.push_here(fault);
                continue;
            }
            self.push_here(self.unexpected("`,` or `)`"));
            if self.at(TokenKind::OpenBrace) {
                break;
            }
            // The braces of a shape have lost the first one.
            if self.at(TokenKind::CloseBrace) && self.peek_kind() == TokenKind::CloseParen {
                self.bump();
                break;
            }
            self.skip_to_comma();
            self.eat(TokenKind::Comma);
            if self.current.span.start == before {
                break;
            }
        }
        self.close(opening);
        params
    }

    pub(super) fn param(&mut self) -> Option<Param> {
        let name = self.binding("a parameter")?;
        let colon = self.eat(TokenKind::Colon).is_some();
        let body = self.at(TokenKind::OpenBrace) && self.body_follows_parameter();
        let typed = !body && (colon || (self.same_line() && self.starts_shape()));
        let shape = typed.then(|| self.shape());
        if self.at(TokenKind::Assign) {
            self.push_here(
                self.unexpected("`,` or `)`").with_help("parameters can't have default values"),
            );
            self.bump();
            self.expression();
        }
        Some(Param { name, shape })
    }

    /// Parses `model NAME`, `role "…"`, `description "…"`, `policy CLASS "…"`; returns `None` if
    /// the word is an ordinary name.
    pub(super) fn config(&mut self, word: &str) -> Option<Config> {
        let wanted = match word {
            "model" | "policy" => TokenKind::Word,
            "role" | "description" => TokenKind::Str,
            _ => return None,
        };
        let next = self.peek(1);
        let colon = next.kind == TokenKind::Colon;
        let value = if colon { self.peek(2) } else { next };
        let text = matches!(value.kind, TokenKind::Str | TokenKind::Block);
        let fits = match wanted {
            _ if word == "policy" => {
                let verdict = self.peek(if colon { 3 } else { 2 });
                value.kind == TokenKind::Word
                    && verdict.kind == TokenKind::Str
                    && !value.starts_line
                    && !verdict.starts_line
            }
            TokenKind::Word => (value.kind == TokenKind::Word || text) && !value.starts_line,
            _ => text,
        };
        if !fits && self.is_wrong_setting(value, colon) {
            return self.wrong_setting(word);
        }
        if !fits || (wanted == TokenKind::Word && self.follows_assignment(colon)) {
            return None;
        }
        let start = self.bump().span.start;
        if colon {
            let span = self.current.span;
            let fault = codes::CONFIG_COLON.at(span, format!("unexpected `:` after `{word}`"));
            self.push_here(fault.with_help("remove the colon").with_safe_edit(span, ""));
            self.bump();
        }
        let kind = match word {
            "model" => ConfigKind::Model(self.model_name()),
            "role" => ConfigKind::Role(self.own_expression()),
            "policy" => self.policy()?,
            _ => ConfigKind::Description(self.own_expression()),
        };
        Some(Config { kind, span: self.span_from(start) })
    }

    fn policy(&mut self) -> Option<ConfigKind> {
        let token = self.bump();
        let class = Name { text: self.slice(token.span).to_owned(), span: token.span };
        Some(ConfigKind::Policy { class, verdict: self.string()? })
    }

    /// Reports whether an invalid value follows `role`, `description` or `model` used as settings:
    /// `role x`, `description 5`.
    fn is_wrong_setting(&mut self, value: Token, colon: bool) -> bool {
        let operator =
            TokenKind::Word == value.kind && matches!(self.slice(value.span), "and" | "or");
        matches!(value.kind, TokenKind::Word | TokenKind::Number)
            && !value.starts_line
            && !operator
            && !self.follows_assignment(colon)
    }

    fn wrong_setting(&mut self, word: &str) -> Option<Config> {
        let start = self.bump().span.start;
        self.eat(TokenKind::Colon);
        let (message, help) = match word {
            "model" => (
                "`model` takes the name of an imported model".to_owned(),
                "write `import llm Name from \"…\"` at the top and `model Name` here".to_owned(),
            ),
            "policy" => (
                "`policy` takes a class of effects and a verdict".to_owned(),
                "write `policy write \"deny\"`, with write, send or execute".to_owned(),
            ),
            _ => (
                format!("`{word}` takes a string literal"),
                format!(
                    "write `{word} \"…\"`; a computed value stands in a string: `{word} \"\\(value)\"`"
                ),
            ),
        };
        self.push_here(codes::UNEXPECTED_TOKEN.at(self.current.span, message).with_help(help));
        self.own_expression();
        let kind = ConfigKind::Description(error_at(Span::at(self.previous_end)));
        Some(Config { kind, span: self.span_from(start) })
    }

    /// Reports whether this is an assignment such as `model x = 1`, not a setting.
    fn follows_assignment(&mut self, colon: bool) -> bool {
        let token = self.peek(if colon { 3 } else { 2 });
        token.kind.is_assignment() && !token.starts_line
    }

    fn model_name(&mut self) -> Name {
        let token = self.bump();
        if token.kind != TokenKind::Word {
            let message = "`model` takes the name of an imported model";
            let help = "write `import llm Name from \"…\"` at the top and `model Name` here";
            self.report(codes::UNEXPECTED_TOKEN, token.span, message, help);
        }
        let text = if token.kind == TokenKind::Word { self.slice(token.span) } else { "" };
        Name { text: text.to_owned(), span: token.span }
    }

    /// Parses `{ … }`; returns an empty block if the brace is missing.
    pub(super) fn block(&mut self, what: &str) -> Block {
        let start = self.current.span.start;
        if !self.at(TokenKind::OpenBrace) {
            let fault = self.unexpected("`{`").with_help(format!("put {what} in `{{` and `}}`"));
            self.push_here(fault);
            self.height = 1;
            let start = self.previous_end;
            let statements = self.deeper(Self::body_without_brace, |_| Vec::new());
            return Block { statements, span: self.span_from(start) };
        }
        let opening = self.open();
        let mut statements = self.inside(Self::statements);
        self.close(opening);
        let highest = self.height;
        if !self.raise(highest, opening.span) {
            statements = Vec::new();
        }
        Block { statements, span: self.span_from(start) }
    }
}

/// Returns the kind of import that a source is most likely meant for.
fn guessed(uri: &str) -> ImportKind {
    if capability::tool(uri).is_ok() {
        ImportKind::Tool
    } else if uri.contains("://") && capability::memory(uri).is_ok() {
        ImportKind::Memory
    } else if uri.contains("://") && capability::model(uri, &[]).is_ok() {
        ImportKind::Llm
    } else {
        ImportKind::File
    }
}

/// Declares the result of an agent for the function that it starts with: its `main func`, or its only
/// one. A function that declares its own keeps it.
fn give_result(items: &mut [Item], result: &ShapeNode) {
    let count = items.iter().filter(|item| matches!(item, Item::Func(_))).count();
    for item in items {
        if let Item::Func(func) = item
            && (func.main || count == 1)
            && func.result.is_none()
        {
            func.result = Some(result.clone());
        }
    }
}

/// Returns the source of an import that has none or is of an unknown kind.
fn nowhere(span: Span) -> Text {
    Text { value: String::new(), span: Span::at(span.end) }
}
