//! `[check]`: the levels of what the check says (TY-3).

use contexture_diagnostic::{Diagnostic, Severity, suggestion};
use contexture_script::codes;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;

/// The settings of the check.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct CheckSettings {
    /// Levels in place of the own ones of hints and warnings, by code.
    #[serde(deserialize_with = "levels")]
    pub levels: BTreeMap<&'static str, Level>,
}

/// How loudly something is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Not at all.
    Off,
    /// As a suggestion.
    Hint,
    /// As a probable mistake.
    Warning,
    /// As an error: the program is refused.
    Error,
}

impl CheckSettings {
    /// Gives the findings of a program their levels.
    pub fn apply(&self, faults: &mut Vec<Diagnostic>) {
        if self.levels.is_empty() {
            return;
        }
        faults.retain_mut(|fault| {
            let severity = match self.levels.get(fault.code) {
                _ if fault.severity == Severity::Error => return true,
                None => return true,
                Some(Level::Off) => return false,
                Some(Level::Hint) => Severity::Hint,
                Some(Level::Warning) => Severity::Warning,
                Some(Level::Error) => Severity::Error,
            };
            fault.severity = severity;
            true
        });
    }
}

fn levels<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<&'static str, Level>, D::Error> {
    let written: BTreeMap<String, Level> = BTreeMap::deserialize(from)?;
    let known = |(word, level): (String, Level)| {
        let Some(code) = codes::named(&word) else {
            let all = codes::ALL.iter().flat_map(|code| [code.code, code.name]);
            let help = suggestion(&word, all).unwrap_or_else(|| "see docs/lints.md".to_owned());
            return Err(D::Error::custom(format!("`{word}` is not a code of the check: {help}")));
        };
        if code.severity == Severity::Error {
            let message = format!("`{word}` is an error, whose level can't be set");
            return Err(D::Error::custom(message));
        }
        Ok((code.code, level))
    };
    written.into_iter().map(known).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> Result<CheckSettings, String> {
        toml::from_str(text).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn ty_3_levels_are_set_by_code_or_name_and_errors_keep_theirs() {
        let set = settings("[levels]\nAS8001 = \"off\"\nunused-import = \"error\"\n").unwrap();
        let at = contexture_diagnostic::Span::at(0);
        let mut faults = vec![
            codes::UNSEEN_USE.at(at, "unseen"),
            codes::UNUSED_IMPORT.at(at, "unused"),
            codes::UNKNOWN_NAME.at(at, "unknown"),
            codes::NO_EFFECT.at(at, "idle"),
        ];
        set.apply(&mut faults);
        let found: Vec<_> = faults.iter().map(|fault| (fault.code, fault.severity)).collect();
        assert_eq!(
            found,
            [
                ("AS2010", Severity::Error),
                ("AS2001", Severity::Error),
                ("AS8003", Severity::Warning)
            ]
        );
    }

    #[test]
    fn ty_3_unknown_code_and_error_are_refused() {
        let error = settings("[levels]\nunsen-use = \"off\"").unwrap_err();
        assert_eq!(error, "`unsen-use` is not a code of the check: did you mean `unseen-use`?");
        let error = settings("[levels]\nAS2001 = \"hint\"").unwrap_err();
        assert_eq!(error, "`AS2001` is an error, whose level can't be set");
    }
}
