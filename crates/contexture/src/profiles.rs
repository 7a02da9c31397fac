//! The profiles of models: those of the settings, and the table that is shipped (CA-4).

use crate::config::ProfileSettings;
use contexture_core::ModelUri;
use contexture_core::profile::{Price, Profile};
use std::collections::{BTreeMap, HashMap};
use std::sync::{LazyLock, OnceLock};

/// The table that is shipped, in the form of the settings.
const TABLE: &str = include_str!("profiles.toml");

type Table = BTreeMap<String, ProfileSettings>;

/// What is known of models without asking anybody.
#[derive(Debug, Clone, Default)]
pub struct Profiles {
    own: Table,
}

impl Profiles {
    /// Returns the profiles of a project.
    #[must_use]
    pub fn new(own: &Table) -> Self {
        Self { own: own.clone() }
    }

    /// Returns what is known of the model of a URI: each part from the settings, else from the
    /// table.
    #[must_use]
    pub fn of(&self, uri: &str) -> Profile {
        let known = self.entries(uri).map(ProfileSettings::profile);
        let profile = known.fold(Profile::default(), Profile::or);
        match uri.parse() {
            // Its answers are there already.
            Ok(ModelUri::Replay { .. }) => profile.or(free()),
            _ => profile,
        }
    }

    /// Returns where the price of a model was read, and its day.
    #[must_use]
    pub fn source(&self, uri: &str) -> String {
        let mut priced = self.entries(uri).filter(|entry| entry.profile().price.is_some());
        let Some(entry) = priced.next() else { return "contexture.toml".to_owned() };
        let source = entry.source.as_deref().unwrap_or("contexture.toml");
        entry.date.as_ref().map_or_else(|| source.to_owned(), |date| format!("{source}, {date}"))
    }

    /// Returns the entries about a model, those that count more first.
    fn entries(&self, uri: &str) -> impl Iterator<Item = &ProfileSettings> {
        let table = shipped(uri).or_else(|| shipped(undated(uri)));
        self.own.get(uri).into_iter().chain(table)
    }
}

fn free() -> Profile {
    Profile { price: Some(Price::FREE), ..Profile::default() }
}

/// An entry of the table, read when it is first asked for: a run asks for one or two.
struct Entry {
    text: &'static str,
    settings: OnceLock<ProfileSettings>,
}

fn shipped(uri: &str) -> Option<&'static ProfileSettings> {
    static SHIPPED: LazyLock<HashMap<&str, Entry>> = LazyLock::new(|| {
        let entries = TABLE.split("\n[\"").filter_map(|entry| entry.split_once("\"]\n"));
        entries.map(|(uri, text)| (uri, Entry { text, settings: OnceLock::new() })).collect()
    });
    // A test reads it whole: it is never wrong.
    let read = |entry: &'static Entry| {
        entry.settings.get_or_init(|| toml::from_str(entry.text).unwrap_or_default())
    };
    SHIPPED.get(uri).map(read)
}

/// Returns the name of a model without the date of its version: `gpt-4o-2024-08-06`,
/// `claude-sonnet-4-20250514`, `gpt-4o-latest`.
fn undated(uri: &str) -> &str {
    let name = uri.strip_suffix("-latest").unwrap_or(uri);
    let digits = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-');
    let date = name.get(digits.len()..).unwrap_or_default();
    for length in [11, 9] {
        let Some((rest, end)) = name.split_at_checked(name.len().saturating_sub(length)) else {
            continue;
        };
        let plain = end.bytes().filter(u8::is_ascii_digit).count() == 8;
        if date.len() >= length && end.starts_with('-') && plain {
            return rest;
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ca_4_table_is_whole_and_each_entry_has_prices_date_and_source() {
        let table: Table = toml::from_str(TABLE).unwrap();
        assert!(table.len() > 30);
        for (uri, entry) in &table {
            let profile = entry.profile();
            assert!(uri.parse::<ModelUri>().is_ok(), "{uri}");
            assert!(profile.price.is_some() && entry.date.is_some(), "{uri}");
            assert!(entry.source.is_some(), "{uri}");
            assert_eq!(shipped(uri), Some(entry), "{uri}");
            assert!(profile.window.is_none() == profile.max_output.is_none(), "{uri}");
        }
    }

    #[test]
    fn ca_4_version_of_a_model_has_its_profile_and_another_model_has_not() {
        let known = Profiles::default();
        let window = |uri: &str| known.of(uri).window;
        for uri in ["gpt-4o", "gpt-4o-2024-08-06", "gpt-4o-latest"] {
            assert_eq!(window(&format!("openai://{uri}")), Some(128_000), "{uri}");
        }
        assert_eq!(window("anthropic://claude-sonnet-4-20250514"), Some(200_000));
        assert_eq!(window("anthropic://claude-opus-4-1-20250805"), Some(200_000));
        for uri in ["openai://gpt-4o-audio", "openai://gpt-9", "ollama://gpt-4o", "", "-", "é"] {
            assert_eq!(window(uri), None, "{uri}");
        }
        assert_eq!(known.source("openai://gpt-4o"), "litellm, 2026-07-24");
        assert!(known.of("replay:answers.jsonl").price.is_some());
        assert!(known.of("ollama://llama3.2").price.is_none());
    }

    #[test]
    fn ca_4_part_that_settings_leave_out_is_taken_from_the_table() {
        let own = ProfileSettings { window: Some(9_000), ..ProfileSettings::default() };
        let own = Table::from([("openai://gpt-4o".to_owned(), own)]);
        let profile = Profiles::new(&own).of("openai://gpt-4o");
        assert_eq!((profile.window, profile.max_output), (Some(9_000), Some(16_384)));
    }
}
