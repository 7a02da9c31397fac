//! `env://process`: one variable of the environment, as it was when the run began.
//!
//! Decision: the values are captured once by the caller and passed in, so a run sees one
//! environment and a test sees its own. Any name may be asked for; a value that looks like a
//! secret is handed back with the order to mask it in everything that is written.

use crate::arguments::Arguments;
use crate::output::ToolOutput;
use serde_json::Value;
use std::collections::BTreeMap;

/// Parts of names that mark a secret, as whole words between underscores.
const WORDS: [&str; 14] = [
    "KEY",
    "APIKEY",
    "TOKEN",
    "SECRET",
    "SECRETS",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "PASS",
    "PWD",
    "CREDENTIAL",
    "CREDENTIALS",
    "AUTH",
    "COOKIE",
];

pub(crate) fn get(environment: &BTreeMap<String, String>, arguments: &Arguments) -> ToolOutput {
    let name = arguments.text("name");
    let Some(value) = environment.get(name) else { return ToolOutput::of(Value::Null) };
    let mut output = ToolOutput::of(value.as_str().into());
    output.secrets = secrets_in(name, value);
    output
}

/// Reports whether a variable of this name holds a secret, as far as a name can show.
#[must_use]
pub fn looks_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    // These two hold a folder each.
    if name == "PWD" || name == "OLDPWD" {
        return false;
    }
    name.split(|character: char| !character.is_ascii_alphanumeric())
        .any(|word| WORDS.contains(&word) || word.ends_with("TOKEN") || word.ends_with("PASSWORD"))
}

/// Returns the part of a variable to mask: the whole value when the name shows it, else the
/// password of a URL.
#[must_use]
pub fn secrets_in(name: &str, value: &str) -> Vec<String> {
    if looks_secret(name) {
        return vec![value.to_owned()];
    }
    let user_info = value
        .split_once("://")
        .map(|(_, rest)| rest.split(['/', '?', '#']).next().unwrap_or_default())
        .and_then(|authority| authority.rsplit_once('@'));
    user_info
        .and_then(|(user_info, _)| user_info.split_once(':'))
        .map(|(_, password)| password.to_owned())
        .filter(|password| !password.is_empty())
        .into_iter()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_25_names_report_secrets() {
        for name in ["OPENAI_API_KEY", "GITHUB_TOKEN", "GITHUBTOKEN", "db_password", "AWS_SECRET"] {
            assert!(looks_secret(name), "{name}");
        }
        for name in ["HOME", "PATH", "KEYBOARD", "AUTHOR", "PWD", "OLDPWD", "MONKEY", ""] {
            assert!(!looks_secret(name), "{name}");
        }
    }

    #[test]
    fn as_25_password_of_url_is_secret() {
        let url = "postgres://app:s3cret%40pass@db.example:5432/app?x=a@b";
        assert_eq!(secrets_in("DATABASE_URL", url), ["s3cret%40pass"]);
        assert!(secrets_in("DATABASE_URL", "https://example.com/a:b@c").is_empty());
        assert_eq!(secrets_in("MY_TOKEN", "abc"), ["abc"]);
    }
}
