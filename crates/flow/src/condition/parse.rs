//! The parser: recursive descent over the bytes, without a list of tokens.

use super::cursor::{Cursor, is_name, span};
use super::error::SyntaxError;
use super::function::{self, Function};
use super::literal;
use super::node::{Call, Comparison, Node, Operator};
use super::path::Path;
use contexture_diagnostic::{Span, suggestion};
use serde_json::Value;

/// The greatest nesting of lists, calls and negations.
pub const MAX_DEPTH: usize = 100;

/// The greatest length of a condition, in bytes.
pub const MAX_BYTES: usize = 1 << 20;

pub(crate) fn parse(text: &str) -> Result<Node, SyntaxError> {
    if text.len() > MAX_BYTES {
        let message = format!("{} bytes, more than the {MAX_BYTES} allowed", text.len());
        return Err(SyntaxError::new(span(MAX_BYTES, MAX_BYTES), message));
    }
    let mut parser = Parser { cursor: Cursor::new(text, 0), depth: 0 };
    parser.cursor.skip_blanks();
    if parser.cursor.peek().is_none() {
        return Err(SyntaxError::new(span(0, 0), "the condition is empty"));
    }
    let node = parser.any()?;
    parser.end()?;
    Ok(node)
}

struct Parser<'t> {
    cursor: Cursor<'t>,
    depth: usize,
}

impl Parser<'_> {
    fn any(&mut self) -> Result<Node, SyntaxError> {
        let first = self.all()?;
        if !self.eat_joint("||", "OR") {
            return Ok(first);
        }
        let mut parts = vec![first, self.all()?];
        while self.eat_joint("||", "OR") {
            parts.push(self.all()?);
        }
        Ok(Node::Any(parts.into_boxed_slice()))
    }

    fn all(&mut self) -> Result<Node, SyntaxError> {
        let first = self.not()?;
        if !self.eat_joint("&&", "AND") {
            return Ok(first);
        }
        let mut parts = vec![first, self.not()?];
        while self.eat_joint("&&", "AND") {
            parts.push(self.not()?);
        }
        Ok(Node::All(parts.into_boxed_slice()))
    }

    fn not(&mut self) -> Result<Node, SyntaxError> {
        self.cursor.skip_blanks();
        if self.cursor.eat("!") || self.eat_word("NOT") {
            return self.deeper(|parser| Ok(Node::Not(Box::new(parser.not()?))));
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Result<Node, SyntaxError> {
        let left = self.operand()?;
        let Some(operator) = self.operator()? else { return Ok(left) };
        let right = self.operand()?;
        self.cursor.skip_blanks();
        let before = self.cursor;
        if let Some(second) = self.operator()? {
            let place = span(before.at(), self.cursor.at());
            let message = format!("`{}` can't follow another comparison", second.as_str());
            let help = "join the two with AND, or put one of them in parentheses";
            return Err(SyntaxError::new(place, message).with_help(help));
        }
        Ok(Node::Compare(Box::new(Comparison { operator, left, right })))
    }

    fn operand(&mut self) -> Result<Node, SyntaxError> {
        self.cursor.skip_blanks();
        let start = self.cursor.at();
        match self.cursor.peek() {
            Some('(') => self.group(),
            Some('\'' | '"') => {
                Ok(Node::Literal(Value::String(literal::string(&mut self.cursor)?)))
            }
            Some(c) if c.is_ascii_digit() || c == '-' => {
                Ok(Node::Literal(Value::Number(literal::number(&mut self.cursor)?)))
            }
            Some(c) if is_name(c) => {
                let name = self.cursor.take_while(is_name);
                self.named(name, start)
            }
            Some('=') => Err(self.cursor.expected("a value").with_help("compare with `==`")),
            _ => Err(self.cursor.expected("a value")),
        }
    }

    fn group(&mut self) -> Result<Node, SyntaxError> {
        let open = self.cursor.at();
        self.cursor.bump();
        let inner = self.deeper(Self::any)?;
        self.close(open)?;
        Ok(inner)
    }

    /// Parses a word, a function or a path.
    fn named(&mut self, name: &str, start: usize) -> Result<Node, SyntaxError> {
        match name {
            "true" => return Ok(Node::Literal(Value::Bool(true))),
            "false" => return Ok(Node::Literal(Value::Bool(false))),
            "null" => return Ok(Node::Literal(Value::Null)),
            "AND" | "OR" | "NOT" => {
                let cursor = Cursor::new(self.text(), start);
                return Err(cursor.expected("a value"));
            }
            _ => {}
        }
        let path = Path::after(name, start, &mut self.cursor)?;
        let before = self.cursor;
        self.cursor.skip_blanks();
        if self.cursor.byte() == Some(b'(') {
            return self.call(&path, start);
        }
        self.cursor = before;
        Ok(Node::Path(path))
    }

    fn call(&mut self, path: &Path, start: usize) -> Result<Node, SyntaxError> {
        let name = path.to_string();
        let place = path.span();
        let Some(function) = Function::parse(&name) else {
            let fault = SyntaxError::new(place, format!("unknown function `{name}`"));
            let names = Function::NAMES.iter().copied();
            let known = format!("the functions are {}", Function::NAMES.join(", "));
            return Err(fault.with_help(suggestion(&name, names).unwrap_or(known)));
        };
        let (arguments, places) = self.deeper(Self::arguments)?;
        if arguments.len() != function.arguments() {
            let (wants, has) = (function.arguments(), arguments.len());
            let plural = if wants == 1 { "" } else { "s" };
            let message = format!("`{name}` takes {wants} argument{plural}, not {has}");
            return Err(SyntaxError::new(self.cursor.since(start), message));
        }
        let mut call = Call { function, arguments: arguments.into(), pattern: None };
        call.compile(places.get(1).copied().unwrap_or_else(|| self.cursor.since(start)))?;
        Ok(Node::Call(Box::new(call)))
    }

    /// Parses the arguments of a call, and returns their spans.
    fn arguments(&mut self) -> Result<(Vec<Node>, Vec<Span>), SyntaxError> {
        let open = self.cursor.at();
        self.cursor.bump();
        let (mut arguments, mut places) = (Vec::with_capacity(2), Vec::with_capacity(2));
        self.cursor.skip_blanks();
        if self.cursor.eat(")") {
            return Ok((arguments, places));
        }
        loop {
            self.cursor.skip_blanks();
            let start = self.cursor.at();
            arguments.push(self.any()?);
            places.push(self.cursor.since(start));
            self.cursor.skip_blanks();
            if !self.cursor.eat(",") {
                break;
            }
        }
        self.close(open)?;
        Ok((arguments, places))
    }

    fn close(&mut self, open: usize) -> Result<(), SyntaxError> {
        self.cursor.skip_blanks();
        if self.cursor.eat(")") {
            return Ok(());
        }
        let fault = self.unexpected("`)`");
        let help = format!("unclosed parenthesis at offset {open}");
        Err(match fault.help {
            Some(_) => fault,
            None => fault.with_help(help),
        })
    }

    fn end(&mut self) -> Result<(), SyntaxError> {
        self.cursor.skip_blanks();
        match self.cursor.peek() {
            None => Ok(()),
            Some(_) => Err(self.unexpected("AND, OR or the end")),
        }
    }

    fn unexpected(&self, wanted: &str) -> SyntaxError {
        let fault = self.cursor.expected(wanted);
        let rest = self.cursor.rest();
        let word: String = rest.chars().take_while(|c| is_name(*c)).take(4).collect();
        match word.to_ascii_lowercase().as_str() {
            "and" | "or" | "not" if word != word.to_ascii_uppercase() => {
                fault.with_help(format!("write `{}` in capitals", word.to_ascii_uppercase()))
            }
            _ if rest.starts_with('=') => fault.with_help("compare with `==`"),
            _ if rest.starts_with('&') => fault.with_help("join with `&&` or AND"),
            _ if rest.starts_with('|') => fault.with_help("join with `||` or OR"),
            _ => fault,
        }
    }

    fn operator(&mut self) -> Result<Option<Operator>, SyntaxError> {
        self.cursor.skip_blanks();
        if !matches!(self.cursor.byte(), Some(b'=' | b'!' | b'<' | b'>')) {
            return Ok(None);
        }
        let found = Operator::ALL.into_iter().find(|known| self.cursor.eat(known.as_str()));
        match found {
            Some(operator) => Ok(Some(operator)),
            None => Err(self.unexpected("a comparison")),
        }
    }

    /// Skips a connective in either form.
    fn eat_joint(&mut self, sign: &str, word: &str) -> bool {
        self.cursor.skip_blanks();
        self.cursor.eat(sign) || self.eat_word(word)
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let before = self.cursor;
        if self.cursor.eat(word) && !self.cursor.peek().is_some_and(is_name) {
            return true;
        }
        self.cursor = before;
        false
    }

    fn text(&self) -> &str {
        self.cursor.text()
    }

    fn deeper<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, SyntaxError>,
    ) -> Result<T, SyntaxError> {
        if self.depth >= MAX_DEPTH {
            let message = format!("nested deeper than {MAX_DEPTH} levels");
            return Err(SyntaxError::new(self.cursor.here(), message));
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }
}

impl Call {
    /// Compiles the pattern of `matches` where it is a literal.
    fn compile(&mut self, place: Span) -> Result<(), SyntaxError> {
        if self.function != Function::Matches {
            return Ok(());
        }
        let Some(Node::Literal(Value::String(text))) = self.arguments.get(1) else { return Ok(()) };
        let pattern = function::pattern(text).map_err(|error| {
            let last = error.to_string();
            let why =
                last.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            SyntaxError::new(place, format!("invalid regular expression: {why}"))
        })?;
        self.pattern = Some(pattern);
        Ok(())
    }
}
