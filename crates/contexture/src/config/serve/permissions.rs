//! `[serve.permissions]`: which actions the user is asked about first (CP-14, CP-19).

use contexture_protocol::content::PermissionLevel;
use serde::{Deserialize, Deserializer, de};
use std::collections::BTreeMap;
use std::num::NonZeroU64;

/// The actions that the user is asked about. The server's and a front end's are set apart: a yes
/// for the one is not a yes for the other.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Permissions {
    /// Actions and tools that the server runs, such as `http.*`, `file.write`, `mcp:mail/send`.
    pub backend: Levels,
    /// Front-end tools by their toolId, besides what the client itself declares.
    pub frontend: Levels,
    /// Seconds in which a person has to answer.
    pub seconds: NonZeroU64,
}

impl Default for Permissions {
    fn default() -> Self {
        Self {
            backend: Levels::default(),
            frontend: Levels::default(),
            seconds: NonZeroU64::MIN.saturating_add(89),
        }
    }
}

/// Names, or the beginnings of names with a `*` behind them, and when the user is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Levels(BTreeMap<String, PermissionLevel>);

impl Levels {
    /// Returns the level of an action: that of its name, else of the longest beginning that fits.
    #[must_use]
    pub fn of(&self, action: &str) -> PermissionLevel {
        if let Some(level) = self.0.get(action) {
            return *level;
        }
        let beginnings = self.0.iter().filter_map(|(name, level)| {
            let beginning = name.strip_suffix('*')?;
            action.starts_with(beginning).then_some((beginning.len(), *level))
        });
        beginnings
            .max_by_key(|(length, _)| *length)
            .map_or(PermissionLevel::None, |(_, level)| level)
    }
}

impl<'de> Deserialize<'de> for Levels {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        let texts = BTreeMap::<String, String>::deserialize(value)?;
        let mut levels = BTreeMap::new();
        for (name, word) in texts {
            let is_name =
                !name.is_empty() && !name.strip_suffix('*').unwrap_or(&name).contains('*');
            if !is_name {
                let text =
                    format!("`{name}` is not the name of an action: a `*` stands at its end alone");
                return Err(de::Error::custom(text));
            }
            let level = PermissionLevel::parse(&word).ok_or_else(|| {
                let text = format!(
                    "`{name}`: expected \"NONE\", \"USER_CONSENT\" or \"ALWAYS_ASK\", found \"{word}\""
                );
                de::Error::custom(text)
            })?;
            levels.insert(name, level);
        }
        Ok(Self(levels))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn permissions(text: &str) -> Result<Permissions, String> {
        let config = crate::Config::parse("contexture.toml", text);
        config.map(|config| config.serve.permissions).map_err(|error| error.to_string())
    }

    #[test]
    fn cp_19_longest_matching_name_decides_when_user_is_asked() {
        let text = "[serve.permissions]\nseconds = 5\n[serve.permissions.backend]\n\
                    \"http.*\" = \"USER_CONSENT\"\n\"http.get\" = \"NONE\"\n\"http.p*\" = \"ALWAYS_ASK\"\n\
                    \"mcp:mail/send\" = \"ALWAYS_ASK\"\n";
        let permissions = permissions(text).unwrap();
        for (action, level) in [
            ("http.get", PermissionLevel::None),
            ("http.delete", PermissionLevel::UserConsent),
            ("http.post", PermissionLevel::AlwaysAsk),
            ("mcp:mail/send", PermissionLevel::AlwaysAsk),
            ("mcp:mail/sender", PermissionLevel::None),
            ("file.write", PermissionLevel::None),
            ("HTTP.post", PermissionLevel::None),
        ] {
            assert_eq!(permissions.backend.of(action), level, "{action}");
        }
        assert_eq!(
            permissions.frontend.of("http.post"),
            PermissionLevel::None,
            "the sides are apart"
        );
        assert_eq!(permissions.seconds.get(), 5);
    }

    #[test]
    fn cp_19_a_permission_that_can_not_be_read_is_told() {
        for (line, part) in [
            ("\"a\" = \"ASK\"", "found \"ASK\""),
            ("\"a*b\" = \"NONE\"", "a `*` stands at its end alone"),
            ("\"\" = \"NONE\"", "not the name of an action"),
        ] {
            let told = permissions(&format!("[serve.permissions.backend]\n{line}\n")).unwrap_err();
            assert!(told.contains(part), "{told}");
        }
        assert!(permissions("[serve.permissions]\nfront = {}\n").unwrap_err().contains("front"));
    }
}
