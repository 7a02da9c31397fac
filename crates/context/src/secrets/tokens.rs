//! Credentials that are recognised by their beginning.

use super::{Found, begins_word, run};

/// A credential that is recognised by its prefix.
struct Token {
    what: &'static str,
    prefix: &'static str,
    /// The least number of characters after the prefix.
    least: usize,
    is_part: fn(char) -> bool,
}

const fn token(
    what: &'static str,
    prefix: &'static str,
    least: usize,
    is_part: fn(char) -> bool,
) -> Token {
    Token { what, prefix, least, is_part }
}

const TOKENS: &[Token] = &[
    token("API key", "sk-", 16, is_url),
    token("Contexture token", "ctx_tok_", 1, is_url),
    token("AWS access key", "AKIA", 16, is_capital),
    token("AWS access key", "ASIA", 16, is_capital),
    token("GitHub token", "ghp_", 20, is_plain),
    token("GitHub token", "gho_", 20, is_plain),
    token("GitHub token", "ghu_", 20, is_plain),
    token("GitHub token", "ghs_", 20, is_plain),
    token("GitHub token", "ghr_", 20, is_plain),
    token("GitHub token", "github_pat_", 22, is_url),
    token("GitLab token", "glpat-", 16, is_url),
    token("Slack token", "xoxb-", 10, is_url),
    token("Slack token", "xoxp-", 10, is_url),
    token("Slack token", "xoxa-", 10, is_url),
    token("Slack token", "xoxr-", 10, is_url),
    token("Slack token", "xoxs-", 10, is_url),
    token("Google API key", "AIza", 30, is_url),
    token("Google token", "ya29.", 20, is_url),
    token("Stripe key", "sk_live_", 16, is_plain),
    token("Stripe key", "rk_live_", 16, is_plain),
    token("Stripe key", "sk_test_", 16, is_plain),
    token("npm token", "npm_", 30, is_plain),
    token("PyPI token", "pypi-", 40, is_url),
    token("Hugging Face token", "hf_", 30, is_plain),
    token("SendGrid key", "SG.", 40, is_jwt),
    token("Shopify token", "shpat_", 24, is_plain),
];

const fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric()
}

const fn is_capital(c: char) -> bool {
    c.is_ascii_uppercase() || c.is_ascii_digit()
}

const fn is_url(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

const fn is_jwt(c: char) -> bool {
    is_url(c) || c == '.'
}

/// Returns the prefixes of all credentials, in the order of [`at`].
pub(super) fn prefixes() -> impl Iterator<Item = &'static str> {
    TOKENS.iter().map(|token| token.prefix)
}

/// Returns the credential with a prefix that stands there, and where to go on.
pub(super) fn at(text: &str, at: usize, prefix: usize) -> Option<(Option<Found>, usize)> {
    let token = TOKENS.get(prefix).filter(|_| begins_word(text, at))?;
    let start = at + token.prefix.len();
    let end = start + run(text, start, token.is_part);
    let is_token = end - start >= token.least && text.get(start..end).is_some_and(is_random);
    let found = Found { what: token.what, range: at..end, shown: token.prefix.len() };
    Some((is_token.then_some(found), end))
}

/// Reports whether a text is random, not words separated by hyphens, as in `sk-learn-contrib-…`.
fn is_random(text: &str) -> bool {
    text.chars().any(|c| c.is_ascii_digit() || c.is_ascii_uppercase()) || !text.contains('-')
}

/// The beginning of a JSON web token.
pub(super) const WEB_TOKEN: &str = "eyJ";

/// Returns the `eyJ….eyJ….…` that stands there, and where to go on.
pub(super) fn web_token(text: &str, from: usize) -> Option<(Option<Found>, usize)> {
    if !begins_word(text, from) {
        return None;
    }
    let end = from + run(text, from, is_jwt);
    let mut parts = text.get(from..end).unwrap_or_default().split('.');
    let is_long = |part: Option<&str>| part.is_some_and(|part| part.len() >= 10);
    let is_token = is_long(parts.next())
        && parts.next().is_some_and(|part| part.len() >= 10 && part.starts_with(WEB_TOKEN))
        && is_long(parts.next());
    Some((is_token.then_some(Found { what: "JSON web token", range: from..end, shown: 3 }), end))
}

/// The longest kind of a private key: `ENCRYPTED `.
const KIND: usize = 24;

/// The beginning of a key or certificate in the form of PEM.
pub(super) const PEM: &str = "-----BEGIN ";

/// Returns the private key that stands there, to its end or as far as it is there, and where to
/// go on.
pub(super) fn private_key(text: &str, from: usize) -> (Option<Found>, usize) {
    const KEY: &str = "PRIVATE KEY-----";
    let kind = from + PEM.len();
    let kind = kind + run(text, kind, |c| c.is_ascii_uppercase() || c == ' ' || is_plain(c));
    let body = kind + "-----".len();
    let head = text.get(from..body).unwrap_or_default();
    if !head.ends_with(KEY) || head.len() > PEM.len() + KIND + KEY.len() {
        return (None, kind);
    }
    // Headers of an encrypted key stand before its body.
    let is_part = |c: char| c.is_ascii_alphanumeric() || "+/=\r\n\t :,-".contains(c);
    let end = body + run(text, body, is_part);
    let closing = text.get(body..end).and_then(|rest| rest.find("-----END "));
    let to = match closing {
        Some(at) => {
            let end = body + at + "-----END ".len();
            end + run(text, end, |c| is_plain(c) || c == ' ' || c == '-')
        }
        None => body + run(text, body, |c| is_plain(c) || "+/=\r\n".contains(c)),
    };
    let found = Found { what: "private key", range: from..to, shown: body - from };
    (Some(found), if closing.is_some() { to } else { end })
}
