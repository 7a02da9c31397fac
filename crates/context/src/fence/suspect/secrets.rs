//! Keys, tokens and passwords, recognised by their form.

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

/// The length of the shortest token, including its prefix.
const SHORTEST_TOKEN: usize = 15;

/// Names whose value is a password or key when it is written out, in lower case.
const NAMES: &[&str] = words![
    "password" "passwd" "passphrase" "secret" "secret_key" "client_secret" "api_key" "apikey"
    "api-key" "token" "access_key" "private_key" "密码" "密钥" "口令"
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

/// A secret in a line: its description, the length of its beginning that may be shown, and its
/// position.
struct Found {
    what: &'static str,
    shown: usize,
    from: usize,
    to: usize,
}

/// Returns the secrets of a line: for each its description and the part that may be shown.
pub(super) fn find(line: &str) -> Vec<(&'static str, String)> {
    let show = |found: Found| {
        let text = line.get(found.from..found.from + found.shown).unwrap_or_default();
        (found.what, format!("{text}…"))
    };
    all(line).into_iter().map(show).collect()
}

pub(super) fn mask(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut from = 0;
    for found in all(line) {
        out.push_str(line.get(from..found.from + found.shown).unwrap_or_default());
        out.push('…');
        from = found.to;
    }
    out.push_str(line.get(from..).unwrap_or_default());
    out
}

/// Returns the secrets in the order of their positions, without overlaps.
fn all(line: &str) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    // Most lines of prose have no word as long as a token, so one look is enough.
    if line.split(|c| !is_jwt(c)).any(|word| word.len() >= SHORTEST_TOKEN) {
        found.extend(TOKENS.iter().flat_map(|token| tokens(line, token)));
        found.extend(web_tokens(line));
    }
    found.extend(private_key(line));
    if line.contains([':', '=', '：', '＝']) {
        found.extend(passwords(line));
        found.extend(logins(line));
    }
    found.sort_by_key(|found| (found.from, std::cmp::Reverse(found.to)));
    let mut end = 0;
    found.retain(|found| {
        let is_apart = found.from >= end;
        end = end.max(found.to);
        is_apart
    });
    found
}

fn tokens(line: &str, token: &Token) -> Vec<Found> {
    each(line, token.prefix, |from| {
        if !begins_word(line, from) {
            return (None, 0);
        }
        let start = from + token.prefix.len();
        let end = start + run(line, start, token.is_part);
        let is_token = end - start >= token.least && line.get(start..end).is_some_and(is_random);
        let shown = token.prefix.len();
        (is_token.then_some(Found { what: token.what, shown, from, to: end }), end)
    })
}

/// Returns the finds at each `sign`; the search continues after the end that is returned with a
/// find, so that no part of a line is searched again and again.
fn each(
    line: &str,
    sign: &str,
    mut look: impl FnMut(usize) -> (Option<Found>, usize),
) -> Vec<Found> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = line.get(from..).and_then(|rest| rest.find(sign)) {
        let (one, end) = look(from + at);
        found.extend(one);
        from = end.max(from + at + sign.len());
    }
    found
}

/// Reports whether a text is random, not words separated by hyphens, as in `sk-learn-contrib-…`.
fn is_random(text: &str) -> bool {
    text.chars().any(|c| c.is_ascii_digit() || c.is_ascii_uppercase()) || !text.contains('-')
}

/// Finds `eyJ….eyJ….…`.
fn web_tokens(line: &str) -> Vec<Found> {
    each(line, "eyJ", |from| {
        if !begins_word(line, from) {
            return (None, 0);
        }
        let end = from + run(line, from, is_jwt);
        let mut parts = line.get(from..end).unwrap_or_default().split('.');
        let is_long = |part: Option<&str>| part.is_some_and(|part| part.len() >= 10);
        let is_token = is_long(parts.next())
            && parts.next().is_some_and(|part| part.len() >= 10 && part.starts_with("eyJ"))
            && is_long(parts.next());
        (is_token.then_some(Found { what: "JSON web token", shown: 3, from, to: end }), end)
    })
}

fn private_key(line: &str) -> Option<Found> {
    let from = line.find("-----BEGIN ")?;
    let end = line.get(from..)?.find("PRIVATE KEY-----")?;
    let shown = end + "PRIVATE KEY-----".len();
    Some(Found { what: "private key", shown, from, to: line.len() })
}

/// Finds `password = "…"`.
fn passwords(line: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let mut done = 0;
    for (at, sign) in line.match_indices([':', '=', '：', '＝']) {
        let name = line.get(..at).unwrap_or_default();
        let name = name.trim_end_matches(['"', '\'', '`', ' ', '\t', '*']);
        if at < done || !NAMES.iter().any(|known| ends(name, known)) {
            continue;
        }
        let value = line.get(at + sign.len()..).unwrap_or_default();
        let value = value.trim_start_matches(['"', '\'', '`', ' ', '\t', '=', '*']);
        let from = line.len() - value.len();
        let to = from + run(line, from, |c| !c.is_whitespace() && !"\"'`,;<>，。；".contains(c));
        if line.get(from..to).is_some_and(is_secret_value) {
            found.push(Found { what: "password or key", shown: 0, from, to });
        }
        done = to;
    }
    found
}

fn ends(text: &str, word: &str) -> bool {
    let tail = text.len().checked_sub(word.len()).and_then(|from| text.get(from..));
    tail.is_some_and(|tail| tail.eq_ignore_ascii_case(word))
}

/// Reports whether a value is neither a placeholder nor an ordinary word.
fn is_secret_value(value: &str) -> bool {
    let has = |is: fn(char) -> bool| value.chars().any(is);
    let lower = value.to_ascii_lowercase();
    let is_placeholder = ["your", "example", "xxxx", "****", "${", "{{", "changeme", "•••", "env."]
        .iter()
        .any(|word| lower.contains(word));
    value.chars().count() >= 8
        && has(|c| c.is_ascii_digit())
        && has(char::is_alphabetic)
        && !is_placeholder
        && !value.contains("://")
}

/// Finds `scheme://user:password@host`.
fn logins(line: &str) -> Vec<Found> {
    each(line, "://", |at| {
        let from = at + "://".len();
        let end = from + run(line, from, |c| !c.is_whitespace() && !"/?#\"'<>`".contains(c));
        let login = line.get(from..end).and_then(|part| part.rsplit_once('@'));
        let Some((user, password)) = login.and_then(|(login, _)| login.split_once(':')) else {
            return (None, end);
        };
        let is_secret = password.chars().count() >= 4 && !password.starts_with(['$', '{', '*']);
        let from = from + user.len() + 1;
        let found =
            Found { what: "password in an address", shown: 0, from, to: from + password.len() };
        (is_secret.then_some(found), end)
    })
}

fn begins_word(line: &str, from: usize) -> bool {
    let before = line.get(..from).and_then(|before| before.chars().next_back());
    !before.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Counts the bytes from there on that are such characters.
fn run(line: &str, from: usize, is_part: impl Fn(char) -> bool) -> usize {
    let rest = line.get(from..).unwrap_or_default();
    rest.len() - rest.trim_start_matches(is_part).len()
}
