//! Syntax: tokens, tree and parser (AS-1 to AS-9, AS-12 to AS-19).
//!
//! Decision: there is always a tree, with all tokens and all faults; a strict caller checks
//! [`Parsed::is_valid`]. Formatter, migration, analysis, runtime and the inspector share it.
//!
//! ```
//! use contexture_context::Limits;
//! use contexture_diagnostic::SourceFile;
//! use contexture_script::syntax::parse;
//!
//! let source = SourceFile::new("hello.as", "main func(input) { \"hello\" }");
//! let parsed = parse(&source, &Limits::default());
//! assert!(parsed.is_valid());
//! assert_eq!(parsed.file.items.len(), 1);
//! ```

pub mod ast;
mod deep;
pub(crate) mod freedom;
mod interpolation;
pub mod json;
pub mod lexer;
pub mod literal;
mod parser;
pub(crate) mod places;
mod reparse;
mod shape_of;
mod shift;
pub mod token;
pub(crate) mod walk;

#[cfg(test)]
mod tests;

pub(crate) use parser::unknown_type;
pub use parser::{MAX_DEPTH, RESERVED, is_reserved};
pub(crate) use reparse::reparse;
pub(crate) use shape_of::NamedShapes;
pub use shape_of::{MAX_PARTS, ShapeTable, ShapeTooLarge, shape_of};

use crate::codes;
use ast::{Expr, File, Item, ShapeNode, Statement};
use contexture_context::Limits;
use contexture_diagnostic::{Diagnostic, Severity, SourceFile, Span};
use parser::Parser;
use token::Token;

/// The result of parsing a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Parsed {
    /// The tree; parts that could not be parsed are `Error` nodes or left out.
    pub file: File,
    /// All tokens in source order, including comments.
    pub tokens: Vec<Token>,
    /// The faults, in source order.
    pub diagnostics: Vec<Diagnostic>,
    /// True if its faults may depend on the words that the rest of the file binds.
    pub asks_for_words: bool,
}

impl Parsed {
    /// Reports whether the file has no syntax errors; warnings and hints do not count.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        is_valid(&self.diagnostics)
    }
}

fn is_valid(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().all(|fault| fault.severity != Severity::Error)
}

/// Parses a file (AS-1). Takes time and space in proportion to the text.
#[must_use]
pub fn parse(source: &SourceFile, limits: &Limits) -> Parsed {
    if let Some(fault) = too_large(source.text(), limits) {
        return Parsed { diagnostics: vec![fault], ..Parsed::default() };
    }
    let parsed = parsed(Parser::new(source.text(), limits.source_depth));
    if parsed.is_valid() || brackets_match(&parsed.tokens) {
        return parsed;
    }
    // The indentation may give away where a bracket is missing (TY-5).
    let again = self::parsed(Parser::by_indent(source.text(), limits.source_depth));
    if errors(&again) <= errors(&parsed) { again } else { parsed }
}

fn parsed(mut parser: Parser<'_>) -> Parsed {
    let file = parser.file();
    parser.parsed(file.items)
}

/// Reports whether there are as many opening brackets of each kind as closing ones.
fn brackets_match(tokens: &[Token]) -> bool {
    let pairs = [
        (token::TokenKind::OpenBrace, token::TokenKind::CloseBrace),
        (token::TokenKind::OpenParen, token::TokenKind::CloseParen),
        (token::TokenKind::OpenBracket, token::TokenKind::CloseBracket),
    ];
    let count = |kind| tokens.iter().filter(|token| token.kind == kind).count();
    pairs.into_iter().all(|(open, close)| count(open) == count(close))
}

fn errors(parsed: &Parsed) -> usize {
    parsed.diagnostics.iter().filter(|fault| fault.severity == Severity::Error).count()
}

fn too_large(text: &str, limits: &Limits) -> Option<Diagnostic> {
    let most = limits.source_bytes.min(u32::MAX as usize - 1);
    (text.len() > most).then(|| {
        let message = format!("the file has {} bytes; {most} are allowed", text.len());
        codes::SOURCE_TOO_LARGE.at(Span::at(0), message).with_help(
            "split it, move data into a file of its own and import that, or raise `source_bytes`",
        )
    })
}

/// Parses one shape without names of other shapes, such as `{ ok boolean, items list[string] }`, with nothing after it (AS-5).
#[must_use]
pub fn parse_shape(text: &str, limits: &Limits) -> (ShapeNode, Vec<Diagnostic>) {
    if let Some(fault) = too_large(text, limits) {
        let kind = ast::ShapeKind::Error;
        let shape = ShapeNode { kind, bounds: Vec::new(), span: Span::at(0) };
        return (shape, vec![fault]);
    }
    let mut parser = Parser::new(text, limits.source_depth);
    let shape = parser.shape();
    parser.expect_end("the end of the shape");
    let mut faults = parser.finish().1;
    faults.extend(
        walk::shape_names(&shape).into_iter().map(|name| unknown_type(&name.text, name.span, &[])),
    );
    faults.sort_by_key(|fault| fault.span.start);
    (shape, faults)
}

/// Parses one expression with nothing after it.
#[must_use]
pub fn parse_expression(text: &str, limits: &Limits) -> (Expr, Vec<Diagnostic>) {
    if let Some(fault) = too_large(text, limits) {
        return (Expr { kind: ast::ExprKind::Error, span: Span::at(0) }, vec![fault]);
    }
    let mut parser = Parser::new(text, limits.source_depth);
    let expr = parser.whole_expression();
    parser.expect_end("the end of the expression");
    (expr, parser.finish().1)
}

/// A parsed input line of a REPL.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReplInput {
    /// Imports, agents, functions, configuration and uses.
    pub items: Vec<Item>,
    /// Statements, in order.
    pub statements: Vec<Statement>,
    /// The faults.
    pub diagnostics: Vec<Diagnostic>,
    /// True if a bracket or a triple-quoted string is still open, so that more lines may follow.
    pub incomplete: bool,
}

/// Parses input of a REPL: items and statements mixed. `use` and configuration are statements here.
#[must_use]
pub fn parse_repl(text: &str, limits: &Limits) -> ReplInput {
    if let Some(fault) = too_large(text, limits) {
        return ReplInput { diagnostics: vec![fault], ..ReplInput::default() };
    }
    let mut parser = Parser::new(text, limits.source_depth);
    let (items, statements) = parser.repl();
    let (tokens, diagnostics) = parser.finish();
    let incomplete = is_incomplete(&tokens);
    ReplInput { items, statements, diagnostics, incomplete }
}

fn is_incomplete(tokens: &[Token]) -> bool {
    let mut open = 0_i64;
    for token in tokens {
        if token.kind.closer().is_some() {
            open += 1;
        } else if token.kind.is_closer() {
            open -= 1;
        }
    }
    let in_block =
        tokens.last().is_some_and(|last| last.kind == token::TokenKind::Block && last.flawed);
    open > 0 || in_block
}
