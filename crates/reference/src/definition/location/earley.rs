//! Earley's algorithm over bytes of a text: at each place, which productions are how far along.

use super::lower::{Grammar, Symbol};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The most alternatives that a mismatch shows.
const MAX_EXPECTED: usize = 6;

/// A production, how many of its symbols are found, and the byte at which it began.
type Item = (usize, usize, usize);

/// Reports whether a text follows the rules, in at most so many steps.
pub(super) fn matches(grammar: &Grammar, text: &str, max_steps: usize) -> Result<(), Mismatch> {
    let mut matcher = Matcher {
        grammar,
        text,
        steps: max_steps,
        sets: BTreeMap::new(),
        furthest: 0,
        expected: BTreeSet::new(),
    };
    matcher.predict(grammar.start, 0);
    match matcher.run() {
        None => Err(Mismatch::TooComplex { max_steps }),
        Some(true) => Ok(()),
        Some(false) => Err(matcher.mismatch()),
    }
}

/// The items of one place, in the order they were found.
#[derive(Default)]
struct Set {
    items: Vec<Item>,
    known: BTreeSet<Item>,
}

struct Matcher<'a> {
    grammar: &'a Grammar,
    text: &'a str,
    steps: usize,
    sets: BTreeMap<usize, Set>,
    /// The furthest byte at which something else was expected, and what.
    furthest: usize,
    expected: BTreeSet<String>,
}

impl<'a> Matcher<'a> {
    /// Reports whether the whole text is the start rule; `None` when the steps do not suffice.
    fn run(&mut self) -> Option<bool> {
        let mut next = Some(0);
        while let Some(at) = next {
            let mut index = 0;
            while let Some(item) = self.item(at, index) {
                self.step()?;
                self.advance(item, at)?;
                index += 1;
            }
            if at == self.text.len() && self.is_whole() {
                return Some(true);
            }
            next = self.sets.range(at + 1..).next().map(|(at, _)| *at);
        }
        Some(false)
    }

    fn step(&mut self) -> Option<()> {
        self.steps = self.steps.checked_sub(1)?;
        Some(())
    }

    fn item(&self, at: usize, index: usize) -> Option<Item> {
        self.sets.get(&at)?.items.get(index).copied()
    }

    fn add(&mut self, at: usize, item: Item) {
        self.steps = self.steps.saturating_sub(1);
        let set = self.sets.entry(at).or_default();
        if set.known.insert(item) {
            set.items.push(item);
        }
    }

    fn symbol(&self, (production, found, _): Item) -> Option<&'a Symbol> {
        self.grammar.productions.get(production)?.symbols.get(found)
    }

    fn predict(&mut self, rule: usize, at: usize) {
        for production in self.grammar.of_rule.get(rule).into_iter().flatten() {
            self.add(at, (*production, 0, at));
        }
    }

    fn advance(&mut self, item: Item, at: usize) -> Option<()> {
        let (production, found, origin) = item;
        let rest = self.text.get(at..).unwrap_or_default();
        match self.symbol(item) {
            None => return self.complete(production, origin, at),
            Some(Symbol::Rule(rule)) => {
                self.predict(*rule, at);
                if self.grammar.is_nullable.get(*rule).copied().unwrap_or_default() {
                    self.add(at, (production, found + 1, origin));
                }
            }
            Some(Symbol::Text(text)) if rest.starts_with(text.as_str()) => {
                self.add(at + text.len(), (production, found + 1, origin));
            }
            Some(Symbol::Text(text)) => {
                let common = common(text, rest);
                let missing = text.get(common..).unwrap_or_default();
                self.expect(at + common, production, || format!("`{missing}`"));
            }
            Some(Symbol::Class(class)) => match rest.chars().next().filter(|c| class.has(*c)) {
                Some(c) => self.add(at + c.len_utf8(), (production, found + 1, origin)),
                None => self.expect(at, production, || class.text.clone()),
            },
        }
        Some(())
    }

    /// A production is found from `origin` to `at`: all that waited for its rule continue.
    fn complete(&mut self, production: usize, origin: usize, at: usize) -> Option<()> {
        let rule = self.grammar.productions.get(production)?.rule;
        if rule == self.grammar.start && origin == 0 && at < self.text.len() {
            self.expect(at, production, String::new);
        }
        let mut index = 0;
        while let Some(waiting) = self.item(origin, index) {
            self.step()?;
            if matches!(self.symbol(waiting), Some(Symbol::Rule(wanted)) if *wanted == rule) {
                self.add(at, (waiting.0, waiting.1 + 1, waiting.2));
            }
            index += 1;
        }
        Some(())
    }

    fn is_whole(&self) -> bool {
        let Some(set) = self.sets.get(&self.text.len()) else { return false };
        set.items.iter().any(|item| {
            let production = self.grammar.productions.get(item.0);
            item.2 == 0
                && self.symbol(*item).is_none()
                && production.is_some_and(|production| production.rule == self.grammar.start)
        })
    }

    /// Notes what would have fitted; empty for the end.
    fn expect(&mut self, at: usize, production: usize, what: impl FnOnce() -> String) {
        if at < self.furthest {
            return;
        }
        if at > self.furthest {
            self.furthest = at;
            self.expected.clear();
        }
        let rule = self.grammar.productions.get(production).map_or(0, |found| found.rule);
        let name = self.grammar.names.get(rule).map_or("", String::as_str);
        let what = what();
        self.expected.insert(match what.as_str() {
            "" => "the end".to_owned(),
            what => format!("{what} (rule `{name}`)"),
        });
    }

    fn mismatch(self) -> Mismatch {
        let found = self.text.get(self.furthest..).and_then(|rest| rest.chars().next());
        let mut expected: Vec<String> = self.expected.into_iter().take(MAX_EXPECTED).collect();
        if expected.is_empty() {
            expected.push("nothing".to_owned());
        }
        Mismatch::Unexpected { offset: self.furthest, expected, found }
    }
}

/// Returns how many bytes two texts have in common at their beginning, in whole characters.
fn common(left: &str, right: &str) -> usize {
    let same = left.chars().zip(right.chars()).take_while(|(left, right)| left == right);
    same.map(|(c, _)| c.len_utf8()).sum()
}

/// The reason why a path does not follow the rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mismatch {
    /// Something else is expected at this place.
    Unexpected {
        /// The first byte that fits no rule; the length at the end.
        offset: usize,
        /// The expected symbols, each with its rule.
        expected: Vec<String>,
        /// The found character; `None` at the end.
        found: Option<char>,
    },
    /// Matching took more steps than the limit.
    TooComplex {
        /// The limit.
        max_steps: usize,
    },
}

impl Mismatch {
    /// Returns the same, counted from behind a prefix; `None` when the prefix itself does not fit.
    pub(super) fn behind(self, prefix: usize) -> Option<Self> {
        match self {
            Self::Unexpected { offset, expected, found } => {
                let offset = offset.checked_sub(prefix)?;
                Some(Self::Unexpected { offset, expected, found })
            }
            complex @ Self::TooComplex { .. } => Some(complex),
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unexpected { offset, expected, found } => {
                write!(f, "expected {} at byte {offset} of the path, ", expected.join(" or "))?;
                match found {
                    Some(found) => write!(f, "found `{}`", found.escape_debug()),
                    None => f.write_str("found its end"),
                }
            }
            Self::TooComplex { max_steps } => {
                write!(f, "comparing it with the rules takes more than {max_steps} steps")
            }
        }
    }
}
