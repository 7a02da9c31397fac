//! What of a secret file must not be shown: its text, its lines and the values in them.

use crate::masker::SHORTEST_SECRET;
use std::collections::BTreeSet;

/// The most values that one file gives.
const MOST: usize = 1_000;

/// The longest text that is looked for as a whole, in bytes.
const WHOLE: usize = 64 << 10;

/// The words of a `.netrc` that a secret follows.
const NAMED: [&str; 3] = ["password", "account", "token"];

/// Returns the texts to mask of a file of class secret: the whole text, each line, and the value of
/// lines such as `KEY=value` and `"key": "value",`. Texts that are too short to be masked are left
/// out.
#[must_use]
pub fn secrets_in(text: &str) -> Vec<String> {
    let mut found = BTreeSet::new();
    let mut add = |text: &str| {
        let text = text.trim();
        if text.chars().count() >= SHORTEST_SECRET && text.len() <= WHOLE {
            found.insert(text.to_owned());
        }
    };
    add(text);
    for line in text.lines().take(MOST) {
        let line = line.trim();
        let is_comment =
            line.starts_with('#') || line.starts_with("//") || line.starts_with("-----");
        if is_comment {
            continue;
        }
        add(line);
        let sides =
            ['=', ':'].into_iter().flat_map(|sign| [line.split_once(sign), line.rsplit_once(sign)]);
        for (_, value) in sides.flatten() {
            add(bare(value));
            // A comment behind it.
            add(bare(value.split_once(" #").map_or(value, |(value, _)| value)));
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        for pair in words.windows(2) {
            if let [word, value] = pair
                && NAMED.contains(word)
            {
                add(bare(value));
            }
        }
    }
    found.into_iter().take(MOST).collect()
}

/// Returns a value without the quotes and commas around it.
fn bare(value: &str) -> &str {
    let value = value.trim().trim_end_matches([',', ';']).trim_end();
    let quoted = |quote: char| value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    quoted('"').or_else(|| quoted('\'')).or_else(|| quoted('`')).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::secrets_in;

    #[test]
    fn gu_1_values_of_secret_files_are_found_in_every_common_form() {
        let text = "# the password\nexport PASSWORD=\"hunter2-hunter2\"\nTOKEN='abcdefgh-123'\nPORT=80\nmachine m login bob password s3cretS3cret\n{\"key\": \"json-value-1\",\n-----BEGIN KEY-----\nMIIEvQIBADANBg\n";
        let found = secrets_in(text);
        for value in [
            "hunter2-hunter2",
            "abcdefgh-123",
            "json-value-1",
            "s3cretS3cret",
            "MIIEvQIBADANBg",
            text.trim(),
        ] {
            assert!(found.iter().any(|one| one == value), "{value}: {found:?}");
        }
        for value in ["80", "# the password", "-----BEGIN KEY-----"] {
            assert!(!found.iter().any(|one| one == value), "{value}");
        }
        assert!(secrets_in("").is_empty());
    }
}
