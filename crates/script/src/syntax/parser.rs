//! The parser: recursive descent that always returns a tree.
//!
//! Decisions. Tokens are taken from the lexer one by one, because a label is scanned by other
//! rules. A fault is reported once per place, and parsing continues at the next statement, field or
//! item, so that a fault in one function hides none in another. Brackets and blocks nest, so their
//! depth is limited; operators and calls in a row do not, but make the tree higher, so its height
//! is limited too: a walk over a tree takes stack in proportion to it.

mod bounds;
mod expressions;
mod freedoms;
mod generate;
mod hints;
mod interpolation;
mod items;
mod misspelt;
mod objects;
mod old;
mod recovery;
mod repl;
mod script;
mod shapes;
mod statements;
mod uses;

pub(crate) use shapes::unknown_type;

use super::Parsed;
use super::ast::{File, Item, Name, Text};
use super::lexer::Lexer;
use super::literal::{EscapeFault, decode_block, decode_line};
use super::token::{Token, TokenKind};
use crate::codes::{self, Code};
use crate::stack;
use contexture_diagnostic::{Diagnostic, Span};
use std::collections::{HashSet, VecDeque};

/// The greatest nesting that is parsed, whatever the caller's limit.
pub const MAX_DEPTH: usize = 1_200;

/// The greatest height of a tree: nested blocks and brackets, plus the longest row in the
/// innermost.
const MAX_HEIGHT: usize = 40_000;

/// The greatest number of errors reported per file; old syntax is not counted, so that a long old
/// file can be migrated.
const MAX_ERRORS: usize = 1_000;

pub(crate) struct Parser<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    current: Token,
    ahead: VecDeque<Token>,
    tokens: Vec<Token>,
    previous_end: u32,
    /// True if the token before the current one is an unterminated string: a comma that seems to be
    /// missing is inside it.
    previous_open: bool,
    diagnostics: Vec<Diagnostic>,
    errors: usize,
    /// The start of the token with the last fault; nothing more is reported about it.
    fault_at: Option<u32>,
    /// The number of blocks and brackets around the current token.
    depth: usize,
    /// The height of the last parsed tree.
    height: usize,
    limit: usize,
    /// The number of shapes around the current one; they have a lower limit of their own.
    shape_depth: usize,
    too_deep_in: Option<u32>,
    /// The start of the current statement in the function's own block.
    outer_statement: u32,
    /// The depth of the current function's statements.
    body_depth: usize,
    /// The open brackets, outermost first.
    open: Vec<TokenKind>,
    /// The columns of the lines in which they were opened.
    open_indents: Vec<usize>,
    /// True if a line further to the left ends what is open: the brackets do not match (TY-5).
    by_indent: bool,
    /// The heads of `if`s and loops around the current token, behind which a block follows.
    heads: usize,
    /// The closing braces that have no opening one, once they were counted.
    spare_braces: Option<usize>,
    /// The column where each current function begins, outermost first.
    function_start: Vec<usize>,
    /// The column of the first token of the current line.
    line_indent: usize,
    /// The words that this text binds, once they were asked for.
    bound: Option<HashSet<&'a str>>,
    /// True if it was asked whether this text binds a word.
    asks_for_words: bool,
    /// True if names may be bound elsewhere, as by earlier lines of a REPL.
    names_elsewhere: bool,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(text: &'a str, depth: usize) -> Self {
        Self::over(text, Lexer::new(text), depth)
    }

    /// Creates a parser that begins behind an item of the file.
    pub(super) fn after(text: &'a str, offset: u32, depth: usize) -> Self {
        let mut lexer = Lexer::new(text);
        if offset > 0 {
            lexer.seek(offset);
        }
        Self::over(text, lexer, depth)
    }

    /// Creates a parser that begins where a lexer is.
    fn over(text: &'a str, lexer: Lexer<'a>, depth: usize) -> Self {
        let placeholder =
            Token { kind: TokenKind::End, span: Span::at(0), starts_line: true, flawed: false };
        let mut parser = Self {
            text,
            lexer,
            current: placeholder,
            ahead: VecDeque::new(),
            tokens: Vec::new(),
            previous_end: 0,
            previous_open: false,
            diagnostics: Vec::new(),
            errors: 0,
            fault_at: None,
            depth: 0,
            height: 0,
            limit: depth.min(MAX_DEPTH),
            shape_depth: 0,
            too_deep_in: None,
            outer_statement: 0,
            body_depth: 0,
            open: Vec::new(),
            open_indents: Vec::new(),
            by_indent: false,
            heads: 0,
            spare_braces: None,
            function_start: Vec::new(),
            line_indent: 0,
            bound: None,
            asks_for_words: false,
            names_elsewhere: false,
        };
        parser.take_next();
        parser
    }

    pub(crate) fn finish(self) -> (Vec<Token>, Vec<Diagnostic>) {
        let mut diagnostics = self.diagnostics;
        diagnostics.sort_by_key(|fault| (fault.span.start, fault.span.end));
        (self.tokens, diagnostics)
    }

    /// Returns what was parsed, with these items.
    pub(super) fn parsed(self, items: Vec<Item>) -> Parsed {
        let asks_for_words = self.asks_for_words;
        let (tokens, diagnostics) = self.finish();
        Parsed { file: File { items }, tokens, diagnostics, asks_for_words }
    }

    // --- tokens -------------------------------------------------------------------------------

    fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.range()).unwrap_or_default()
    }

    fn kind(&self) -> TokenKind {
        self.current.kind
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.current.kind == kind
    }

    pub(super) fn at_end(&self) -> bool {
        self.at(TokenKind::End)
    }

    fn at_word(&self, word: &str) -> bool {
        self.at(TokenKind::Word) && self.slice(self.current.span) == word
    }

    fn word(&self) -> Option<&'a str> {
        self.at(TokenKind::Word).then(|| self.slice(self.current.span))
    }

    /// Returns the token `distance` after the current one, ignoring comments.
    fn peek(&mut self, distance: usize) -> Token {
        let mut seen = 0;
        let mut index = 0;
        loop {
            let token = match self.ahead.get(index) {
                Some(token) => *token,
                None => {
                    let token = self.lexer.next_token();
                    self.ahead.push_back(token);
                    token
                }
            };
            if token.kind == TokenKind::End {
                return token;
            }
            if !token.is_comment() {
                seen += 1;
                if seen == distance {
                    return token;
                }
            }
            index += 1;
        }
    }

    fn peek_kind(&mut self) -> TokenKind {
        self.peek(1).kind
    }

    fn peek_word(&mut self, distance: usize) -> Option<&'a str> {
        let token = self.peek(distance);
        (token.kind == TokenKind::Word).then(|| self.slice(token.span))
    }

    /// Advances, and returns the token that was current.
    fn bump(&mut self) -> Token {
        let token = self.current;
        if token.kind == TokenKind::End {
            return token;
        }
        self.tokens.push(token);
        self.previous_end = token.span.end;
        self.previous_open =
            token.flawed && matches!(token.kind, TokenKind::Str | TokenKind::Block);
        self.report_about_sign(token);
        self.take_next();
        token
    }

    fn take_next(&mut self) {
        loop {
            let token = match self.ahead.pop_front() {
                Some(token) => token,
                None => self.lexer.next_token(),
            };
            if !token.is_comment() {
                if token.starts_line {
                    self.line_indent = self.column(token.span);
                }
                self.current = token;
                return;
            }
            self.tokens.push(token);
            if token.kind == TokenKind::BlockComment {
                let fault = codes::BLOCK_COMMENT.at(token.span, "unsupported block comment");
                self.push(fault.with_help("begin each line with `//` or `--`"));
            }
        }
    }

    /// Discards the lookahead and scans a label after the current token, which becomes the current
    /// one; if there is none, the next token does.
    fn bump_to_label(&mut self) {
        let word = self.current;
        self.tokens.push(word);
        self.previous_end = word.span.end;
        self.ahead.clear();
        self.lexer.seek(word.span.end);
        match self.lexer.label() {
            Some(label) => self.current = label,
            None => {
                self.lexer.seek(word.span.end);
                self.take_next();
            }
        }
    }

    fn eat(&mut self, kind: TokenKind) -> Option<Token> {
        self.at(kind).then(|| self.bump())
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.bump();
        }
        found
    }

    /// Returns the span from `start` to the end of the last taken token.
    fn span_from(&self, start: u32) -> Span {
        Span::new(start, self.previous_end.max(start))
    }

    /// Returns where the current token starts.
    pub(super) const fn start(&self) -> u32 {
        self.current.span.start
    }

    /// Reports whether the current token is on the line of the one before it.
    fn same_line(&self) -> bool {
        !self.current.starts_line
    }

    // --- faults -------------------------------------------------------------------------------

    fn push(&mut self, fault: Diagnostic) {
        if fault.code.starts_with("AS7") {
            self.diagnostics.push(fault);
            return;
        }
        self.errors += 1;
        if self.errors < MAX_ERRORS {
            self.diagnostics.push(fault);
        } else if self.errors == MAX_ERRORS {
            let message = format!("more than {MAX_ERRORS} errors; the rest are not shown");
            self.diagnostics.push(codes::TOO_MANY_ERRORS.at(fault.span, message));
        }
    }

    /// Reports a fault of the current token, unless one was already reported.
    fn push_here(&mut self, fault: Diagnostic) {
        let at = self.current.span.start;
        if self.fault_at.replace(at) != Some(at) {
            self.push(fault);
        }
    }

    fn describe_current(&self) -> String {
        match self.kind() {
            TokenKind::Word | TokenKind::Number => {
                format!("`{}`", clip(self.slice(self.current.span)))
            }
            TokenKind::Unknown => format!("`{}`", clip(self.slice(self.current.span))),
            kind => kind.describe().to_owned(),
        }
    }

    fn unexpected(&self, wanted: &str) -> Diagnostic {
        if self.at(TokenKind::Unknown) {
            return self.unknown_sign(self.current);
        }
        let found = self.describe_current();
        let message = format!("expected {wanted}, found {found}");
        self.hinted(codes::UNEXPECTED_TOKEN.at(self.current.span, message), wanted)
    }

    /// Reports the fault of a malformed token when it is taken.
    fn report_about_sign(&mut self, token: Token) {
        match token.kind {
            TokenKind::Unknown => self.report_unknown(token),
            TokenKind::Str | TokenKind::Block | TokenKind::Word | TokenKind::Number => {}
            kind if token.flawed => {
                let wrong = self.slice(token.span);
                let meant = kind.describe();
                let message = format!("`{wrong}` is not {meant}");
                let sign = meant.trim_matches('`').to_owned();
                let fault = codes::FOREIGN_PUNCTUATION.at(token.span, message);
                self.push(
                    fault.with_help(format!("write {meant}")).with_safe_edit(token.span, sign),
                );
            }
            _ => {}
        }
    }

    fn report_unknown(&mut self, token: Token) {
        if self.fault_at != Some(token.span.start) {
            let fault = self.unknown_sign(token);
            self.push(fault);
        }
    }

    fn unknown_sign(&self, token: Token) -> Diagnostic {
        let sign = clip(self.slice(token.span));
        let fault = codes::UNKNOWN_SIGN.at(token.span, format!("unexpected `{sign}`"));
        match sign.chars().next() {
            Some('#') => fault.with_help("comments start with `//` or `--`"),
            Some('\\' | '`') => fault.with_help("put strings in `\"` or `'`"),
            _ => fault.with_help("remove it, or put the text it belongs to in quotes"),
        }
    }

    // --- depth --------------------------------------------------------------------------------

    /// Runs `read` one level deeper, or reports that the limit is reached, skips the rest and
    /// returns `otherwise`.
    fn deeper<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> T,
        otherwise: impl FnOnce(Span) -> T,
    ) -> T {
        if self.depth >= self.limit {
            let start = self.current.span.start;
            self.report_too_deep(self.current.span, self.limit);
            self.skip_to_comma();
            self.fault_at = Some(self.current.span.start);
            self.height = 1;
            return otherwise(self.span_from(start));
        }
        self.depth += 1;
        let result = stack::deeper(|| read(self));
        self.depth -= 1;
        result
    }

    /// Does the same as [`Parser::deeper`] inside a bracket: at the limit, skips to its end.
    fn inside<T: Default>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth < self.limit {
            return self.deeper(read, |_| T::default());
        }
        self.report_too_deep(self.current.span, self.limit);
        while !self.at_end() && !self.kind().is_closer() {
            self.skip_balanced();
        }
        self.fault_at = Some(self.current.span.start);
        self.height = 1;
        T::default()
    }

    fn report_too_deep(&mut self, span: Span, limit: usize) {
        let message = format!("nesting is deeper than {limit} levels");
        let help = "move the inner part into a function or a variable of its own";
        self.push_too_deep(codes::TOO_DEEP.at(span, message).with_help(help));
    }

    /// Reports it once per statement of a function.
    fn push_too_deep(&mut self, fault: Diagnostic) {
        if self.too_deep_in.replace(self.outer_statement) != Some(self.outer_statement) {
            self.push(fault);
            self.fault_at = Some(self.current.span.start);
        }
    }

    /// Notes a node above trees of the given height; returns false when the whole is too high.
    fn raise(&mut self, below: usize, span: Span) -> bool {
        self.height = below + 1;
        if self.height <= MAX_HEIGHT {
            return true;
        }
        let message = "too many operators, fields or calls in a row";
        let help = "store a part of it in a variable, and continue with that";
        self.push_too_deep(codes::TOO_DEEP.at(span, message).with_help(help));
        self.height = 1;
        false
    }

    // --- recovery -----------------------------------------------------------------------------

    /// Skips a whole bracketed group, or one token; never a closing bracket.
    fn skip_balanced(&mut self) {
        let mut open = 0_usize;
        while !self.at_end() {
            if self.kind().closer().is_some() {
                open += 1;
            } else if self.kind().is_closer() {
                if open == 0 {
                    return;
                }
                open -= 1;
            }
            self.bump();
            if open == 0 {
                return;
            }
        }
    }

    /// Skips to the next line, a closing bracket or the end, over whole groups.
    fn skip_line(&mut self) {
        while !self.at_end() && !self.kind().is_closer() {
            self.skip_balanced();
            if self.current.starts_line {
                return;
            }
        }
    }

    /// Skips to a comma, a closing bracket, the next line or the end, over whole groups.
    fn skip_to_comma(&mut self) {
        while !self.at_end() && !self.kind().is_closer() && !self.at(TokenKind::Comma) {
            self.skip_balanced();
            if self.current.starts_line {
                return;
            }
        }
    }

    /// Skips an unexpected part of a group, and its comma; always takes something unless the group
    /// ends here.
    fn skip_part(&mut self, before: u32) {
        self.skip_to_comma();
        self.eat(TokenKind::Comma);
        if self.current.span.start == before && !self.kind().is_closer() {
            self.bump();
        }
    }

    fn is_awaited(&self, closer: TokenKind) -> bool {
        self.open.contains(&closer)
    }

    /// Takes the bracket that closes the group opened at `opening`, or reports that it is missing.
    fn close(&mut self, opening: Token) {
        let Some(closer) = opening.kind.closer() else { return };
        let outer = self.closes_an_outer_one();
        self.open.pop();
        self.open_indents.pop();
        // An unterminated text took everything up to the end, including this bracket.
        if (!outer && self.eat(closer).is_some()) || (self.previous_open && self.at_end()) {
            return;
        }
        let wanted = closer.describe();
        let message = format!("unclosed {}", opening.kind.describe());
        let here = match self.at(closer) {
            true => format!("expected another {wanted} before this one"),
            false => format!("expected {wanted} here, found {}", self.describe_current()),
        };
        let fault = codes::UNCLOSED_BRACKET
            .at(opening.span, message)
            .with_label(self.current.span, here)
            .with_help(format!("add {wanted}"));
        self.push_here(fault);
    }

    fn open(&mut self) -> Token {
        let indent = self.line_indent;
        let token = self.bump();
        self.open.extend(token.kind.closer());
        self.open_indents.push(indent);
        token
    }

    // --- small parts --------------------------------------------------------------------------

    /// Parses a name for a binding; reports a reserved word.
    fn binding(&mut self, what: &str) -> Option<Name> {
        let Some(word) = self.word() else {
            let fault = self.unexpected(what);
            self.push_here(fault);
            return None;
        };
        if is_reserved(word) {
            let message = format!("`{word}` is a reserved word and can't be {what}");
            let fault = codes::RESERVED_WORD.at(self.current.span, message);
            self.push_here(fault.with_help(format!("choose another name, such as `{word}_`")));
        }
        let token = self.bump();
        Some(Name { text: word.to_owned(), span: token.span })
    }

    fn string(&mut self) -> Option<Text> {
        let token = self.eat(TokenKind::Str).or_else(|| self.eat(TokenKind::Block))?;
        Some(Text { value: self.string_value(token), span: token.span })
    }

    fn expect_string(&mut self, wanted: &str) -> Option<Text> {
        let text = self.string();
        if text.is_none() {
            let fault = self.unexpected(wanted);
            self.push_here(fault);
        }
        text
    }

    fn string_value(&mut self, token: Token) -> String {
        let raw = self.slice(token.span);
        let typographic = raw.starts_with(TYPOGRAPHIC);
        if typographic {
            return self.typographic_value(token, raw);
        }
        if token.flawed {
            let message = "unterminated string";
            let quote = raw.get(..if token.kind == TokenKind::Block { 3 } else { 1 });
            let quote = quote.unwrap_or("\"");
            let fault = codes::UNCLOSED_STRING.at(token.span, message);
            self.push(fault.with_help(match token.kind {
                TokenKind::Block => format!("add `{quote}` where the text ends"),
                _ => format!("add `{quote}`; put a text of several lines in `\"\"\"`"),
            }));
        }
        let (inner, start) = self.between_quotes(token);
        let decoded = match token.kind {
            TokenKind::Block => decode_block(inner, start),
            _ => decode_line(inner, start),
        };
        for (span, fault) in decoded.faults {
            self.report_escape(span, fault);
        }
        decoded.value
    }

    /// Returns the text between the quotes of a string, and its place.
    fn between_quotes(&self, token: Token) -> (&'a str, u32) {
        let raw = self.slice(token.span);
        let quotes = if token.kind == TokenKind::Block { 3 } else { 1 };
        let end = raw.len() - if token.flawed { 0 } else { quotes };
        let start = token.span.start + u32::try_from(quotes).unwrap_or_default();
        (raw.get(quotes..end).unwrap_or_default(), start)
    }

    fn typographic_value(&mut self, token: Token, raw: &str) -> String {
        let inner = raw.trim_matches(TYPOGRAPHIC);
        let quoted = serde_json::Value::from(inner).to_string();
        let fault = codes::FOREIGN_PUNCTUATION.at(token.span, "typographic quotes around a string");
        self.push(fault.with_help("write `\"` or `'`").with_safe_edit(token.span, quoted));
        inner.to_owned()
    }

    fn report_escape(&mut self, span: Span, fault: EscapeFault) {
        let raw = self.slice(span);
        let diagnostic = match fault {
            EscapeFault::Unknown => {
                let message = format!("unknown escape `{raw}`");
                codes::BAD_ESCAPE
                    .at(span, message)
                    .with_help(format!("for a backslash write `\\{raw}`"))
                    .with_edit(span, format!("\\{raw}"))
            }
            EscapeFault::Interpolation => codes::BAD_ESCAPE
                .at(span, "`\\(` without a `)` on its line, or where no value can be put in")
                .with_help("for a backslash write `\\\\(`")
                .with_edit(span, format!("\\{raw}")),
            EscapeFault::BadUnicode => codes::BAD_ESCAPE
                .at(span, "invalid `\\u` escape")
                .with_help("write `\\u{4f60}`: one to six hexadecimal digits, up to 10ffff"),
        };
        self.push(diagnostic);
    }

    fn report(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.push(code.at(span, message).with_help(help));
    }
}

/// Words that can't be the name of a binding; all others are reserved only where they matter.
pub const RESERVED: &[&str] = &[
    "and", "else", "false", "for", "generate", "if", "none", "not", "or", "return", "true", "use",
];

/// Reports whether a word can't be the name of a binding.
#[must_use]
pub fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

const TYPOGRAPHIC: [char; 5] = ['“', '”', '‘', '’', '`'];

fn clip(text: &str) -> String {
    const MAX: usize = 40;
    if text.chars().count() <= MAX {
        return text.to_owned();
    }
    text.chars().take(MAX).chain(std::iter::once('…')).collect()
}
