//! The `use one of` statements of a program, for callers that choose among their candidates
//! (AS-17).

use super::code::Executable;

/// A `use one of`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Choice {
    /// The file, by its source name.
    pub file: String,
    /// The line of the `use`, from 1.
    pub line: u32,
    /// Its column in characters, from 1.
    pub column: u32,
    /// Its label, when it has one.
    pub label: Option<String>,
    /// The names of its candidates, in order.
    pub candidates: Vec<String>,
    /// The candidate that is shown unless another is chosen.
    pub selected: String,
}

impl Choice {
    /// Returns the place in the form of [`RunOptions::selections`](super::RunOptions::selections).
    #[must_use]
    pub fn site(&self) -> String {
        format!("{}:{}:{}", self.file, self.line, self.column)
    }
}

impl Executable {
    /// Returns every `use one of` of the program and its imports, each once, in source order.
    #[must_use]
    pub fn choices(&self) -> Vec<Choice> {
        let sites = self.uses.iter().filter(|used| used.one_of);
        let mut choices: Vec<Choice> = sites
            .map(|used| {
                let place = self.position(used.place);
                let names = used.candidates.iter().map(|candidate| candidate.name.clone());
                let candidates: Vec<String> = names.collect();
                Choice {
                    file: place.file,
                    line: place.line,
                    column: place.column,
                    label: used.label.clone(),
                    selected: candidates.get(used.selected).cloned().unwrap_or_default(),
                    candidates,
                }
            })
            .collect();
        let place = |choice: &Choice| (choice.file.clone(), choice.line, choice.column);
        choices.sort_by_key(place);
        choices.dedup_by_key(|choice| place(choice));
        choices
    }
}
