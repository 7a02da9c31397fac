//! The candidates of `use one of` that the runner takes (AS-17).
//!
//! Decision: a choice that fits no place, or names no candidate, refuses the run. A runner that
//! compares candidates must not measure the same one twice without knowing.

use super::result::SetupError;
use contexture_diagnostic::suggestion;
use contexture_script::runtime::Choice;
use std::collections::BTreeMap;

/// The most places that are listed in a refusal.
const LISTED: usize = 10;

/// Returns the choices by `file:line:column`, from choices by label, `file:line` or
/// `file:line:column`. A label that several places share stands for all of them.
pub(crate) fn resolve(
    asked: &BTreeMap<String, String>,
    choices: &[Choice],
) -> Result<BTreeMap<String, String>, SetupError> {
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    for (place, name) in asked {
        let mut meant = choices.iter().filter(|choice| is_meant(choice, place)).peekable();
        if meant.peek().is_none() {
            return Err(unknown_place(place, choices));
        }
        for choice in meant {
            if !choice.candidates.contains(name) {
                return Err(unknown_candidate(choice, name));
            }
            if let Some(other) = found.insert(choice.site(), name.clone()).filter(|it| it != name) {
                let message =
                    format!("for {} both `{other}` and `{name}` are selected", choice.site());
                let help = Some("select one candidate for each place".to_owned());
                return Err(SetupError::new("unknown_selection", message, help));
            }
        }
    }
    Ok(found)
}

fn is_meant(choice: &Choice, place: &str) -> bool {
    let site = place.strip_prefix("./").unwrap_or(place);
    choice.label.as_deref() == Some(place)
        || choice.site() == site
        || format!("{}:{}", choice.file, choice.line) == site
}

fn unknown_place(place: &str, choices: &[Choice]) -> SetupError {
    let code = "unknown_selection";
    if choices.is_empty() {
        let message = format!("the program has no choice, so nothing is `{place}`");
        return SetupError::new(code, message, Some("leave the selection out".to_owned()));
    }
    let sites: Vec<String> = choices.iter().map(Choice::site).collect();
    let labels = choices.iter().filter_map(|choice| choice.label.as_deref());
    let near = suggestion(place, labels.chain(sites.iter().map(String::as_str)));
    let listed = choices.iter().take(LISTED).map(description).collect::<Vec<_>>().join("; ");
    let more = choices.len().saturating_sub(LISTED);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    let near = near.map(|near| format!("{near} ")).unwrap_or_default();
    let help = format!("{near}there is {listed}{more}");
    SetupError::new(code, format!("no choice is called `{place}`"), Some(help))
}

/// Describes a choice, as in `evidence at answer.as:12:5 (matches, overview, none)`.
fn description(choice: &Choice) -> String {
    let label = choice.label.as_ref().map(|label| format!("`{label}` at ")).unwrap_or_default();
    format!("{label}{} ({})", choice.site(), choice.candidates.join(", "))
}

fn unknown_candidate(choice: &Choice, name: &str) -> SetupError {
    let place = choice.label.as_ref().map_or_else(|| choice.site(), |label| format!("`{label}`"));
    let message = format!("{place} has no candidate `{name}`");
    let known = choice.candidates.iter().map(String::as_str);
    let near = suggestion(name, known).map(|near| format!("{near} ")).unwrap_or_default();
    let help = format!("{near}the candidates are {}", choice.candidates.join(", "));
    SetupError::new("unknown_candidate", message, Some(help))
}
