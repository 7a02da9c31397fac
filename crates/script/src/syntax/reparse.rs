//! Parses a file again after a change in one place: the items before and after it are kept (TY-9).
//!
//! Decision: only between files without any fault. A function and an agent end with their brace, so
//! the parser begins again after one of them, and it stops where it stands before an item that was
//! there already, one item after the change. What a fault says may depend on the whole text, so a
//! file with faults is parsed whole.

use super::ast::Item;
use super::parser::Parser;
use super::shift::Shift;
use super::{Parsed, parse, too_large};
use contexture_context::Limits;
use contexture_diagnostic::{SourceFile, Span};

/// Parses a file of which an earlier text is known, with its tree. The result is that of [`parse`].
pub(crate) fn reparse(old: Parsed, old_text: &str, new: &SourceFile, limits: &Limits) -> Parsed {
    let is_plain = old.diagnostics.is_empty() && !old.asks_for_words;
    match Change::between(old_text, new.text(), &old) {
        Some(change) if is_plain && too_large(new.text(), limits).is_none() => {
            change.made(old, new, limits).unwrap_or_else(|| parse(new, limits))
        }
        _ => parse(new, limits),
    }
}

/// The part of a file that has to be parsed again.
struct Change {
    /// The number of items before it that are kept.
    before: usize,
    /// The byte offset at which the parser begins.
    begin: u32,
    /// The first item after it that is kept, with its start in the old text.
    after: Option<(usize, u32)>,
    /// The bytes by which what follows moves.
    by: i64,
}

impl Change {
    /// Returns none if no item can be kept.
    fn between(old_text: &str, new_text: &str, old: &Parsed) -> Option<Self> {
        let (old_bytes, new_bytes) = (old_text.as_bytes(), new_text.as_bytes());
        let prefix = same(old_bytes.iter(), new_bytes.iter());
        let most = old_bytes.len().min(new_bytes.len()) - prefix;
        let suffix = same(old_bytes.iter().rev().take(most), new_bytes.iter().rev());
        let first_same = old_bytes.len() - suffix;
        let items = &old.file.items;
        let kept = items.partition_point(|item| (span_of(item).end as usize) <= prefix);
        let ends = |item: &Item| match item {
            Item::Func(func) => !func.is_script,
            item => matches!(item, Item::Agent(_)),
        };
        let last = items.get(..kept)?.iter().rposition(ends);
        let before = last.map_or(0, |last| last + 1);
        let begin = last.and_then(|last| items.get(last)).map_or(0, |item| span_of(item).end);
        // The item before it is parsed again, since a comment above that may have changed.
        let after = items.partition_point(|item| (span_of(item).start as usize) < first_same) + 1;
        let after = items.get(after).map(|item| (after, span_of(item).start));
        let by = i64::try_from(new_bytes.len()).ok()? - i64::try_from(old_bytes.len()).ok()?;
        (before > 0 || after.is_some()).then_some(Self { before, begin, after, by })
    }

    /// Parses the part again; none if it has a fault, or does not end where it did.
    fn made(self, mut old: Parsed, new: &SourceFile, limits: &Limits) -> Option<Parsed> {
        let resume = self.after.and_then(|(after, start)| {
            let mut last = span_of(old.file.items.get(after.checked_sub(1)?)?);
            let mut first = Span::at(start);
            last.shift(self.by);
            first.shift(self.by);
            Some((last, first.start))
        });
        let parser = Parser::after(new.text(), self.begin, limits.source_depth);
        let part = part(parser, resume)?;
        let items = self.after.map_or(old.file.items.len(), |(after, _)| after);
        let first = old.tokens.partition_point(|token| token.span.start < self.begin);
        let last = self.after.map_or(old.tokens.len(), |(_, start)| {
            old.tokens.partition_point(|token| token.span.start < start)
        });
        if self.by != 0 {
            old.file.items.iter_mut().skip(items).for_each(|item| item.shift(self.by));
            old.tokens.iter_mut().skip(last).for_each(|token| token.shift(self.by));
        }
        let is_script = |item: &Item| matches!(item, Item::Func(func) if func.is_script);
        let takes = part.file.items.last().is_some_and(begins_script);
        if takes && old.file.items.get(items).is_some_and(is_script) {
            return None;
        }
        old.file.items.splice(self.before..items, part.file.items);
        old.tokens.splice(first..last, part.tokens);
        Some(old)
    }
}

/// Reports whether statements that follow take an item for themselves (TY-7).
const fn begins_script(item: &Item) -> bool {
    matches!(item, Item::Use(_) | Item::Config(_))
}

/// Parses items up to a place that has to be behind an item with a given span, or to the end.
fn part(mut parser: Parser<'_>, resume: Option<(Span, u32)>) -> Option<Parsed> {
    let mut items: Vec<Item> = Vec::new();
    while !parser.at_end() {
        if let Some((last, start)) = resume
            && parser.start() >= start
        {
            let is_there = parser.start() == start && items.last().map(span_of) == Some(last);
            return is_there.then(|| parser.parsed(items));
        }
        if !parser.faultless_item(&mut items) {
            return None;
        }
    }
    resume.is_none().then(|| parser.parsed(items))
}

/// Returns the number of bytes that two texts have in common at their beginning.
fn same<'t>(one: impl Iterator<Item = &'t u8>, other: impl Iterator<Item = &'t u8>) -> usize {
    one.zip(other).take_while(|(one, other)| one == other).count()
}

const fn span_of(item: &Item) -> Span {
    match item {
        Item::Import(import) => import.span,
        Item::Agent(agent) => agent.span,
        Item::Func(func) => func.span,
        Item::Shape(shape) => shape.span,
        Item::Config(config) => config.span,
        Item::Use(used) => used.span,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = "import tool File from \"std://file\"\n\n/// A report.\nshape Issue { title string, tags list[string]? }\nshape Kind \"bug\" | \"idea\"\n\n/// Sorts.\nfunc sort(issue Issue) -> Kind {\n  use issue max 2k keep tail priority 3 for issue.title as the issue\n  found = generate({ instruction: \"Sort \\(issue.title).\" }) -> Kind // all\n  found\n}\n\nagent Other { role \"Reads.\" func run(x) { loop until x > 3 max 5 { x = x + 1 } x } }\nmodel Fast\nmain func(input) {\n  for one in input.all max 3 { one.list[0].a = -1 }\n  try { Other(1) } else err { err.message }\n}\n";

    fn parsed(text: &str) -> (SourceFile, Parsed) {
        let source = SourceFile::new("a.as", text);
        let parsed = parse(&source, &Limits::default());
        (source, parsed)
    }

    const SCRIPT: &str = "import llm Q from \"mock\"\nfunc sort(x) {\n  x.sort()\n}\n/// One.\nshape Issue { title string }\nmodel Q\n\n/// Sorts.\nuse input max 2k\nall = sort(input.all)\nfor one in all max 3 {\n  one.a = 1\n}\ngenerate({ input: \"Go.\" }) -> Issue\n";

    #[test]
    fn ty_9_changed_file_is_parsed_as_if_it_were_new() {
        changes_are_parsed_as_new(PROGRAM);
    }

    #[test]
    fn ty_7_changed_statements_of_a_file_are_parsed_as_if_they_were_new() {
        changes_are_parsed_as_new(SCRIPT);
        changes_are_parsed_as_new("func f(x) { x }\nf(1)\n");
    }

    fn changes_are_parsed_as_new(program: &str) {
        let (_, old) = parsed(program);
        assert!(old.diagnostics.is_empty(), "{:?}", old.diagnostics);
        let inserted = [
            "",
            "x",
            "\n",
            "}",
            "{ a: 1 }",
            "\"",
            "///",
            "func f() { 1 }\n",
            "'''",
            "é",
            "use x\n",
            "\nfunc g() { 1 }\nuse x\n",
        ];
        let bounds = (0..=program.len()).filter(|at| program.is_char_boundary(*at));
        for (number, start) in bounds.enumerate() {
            for (round, removed) in [0, 1, 40].into_iter().enumerate() {
                let insert = inserted[(number * 3 + round) % inserted.len()];
                let end = (start + removed).min(program.len());
                if !program.is_char_boundary(end) {
                    continue;
                }
                let mut text = program.to_owned();
                text.replace_range(start..end, insert);
                let (source, new) = parsed(&text);
                let again = reparse(old.clone(), program, &source, &Limits::default());
                assert_eq!(again, new, "{start}: {insert}");
            }
        }
    }

    #[test]
    fn ty_9_items_around_a_change_are_kept() {
        let (_, old) = parsed(PROGRAM);
        let text = PROGRAM.replace("found = generate", "longer_name = generate");
        let change = Change::between(PROGRAM, &text, &old).unwrap();
        assert_eq!((change.before, change.after.map(|(item, _)| item)), (0, Some(5)));
        let text = PROGRAM.replace("err.message", "err.code");
        let change = Change::between(PROGRAM, &text, &old).unwrap();
        assert_eq!((change.before, change.after), (5, None));
        let (source, new) = parsed(&text);
        assert_eq!(change.made(old, &source, &Limits::default()), Some(new));
    }
}
