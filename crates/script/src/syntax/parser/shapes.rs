//! Shapes (AS-5).

use super::super::ast::{FieldNode, Name, ShapeDecl, ShapeKind, ShapeNode, Text};
use super::super::token::TokenKind;
use super::Parser;
use super::hints::SHAPE_GOES_ON;
use crate::codes;
use contexture_answer::Shape;
use contexture_diagnostic::{Diagnostic, Span, nearest};

pub(super) const TYPES: &[&str] = &["string", "number", "integer", "boolean", "json", "list"];

impl Parser<'_> {
    /// Parses a shape; an invalid one is reported and becomes an error node.
    pub(crate) fn shape(&mut self) -> ShapeNode {
        let error = |span| ShapeNode { kind: ShapeKind::Error, bounds: Vec::new(), span };
        if self.shape_depth >= Shape::MAX_DEPTH {
            let start = self.current.span.start;
            self.report_too_deep(self.current.span, Shape::MAX_DEPTH);
            self.skip_to_comma();
            self.fault_at = Some(self.current.span.start);
            self.height = 1;
            return error(self.span_from(start));
        }
        self.shape_depth += 1;
        let shape = self.deeper(Self::shape_here, error);
        self.shape_depth -= 1;
        shape
    }

    pub(super) fn starts_shape(&self) -> bool {
        matches!(
            self.kind(),
            TokenKind::Word | TokenKind::Str | TokenKind::Block | TokenKind::OpenBrace
        )
    }

    fn shape_here(&mut self) -> ShapeNode {
        let start = self.current.span.start;
        self.height = 1;
        let kind = match self.kind() {
            TokenKind::OpenBrace => self.object_shape(),
            TokenKind::Str | TokenKind::Block => self.enumeration(),
            TokenKind::Word => self.named_shape(),
            _ => {
                let fault = self.unexpected("a type");
                self.push_here(fault.with_help(
                    "the types are string, number, integer, boolean, json, list[…] and { … }",
                ));
                ShapeKind::Error
            }
        };
        self.old_array_suffix();
        let bounds = self.bounds(&kind);
        self.raise(self.height, self.span_from(start));
        ShapeNode { kind, bounds, span: self.span_from(start) }
    }

    fn named_shape(&mut self) -> ShapeKind {
        let token = self.bump();
        let word = self.slice(token.span);
        match word {
            "string" => ShapeKind::String,
            "number" => ShapeKind::Number,
            "integer" => ShapeKind::Integer,
            "boolean" => ShapeKind::Boolean,
            "json" => ShapeKind::Json,
            "list" => self.list_shape(),
            // A type of another language, such as `array[string]`; nothing declared takes brackets.
            _ if self.at(TokenKind::OpenBracket)
                && self.same_line()
                && self.peek_kind() != TokenKind::CloseBracket =>
            {
                let fault = unknown_type(word, token.span, &[]);
                self.push(fault);
                self.list_shape();
                ShapeKind::Error
            }
            _ => ShapeKind::Named(Name { text: word.to_owned(), span: token.span }),
        }
    }

    fn list_shape(&mut self) -> ShapeKind {
        if !self.at(TokenKind::OpenBracket) || !self.same_line() {
            return ShapeKind::List(None);
        }
        let opening = self.open();
        let item = self.shape();
        if !self.at(TokenKind::CloseBracket) && !self.at_end() {
            self.push_here(self.unexpected("`]`"));
            self.skip_to_comma();
        }
        self.close(opening);
        ShapeKind::List(Some(Box::new(item)))
    }

    /// Reports `string[]` of other languages.
    fn old_array_suffix(&mut self) {
        let array = self.at(TokenKind::OpenBracket) && self.same_line();
        if !array || self.peek_kind() != TokenKind::CloseBracket {
            return;
        }
        let start = self.current.span.start;
        self.bump();
        self.bump();
        let span = self.span_from(start);
        self.report(codes::UNKNOWN_TYPE, span, "`[]` is not a type", "write `list[string]`");
    }

    /// Parses `shape Name { … }` (TY-1).
    pub(super) fn shape_declaration(&mut self, doc: Option<String>) -> Option<ShapeDecl> {
        let start = self.bump().span.start;
        let name = self.binding("the name of a shape")?;
        if TYPES.contains(&name.text.as_str()) {
            let message = format!("`{}` is a type of the language", name.text);
            let help = format!("choose another name, such as `{}_`", name.text);
            self.report(codes::RESERVED_WORD, name.span, message, help);
        }
        if self.at(TokenKind::Assign) {
            let span = self.current.span;
            let fault = self.unexpected("the type that the name stands for");
            self.push_here(fault.with_help("leave the `=` out").with_edit(span, ""));
            self.bump();
        }
        let shape = self.shape();
        Some(ShapeDecl { name, shape, doc, span: self.span_from(start) })
    }

    fn enumeration(&mut self) -> ShapeKind {
        let mut values: Vec<Text> = self.string().into_iter().collect();
        while self.at(TokenKind::Pipe) || self.at(TokenKind::ForeignOr) {
            if self.at(TokenKind::ForeignOr) {
                self.push_here(self.unexpected("`|`"));
            }
            self.bump();
            match self.string() {
                Some(value) => values.push(value),
                None => {
                    self.push_here(
                        self.unexpected("a string in quotes")
                            .with_help("write an enum as strings: `\"a\" | \"b\"`"),
                    );
                    if self.at(TokenKind::Word) && self.same_line() {
                        self.bump();
                    }
                }
            }
        }
        ShapeKind::Enum(values)
    }

    /// Parses the shape of an answer, also without its opening brace.
    pub(super) fn shape_of_answer(&mut self) -> ShapeNode {
        if !self.begins_shape_without_brace() {
            return self.shape();
        }
        let start = self.current.span.start;
        let fault = self.unexpected("`{`").with_help("put the fields in `{` and `}`");
        self.push_here(fault.with_edit(Span::at(self.previous_end), " {"));
        let fields = self.shape_fields();
        self.eat(TokenKind::CloseBrace);
        let (kind, bounds) = (ShapeKind::Object(fields), Vec::new());
        ShapeNode { kind, bounds, span: self.span_from(start) }
    }

    fn object_shape(&mut self) -> ShapeKind {
        let opening = self.open();
        let fields = self.shape_fields();
        self.close(opening);
        ShapeKind::Object(fields)
    }

    /// Parses the fields of a shape up to its closing brace.
    fn shape_fields(&mut self) -> Vec<FieldNode> {
        let mut fields: Vec<FieldNode> = Vec::new();
        let mut highest = 0;
        while !self.at_end() && !self.at(TokenKind::CloseBrace) {
            if self.kind().is_closer() && self.is_awaited(self.kind()) {
                break;
            }
            let next_item = self.starts_item() && self.current.starts_line && self.line_indent == 0;
            if next_item || self.is_dedented() {
                break;
            }
            if self.takes_stray_closer() {
                continue;
            }
            let before = self.current.span.start;
            fields.extend(self.shape_field());
            highest = highest.max(self.height);
            self.separator_of_shape(before);
        }
        let names = fields.iter().map(|field| (field.name.text.as_str(), field.name.span));
        let fault = (codes::DUPLICATE_FIELD, "field", "rename or remove one");
        self.report_duplicates(names, fault);
        self.height = highest;
        fields
    }

    /// Reports whether the text ends within the bound that may begin here, before anything is closed.
    fn ends_soon(&mut self) -> bool {
        const BOUND: usize = 4;
        for distance in 1..=BOUND {
            match self.peek(distance).kind {
                TokenKind::End => return true,
                kind if kind.is_closer() => return false,
                _ => {}
            }
        }
        false
    }

    fn separator_of_shape(&mut self, before: u32) {
        if self.eat(TokenKind::Comma).is_some() || self.current.starts_line || self.at_end() {
            if self.current.span.start == before && !self.at_end() {
                self.bump();
            }
            return;
        }
        if self.kind().is_closer() {
            return;
        }
        let field = matches!(self.kind(), TokenKind::Word | TokenKind::Str);
        // A text that ends here may be going on with a bound; the open brace is told.
        if field && self.ends_soon() {
            return;
        }
        if field && self.current.span.start > before {
            let fault = codes::MISSING_SEPARATOR
                .at(self.current.span, "missing comma between fields on one line");
            let at = Span::at(self.previous_end);
            self.push_here(
                fault.with_help("add a comma, or start a new line").with_safe_edit(at, ","),
            );
            return;
        }
        let fault = self.unexpected(SHAPE_GOES_ON);
        self.push_here(fault);
        self.skip_part(before);
    }

    fn shape_field(&mut self) -> Option<FieldNode> {
        let description = self.description();
        let start = self.current.span.start;
        self.height = 1;
        let name = self.field_name()?;
        let optional = self.eat(TokenKind::Question).is_some();
        let colon = self.eat(TokenKind::Colon).is_some();
        let typed = if colon {
            !(self.current.starts_line && self.kind().is_closer())
        } else {
            self.same_line() && self.starts_shape()
        };
        let shape = typed.then(|| self.shape());
        let optional_type =
            !optional && self.at(TokenKind::Question) && self.same_line() && shape.is_some();
        if optional_type {
            self.bump();
        }
        let optional = optional || optional_type;
        let span = self.span_from(start);
        Some(FieldNode { name, optional, optional_type, shape, description, span })
    }

    fn field_name(&mut self) -> Option<Name> {
        if let Some(word) = self.word() {
            let span = self.bump().span;
            return Some(Name { text: word.to_owned(), span });
        }
        match self.string() {
            Some(text) => Some(Name { text: text.value, span: text.span }),
            None => {
                self.push_here(self.unexpected("a field `name type`"));
                None
            }
        }
    }

    /// Returns the `///` lines directly above the current token. One at the end of a line belongs
    /// to that line, unless it follows the opening brace.
    pub(super) fn description(&self) -> Option<String> {
        self.description_above(self.current.span.start)
    }

    /// Returns the `///` lines above an offset.
    pub(super) fn description_above(&self, offset: u32) -> Option<String> {
        let mut lines = Vec::new();
        let before = self.tokens.partition_point(|token| token.span.start < offset);
        let mut above = self.tokens.get(..before)?.iter().rev().peekable();
        let of_field = |kind| matches!(kind, TokenKind::DocComment | TokenKind::Comma);
        while let Some(token) = above.next_if(|token| of_field(token.kind)) {
            if token.kind == TokenKind::Comma {
                continue;
            }
            let opens = above.peek().is_some_and(|before| before.kind == TokenKind::OpenBrace);
            if token.starts_line || opens {
                lines.push(self.slice(token.span).trim_start_matches('/').trim());
            }
        }
        lines.reverse();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }
}

/// Describes a type that nothing declares, with what was meant.
pub(crate) fn unknown_type(word: &str, span: Span, declared: &[&str]) -> Diagnostic {
    let known = || TYPES.iter().chain(declared).copied();
    let meant = match word.to_lowercase().as_str() {
        "int" | "i64" | "long" => Some("integer"),
        "bool" => Some("boolean"),
        "str" | "text" => Some("string"),
        "float" | "double" | "decimal" => Some("number"),
        "array" | "vec" => Some("list"),
        "object" | "any" | "map" | "dict" | "value" => Some("json"),
        _ => nearest(word, known()),
    };
    let message = format!("unknown type `{}`", super::clip(word));
    let fault = codes::UNKNOWN_TYPE.at(span, message);
    match meant {
        Some(meant) => fault.with_help(format!("did you mean `{meant}`?")).with_edit(span, meant),
        None => fault.with_help(format!(
            "the types are {}, {{ … }}, \"a\" | \"b\", and what `shape {word} …` declares",
            TYPES.join(", ")
        )),
    }
}
