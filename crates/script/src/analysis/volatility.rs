//! How often the items of a prompt change, and which of them stand before what changes less (EV-13).
//!
//! Decision: providers keep the beginning of a prompt, up to the first byte that differs. So an item costs
//! all that stands after it, and what counts is the order alone. How often an item changes follows from
//! where it comes from, which its trust says.

use super::prompts::{PromptFacts, PromptItem};
use contexture_context::Trust;

/// How often an item changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Volatility {
    /// It is the same in every run.
    Fixed,
    /// It changes from run to run.
    Run,
    /// It changes from call to call.
    Call,
}

impl Volatility {
    /// Returns its word in reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Run => "run",
            Self::Call => "call",
        }
    }
}

/// An item that stands before one that changes less often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moved {
    /// The index of the item.
    pub item: usize,
    /// The index of the first item after it that changes less often.
    pub before: usize,
}

/// Returns how often an item changes, and why; none when that depends on a caller.
#[must_use]
pub fn volatility(item: &PromptItem) -> Option<(Volatility, &'static str)> {
    let (often, why) = match item.trust? {
        Trust::Program | Trust::Resource | Trust::External => {
            (Volatility::Fixed, "the same in every run")
        }
        Trust::User => (Volatility::Run, "of the input"),
        Trust::Pack => (Volatility::Run, "selected from a pack"),
        Trust::Memory => (Volatility::Call, "of a memory, which changes"),
        Trust::Model => (Volatility::Call, "an answer of a model"),
        Trust::Tool => (Volatility::Call, "the result of a tool"),
        Trust::Web => (Volatility::Call, "from the web"),
    };
    if item.question.is_some() {
        return Some((Volatility::Call, "selected by a question"));
    }
    if item.condition.is_some() && often == Volatility::Fixed {
        return Some((Volatility::Run, "shown under a condition"));
    }
    Some((often, why))
}

/// Returns how often each place of a prompt changes: of a `use one of` as often as any candidate.
fn places(prompt: &PromptFacts) -> Vec<Option<Volatility>> {
    let of = |item: &PromptItem| {
        let mut own = prompt.items.iter().filter(|other| other.used_at == item.used_at);
        own.try_fold(Volatility::Fixed, |most, other| Some(most.max(volatility(other)?.0)))
    };
    prompt.items.iter().map(of).collect()
}

/// Returns the items of a prompt that stand before one that changes less often, in order.
#[must_use]
pub fn moved(prompt: &PromptFacts) -> Vec<Moved> {
    let often = places(prompt);
    let mut all = Vec::new();
    for (item, own) in often.iter().enumerate() {
        let is_less = |later: &Option<Volatility>| later.zip(*own).is_some_and(|(a, b)| a < b);
        let later = often.iter().skip(item + 1).position(is_less);
        all.extend(later.map(|later| Moved { item, before: item + 1 + later }));
    }
    all
}

/// Returns the number of items at the head of a prompt that are the same in every run.
#[must_use]
pub fn fixed_head(prompt: &PromptFacts) -> usize {
    places(prompt).iter().take_while(|often| **often == Some(Volatility::Fixed)).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::prompts;
    use crate::host::{LoadedSource, MemoryLoader};
    use crate::program::load;
    use contexture_context::Limits;

    fn found(text: &str) -> Vec<PromptFacts> {
        let root = LoadedSource { name: "t.as".to_owned(), text: text.to_owned() };
        prompts(&load(root, &MemoryLoader::new(), &Limits::default()))
    }

    #[test]
    fn ev_13_items_before_what_changes_less_are_found() {
        let all = found(
            r#"
import file Style from "s.md"
import file Facts from "f.md"
import tool Find from "sh://find"
import memory Past from "file://p.jsonl"
main func(input) {
  use Style as style
  use "Rules." as rules
  hits = Find.run({ path: "." })
  use hits as hits
  use input.question as question
  use Facts for input.question as chosen
  use Facts as facts
  if input.more { use Style as more }
  use Past as past
  use one of { a: Style, b: hits } as choice
  generate({ input: "One." })
}
func other(x) {
  use x as given
  use "y" as fixed
  generate({ input: "Two." })
}
"#,
        );
        let often: Vec<&str> = all[0]
            .items
            .iter()
            .map(|item| volatility(item).map_or("?", |(often, _)| often.as_str()))
            .collect();
        let expected = ["fixed", "fixed", "call", "run", "call", "fixed", "call", "fixed", "call"];
        assert_eq!(often, expected, "{:?}", all[0].items);
        assert_eq!(fixed_head(&all[0]), 2);
        let pairs = |facts: &PromptFacts| {
            moved(facts).iter().map(|it| (it.item, it.before)).collect::<Vec<_>>()
        };
        assert_eq!(pairs(&all[0]), [(2, 3), (3, 5), (4, 5)]);
        assert_eq!(pairs(&all[1]), [], "what a caller gives is not known");
        assert_eq!(fixed_head(&all[1]), 0);
    }
}
