//! `use … max … keep … priority … for … selected … as …` and `use one of { … }` (AS-12, AS-16 to AS-18, CA-16).
//!
//! Decision: a `for` in the line of a `use` begins its question, and on a line of its own a loop. `for
//! NAME in` is a loop anywhere, since no question can begin like that.

use super::super::ast::{BudgetNode, Candidate, Expr, SelectedNode, Text, Use, UseSource};
use super::super::lexer::is_word_char;
use super::super::literal::{Number, NumberFault, read_number};
use super::super::token::{Token, TokenKind};
use super::Parser;
use super::old::OldLimit;
use crate::codes;
use contexture_context::{Keep, Measure};
use contexture_diagnostic::{Span, nearest, suggestion};

/// The clauses between the source of a `use` and its label.
#[derive(Debug, Default)]
struct Clauses {
    max: Option<BudgetNode>,
    keep: Option<(Keep, Span)>,
    keep_or: Vec<Keep>,
    priority: Option<(i64, Span)>,
    selected: Option<Span>,
    /// What is selected of bounds, where it is not a candidate that is marked.
    chosen: Option<SelectedNode>,
    max_at: Option<Span>,
    question: Option<Expr>,
    question_at: Option<Span>,
    /// The height of the question.
    height: usize,
}

impl Parser<'_> {
    pub(super) fn use_statement(&mut self) -> Use {
        let start = self.bump().span.start;
        let one_of = self.at_word("one")
            && self.peek_word(1) == Some("of")
            && self.peek(2).kind == TokenKind::OpenBrace;
        let mut below = 0;
        let best = if one_of { None } else { self.best() };
        let (source, mut clauses) = if one_of {
            self.bump();
            self.bump();
            let candidates = self.candidates();
            below = self.height;
            let clauses = self.clauses(false);
            below = below.max(clauses.height);
            (UseSource::OneOf(candidates), clauses)
        } else {
            let (expr, clauses) = self.used_expression(false);
            below = below.max(self.height);
            (UseSource::Expr(expr), clauses)
        };
        if one_of {
            self.refuse_common_budget(&mut clauses);
        }
        self.height = below + 1;
        Use { best, ..self.used(start, source, clauses) }
    }

    /// Parses the label behind the clauses of a `use`.
    fn used(&mut self, start: u32, source: UseSource, clauses: Clauses) -> Use {
        let clauses_end = Span::at(self.previous_end);
        let label = self.label();
        let Clauses { max, keep, keep_or, priority, question, chosen, .. } = clauses;
        Use {
            source,
            best: None,
            max,
            keep,
            keep_or,
            priority,
            question: question.map(Box::new),
            selected: chosen,
            clauses_end,
            label,
            span: self.span_from(start),
        }
    }

    /// Parses the clauses behind an expression that has no `use` before it.
    pub(super) fn use_without_keyword(&mut self, expr: Expr) -> Use {
        let start = expr.span.start;
        let fault = codes::UNEXPECTED_TOKEN
            .at(
                self.current.span,
                format!("expected a statement, found {}", self.describe_current()),
            )
            .with_help("write `use` before the value, to show it to a model");
        self.push_here(fault.with_edit(Span::at(start), "use "));
        let below = self.height;
        let clauses = self.clauses(false);
        self.height = below.max(clauses.height) + 1;
        self.used(start, UseSource::Expr(expr), clauses)
    }

    /// Parses an expression with its clauses; a limit of the old syntax becomes the budget.
    fn used_expression(&mut self, candidate: bool) -> (Expr, Clauses) {
        let missing = self.at_word("max") && self.peek_kind() == TokenKind::Number;
        let expr = if missing {
            self.push_here(self.unexpected("a value to show"));
            self.leaf(super::super::ast::ExprKind::Error, Span::at(self.previous_end))
        } else {
            self.expression()
        };
        let height = self.height;
        let mut clauses = self.clauses(candidate);
        let (expr, old) = self.old_limit(expr, OldLimit::Use, clauses.max_at.is_some());
        if let Some(limit) = old {
            clauses.max = clauses.max.or_else(|| self.old_budget(&limit));
        }
        self.height = height.max(clauses.height);
        (expr, clauses)
    }

    fn old_budget(&mut self, limit: &Expr) -> Option<BudgetNode> {
        let text = self.slice(limit.span);
        let (limit_value, amount) = whole_units(text).ok()?;
        let measure = Measure::Tokens;
        Some(BudgetNode { limit: limit_value, low: None, amount, measure, span: limit.span })
    }

    fn refuse_common_budget(&mut self, clauses: &mut Clauses) {
        if let Some(span) = clauses.max_at.or(clauses.keep.map(|(_, span)| span)) {
            let message = "`use one of` takes no budget of its own";
            self.report(codes::MISPLACED_BUDGET, span, message, "give each candidate its `max`");
        }
        clauses.max = None;
        clauses.keep = None;
        clauses.keep_or.clear();
    }

    // --- clauses ------------------------------------------------------------------------------

    fn clauses(&mut self, candidate: bool) -> Clauses {
        let mut clauses = Clauses::default();
        loop {
            let Some(word) = self.clause(candidate) else { return clauses };
            let keyword = self.bump();
            match word {
                "max" => {
                    self.report_repeated(clauses.max_at, keyword);
                    let budget = self.budget(keyword);
                    clauses.max_at = Some(self.span_from(keyword.span.start));
                    clauses.max = clauses.max.or(budget);
                }
                "keep" => {
                    self.report_repeated(clauses.keep.map(|(_, span)| span), keyword);
                    clauses.keep = clauses.keep.or(self.keep(keyword));
                    clauses.keep_or.append(&mut self.other_keeps());
                }
                "priority" => {
                    self.report_repeated(clauses.priority.map(|(_, span)| span), keyword);
                    clauses.priority = clauses.priority.or(self.priority(keyword));
                }
                "for" => {
                    self.report_repeated(clauses.question_at, keyword);
                    let question = self.question(keyword);
                    clauses.question_at = Some(self.span_from(keyword.span.start));
                    clauses.height = clauses.height.max(self.height);
                    clauses.question = clauses.question.or(question);
                }
                _ => {
                    self.report_repeated(clauses.selected, keyword);
                    clauses.selected = Some(keyword.span);
                    if !candidate {
                        clauses.chosen = Some(self.selected(keyword));
                    }
                }
            }
        }
    }

    /// Returns the clause that begins here, also with a misspelt word.
    fn clause(&mut self, candidate: bool) -> Option<&'static str> {
        const ALL: [&str; 5] = ["max", "keep", "priority", "for", "selected"];
        let word = self.word()?;
        match ALL.into_iter().find(|known| *known == word) {
            Some(known) => self.is_clause(known, candidate).then_some(known),
            None if candidate => self.misspelt_clause(&["max", "keep"]),
            None => self.misspelt_clause(&["max", "keep", "priority"]),
        }
    }

    /// Reports whether a word is a clause here and not the start of a statement or candidate.
    fn is_clause(&mut self, word: &str, candidate: bool) -> bool {
        let known = match word {
            "max" | "keep" => true,
            "priority" => !candidate,
            "for" => return !candidate && self.same_line() && !self.begins_loop(),
            "selected" => candidate || (self.same_line() && !self.is_value()),
            _ => false,
        };
        if !known {
            return false;
        }
        let next = self.peek(1);
        if next.kind.is_assignment() || next.kind == TokenKind::Colon {
            return false;
        }
        if self.same_line() || candidate {
            return true;
        }
        let fits = match word {
            "keep" => next.kind == TokenKind::Word,
            _ => matches!(next.kind, TokenKind::Number | TokenKind::Minus),
        };
        fits && !next.starts_line
    }

    fn begins_loop(&mut self) -> bool {
        self.peek(1).kind == TokenKind::Word && self.peek_word(2) == Some("in")
    }

    /// Parses the question behind `for`.
    fn question(&mut self, keyword: Token) -> Option<Expr> {
        let clause = matches!(self.word(), Some("as" | "max" | "keep" | "priority" | "for"));
        if self.current.starts_line || clause || !self.starts_operand() {
            let fault = codes::BAD_QUESTION.at(keyword.span, "missing question after `for`");
            let help = "write what to select by, as in `for input.question`";
            self.push(fault.with_help(help));
            return None;
        }
        Some(self.expression())
    }

    fn report_repeated(&mut self, before: Option<Span>, keyword: Token) {
        if before.is_some() {
            let word = self.slice(keyword.span);
            let message = format!("duplicate `{word}`");
            self.report(codes::REPEATED_CLAUSE, keyword.span, message, "keep one of them");
        }
    }

    /// Parses `4k`, `800`, `8k chars`.
    fn budget(&mut self, keyword: Token) -> Option<BudgetNode> {
        if !self.at(TokenKind::Number) {
            self.bad_budget(keyword);
            return None;
        }
        let token = self.bump();
        let first = self.units_of(token);
        if !self.range_follows() {
            let (measure, span) = self.unit(token);
            let (limit, amount) = first?;
            return Some(BudgetNode { limit, low: None, amount, measure, span });
        }
        if !self.at(TokenKind::Number) {
            self.bad_budget(keyword);
            return None;
        }
        let last = self.bump();
        let read = self.units_of(last);
        let (measure, end) = self.unit(last);
        let (limit, amount) = read?;
        let span = token.span.to(end);
        Some(BudgetNode { limit, low: Some(first?.0), amount, measure, span })
    }

    /// Returns the number of units of a token, and the number before the `k`.
    fn units_of(&mut self, token: Token) -> Option<(u64, f64)> {
        let read = whole_units(self.slice(token.span));
        read.map_err(|fault| self.report_budget(token, fault)).ok()
    }

    fn bad_budget(&mut self, keyword: Token) {
        let literal = "a budget is a positive whole number, such as `800` or `4k`";
        let clause = matches!(self.word(), Some("as" | "keep" | "priority" | "for"));
        let nothing = self.current.starts_line || clause || !self.starts_operand();
        if nothing {
            let fault = codes::BAD_BUDGET.at(keyword.span, "missing budget");
            self.push(fault.with_help(literal));
            return;
        }
        let start = self.current.span;
        let negative = self.at(TokenKind::Minus);
        self.expression();
        let span = start.to(self.span_from(start.start));
        let message = if negative {
            "a budget must be positive"
        } else {
            "a budget must be a number literal"
        };
        self.report(codes::BAD_BUDGET, span, message, literal);
    }

    fn starts_operand(&self) -> bool {
        self.starts_expression() || self.at(TokenKind::Minus)
    }

    pub(super) fn report_budget(&mut self, token: Token, fault: BudgetFault) {
        let text = super::clip(self.slice(token.span));
        match fault {
            BudgetFault::Number(NumberFault::Suffix) => {
                let message = format!("`{text}` has an unknown unit");
                let thousands = text.strip_suffix('K').map(|digits| format!("{digits}k"));
                let fault = codes::UNKNOWN_UNIT.at(token.span, message);
                self.push(match thousands {
                    Some(right) => {
                        fault.with_help(format!("write `{right}`")).with_safe_edit(token.span, right)
                    }
                    None => fault.with_help("write a number of tokens, as in `800` or `4k`, or of characters, as in `8k chars`"),
                });
            }
            BudgetFault::Number(_) | BudgetFault::NotPositive => {
                let message = format!("invalid budget `{text}`");
                let help = "a budget is a positive whole number, such as `800` or `4k`";
                self.report(codes::BAD_BUDGET, token.span, message, help);
            }
        }
    }

    fn unit(&mut self, number: Token) -> (Measure, Span) {
        let word = if self.same_line() { self.word().unwrap_or_default() } else { "" };
        let next = self.peek(1);
        let statement = next.kind.is_assignment()
            || next.kind == TokenKind::Colon
            || matches!(next.kind, TokenKind::Dot)
            || (next.kind == TokenKind::OpenParen && !next.starts_line);
        let measure = match word {
            _ if statement => return (Measure::Tokens, number.span),
            "chars" => Measure::Chars,
            "tokens" => Measure::Tokens,
            _ if WRONG_UNITS.split(' ').any(|unit| unit == word.to_lowercase()) => {
                let message = format!("unknown unit `{word}`");
                let meant = nearest(word, ["chars", "tokens"]);
                let help = match meant {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => "a budget counts tokens, or `chars`, as in `8k chars`".to_owned(),
                };
                self.report(codes::UNKNOWN_UNIT, self.current.span, message, help);
                Measure::Tokens
            }
            _ => return (Measure::Tokens, number.span),
        };
        let unit = self.bump();
        (measure, number.span.to(unit.span))
    }

    pub(super) fn keep(&mut self, keyword: Token) -> Option<(Keep, Span)> {
        let word = if self.same_line() { self.word() } else { None };
        let keep = match word {
            Some("head") => Keep::Head,
            Some("tail") => Keep::Tail,
            Some("middle") => Keep::Middle,
            _ => {
                let found = word.unwrap_or_default();
                let help = suggestion(found, ["head", "tail", "middle"]).unwrap_or_else(|| {
                    "write `keep head`, `keep tail` or `keep middle`".to_owned()
                });
                let message = "expected `head`, `tail` or `middle` after `keep`";
                let fault = codes::UNKNOWN_KEEP.at(self.current.span, message);
                self.push_here(fault.with_help(help));
                if word.is_some_and(|word| word != "as") {
                    self.bump();
                }
                return None;
            }
        };
        let word = self.bump();
        Some((keep, keyword.span.to(word.span)))
    }

    fn priority(&mut self, keyword: Token) -> Option<(i64, Span)> {
        let minus = self.eat(TokenKind::Minus).is_some();
        let value = match self.kind() {
            TokenKind::Number => read_number(self.slice(self.current.span)).ok(),
            _ => None,
        };
        let value = match value {
            Some(Number::Int(value)) => Some(if minus { -value } else { value }),
            Some(Number::MinInt) if minus => Some(i64::MIN),
            _ => None,
        };
        let Some(value) = value else {
            let fault =
                codes::BAD_PRIORITY.at(self.current.span, "a priority must be a whole number");
            self.push_here(fault.with_help("write `priority 5`; the lowest is cut first"));
            let wrong = self.same_line() && self.starts_expression() && !self.at_word("as");
            if wrong {
                self.bump();
            }
            return None;
        };
        let number = self.bump();
        Some((value, keyword.span.to(number.span)))
    }

    // --- candidates ---------------------------------------------------------------------------

    fn candidates(&mut self) -> Vec<Candidate> {
        let opening = self.open();
        let mut candidates = Vec::new();
        let mut highest = 0;
        while !self.at_end() && !self.kind().is_closer() {
            if self.group_is_left_open() {
                break;
            }
            let before = self.current.span.start;
            candidates.extend(self.candidate());
            highest = highest.max(self.height);
            let separated = self.eat(TokenKind::Comma).is_some() || self.at(TokenKind::Word);
            if separated && self.current.span.start > before {
                continue;
            }
            if self.at_end() || self.kind().is_closer() {
                break;
            }
            self.push_here(self.unexpected("a candidate `name: value`"));
            self.skip_part(before);
        }
        self.close(opening);
        self.height = highest + 1;
        candidates
    }

    fn candidate(&mut self) -> Option<Candidate> {
        let start = self.current.span.start;
        self.height = 1;
        let word = self.word()?;
        let name = super::Name { text: word.to_owned(), span: self.bump().span };
        if self.eat(TokenKind::Colon).is_none() {
            self.push_here(
                self.unexpected("`:`").with_help("write a candidate as `name: value max 2k`"),
            );
            if !self.same_line() {
                return None;
            }
        }
        let empty = self.at_word("empty") && self.is_bare_word();
        let (source, clauses) = if empty {
            self.bump();
            let clauses = self.clauses(true);
            if let Some(span) = clauses.max_at {
                let message = "`empty` shows nothing and takes no budget";
                self.report(codes::MISPLACED_BUDGET, span, message, "remove the budget");
            }
            (None, clauses)
        } else {
            let (expr, clauses) = self.used_expression(true);
            (Some(expr), clauses)
        };
        let Clauses { max, keep, keep_or, selected, .. } = clauses;
        let span = self.span_from(start);
        self.refuse_range(max.as_ref(), &keep_or, span);
        Some(Candidate { name, source, max, keep, selected, span })
    }

    /// Reports whether the current word is alone and begins no longer expression.
    fn is_bare_word(&mut self) -> bool {
        let next = self.peek(1);
        match next.kind {
            TokenKind::Word | TokenKind::Comma | TokenKind::CloseBrace | TokenKind::End => true,
            _ => next.starts_line && next.kind != TokenKind::Dot,
        }
    }

    // --- labels -------------------------------------------------------------------------------

    fn label(&mut self) -> Option<Text> {
        if !self.at_word("as") {
            return None;
        }
        let next = self.peek(1);
        let statement = self.current.starts_line && (next.starts_line || next.kind.is_assignment());
        if statement {
            return None;
        }
        let keyword = self.current.span;
        let start = keyword.start;
        self.bump_to_label();
        if self.at(TokenKind::Label) {
            return self.bare_label(start);
        }
        if self.same_line() && matches!(self.kind(), TokenKind::Str | TokenKind::Block) {
            let label = self.string();
            self.refuse_clauses_behind_label();
            return label;
        }
        let place = if self.same_line() { self.current.span } else { keyword };
        let fault = codes::BAD_LABEL.at(place, "missing label");
        self.push(fault.with_help("write `as evidence`, or quote it: `as \"the evidence\"`"));
        if self.same_line() && !self.kind().is_closer() {
            self.skip_line();
        }
        None
    }

    fn bare_label(&mut self, start: u32) -> Option<Text> {
        let token = self.bump();
        let words: Vec<&str> = self.slice(token.span).split_whitespace().collect();
        let clause = words.iter().position(|word| matches!(*word, "max" | "keep" | "priority"));
        // Words behind `for` may belong to a label, but what is not a word is a question.
        let is_question = |at: &usize| words.iter().skip(at + 1).any(|word| !is_label_word(word));
        let question = words.iter().position(|word| *word == "for").filter(is_question);
        let clause = clause.into_iter().chain(question).min();
        let ended = self.current.starts_line || self.at_end() || self.kind().is_closer();
        if let Some(at) = clause {
            let (label, clauses) = words.split_at_checked(at).unwrap_or_default();
            self.report_order(start, token, &label.join(" "), &clauses.join(" "), ended);
            if !ended {
                self.skip_line();
            }
            return (!label.is_empty()).then(|| Text { value: label.join(" "), span: token.span });
        }
        if let Some(word) = words.iter().find(|word| !is_label_word(word)) {
            let label = words.join(" ");
            let message = format!(
                "`{}` is not a word, and a bare label consists of words",
                super::clip(word)
            );
            let quoted = format!("\"{label}\"");
            let fault =
                codes::BAD_LABEL.at(token.span, message).with_help("put the label in quotes");
            self.push(fault.with_safe_edit(token.span, quoted));
        }
        if self.at(TokenKind::Less) {
            self.old_budget_behind_label();
        } else if !ended {
            let found = self.describe_current();
            let message = format!("expected the end of the line after a bare label, found {found}");
            let fault = codes::BAD_LABEL.at(self.current.span, message);
            let help = "put the label in quotes, or begin the next statement on a new line";
            self.push_here(fault.with_help(help));
            self.skip_line();
        }
        Some(Text { value: words.join(" "), span: token.span })
    }

    fn report_order(&mut self, start: u32, token: Token, label: &str, clauses: &str, ended: bool) {
        let word = clauses.split(' ').next().unwrap_or_default();
        let fault = codes::USE_ORDER.at(token.span, order(word));
        let whole = Span::new(start, token.span.end);
        let complete = ended && clauses.contains(' ') && !label.is_empty();
        self.push(if complete {
            let right = format!("{clauses} as {label}");
            let quoted = format!("write `{right}`; put a label that contains this word in quotes");
            fault.with_help(quoted).with_edit(whole, right)
        } else {
            fault.with_help("move it before `as`; put a label that contains this word in quotes")
        });
    }

    /// Reports `use x as evidence < 4k`: an old limit in a place where none was ever allowed.
    fn old_budget_behind_label(&mut self) {
        let message = "a budget must come before `as`: use … max … keep … priority … for … as …";
        let fault = codes::USE_ORDER.at(self.current.span, message);
        self.push_here(fault.with_help("write `max n` before `as`"));
        self.skip_line();
    }

    fn refuse_clauses_behind_label(&mut self) {
        let word = if self.same_line() { self.word().unwrap_or_default() } else { "" };
        if !matches!(word, "max" | "keep" | "priority" | "for") || !self.is_clause(word, false) {
            return;
        }
        let (start, message) = (self.current.span, order(word));
        self.clauses(false);
        let span = start.to(self.span_from(start.start));
        self.report(codes::USE_ORDER, span, message, "move it before `as`");
    }
}

fn order(word: &str) -> String {
    format!("`{word}` must come before `as`: use … max … keep … priority … for … as …")
}

/// Reports whether a part of a bare label is a word: letters, digits and marks, with `-` or an
/// apostrophe between them.
fn is_label_word(word: &str) -> bool {
    word.split(['-', '\'', '’']).all(|part| !part.is_empty() && part.chars().all(is_word_char))
}

const WRONG_UNITS: &str = "b byte bytes char character characters chr chrs k kb line lines m mb \
                           tok token toks word words 字 字符";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BudgetFault {
    Number(NumberFault),
    NotPositive,
}

/// Returns the number of units of a literal, and the number before the `k`.
pub(super) fn whole_units(text: &str) -> Result<(u64, f64), BudgetFault> {
    let amount = text.strip_suffix('k').unwrap_or(text).parse::<f64>().unwrap_or_default();
    let limit = match read_number(text).map_err(BudgetFault::Number)? {
        Number::Int(value) => u64::try_from(value).unwrap_or_default(),
        Number::MinInt => 1 << 63,
        Number::Float(value) => whole_float(value),
    };
    if limit == 0 { Err(BudgetFault::NotPositive) } else { Ok((limit, amount)) }
}

/// Converts a float that is a whole number, as `1e3` is; otherwise returns 0, which is not a
/// budget.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the value is whole and in range"
)]
fn whole_float(value: f64) -> u64 {
    let whole = value.fract() == 0.0 && (1.0..9.0e15).contains(&value);
    if whole { value as u64 } else { 0 }
}
