//! Parts of programs on their own: input of a REPL or a command line.

use super::super::ast::{Expr, Item, Statement};
use super::super::token::TokenKind;
use super::Parser;
use super::items::Place;

impl Parser<'_> {
    pub(crate) fn whole_expression(&mut self) -> Expr {
        self.names_elsewhere = true;
        self.expression()
    }

    pub(crate) fn expect_end(&mut self, wanted: &str) {
        if !self.at_end() {
            let fault = self.unexpected(wanted);
            self.push_here(fault);
            while !self.at_end() {
                self.bump();
            }
        }
    }

    pub(crate) fn repl(&mut self) -> (Vec<Item>, Vec<Statement>) {
        self.names_elsewhere = true;
        let mut items = Vec::new();
        let mut statements = Vec::new();
        while !self.at_end() {
            let before = self.current.span.start;
            self.outer_statement = before;
            if self.kind().is_closer() {
                self.stray_closer();
            } else if self.starts_item()
                || (self.at_word("func") && self.peek_kind() == TokenKind::OpenParen)
            {
                items.extend(self.item(Place::File));
            } else {
                statements.push(self.statement());
            }
            if self.current.span.start == before && !self.at_end() {
                self.bump();
            }
        }
        (items, statements)
    }
}
