//! From rules to the productions that the matcher works on.

use super::lexer::Class;
use super::parser::Expr;
use super::rules::Rule;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Symbol {
    Text(String),
    Class(Class),
    /// A rule or a helper of one.
    Rule(usize),
}

#[derive(Debug, Clone)]
pub(super) struct Production {
    pub(super) rule: usize,
    pub(super) symbols: Vec<Symbol>,
}

/// All rules as productions.
#[derive(Debug, Clone)]
pub(super) struct Grammar {
    pub(super) productions: Vec<Production>,
    pub(super) of_rule: Vec<Vec<usize>>,
    /// True if a rule can be empty.
    pub(super) is_nullable: Vec<bool>,
    /// The written rule that each rule belongs to, by name.
    pub(super) names: Vec<String>,
    pub(super) start: usize,
    written: usize,
    /// True if the rules make more symbols than are taken.
    pub(super) is_too_large: bool,
}

/// Most symbols that all rules together make.
pub(super) const MAX_SYMBOLS: usize = 100_000;

impl Grammar {
    /// Returns the written rules that no text can follow.
    pub(super) fn endless_rules(&self) -> Vec<usize> {
        let ends = self.fixpoint(|symbol, known| match symbol {
            Symbol::Rule(rule) => known.get(*rule).copied().unwrap_or_default(),
            Symbol::Text(_) | Symbol::Class(_) => true,
        });
        ends.iter()
            .take(self.written)
            .enumerate()
            .filter(|(_, ends)| !**ends)
            .map(|(i, _)| i)
            .collect()
    }

    /// Returns the rules with a production all of whose symbols hold, where rules hold by the same
    /// test.
    fn fixpoint(&self, holds: impl Fn(&Symbol, &[bool]) -> bool) -> Vec<bool> {
        let mut known = vec![false; self.of_rule.len()];
        loop {
            let mut changed = false;
            for production in &self.productions {
                let is_new = !known.get(production.rule).copied().unwrap_or(true);
                if is_new
                    && production.symbols.iter().all(|symbol| holds(symbol, &known))
                    && let Some(slot) = known.get_mut(production.rule)
                {
                    *slot = true;
                    changed = true;
                }
            }
            if !changed {
                return known;
            }
        }
    }
}

/// Returns the productions of rules; `start` is the rule to begin with.
pub(super) fn lower(rules: &[Rule<'_>], bodies: &[Expr], start: usize) -> Grammar {
    let grammar = Grammar {
        productions: Vec::new(),
        of_rule: vec![Vec::new(); rules.len()],
        is_nullable: Vec::new(),
        names: rules.iter().map(|rule| rule.name.to_owned()).collect(),
        start,
        written: rules.len(),
        is_too_large: false,
    };
    let mut lowering = Lowering { grammar, name: String::new(), symbols: 0 };
    for (index, (rule, body)) in rules.iter().zip(bodies).enumerate() {
        rule.name.clone_into(&mut lowering.name);
        lowering.ways(index, body);
    }
    let mut grammar = lowering.grammar;
    grammar.is_nullable = grammar.fixpoint(|symbol, known| match symbol {
        Symbol::Rule(rule) => known.get(*rule).copied().unwrap_or_default(),
        Symbol::Text(text) => text.is_empty(),
        Symbol::Class(_) => false,
    });
    grammar
}

struct Lowering {
    grammar: Grammar,
    name: String,
    symbols: usize,
}

impl Lowering {
    /// Adds an expression as the ways to form a rule.
    fn ways(&mut self, rule: usize, expr: &Expr) {
        match expr {
            Expr::Choice(choices) => {
                for choice in choices {
                    let symbols = self.symbols(choice);
                    self.produce(rule, symbols);
                }
            }
            other => {
                let symbols = self.symbols(other);
                self.produce(rule, symbols);
            }
        }
    }

    fn produce(&mut self, rule: usize, symbols: Vec<Symbol>) {
        self.symbols += symbols.len() + 1;
        self.grammar.is_too_large |= self.symbols > MAX_SYMBOLS;
        if self.grammar.is_too_large {
            return;
        }
        if let Some(ways) = self.grammar.of_rule.get_mut(rule) {
            ways.push(self.grammar.productions.len());
            self.grammar.productions.push(Production { rule, symbols });
        }
    }

    fn helper(&mut self) -> usize {
        self.grammar.of_rule.push(Vec::new());
        self.grammar.names.push(self.name.clone());
        self.grammar.of_rule.len() - 1
    }

    fn symbols(&mut self, expr: &Expr) -> Vec<Symbol> {
        match expr {
            Expr::Sequence(items) => items.iter().flat_map(|item| self.symbols(item)).collect(),
            Expr::Text(text) if text.is_empty() => Vec::new(),
            other => vec![self.symbol(other)],
        }
    }

    fn symbol(&mut self, expr: &Expr) -> Symbol {
        match expr {
            Expr::Text(text) => Symbol::Text(text.clone()),
            Expr::Class(class) => Symbol::Class(class.clone()),
            Expr::Rule(rule) => Symbol::Rule(*rule),
            Expr::Anything => Symbol::Rule(self.repeat(&Symbol::Class(Class::any()), 0, None)),
            Expr::Repeat(inner, min, max) => {
                let helper = self.helper();
                self.ways(helper, inner);
                Symbol::Rule(self.repeat(&Symbol::Rule(helper), *min, *max))
            }
            Expr::Sequence(_) | Expr::Choice(_) => {
                let helper = self.helper();
                self.ways(helper, expr);
                Symbol::Rule(helper)
            }
        }
    }

    /// Returns a helper for a symbol repeated; without an end it grows to the left, which the
    /// matcher takes in linear time.
    fn repeat(&mut self, inner: &Symbol, min: u32, max: Option<u32>) -> usize {
        let helper = self.helper();
        let mut least: Vec<Symbol> = (0..min).map(|_| inner.clone()).collect();
        match max {
            None => {
                self.produce(helper, least);
                self.produce(helper, vec![Symbol::Rule(helper), inner.clone()]);
            }
            Some(max) => {
                let mut tail = None;
                for _ in min..max {
                    let optional = self.helper();
                    self.produce(optional, Vec::new());
                    let more = std::iter::once(inner.clone()).chain(tail.map(Symbol::Rule));
                    let more = more.collect();
                    self.produce(optional, more);
                    tail = Some(optional);
                }
                least.extend(tail.map(Symbol::Rule));
                self.produce(helper, least);
            }
        }
        helper
    }
}
