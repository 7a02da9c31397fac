//! The `use one of` of a program, for whoever is to choose among their candidates (AS-17).

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
    /// The one that is shown when nobody chooses.
    pub selected: String,
}

impl Choice {
    /// The place as [`RunOptions::selections`](super::RunOptions::selections) name it.
    #[must_use]
    pub fn site(&self) -> String {
        format!("{}:{}:{}", self.file, self.line, self.column)
    }
}

impl Executable {
    /// Every `use one of` of the program and of what it imports, each once, in order of the source.
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
