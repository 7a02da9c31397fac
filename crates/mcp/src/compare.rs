//! Comparison of the offer of a server with what was accepted.

use crate::definition::Definition;

/// The state of a tool against its pin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// It is what was accepted.
    Same,
    /// It was never accepted.
    New,
    /// Its definition is not the accepted one.
    Changed,
    /// It was accepted and is no longer offered.
    Gone,
}

impl State {
    /// Returns the word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::New => "new",
            Self::Changed => "changed",
            Self::Gone => "gone",
        }
    }
}

/// A tool and how it stands to its pin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Compared<'d> {
    /// Its name.
    pub name: &'d str,
    /// Its state.
    pub state: State,
    /// The accepted definition.
    pub pinned: Option<&'d Definition>,
    /// The offered definition.
    pub offered: Option<&'d Definition>,
}

impl<'d> Compared<'d> {
    fn of(name: &'d str, pinned: Option<&'d Definition>, offered: Option<&'d Definition>) -> Self {
        let state = match (pinned, offered) {
            (Some(pinned), Some(offered)) if pinned.digest() == offered.digest() => State::Same,
            (Some(_), Some(_)) => State::Changed,
            (None, _) => State::New,
            (Some(_), None) => State::Gone,
        };
        Self { name, state, pinned, offered }
    }

    /// Returns the parts that differ: `description`, `input schema` …
    #[must_use]
    pub fn parts(&self) -> Vec<&'static str> {
        let (Some(pinned), Some(offered)) = (self.pinned, self.offered) else { return Vec::new() };
        let parts = [
            ("title", pinned.title == offered.title),
            ("description", pinned.description == offered.description),
            ("input schema", pinned.input_schema == offered.input_schema),
            ("output schema", pinned.output_schema == offered.output_schema),
            ("annotations", pinned.annotations == offered.annotations),
        ];
        parts.into_iter().filter(|(_, same)| !same).map(|(part, _)| part).collect()
    }
}

/// Returns all tools by name; both lists are sorted by name.
#[must_use]
pub fn compare<'d>(pinned: &'d [Definition], offered: &'d [Definition]) -> Vec<Compared<'d>> {
    let of = |all: &'d [Definition], name: &str| {
        let found = all.binary_search_by(|one| one.name.as_str().cmp(name));
        found.ok().and_then(|at| all.get(at))
    };
    let mut names: Vec<&str> =
        pinned.iter().chain(offered).map(|definition| definition.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(|name| Compared::of(name, of(pinned, name), of(offered, name))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn as_25_tools_are_new_same_changed_or_gone() {
        let of = |name: &str| Definition::new(name, json!({"type": "object"}));
        let pinned = [of("a"), of("b").described("one"), of("d")];
        let offered = [of("a"), of("b").described("other"), of("c")];
        let found = compare(&pinned, &offered);
        let states: Vec<_> = found.iter().map(|one| (one.name, one.state)).collect();
        assert_eq!(
            states,
            [("a", State::Same), ("b", State::Changed), ("c", State::New), ("d", State::Gone)]
        );
        assert_eq!(found[1].parts(), ["description"]);
        assert!(found[0].parts().is_empty());
    }
}
