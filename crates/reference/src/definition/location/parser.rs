//! From the signs of a rule to what it means.

use super::super::report::Limits;
use super::super::report::{Report, span};
use super::lexer::Class;
use super::lexer::{Fault, Kind, Token, tokens};
use super::rules::{Rule, is_name};
use crate::codes;
use contexture_diagnostic::suggestion;
use std::collections::BTreeMap;
use std::ops::Range;

/// Most times that `{n}` repeats.
const MAX_COUNT: u32 = 256;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Expr {
    Text(String),
    Class(Class),
    /// A rule by its index.
    Rule(usize),
    Sequence(Vec<Expr>),
    Choice(Vec<Expr>),
    /// At least so often and at most so often.
    Repeat(Box<Expr>, u32, Option<u32>),
    /// Any text: a rule of nothing but a comment.
    Anything,
}

/// Reads a rule; whatever is wrong is reported.
pub(super) fn parse(
    rule: &Rule<'_>,
    names: &BTreeMap<&str, usize>,
    limits: &Limits,
    report: &mut Report,
) -> Expr {
    if rule.body.len() > limits.rule_bytes {
        let message = format!("a rule has at most {} bytes", limits.rule_bytes);
        report.say(codes::LOCATION_TOO_LARGE, rule.name_place(), message);
        return Expr::Anything;
    }
    let read = tokens(rule.body, rule.body_at, names);
    let before = report.errors();
    for fault in read.faults {
        report_fault(fault, report);
    }
    if read.tokens.is_empty() {
        if !read.has_comment && report.errors() == before {
            let message = format!("the rule `{}` is empty", rule.name);
            let fault = codes::BAD_RULE.at(span(rule.name_place()), message);
            report.add(fault.with_help("a comment alone stands for any text: (* any text *)"));
        }
        return Expr::Anything;
    }
    let tokens = read.tokens;
    let mut parser = Parser {
        tokens: &tokens,
        at: 0,
        names,
        max_depth: limits.rule_depth,
        has_failed: false,
        report,
    };
    parser.body()
}

fn report_fault(fault: Fault, report: &mut Report) {
    match fault {
        Fault::UnclosedQuote(place) => {
            report.say(codes::BAD_RULE, place, "the quote is not closed on its line");
        }
        Fault::UnclosedBracket(place) => {
            report.say(codes::BAD_RULE, place, "the bracket is not closed");
        }
        Fault::EmptyClass(place) => {
            report.say(codes::BAD_RULE, place, "the brackets are empty");
        }
        Fault::BackwardRange(place) => report.add(
            codes::BACKWARD_RANGE
                .at(span(place), "a range runs backwards and is read as its characters")
                .with_help("write a `-` that means itself as `\\-` or last"),
        ),
    }
}

struct Parser<'a, 'r> {
    tokens: &'a [Token],
    at: usize,
    names: &'a BTreeMap<&'a str, usize>,
    max_depth: usize,
    /// True if a bracket was wrong: then the rest is not looked at.
    has_failed: bool,
    report: &'r mut Report,
}

impl<'a> Parser<'a, '_> {
    fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.at)
    }

    fn next(&mut self) -> Option<&'a Token> {
        let token = self.tokens.get(self.at)?;
        self.at += 1;
        Some(token)
    }

    fn body(&mut self) -> Expr {
        let expr = self.choice(0);
        if let Some(token) = self.peek() {
            self.report.say(codes::BAD_RULE, token.place.clone(), "this bracket closes nothing");
        }
        expr
    }

    /// Alternatives up to a closing bracket or the end.
    fn choice(&mut self, depth: usize) -> Expr {
        let mut choices = vec![self.sequence(depth)];
        while self.peek().is_some_and(|token| token.kind == Kind::Bar) {
            self.at += 1;
            choices.push(self.sequence(depth));
        }
        match choices.len() {
            1 => choices.pop().unwrap_or(Expr::Anything),
            _ => Expr::Choice(choices),
        }
    }

    fn sequence(&mut self, depth: usize) -> Expr {
        let mut items = Vec::new();
        while let Some(token) = self.peek() {
            if matches!(token.kind, Kind::Bar | Kind::Close(_)) {
                break;
            }
            let Some(item) = self.item(depth) else { break };
            items.push(self.repeated(item));
        }
        match items.len() {
            1 => items.pop().unwrap_or(Expr::Anything),
            _ => Expr::Sequence(items),
        }
    }

    fn item(&mut self, depth: usize) -> Option<Expr> {
        let index = self.at;
        let token = self.next()?;
        Some(match &token.kind {
            Kind::Quoted(text) => Expr::Text(text.clone()),
            Kind::Class(class) => Expr::Class(class.clone()),
            Kind::Text(text) => self.text(index, text, &token.place),
            Kind::Open(close) => return self.group(index, *close, depth),
            // The lexer gives a postfix only behind an item, where `repeated` takes it.
            Kind::Postfix(sign) => Expr::Text(sign.to_string()),
            Kind::Bar | Kind::Close(_) => return None,
        })
    }

    /// Returns the name of a rule, or literal text.
    fn text(&mut self, index: usize, text: &str, place: &Range<usize>) -> Expr {
        if let Some(rule) = self.names.get(text) {
            return Expr::Rule(*rule);
        }
        if is_name(text) && !self.is_in_literal(index) {
            self.undefined(text, place);
        }
        Expr::Text(text.to_owned())
    }

    /// Reports whether unquoted text or a brace touches this sign.
    fn is_in_literal(&self, index: usize) -> bool {
        let touches =
            |kind: &Kind| matches!(kind, Kind::Text(_) | Kind::Open('}') | Kind::Close('}'));
        let before = index.checked_sub(1).and_then(|index| self.tokens.get(index));
        let is_glued = self.tokens.get(index).is_some_and(|token| token.is_glued);
        let after = self.tokens.get(index + 1).filter(|token| token.is_glued);
        is_glued
            && before.is_some_and(|token| touches(&token.kind) && token.kind != Kind::Open('}'))
            || after.is_some_and(|token| touches(&token.kind) && token.kind != Kind::Close('}'))
    }

    fn undefined(&mut self, name: &str, place: &Range<usize>) {
        let message = format!("no rule is called `{name}`");
        let near = suggestion(name, self.names.keys().copied());
        let quote = format!("write `{name} ::= …`, or quote literal text: '{name}'");
        let help = near.map_or(quote.clone(), |near| format!("{near} Otherwise {quote}"));
        self.report.add(codes::UNDEFINED_RULE.at(span(place.clone()), message).with_help(help));
    }

    fn group(&mut self, open: usize, close: char, depth: usize) -> Option<Expr> {
        let place = self.tokens.get(open)?.place.clone();
        if depth >= self.max_depth {
            let message = format!("brackets are nested deeper than {}", self.max_depth);
            return self.fail(place, message);
        }
        let first = self.at;
        if let Some(once) = self.once(open, close) {
            return Some(once);
        }
        let inner = self.choice(depth + 1);
        let is_empty = self.at == first;
        match self.peek() {
            Some(token) if token.kind == Kind::Close(close) => self.at += 1,
            found => {
                let message = match found {
                    Some(_) => format!("another bracket stands where `{close}` must"),
                    None => format!("the bracket is not closed: `{close}` is missing"),
                };
                return self.fail(place, message);
            }
        }
        if is_empty {
            self.report.say(codes::BAD_RULE, place, "the brackets are empty");
        }
        Some(match close {
            ']' => Expr::Repeat(Box::new(inner), 0, Some(1)),
            '}' => Expr::Repeat(Box::new(inner), 0, None),
            _ => inner,
        })
    }

    /// Reports the first wrong bracket and skips the rest of the rule.
    fn fail(&mut self, place: Range<usize>, message: String) -> Option<Expr> {
        if !self.has_failed {
            self.report.say(codes::BAD_RULE, place, message);
        }
        self.has_failed = true;
        self.at = self.tokens.len();
        None
    }

    /// `{name}` glued to literal text: that rule once.
    fn once(&mut self, open: usize, close: char) -> Option<Expr> {
        let (name, end) = (self.tokens.get(self.at)?, self.tokens.get(self.at + 1)?);
        let Kind::Text(text) = &name.kind else { return None };
        let is_name = is_name(text) && end.kind == Kind::Close('}');
        if close != '}' || !is_name || !self.touches_literal(open) {
            return None;
        }
        self.at += 2;
        match self.names.get(text.as_str()) {
            Some(rule) => Some(Expr::Rule(*rule)),
            None => {
                self.undefined(text, &name.place);
                Some(Expr::Text(text.clone()))
            }
        }
    }

    /// Reports whether the run of signs without white space that a brace stands in holds literal
    /// text.
    fn touches_literal(&self, open: usize) -> bool {
        let is_literal = |token: &Token| match &token.kind {
            Kind::Quoted(_) => true,
            Kind::Text(text) => !self.names.contains_key(text.as_str()),
            _ => false,
        };
        let mut at = open;
        while self.tokens.get(at).is_some_and(|token| token.is_glued) {
            let Some(before) = at.checked_sub(1).and_then(|before| self.tokens.get(before)) else {
                break;
            };
            match before.kind {
                _ if is_literal(before) => return true,
                // `{a}{b}`: step over the brace before this one.
                Kind::Close('}') if self.is_plain_brace(at) => at = at.saturating_sub(3),
                _ => break,
            }
        }
        let mut at = open + 3;
        while let Some(after) = self.tokens.get(at).filter(|token| token.is_glued) {
            match after.kind {
                _ if is_literal(after) => return true,
                Kind::Open('}') if self.is_plain_brace(at + 3) => at += 3,
                _ => break,
            }
        }
        false
    }

    /// Reports whether the three signs before `end` are `{name}`.
    fn is_plain_brace(&self, end: usize) -> bool {
        let three = end.checked_sub(3).and_then(|start| self.tokens.get(start..end));
        matches!(three, Some([open, name, close]) if open.kind == Kind::Open('}')
            && matches!(name.kind, Kind::Text(_)) && close.kind == Kind::Close('}'))
    }

    /// Returns what repeats the item before: `*`, `+`, `?`, `{2}`, `{2,}`, `{2,3}`.
    fn repeated(&mut self, item: Expr) -> Expr {
        if let Some(Kind::Postfix(sign)) = self.peek().map(|token| &token.kind) {
            self.at += 1;
            let (min, max) = match sign {
                '*' => (0, None),
                '+' => (1, None),
                _ => (0, Some(1)),
            };
            return Expr::Repeat(Box::new(item), min, max);
        }
        match self.count() {
            Some((min, max)) => Expr::Repeat(Box::new(item), min, max),
            None => item,
        }
    }

    fn count(&mut self) -> Option<(u32, Option<u32>)> {
        let [open, text, close] = self.tokens.get(self.at..self.at + 3)? else { return None };
        let Kind::Text(numbers) = &text.kind else { return None };
        let is_count = open.is_glued
            && open.kind == Kind::Open('}')
            && close.kind == Kind::Close('}')
            && numbers.starts_with(|c: char| c.is_ascii_digit())
            && numbers.chars().all(|c| c.is_ascii_digit() || c == ',');
        if !is_count {
            return None;
        }
        self.at += 3;
        let (low, high) = numbers.split_once(',').unwrap_or((numbers, numbers));
        let low = low.parse().ok().filter(|low| *low <= MAX_COUNT);
        let high = if high.is_empty() { Some(None) } else { high.parse().ok().map(Some) };
        match (low, high) {
            (Some(low), Some(high))
                if high.is_none_or(|high| (low..=MAX_COUNT).contains(&high)) =>
            {
                Some((low, high))
            }
            _ => {
                let message = format!("a count is `n`, `n,` or `n,m`, up to {MAX_COUNT}");
                self.report.say(codes::BAD_RULE, text.place.clone(), message);
                Some((1, Some(1)))
            }
        }
    }
}
