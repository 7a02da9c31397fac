//! The signs of a rule's body.

use super::rules::is_name;
use std::collections::BTreeMap;
use std::ops::Range;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    /// Unquoted text: the name of a rule, or literal.
    Text(String),
    Quoted(String),
    Class(Class),
    /// `(`, `[` or `{`, by the sign that closes it.
    Open(char),
    /// `)`, `]` or `}`.
    Close(char),
    Bar,
    /// `*`, `+` or `?` behind what it repeats.
    Postfix(char),
}

#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) place: Range<usize>,
    /// True if no white space stands before it.
    pub(super) is_glued: bool,
}

#[derive(Debug)]
pub(super) enum Fault {
    UnclosedQuote(Range<usize>),
    UnclosedBracket(Range<usize>),
    EmptyClass(Range<usize>),
    /// Not a refusal: the range is read as its characters.
    BackwardRange(Range<usize>),
}

/// The signs of a body, and whether it holds a comment.
pub(super) struct Tokens {
    pub(super) tokens: Vec<Token>,
    pub(super) has_comment: bool,
    pub(super) faults: Vec<Fault>,
}

/// Splits a body that begins at byte `base` of the file.
pub(super) fn tokens(body: &str, base: usize, names: &BTreeMap<&str, usize>) -> Tokens {
    let mut lexer = Lexer {
        body: body.trim_end().strip_suffix(';').unwrap_or(body),
        base,
        at: 0,
        names,
        out: Tokens { tokens: Vec::new(), has_comment: false, faults: Vec::new() },
    };
    lexer.run();
    lexer.out
}

struct Lexer<'a> {
    body: &'a str,
    base: usize,
    at: usize,
    names: &'a BTreeMap<&'a str, usize>,
    out: Tokens,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        self.body.get(self.at..).unwrap_or_default()
    }

    fn run(&mut self) {
        let mut is_glued = false;
        while let Some(c) = self.rest().chars().next() {
            let from = self.at;
            if c.is_whitespace() {
                self.at += c.len_utf8();
                is_glued = false;
                continue;
            }
            if self.rest().starts_with("(*") {
                self.comment();
                is_glued = false;
                continue;
            }
            if let Some(kind) = self.sign(c, is_glued) {
                let place = self.base + from..self.base + self.at;
                self.out.tokens.push(Token { kind, place, is_glued });
            }
            is_glued = true;
        }
    }

    fn comment(&mut self) {
        self.out.has_comment = true;
        self.at += self.rest().find("*)").map_or(self.rest().len(), |end| end + 2);
    }

    fn sign(&mut self, c: char, is_glued: bool) -> Option<Kind> {
        match c {
            '|' => self.single(Kind::Bar),
            '(' => self.single(Kind::Open(')')),
            '{' => self.single(Kind::Open('}')),
            ')' | ']' | '}' => self.single(Kind::Close(c)),
            '[' if self.is_optional() => self.single(Kind::Open(']')),
            '[' => self.class(),
            '\'' | '"' => self.quoted(c, c),
            '\u{2018}' => self.quoted(c, '\u{2019}'),
            '\u{201c}' => self.quoted(c, '\u{201d}'),
            '*' | '+' | '?' if self.repeats(is_glued) => self.single(Kind::Postfix(c)),
            _ => Some(self.text()),
        }
    }

    /// Returns one character; all that get here but text are ASCII.
    fn single(&mut self, kind: Kind) -> Option<Kind> {
        self.at += 1;
        Some(kind)
    }

    fn quoted(&mut self, open: char, close: char) -> Option<Kind> {
        let inside = self.rest().get(open.len_utf8()..).unwrap_or_default();
        let end = inside.find([close, '\n', '\r']).unwrap_or(inside.len());
        let from = self.at;
        let text = inside.get(..end).unwrap_or_default();
        self.at += open.len_utf8() + end;
        if self.rest().starts_with(close) {
            self.at += close.len_utf8();
            return Some(Kind::Quoted(text.to_owned()));
        }
        self.out.faults.push(Fault::UnclosedQuote(self.base + from..self.base + self.at));
        None
    }

    fn class(&mut self) -> Option<Kind> {
        let from = self.at;
        let inside = self.rest().get(1..).unwrap_or_default();
        let end = class_end(inside);
        self.at += 1 + end.map_or(inside.len(), |end| end + 1);
        let place = self.base + from..self.base + self.at;
        let Some(text) = end.and_then(|end| inside.get(..end)) else {
            self.out.faults.push(Fault::UnclosedBracket(place));
            return None;
        };
        if text.is_empty() {
            self.out.faults.push(Fault::EmptyClass(place));
            return None;
        }
        let (class, is_backward) = Class::read(text);
        if is_backward {
            self.out.faults.push(Fault::BackwardRange(place));
        }
        Some(Kind::Class(class))
    }

    /// Reports whether brackets hold something optional rather than the characters of a class; what
    /// they hold decides: quoted text, or nothing but names of rules.
    fn is_optional(&self) -> bool {
        let inside = self.rest().get(1..).unwrap_or_default();
        let text = inside.get(..class_end(inside).unwrap_or(inside.len())).unwrap_or_default();
        if text.starts_with('^') {
            return false;
        }
        let is_rule = |word: &str| self.names.contains_key(word);
        let mut words = text.split([' ', '\t', '|', '\n', '\r']).filter(|word| !word.is_empty());
        words.clone().next().is_some() && words.all(is_rule)
            || is_quoting(inside)
            || holds_braces(text, is_rule)
            || is_misspelt_name(text)
    }

    /// Reports whether `*`, `+` or `?` repeats what stands before it, rather than being literal
    /// text.
    fn repeats(&self, is_glued: bool) -> bool {
        match self.out.tokens.last().map(|token| &token.kind) {
            None | Some(Kind::Bar | Kind::Open(_) | Kind::Postfix(_)) => false,
            Some(Kind::Text(text)) => is_glued && self.names.contains_key(text.as_str()),
            Some(Kind::Quoted(_) | Kind::Class(_) | Kind::Close(_)) => true,
        }
    }

    fn text(&mut self) -> Kind {
        let rest = self.rest();
        let first = rest.chars().next().map_or(1, char::len_utf8);
        let tail = rest.get(first..).unwrap_or_default();
        let is_end = |c: char| c.is_whitespace() || "'\"[](){}|*+?\u{2018}\u{201c}".contains(c);
        let end = first + tail.find(is_end).unwrap_or(tail.len());
        self.at += end;
        Kind::Text(rest.get(..end).unwrap_or_default().to_owned())
    }
}

/// Returns where the brackets of a class close: at the first `]` that no backslash escapes.
fn class_end(inside: &str) -> Option<usize> {
    let mut is_escaped = false;
    inside.char_indices().take_while(|(_, c)| !matches!(c, '\n' | '\r')).find_map(|(at, c)| {
        let is_end = c == ']' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end.then_some(at)
    })
}

/// Reports whether a word in quotes stands between these brackets, as in `['[@]' | '@!']`.
fn is_quoting(inside: &str) -> bool {
    let mut rest = inside;
    let mut was_blank = true;
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        match c {
            ']' | '\n' | '\r' => return false,
            '\'' | '"' if was_blank => {
                let Some((_, behind)) = after.split_once(c) else { return false };
                let next = behind.chars().next();
                return next.is_none_or(|c| c.is_whitespace() || "]|[({*+?".contains(c))
                    && behind.contains(']');
            }
            _ => {}
        }
        was_blank = c.is_whitespace() || "|({[".contains(c);
        rest = after;
    }
    false
}

/// Reports whether a text holds `{rule}`.
fn holds_braces(text: &str, is_rule: impl Fn(&str) -> bool) -> bool {
    text.split('{')
        .skip(1)
        .any(|part| part.split_once('}').is_some_and(|(name, _)| is_rule(name.trim())))
}

/// Reports whether a text is meant to name a rule: a class would not give a letter twice.
fn is_misspelt_name(text: &str) -> bool {
    let mut letters: Vec<char> = text.chars().collect();
    letters.sort_unstable();
    letters.dedup();
    is_name(text)
        && !text.ends_with('-')
        && letters.len() < text.chars().count()
        && !has_range(text)
}

fn has_range(text: &str) -> bool {
    let chars: Vec<char> = text.chars().collect();
    chars.windows(3).any(|three| {
        matches!(three, [low, '-', high] if low <= high && (high.is_ascii_digit()
            || low.is_lowercase() == high.is_lowercase()))
            && text.len() <= 16
    })
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Class {
    /// As written, with its brackets.
    pub(super) text: String,
    is_negated: bool,
    ranges: Vec<(char, char)>,
}

impl Class {
    pub(super) fn any() -> Self {
        Self { text: "any character".to_owned(), is_negated: true, ranges: Vec::new() }
    }

    /// Reads what stands between the brackets. A range that runs backwards is its three
    /// characters, and `true` is given back.
    pub(super) fn read(inside: &str) -> (Self, bool) {
        let is_negated = inside.len() > 1 && inside.starts_with('^');
        let members = members(inside.get(usize::from(is_negated)..).unwrap_or_default());
        let mut ranges = Vec::new();
        let mut is_backward = false;
        let mut rest = members.as_slice();
        while let Some((first, behind)) = rest.split_first() {
            rest = behind;
            match (first, behind) {
                (Member::Set(set), _) => ranges.extend_from_slice(set),
                (Member::One(low), [Member::Dash, Member::One(high), after @ ..]) => {
                    rest = after;
                    if low <= high {
                        ranges.push((*low, *high));
                    } else {
                        is_backward = true;
                        ranges.extend([(*low, *low), ('-', '-'), (*high, *high)]);
                    }
                }
                (Member::One(one), _) => ranges.push((*one, *one)),
                (Member::Dash, _) => ranges.push(('-', '-')),
            }
        }
        (Self { text: format!("[{inside}]"), is_negated, ranges }, is_backward)
    }

    pub(super) fn has(&self, c: char) -> bool {
        self.ranges.iter().any(|(low, high)| (*low..=*high).contains(&c)) != self.is_negated
    }
}

enum Member {
    One(char),
    Dash,
    Set(&'static [(char, char)]),
}

fn members(text: &str) -> Vec<Member> {
    let mut members = Vec::new();
    let mut chars = text.chars();
    while let Some(c) = chars.clone().next() {
        if let Some((numbered, behind)) = numbered(chars.as_str()) {
            members.push(Member::One(numbered));
            chars = behind.chars();
            continue;
        }
        chars.next();
        members.push(match c {
            '-' => Member::Dash,
            '\\' => match chars.next() {
                Some('t') => Member::One('\t'),
                Some('d') => Member::Set(&[('0', '9')]),
                Some('w') => Member::Set(&[('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_')]),
                Some('s') => Member::Set(&[(' ', ' '), ('\t', '\r')]),
                Some(escaped) => Member::One(escaped),
                None => Member::One('\\'),
            },
            c => Member::One(c),
        });
    }
    members
}

/// Returns a character by its number, and what stands behind it: `\u4e00`, `\u{4e00}`, `\x41`, or
/// `#x4E00` as the notation of XML has it.
fn numbered(text: &str) -> Option<(char, &str)> {
    if let Some(inside) = text.strip_prefix("\\u{") {
        let (digits, behind) = inside.split_once('}')?;
        return Some((hexadecimal(digits)?, behind));
    }
    if let Some(digits) = text.strip_prefix("#x") {
        let end = digits.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(digits.len());
        let (digits, behind) = digits.split_at_checked(end)?;
        return Some((hexadecimal(digits)?, behind));
    }
    let (digits, count) = match text.strip_prefix("\\u") {
        Some(digits) => (digits, 4),
        None => (text.strip_prefix("\\x")?, 2),
    };
    let (digits, behind) = digits.split_at_checked(count)?;
    Some((hexadecimal(digits)?, behind))
}

fn hexadecimal(digits: &str) -> Option<char> {
    // `from_str_radix` takes a sign, too.
    let is_number = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_hexdigit());
    let number = is_number.then(|| u32::from_str_radix(digits, 16).ok())??;
    char::from_u32(number)
}
