//! The beginnings of secrets that are recognised by them, found in one walk.

use super::search::Search;
use super::{Found, named, tokens};
use std::sync::LazyLock;

/// A kind of secret; the search for each goes on behind the last one that was looked at, so that
/// no part of a text is searched again and again.
#[derive(Clone, Copy)]
enum Kind {
    Token(usize),
    WebToken,
    PrivateKey,
    Bearer,
    Login,
}

/// The beginnings by which secrets are recognised.
struct Signs {
    kinds: Vec<Kind>,
    search: Search,
}

static SIGNS: LazyLock<Signs> = LazyLock::new(|| {
    let tokens = tokens::prefixes().enumerate().map(|(at, prefix)| (prefix, Kind::Token(at)));
    let others = [
        (tokens::WEB_TOKEN, Kind::WebToken),
        (tokens::PEM, Kind::PrivateKey),
        (named::BEARER, Kind::Bearer),
        (named::ADDRESS, Kind::Login),
    ];
    let signs = tokens.chain(others);
    let (texts, kinds): (Vec<&str>, Vec<Kind>) = signs.unzip();
    Signs { kinds, search: Search::new(texts) }
});

/// Returns the secrets that are recognised by their beginning.
pub(super) fn find(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let mut done = [0; 4];
    for (sign, place) in SIGNS.search.find(text.as_bytes()) {
        let Some(kind) = SIGNS.kinds.get(sign) else { continue };
        let Some(done) = done.get_mut(kind.group()).filter(|done| **done <= place.start) else {
            continue;
        };
        if let Some((one, end)) = kind.look(text, place.start) {
            found.extend(one);
            *done = end;
        }
    }
    found
}

impl Kind {
    /// Returns the index of those that go on together.
    const fn group(self) -> usize {
        match self {
            Self::Token(_) | Self::WebToken => 0,
            Self::PrivateKey => 1,
            Self::Bearer => 2,
            Self::Login => 3,
        }
    }

    /// Returns the secret that begins there, and where to go on, unless its sign means nothing.
    fn look(self, text: &str, at: usize) -> Option<(Option<Found>, usize)> {
        match self {
            Self::Token(prefix) => tokens::at(text, at, prefix),
            Self::WebToken => tokens::web_token(text, at),
            Self::PrivateKey => Some(tokens::private_key(text, at)),
            Self::Bearer => Some(named::bearer(text, at)),
            Self::Login => Some(named::login(text, at)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gu_9_all_signs_are_searched() {
        for prefix in tokens::prefixes() {
            let text = format!("a {prefix}{} b", "A1b2C3d4E5".repeat(5).to_uppercase());
            assert_eq!(find(&text).len(), 1, "{text}");
        }
    }
}
