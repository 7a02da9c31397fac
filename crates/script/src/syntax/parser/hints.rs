//! Hints about unexpected tokens: the general help for a fault that has no better one of its own.

use super::super::token::{Token, TokenKind};
use super::Parser;
use contexture_diagnostic::Diagnostic;

pub(super) const SHAPE_GOES_ON: &str = "a field, `,` or `}`";

impl Parser<'_> {
    /// Adds the help to a fault of the current token.
    pub(super) fn hinted(&self, fault: Diagnostic, wanted: &str) -> Diagnostic {
        let found = self.kind();
        if wanted == SHAPE_GOES_ON && found == TokenKind::Question {
            return fault
                .with_help("write the `?` of an optional field after its name: `name?: type`");
        }
        if let Some(help) = self.foreign_pair().or_else(|| self.foreign_sign()) {
            return fault.with_help(help);
        }
        fault.with_help(match wanted {
            "an expression" | "a value" | "an item" | "an argument" => self.missing_value(),
            "the name of a field" => self.missing_field(),
            "`from`" | "the name of the import" | "a URI or path in quotes" => {
                "write an import as `import tool Name from \"…\"`".to_owned()
            }
            "the name of an agent" => "write an agent as `agent Name { … }`".to_owned(),
            "the name of a function" => "write a function as `func name(input) { … }`".to_owned(),
            "a parameter" => "a parameter is a name, as in `func name(input) { … }`".to_owned(),
            "the variable of the loop" => "write `for x in list max 10 { … }`".to_owned(),
            "a field `key: value`" => self.missing_key(),
            "a value to show" => {
                "name the value that the model should see: `use value max 2k`".to_owned()
            }
            "a statement or `}`" => "begin the next statement on a line of its own".to_owned(),
            _ if found == TokenKind::End => format!("add {wanted} at the end of the text"),
            _ if found.is_closer() => format!("add {wanted} before {}", found.describe()),
            _ => format!("write {wanted} here"),
        })
    }

    fn is_glued_to(&self, sign: u8) -> bool {
        self.text.as_bytes().get(self.current.span.end as usize) == Some(&sign)
    }

    fn before(&self) -> Option<Token> {
        self.tokens.iter().rev().find(|token| !token.is_comment()).copied()
    }

    /// Explains two signs that are one operator in another language; the second is the current
    /// token.
    pub(super) fn foreign_pair(&self) -> Option<&'static str> {
        let before = self.before()?;
        if before.span.end != self.current.span.start {
            return None;
        }
        Some(match (before.kind, self.kind()) {
            (TokenKind::Equal, TokenKind::Assign) => {
                "write `==`: values of different types are never equal"
            }
            (TokenKind::NotEqual, TokenKind::Assign) => {
                "write `!=`: values of different types are never equal"
            }
            (TokenKind::Star, TokenKind::Star) => {
                "there is no power operator: multiply, as in `x * x`"
            }
            (TokenKind::Slash, TokenKind::Slash) => "there is no integer division",
            (TokenKind::Assign, TokenKind::Greater) => {
                "there are no anonymous functions: declare `func name(x) { … }`"
            }
            (TokenKind::Less, TokenKind::Greater) => "write `!=`",
            (TokenKind::Less, TokenKind::Less) | (TokenKind::Greater, TokenKind::Greater) => {
                "there are no bitwise operators: multiply or divide"
            }
            (TokenKind::Plus, TokenKind::Plus) => "write `x += 1`",
            (TokenKind::Dot, TokenKind::Dot) => {
                "there are no ranges: `repeat * n { … }` counts, `list.slice(from, to)` takes a part"
            }
            _ => return None,
        })
    }

    /// Explains a sign of another language where a statement or value was expected to continue.
    fn foreign_sign(&self) -> Option<&'static str> {
        Some(match self.kind() {
            TokenKind::Question if self.is_glued_to(b'.') => {
                "there is no `?.`: use `value.get(\"name\", default)`, or test with `value.has(\"name\")`"
            }
            TokenKind::Question if self.is_glued_to(b'?') => {
                "there is no `??`: use `value.get(\"name\", default)`, or `if … { … } else { … }`"
            }
            TokenKind::Assign if self.is_glued_to(b'>') => {
                "there are no anonymous functions: declare `func name(x) { … }`"
            }
            TokenKind::Colon if self.is_glued_to(b'=') => "write `=`",
            TokenKind::Question => "there is no `? :`: assign inside `if … { … } else { … }`",
            TokenKind::Pipe => "write `or`; only an enum of a shape has `|`",
            TokenKind::Arrow => {
                "write a shape after a call of `generate`: `generate({ … }) -> { … }`"
            }
            TokenKind::Semicolon => "there are no semicolons: end the line instead",
            _ => return None,
        })
    }

    fn missing_value(&self) -> String {
        let found = self.kind();
        let operator = self.before().filter(|token| is_infix(token.kind));
        if let Some(operator) = operator.filter(|_| self.current.starts_line) {
            return format!("write a value after {}", operator.kind.describe());
        }
        if found == TokenKind::Dot {
            let digit = self.text.as_bytes().get(self.current.span.end as usize);
            return if digit.is_some_and(u8::is_ascii_digit) {
                "write a digit before the point, as in `0.5`".to_owned()
            } else {
                "write a value before `.`".to_owned()
            };
        }
        if found == TokenKind::OpenBrace {
            return "write the missing expression before the block; put an object there in `(` and `)`"
                .to_owned();
        }
        if self.word().is_some() {
            return "write the value that is missing before it".to_owned();
        }
        if is_infix(found) {
            format!("write a value before {}, or remove it", found.describe())
        } else if let Some(operator) = operator {
            format!("write a value after {}", operator.kind.describe())
        } else if found.is_closer() || found == TokenKind::End {
            format!("write a value before {}", found.describe())
        } else {
            "a value is a literal, a name, a call, a list `[…]` or an object `{ key: … }`"
                .to_owned()
        }
    }

    fn missing_key(&self) -> String {
        match self.kind() {
            TokenKind::Number => {
                let digits = super::clip(self.slice(self.current.span));
                format!("a key is a name or a string in quotes: `\"{digits}\": …`")
            }
            TokenKind::Dot => "there is no `...`: list each field with its key".to_owned(),
            _ => "write an object as `{ key: value }`".to_owned(),
        }
    }

    /// Explains how to write a field, after a point without a name.
    fn missing_field(&self) -> String {
        let mut last = self.tokens.iter().rev().filter(|token| !token.is_comment());
        let base = last.nth(1).filter(|base| base.kind == TokenKind::Number);
        match base {
            Some(number) => {
                let digits = self.slice(number.span);
                format!("write `{digits}.0`, or `{digits}` without the point")
            }
            None => "write the name of a field after the point, as in `value.name`".to_owned(),
        }
    }
}

const fn is_infix(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Plus
            | TokenKind::Minus
            | TokenKind::Star
            | TokenKind::Slash
            | TokenKind::Percent
            | TokenKind::Equal
            | TokenKind::NotEqual
            | TokenKind::Less
            | TokenKind::LessEqual
            | TokenKind::Greater
            | TokenKind::GreaterEqual
            | TokenKind::ForeignAnd
            | TokenKind::ForeignOr
            | TokenKind::Assign
    )
}
