//! A main function without a head: the statements at the end of a file (TY-7).
//!
//! Decision: declarations come first, so that a statement between two of them, as a brace too many
//! leaves one, is a fault and does not become the program. A `use` right before the statements is
//! the first of them: at the level of the file it could show nothing of `input`.

use super::super::ast::{Block, Func, Item, Name, Param, Statement, StatementKind};
use super::super::token::{Token, TokenKind};
use super::Parser;
use crate::codes;
use contexture_diagnostic::Span;

/// The name of the parameter that nothing declares.
const INPUT: &str = "input";

impl Parser<'_> {
    /// Reports whether the statements of a file begin here, where no item does.
    pub(super) fn begins_script(&mut self) -> bool {
        if !(self.starts_expression() || self.starts_statement()) {
            return false;
        }
        let next = self.peek(1);
        !(self.is_like_a_keyword(next) && self.foreign_item().is_some())
    }

    /// Reports whether the word of an item is a name here, as in `func = 1` (AS-3).
    pub(super) fn assigns_a_keyword(&mut self) -> bool {
        matches!(self.word(), Some("func" | "main")) && self.peek_kind().is_assignment()
    }

    /// Reports whether what follows a word makes it more like the keyword of an item than like a
    /// name.
    fn is_like_a_keyword(&self, next: Token) -> bool {
        let of_item = ["import", "agent", "func", "main", "shape"];
        let is_alone = next.starts_line || next.kind == TokenKind::End;
        match next.kind {
            _ if is_alone => self.word().is_some_and(|word| of_item.contains(&word)),
            TokenKind::Word | TokenKind::Str | TokenKind::Block | TokenKind::OpenBrace => true,
            _ => false,
        }
    }

    /// Parses the statements of a file, which end it.
    pub(super) fn script(&mut self, items: &mut Vec<Item>) {
        let first = self.current.span;
        let outer = std::mem::replace(&mut self.body_depth, self.depth);
        let statements = self.script_statements();
        self.body_depth = outer;
        if !self.at_end() {
            return self.report_misplaced_script(first);
        }
        let mut all = uses_before(items);
        all.extend(statements);
        let Some(start) = all.first().map(|statement| statement.span.start) else { return };
        let span = Span::new(start, u32::try_from(self.text.len()).unwrap_or(u32::MAX));
        let body = Block { statements: all, span };
        self.report_block_return(&body);
        let name = Name { text: INPUT.to_owned(), span: Span::at(start) };
        items.push(Item::Func(Func {
            main: true,
            name: None,
            params: vec![Param { name, shape: None }],
            result: None,
            doc: self.description_above(start),
            body,
            is_script: true,
            span,
        }));
    }

    /// Parses statements up to a declaration, or the end of the file.
    fn script_statements(&mut self) -> Vec<Statement> {
        let mut statements = Vec::new();
        while !self.at_end() {
            if self.current.starts_line && self.starts_declaration() {
                break;
            }
            if self.kind().is_closer() {
                self.stray_closer();
            } else {
                self.statement_or_fault(&mut statements);
            }
        }
        statements.shrink_to_fit();
        statements
    }

    fn starts_declaration(&mut self) -> bool {
        let next = self.peek(1);
        let shape = self.at_word("shape") && next.kind == TokenKind::Word && !next.starts_line;
        shape || self.starts_item()
    }

    /// Reports it once: what stands between the declarations after it has the same reason.
    fn report_misplaced_script(&mut self, first: Span) {
        let is_known = self.diagnostics.iter().any(|fault| {
            fault.code == codes::MISPLACED_STATEMENT.code && fault.span.start < first.start
        });
        if !is_known {
            let message = "a statement at the top level of a file before a declaration";
            let fault = codes::MISPLACED_STATEMENT.at(first, message);
            let help = "move it below all declarations, or put it into `main func(input) { … }`";
            self.push(fault.with_help(help));
        }
    }
}

/// Takes the `use`s at the end of items, and settings among them, as statements.
fn uses_before(items: &mut Vec<Item>) -> Vec<Statement> {
    let is_setting = |item: &Item| matches!(item, Item::Use(_) | Item::Config(_));
    let end = items.iter().rposition(|item| !is_setting(item)).map_or(0, |last| last + 1);
    let after = items.get(end..).unwrap_or_default();
    let Some(first) = after.iter().position(|item| matches!(item, Item::Use(_))) else {
        return Vec::new();
    };
    let taken = items.split_off(end + first);
    taken.into_iter().filter_map(statement_of).collect()
}

/// Returns the statement that an item is in a function.
fn statement_of(item: Item) -> Option<Statement> {
    match item {
        Item::Use(used) => Some(Statement { span: used.span, kind: StatementKind::Use(used) }),
        Item::Config(config) => {
            Some(Statement { span: config.span, kind: StatementKind::Config(config) })
        }
        _ => None,
    }
}
