//! Cuts of lists between items and of objects between fields.

use super::known::Known;
use super::marker::marker;
use super::passage;
use super::ruler::{Cut, Kept, Ruler};
use super::text::cut;
use super::total::{self, Total};
use super::{ends, walk};
use crate::budget::{Keep, Measure};
use crate::tokens::TokenCounter;
use serde_json::Value;
use std::borrow::Cow;
use std::ops::Range;

/// A value as the text in a prompt: strings unchanged, everything else as JSON with two spaces
/// (AS-20), with separate items or fields so that a cut can fall between them.
///
/// A list keeps a row of items: the first ones, the last ones, or those around the middle. The next
/// item takes the room that is left, if cutting the long texts in it makes it fit. An
/// object keeps each field that fits, in order, so that a long field does not push out short ones
/// after it (`keep tail` takes them from the end). The JSON stays whole, with the marker on a line
/// of its own after it, before it for `keep tail`. Only the value's own items or fields count: one
/// that does not fit otherwise is removed with everything in it; if none fits, `[]` or `{}` stays.
///
/// ```
/// use contexture_context::{cut::Parts, tokens::Chars, Keep, Measure};
/// use serde_json::json;
///
/// let list = Parts::of(&json!((0..100).collect::<Vec<_>>()));
/// let cut = list.cut(50, Measure::Chars, Keep::Head, &Chars);
/// assert_eq!(cut.text, "[\n  0,\n  1,\n  2\n]\n… [clipped: 575 of 592 chars]");
/// ```
#[derive(Debug, Clone)]
pub struct Parts {
    kind: Kind,
    /// The text of a string or scalar; otherwise each item, indented, without its comma.
    parts: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    List,
    Object,
}

impl Parts {
    /// Creates the parts of a value.
    ///
    /// A value nested deeper than some thousand levels may exhaust the stack: callers check the
    /// depth of outside values first, as [`crate::build`] does.
    #[must_use]
    pub fn of(value: &Value) -> Self {
        let (kind, parts) = match value {
            Value::String(text) => (Kind::Text, vec![text.clone()]),
            Value::Array(items) => {
                (Kind::List, items.iter().map(|item| indented(&pretty(item))).collect())
            }
            Value::Object(fields) => {
                let field = |(key, value): (&String, &Value)| {
                    indented(&format!("{}: {}", Value::from(key.as_str()), pretty(value)))
                };
                (Kind::Object, fields.iter().map(field).collect())
            }
            scalar => (Kind::Text, vec![pretty(scalar)]),
        };
        Self { kind, parts }
    }

    /// Returns the whole text.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match (self.kind, self.parts.as_slice()) {
            (Kind::Text, [text]) => Cow::Borrowed(text),
            _ => Cow::Owned(self.join(self.parts.iter().map(String::as_str))),
        }
    }

    /// Cuts to at most `limit` tokens or characters; see [`cut`](super::text::cut) for the rest.
    #[must_use]
    pub fn cut(
        &self,
        limit: usize,
        measure: Measure,
        keep: Keep,
        counter: &dyn TokenCounter,
    ) -> Cut<'_> {
        let text = match self.text() {
            Cow::Borrowed(text) => return cut(text, limit, measure, keep, counter),
            Cow::Owned(text) => text,
        };
        let ruler = Ruler::new(measure, counter);
        let total = match walk::within(ruler, &text, limit) {
            Ok(count) => return Cut { text: Cow::Owned(text), ..Cut::whole("", count) },
            Err(counted) => total::after(ruler, &text, counted),
        };
        self.cut_parts(ruler, limit, keep, total)
    }

    fn join<'p>(&self, kept: impl IntoIterator<Item = &'p str>) -> String {
        let (open, close) = if self.kind == Kind::List { ('[', ']') } else { ('{', '}') };
        let mut text = String::from(open);
        let mut separator = "\n";
        for part in kept {
            text.push_str(separator);
            text.push_str(part);
            separator = ",\n";
        }
        if text.len() > 1 {
            text.push('\n');
        }
        text.push(close);
        text
    }

    fn cut_parts(&self, ruler: Ruler<'_>, limit: usize, keep: Keep, total: Total) -> Cut<'static> {
        let widest = format!("\n{}", marker(total, total, ruler.measure));
        let reserve = ruler.count(&widest);
        let with_marker = limit
            .checked_sub(reserve)
            .and_then(|room| self.fit_parts(ruler, limit, room, keep, total, true));
        with_marker
            .or_else(|| self.fit_parts(ruler, limit, limit, keep, total, false))
            .unwrap_or_else(|| self.empty(ruler, limit, keep, total))
    }

    /// Returns the empty list or object, or nothing if not even that fits.
    fn empty(&self, ruler: Ruler<'_>, limit: usize, keep: Keep, total: Total) -> Cut<'static> {
        let kept = Some(Kept { kept: 0, of: self.parts.len(), shortened: 0 });
        let made = [true, false]
            .map(|marked| self.compose(ruler, &[], None, (keep, total, marked)))
            .into_iter()
            .find(|cut| cut.after <= limit);
        Cut { kept, ..made.unwrap_or_else(|| ends::clipped(total, None)) }
    }

    /// Returns `None` if no part fits, not even cut.
    fn fit_parts(
        &self,
        ruler: Ruler<'_>,
        limit: usize,
        room: usize,
        keep: Keep,
        total: Total,
        marked: bool,
    ) -> Option<Cut<'static>> {
        let mut room = room;
        let mut step = 1_usize;
        loop {
            let kept = self.choose(ruler, room, keep);
            let of = self.parts.len();
            let cut = self.compose(ruler, &self.texts(&kept), None, (keep, total, marked));
            let Some(excess) = cut.after.checked_sub(limit).filter(|excess| *excess > 0) else {
                let whole = Kept { kept: kept.len(), of, shortened: 0 };
                let more = self.with_passage(
                    ruler,
                    (limit, limit.saturating_sub(cut.after)),
                    &kept,
                    |texts, known| self.compose(ruler, texts, known, (keep, total, marked)),
                    keep,
                );
                let made = more.or((whole.kept > 0).then_some((cut, whole)));
                return made.map(|(cut, kept)| Cut { kept: Some(kept), ..cut });
            };
            if kept.is_empty() {
                return None;
            }
            room = room.saturating_sub(excess.max(step));
            step = step.saturating_mul(2);
        }
    }

    fn texts(&self, kept: &[usize]) -> Vec<&str> {
        kept.iter().filter_map(|at| self.parts.get(*at)).map(String::as_str).collect()
    }

    /// Adds the next item of a list to the `kept` ones, with its long texts cut; they leave `spare`
    /// of the limit.
    fn with_passage(
        &self,
        ruler: Ruler<'_>,
        (limit, spare): (usize, usize),
        kept: &[usize],
        compose: impl Fn(&[&str], Option<Known<'_>>) -> Cut<'static>,
        keep: Keep,
    ) -> Option<(Cut<'static>, Kept)> {
        let next = self.next(kept, keep).filter(|_| self.kind == Kind::List)?;
        let is_first = kept.first().is_some_and(|first| next < *first);
        // All but one end stays the same, whatever is left of the item.
        let without = self.join(self.texts(kept));
        let shared = if is_first { without.get(1..) } else { without.strip_suffix(['}', ']']) };
        let known = shared.map(|shared| Known::of(ruler, shared.trim_end_matches('\n')));
        let made = |item: &str| {
            let item = indented(item);
            let mut texts = self.texts(kept);
            texts.insert(if is_first { 0 } else { texts.len() }, &item);
            Some(compose(&texts, known)).filter(|cut| cut.after <= limit)
        };
        let cut = passage::longest(self.parts.get(next)?, ruler, (limit, spare), keep, made)?;
        Some((cut, Kept { kept: kept.len() + 1, of: self.parts.len(), shortened: 1 }))
    }

    /// Returns the item that comes next after those that were kept.
    fn next(&self, kept: &[usize], keep: Keep) -> Option<usize> {
        let all = self.parts.len();
        let after = kept.last().map(|last| last + 1);
        let before = kept.first().map(|first| first.checked_sub(1));
        let next = match keep {
            Keep::Head => Some(after.unwrap_or(0)),
            Keep::Tail => before.unwrap_or(all.checked_sub(1)),
            Keep::Middle => match after {
                None => Some(all / 2),
                Some(after) if after < all => Some(after),
                Some(_) => before.flatten(),
            },
        };
        next.filter(|at| *at < all)
    }

    fn compose(
        &self,
        ruler: Ruler<'_>,
        kept: &[&str],
        known: Option<Known<'_>>,
        (keep, total, marked): (Keep, Total, bool),
    ) -> Cut<'static> {
        let json = self.join(kept.iter().copied());
        let count = known.map_or_else(|| ruler.count(&json), |known| known.count_in(ruler, &json));
        let removed = total.less(count);
        let (text, after) = if marked {
            let marker = marker(removed, total, ruler.measure);
            let text = match keep {
                Keep::Tail => format!("{marker}\n{json}"),
                _ => format!("{json}\n{marker}"),
            };
            let after = Known::new(&json, count).count_in(ruler, &text);
            (text, after)
        } else {
            (json, count)
        };
        Cut {
            text: Cow::Owned(text),
            clipped: true,
            before: total.count,
            before_exact: total.exact,
            after,
            removed: removed.count,
            kept: None,
        }
    }

    /// Returns the parts that together take at most about `room`, rising.
    fn choose(&self, ruler: Ruler<'_>, room: usize, keep: Keep) -> Vec<usize> {
        let mut left = room.saturating_sub(ruler.count("[\n\n]"));
        let mut take = |index: usize| {
            let Some(part) = self.parts.get(index) else {
                return false;
            };
            let counted = walk::within(ruler, part, left).ok().map(|count| count + 1);
            let taken = counted.filter(|count| *count <= left);
            left -= taken.unwrap_or(0);
            taken.is_some()
        };
        let all = 0..self.parts.len();
        let mut kept: Vec<usize> = match (keep, self.kind) {
            (Keep::Head, Kind::Object) => all.filter(|index| take(*index)).collect(),
            (Keep::Tail, Kind::Object) => all.rev().filter(|index| take(*index)).collect(),
            (Keep::Head, _) => all.take_while(|index| take(*index)).collect(),
            (Keep::Tail, _) => all.rev().take_while(|index| take(*index)).collect(),
            (Keep::Middle, _) => around_middle(all, take).collect(),
        };
        kept.sort_unstable();
        kept
    }
}

/// Grows a range from the middle, to both sides in turn, until a side's next part does not fit.
fn around_middle(all: Range<usize>, mut take: impl FnMut(usize) -> bool) -> Range<usize> {
    let middle = all.end / 2;
    let (mut start, mut end) = (middle, middle);
    let (mut front, mut back) = (true, true);
    while front || back {
        if back {
            back = end < all.end && take(end);
            end += usize::from(back);
        }
        if front {
            front = start > all.start && take(start - 1);
            start -= usize::from(front);
        }
    }
    start..end
}

fn pretty(value: &Value) -> String {
    // A `Value` has string keys and finite numbers: writing it cannot fail.
    serde_json::to_string_pretty(value).unwrap_or_default()
}

/// Indents JSON, which has no raw line ends inside strings.
fn indented(json: &str) -> String {
    format!("  {}", json.replace('\n', "\n  "))
}
