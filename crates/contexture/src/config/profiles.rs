//! `[profiles."URI"]`: what is known of a model, for budgets and costs (CA-4).

use contexture_context::TokenCounter;
use contexture_context::tokens::{CL100K_BASE, CL100K_STAND_IN, O200K_BASE, O200K_STAND_IN};
use contexture_core::profile::{Money, Price, Profile};
use contexture_diagnostic::suggestion;
use serde::{Deserialize, Deserializer, de};

const TOKENIZERS: [&str; 2] = ["o200k_base", "cl100k_base"];

/// What is known of a model; what is absent is taken from the table that is shipped, or asked of
/// a local server.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct ProfileSettings {
    /// Tokens that prompt and answer may take together.
    #[serde(deserialize_with = "tokens")]
    pub window: Option<u64>,
    /// Tokens that an answer may take.
    #[serde(deserialize_with = "tokens")]
    pub max_output: Option<u64>,
    /// Tokens that a picture takes at most.
    #[serde(deserialize_with = "tokens")]
    pub picture: Option<u64>,
    /// The tokenizer that counts for it: `o200k_base` or `cl100k_base`.
    #[serde(deserialize_with = "tokenizer")]
    pub tokenizer: Option<String>,
    /// False if that tokenizer stands for another one.
    pub exact: Option<bool>,
    /// Dollars for a million tokens of the prompt.
    #[serde(deserialize_with = "money")]
    pub price_input: Option<f64>,
    /// Dollars for a million tokens of the prompt in the server's cache; `price_input` when absent.
    #[serde(deserialize_with = "money")]
    pub price_cached: Option<f64>,
    /// Dollars for a million tokens of the answer.
    #[serde(deserialize_with = "money")]
    pub price_output: Option<f64>,
    /// The day of the prices.
    pub date: Option<String>,
    /// Where the prices were read.
    pub source: Option<String>,
}

impl ProfileSettings {
    /// Returns the profile of the settings.
    #[must_use]
    pub fn profile(&self) -> Profile {
        let per_token = |price: Option<f64>| Money::of_dollars(price? / 1e6);
        let price = per_token(self.price_input).zip(per_token(self.price_output));
        let cached = per_token(self.price_cached);
        Profile {
            window: self.window,
            max_output: self.max_output,
            picture: self.picture,
            tokenizer: self.counter(),
            price: price.map(|(input, output)| Price {
                input,
                cached: cached.unwrap_or(input),
                output,
            }),
        }
    }

    fn counter(&self) -> Option<&'static dyn TokenCounter> {
        Some(match (self.tokenizer.as_deref()?, self.exact.unwrap_or(true)) {
            ("cl100k_base", true) => &CL100K_BASE,
            ("cl100k_base", false) => &CL100K_STAND_IN,
            (_, true) => &O200K_BASE,
            (_, false) => &O200K_STAND_IN,
        })
    }
}

fn tokens<'de, D: Deserializer<'de>>(value: D) -> Result<Option<u64>, D::Error> {
    super::budget(value).map(Some)
}

fn tokenizer<'de, D: Deserializer<'de>>(value: D) -> Result<Option<String>, D::Error> {
    let name = String::deserialize(value)?;
    if TOKENIZERS.contains(&name.as_str()) {
        return Ok(Some(name));
    }
    let help = suggestion(&name, TOKENIZERS)
        .unwrap_or_else(|| format!("expected {}", TOKENIZERS.join(" or ")));
    Err(de::Error::custom(format!("`{name}` is not a tokenizer that is built in: {help}")))
}

/// Reads dollars.
pub(super) fn money<'de, D: Deserializer<'de>>(value: D) -> Result<Option<f64>, D::Error> {
    let dollars = f64::deserialize(value)?;
    match Money::of_dollars(dollars) {
        Some(_) => Ok(Some(dollars)),
        None => Err(de::Error::custom(format!("`{dollars}` is not an amount of dollars"))),
    }
}

#[cfg(test)]
mod tests {
    use crate::Config;
    use contexture_prompt::OpenaiContentPart;

    #[test]
    fn ca_4_profile_in_settings_is_read_and_its_faults_have_a_place() {
        let text = "[profiles.\"openai://local\"]\nwindow = \"4k\"\nmax_output = 500\npicture = 900\n\
                    tokenizer = \"cl100k_base\"\nprice_input = 1\nprice_output = 2.5\n";
        let config = Config::parse("contexture.toml", text).unwrap();
        let profile = config.profiles["openai://local"].profile();
        assert_eq!((profile.window, profile.max_output), (Some(4_000), Some(500)));
        assert!(profile.tokenizer.unwrap().exact());
        let picture = [OpenaiContentPart::image_url("data:image/png;base64,"); 1];
        assert_eq!((profile.picture, profile.media(&picture)), (Some(900), Some(900)));
        assert_eq!(profile.media(&[OpenaiContentPart::input_audio("", "wav")]), None);
        let price = profile.price.unwrap();
        assert_eq!(price.worst(1_000_000, 1_000_000).dollars(), 3.5);
        assert_eq!(price.cached, price.input);
        for (line, part) in [
            ("tokenizer = \"o200k_bse\"", "did you mean `o200k_base`?"),
            ("price_input = -1", "is not an amount"),
            ("price_output = nan", "is not an amount"),
            ("window = 0", "is not a budget"),
            ("windw = 4096", "windw"),
        ] {
            let text = format!("[profiles.\"openai://local\"]\n{line}\n");
            let told = Config::parse("contexture.toml", &text).unwrap_err().to_string();
            assert!(told.contains(part), "{told}");
        }
    }
}
