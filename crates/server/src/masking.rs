//! The text that describes an action to the user, with secrets masked (CP-19).
//!
//! Decision: the value of a name that denotes a secret is masked whole;
//! elsewhere the parts of a text that look like keys are masked. The action itself is unchanged.

use contexture::store::masker::{MASK, Masker};
use serde_json::{Map, Value};

/// The parts of names of secrets, in lower case without separators.
const PARTS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "secret",
    "apikey",
    "accesskey",
    "privatekey",
    "signingkey",
    "encryptionkey",
    "credential",
    "authorization",
    "cookie",
    "密码",
    "密钥",
    "口令",
    "令牌",
];
/// Endings of names that are not secrets, such as `max_tokens`.
const ENDS: &[&str] = &["token", "pwd"];

pub(crate) fn parameters(parameters: &Map<String, Value>) -> Map<String, Value> {
    let mut shown = parameters.clone();
    let mut open = of_fields(&mut shown, false);
    while let Some((value, is_secret)) = open.pop() {
        match value {
            Value::String(_) | Value::Number(_) if is_secret => *value = MASK.into(),
            Value::String(said) => *said = text(said),
            Value::Array(values) => open.extend(values.iter_mut().map(|one| (one, is_secret))),
            Value::Object(fields) => open.extend(of_fields(fields, is_secret)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    shown
}

pub(crate) fn text(text: &str) -> String {
    Masker::default().text(text).into_owned()
}

fn of_fields(fields: &mut Map<String, Value>, is_secret: bool) -> Vec<(&mut Value, bool)> {
    fields.iter_mut().map(|(name, value)| (value, is_secret || is_of_secret(name))).collect()
}

fn is_of_secret(name: &str) -> bool {
    let bare: String = name.chars().filter(|c| c.is_alphanumeric()).collect();
    let bare = bare.to_lowercase();
    PARTS.iter().any(|part| bare.contains(part)) || ENDS.iter().any(|end| bare.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn cp_19_keys_are_masked_by_name_and_form() {
        let given = json!({
            "api_key": "plain words", "X-Api-Key": 123, "accessToken": ["one", { "a": "two" }],
            "headers": { "Authorization": "Bearer abc", "Accept": "text/plain" },
            "max_tokens": 500, "text": "first\nkey: sk-abcdefghijklmnopqrstuvwxyz123456 end",
            "useToken": null, "path": "notes/token.txt",
        });
        let Value::Object(given) = given else { panic!() };
        let expected = json!({
            "api_key": MASK, "X-Api-Key": MASK, "accessToken": [MASK, { "a": MASK }],
            "headers": { "Authorization": MASK, "Accept": "text/plain" },
            "max_tokens": 500, "text": "first\nkey: sk-••• end",
            "useToken": null, "path": "notes/token.txt",
        });
        assert_eq!(Value::Object(parameters(&given)), expected);
    }
}
