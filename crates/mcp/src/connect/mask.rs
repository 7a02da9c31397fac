//! Secrets in what a dead server wrote, whoever's they are.

use contexture_context::fence::masked;

/// The words before a token in a header.
const SCHEMES: [&str; 2] = ["bearer", "basic"];
/// The shortest token, in characters: other words may stand behind those.
const SHORTEST: usize = 8;
/// The text in place of a token.
const MASK: &str = "•••";

/// Returns a text without keys, tokens and passwords, by how they look.
pub(super) fn secrets(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| tokens(&masked(line))).collect();
    lines.join("\n")
}

/// Returns a line without the tokens of headers: `Bearer …`.
fn tokens(line: &str) -> String {
    let mut masked = String::with_capacity(line.len());
    let mut follows = false;
    for word in line.split_inclusive(|sign: char| sign.is_whitespace()) {
        let bare = word.trim_end();
        if follows && bare.chars().count() >= SHORTEST {
            let space = word.get(bare.len()..).unwrap_or_default();
            let behind = bare.trim_end_matches(['"', '\'', ',', ';', '}', ')']);
            let behind = bare.get(behind.len()..).unwrap_or_default();
            masked.push_str(MASK);
            masked.push_str(behind);
            masked.push_str(space);
        } else {
            masked.push_str(word);
        }
        let scheme = bare.trim_matches(|sign: char| !sign.is_ascii_alphabetic());
        let scheme = scheme.rsplit(|sign: char| !sign.is_ascii_alphabetic()).next();
        let is_scheme =
            |scheme: &str| SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known));
        follows = !bare.is_empty() && scheme.is_some_and(is_scheme);
    }
    masked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_25_what_looks_like_secret_is_masked_whoever_it_belongs_to() {
        let said = secrets(
            "GET / Authorization: Bearer abcdef0123456789\nkey sk-proj-0a1B2c3D4e5F6g7H8i9J0k failed",
        );
        assert!(said.contains("Authorization: Bearer •••"), "{said}");
        assert!(!said.contains("abcdef0123456789") && !said.contains("0a1B2c3D4e5F"), "{said}");
        assert_eq!(said.lines().count(), 2, "{said}");
        let quoted = secrets("{\"Authorization\":\"bearer 0123456789abcdef\"} failed");
        assert!(quoted.contains("•••\"} failed"), "{quoted}");
        assert_eq!(secrets("the bearer of news failed"), "the bearer of news failed");
    }
}
