//! The questions of a prompt to packs, with their last answers (KN-9, KN-11).

use crate::host::errors::of_packs;
use crate::packs::{AskedOf, DEFAULT_BUDGET, OnDemand, asked_of};
use crate::references::inside;
use contexture_context::{Budget, DeclaredItem, Measure, Position, TokenCounter};
use contexture_knowledge::resolve::{Resolution, Task};
use contexture_script::host::HostError;

/// The tokens within which all is told that a pack says to a question.
const MOST_SAID: u64 = 1_000_000;

/// A question to a pack, and where the answer stands in the prompt.
pub(crate) struct Question {
    pub(super) pack: String,
    /// The task.
    pub(super) text: String,
    /// The source and the label of the item with the answer.
    pub(super) source: String,
    pub(super) label: Option<String>,
    pub(super) position: Position,
    /// The budget of its `use`.
    pub(super) budget: Option<Budget>,
    /// True if the `use` asks it, and not the instruction.
    pub(super) is_own: bool,
}

/// The last answer of a pack.
pub(crate) struct Answer {
    pub(super) question: Question,
    pub(super) found: Resolution,
    /// The tokens that it was asked for.
    pub(super) budget: u64,
}

impl Question {
    /// Asks for at most so many tokens.
    pub(super) fn ask(
        self,
        packs: &OnDemand,
        counter: &'static dyn TokenCounter,
        budget: u64,
    ) -> Result<Answer, HostError> {
        let found = self.resolve(packs, counter, budget)?;
        Ok(Answer { question: self, found, budget })
    }

    fn resolve(
        &self,
        packs: &OnDemand,
        counter: &'static dyn TokenCounter,
        budget: u64,
    ) -> Result<Resolution, HostError> {
        let name = self.pack.as_str();
        packs.allowed(name).map_err(of_packs)?;
        let of = |tokens: u64| {
            let task = Task::new(self.text.as_str(), tokens);
            packs.get().resolve_with(&[name], &task, counter).map_err(of_packs)
        };
        match self.budget {
            Some(Budget { limit, measure: Measure::Chars, .. }) => {
                within_characters(limit, budget, of)
            }
            _ => of(budget),
        }
    }

    /// Returns all that the pack says to it, whatever the budget.
    pub(super) fn whole(
        &self,
        packs: &OnDemand,
        counter: &'static dyn TokenCounter,
    ) -> Result<Resolution, HostError> {
        let name = self.pack.as_str();
        let task = Task::new(self.text.as_str(), MOST_SAID);
        packs.get().resolve_with(&[name], &task, counter).map_err(of_packs)
    }

    /// Reports whether an item holds the answer.
    pub(super) fn is_at(&self, source: &str, position: Option<&Position>) -> bool {
        self.source == source && position == Some(&self.position)
    }
}

impl Answer {
    /// Asks again, for no more than so many tokens.
    pub(super) fn shorten(
        &mut self,
        packs: &OnDemand,
        counter: &'static dyn TokenCounter,
        room: u64,
    ) -> Result<(), HostError> {
        let budget = self.budget.min(room);
        self.found = self.question.resolve(packs, counter, budget)?;
        self.budget = budget;
        Ok(())
    }

    pub(crate) fn warnings(&self) -> &[String] {
        &self.found.warnings
    }

    /// Returns the text without its fence; empty when nothing was selected.
    pub(super) fn text(&self, english: bool) -> &str {
        inside(&self.found, english).unwrap_or_default()
    }
}

/// Returns the answer of a pack that a reference asked for, within the budget of its `use`, in
/// place of the one that was loaded; none for other references, and for what another level made of
/// an answer.
pub(crate) fn of_question(
    packs: &OnDemand,
    reference: &str,
    items: &mut Vec<DeclaredItem>,
    counter: &'static dyn TokenCounter,
) -> Result<Option<Answer>, HostError> {
    let asked = asked_of(reference);
    let Some(AskedOf { pack, query: Some(text), budget }) = asked else { return Ok(None) };
    let [item] = items.as_mut_slice() else { return Ok(None) };
    let english = packs.get().english();
    let own = budget.unwrap_or(DEFAULT_BUDGET);
    let loaded = packs.get().resolve(&[&pack], &Task::new(text.as_str(), own));
    let loaded = loaded.map_err(of_packs)?;
    if item.fence.is_none() || item.value.as_str() != inside(&loaded, english) {
        return Ok(None);
    }
    let question = Question {
        pack,
        text,
        source: item.source.clone(),
        label: item.label.clone(),
        position: item.position.clone().unwrap_or_default(),
        budget: item.budget,
        is_own: false,
    };
    let most = item.budget.map_or(own, |budget| own.min(budget.limit));
    let answer = question.ask(packs, counter, most)?;
    match answer.text(english) {
        "" => items.clear(),
        text => item.value = text.into(),
    }
    Ok(Some(answer))
}

/// Resolves within a budget of characters: sections are packed by tokens, as many as stay within
/// it.
fn within_characters(
    limit: u64,
    budget: u64,
    resolve: impl Fn(u64) -> Result<Resolution, HostError>,
) -> Result<Resolution, HostError> {
    let mut tokens = limit.min(budget);
    loop {
        let found = resolve(tokens)?;
        let characters = found.context.chars().count() as u64;
        if characters <= limit || tokens <= 1 {
            return Ok(found);
        }
        // Tokens that are in proportion, and fewer than before in any case.
        let fair = found.tokens.saturating_mul(limit) / characters.max(1);
        tokens = fair.min(found.tokens.saturating_sub(1)).min(tokens - 1).max(1);
    }
}
