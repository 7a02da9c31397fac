//! The freshness of an answer, and asking a server whether it still holds.
//!
//! Decision: this is the part of RFC 9111 that a cache of one reader needs. An answer is fresh as
//! long as its server defines: nothing is guessed from its age. The request is always the same
//! except for `Accept`, which is part of the key, so that `Vary` holds by itself.

use reqwest::header::{
    AGE, CACHE_CONTROL, DATE, ETAG, EXPIRES, HeaderMap, HeaderName, LAST_MODIFIED, PRAGMA, VARY,
};
use serde::{Deserialize, Serialize};
use std::time::{SystemTime, UNIX_EPOCH};

/// The longest time that an answer is used without asking, in seconds: a year.
const LONGEST: u64 = 365 * 24 * 60 * 60;

/// The freshness of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Freshness {
    /// The time when it came or was last confirmed, in seconds since 1970.
    asked: u64,
    /// The seconds from then for which it holds.
    lifetime: u64,
    pub(super) etag: Option<String>,
    pub(super) last_modified: Option<String>,
}

/// Returns the seconds since 1970.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

pub(super) fn header(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

impl Freshness {
    /// Reads the headers of an answer; returns `None` when it must not be kept, or keeping it is of
    /// no use.
    pub(super) fn of(headers: &HeaderMap, now: u64) -> Option<Self> {
        let directives = Directives::of(headers);
        let varies = headers.get_all(VARY).iter().any(|value| value.as_bytes().contains(&b'*'));
        if varies || directives.has("no-store") || directives.has("private") {
            return None;
        }
        let made = Self {
            asked: now,
            lifetime: lifetime(headers, &directives),
            etag: header(headers, ETAG).filter(|etag| is_visible(etag)),
            last_modified: header(headers, LAST_MODIFIED).filter(|date| is_visible(date)),
        };
        let useful = made.lifetime > 0 || made.etag.is_some() || made.last_modified.is_some();
        useful.then_some(made)
    }

    pub(super) fn is_fresh(&self, now: u64) -> bool {
        // A clock that was set back proves nothing.
        now.checked_sub(self.asked).is_some_and(|age| age < self.lifetime)
    }

    /// Reports whether "not modified" is about this answer.
    pub(super) fn is_renewed_by(&self, headers: &HeaderMap) -> bool {
        let weak = |etag: &str| etag.trim().trim_start_matches("W/").to_owned();
        match (&self.etag, header(headers, ETAG)) {
            (Some(kept), Some(told)) => weak(kept) == weak(&told),
            (None, Some(_)) => false,
            (_, None) => true,
        }
    }

    /// Applies the headers of "not modified".
    pub(super) fn renew(&mut self, headers: &HeaderMap, now: u64) {
        self.asked = now;
        self.lifetime = lifetime(headers, &Directives::of(headers));
        if let Some(date) = header(headers, LAST_MODIFIED).filter(|date| is_visible(date)) {
            self.last_modified = Some(date);
        }
    }
}

/// Reports whether a header can be sent back as it came.
fn is_visible(value: &str) -> bool {
    value.len() <= 1024 && value.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

fn lifetime(headers: &HeaderMap, directives: &Directives) -> u64 {
    if directives.has("no-cache") {
        return 0;
    }
    let date = |name| header(headers, name).and_then(|text| httpdate::parse_http_date(&text).ok());
    let whole = match directives.value("max-age") {
        // What can't be read has run out.
        Some(seconds) => seconds.parse().unwrap_or(0),
        None => date(EXPIRES).map_or(0, |expires| {
            let sent = date(DATE).unwrap_or_else(SystemTime::now);
            expires.duration_since(sent).map_or(0, |left| left.as_secs())
        }),
    };
    let age = header(headers, AGE).and_then(|age| age.trim().parse().ok()).unwrap_or(0);
    whole.min(LONGEST).saturating_sub(age)
}

struct Directives(Vec<(String, Option<String>)>);

impl Directives {
    fn of(headers: &HeaderMap) -> Self {
        let values = headers.get_all(CACHE_CONTROL).iter();
        let values: Vec<_> =
            values.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()).collect();
        let mut directives: Vec<_> = values
            .iter()
            .flat_map(|value| value.split(','))
            .map(|one| match one.split_once('=') {
                Some((name, value)) => (name, Some(value.trim().trim_matches('"').to_owned())),
                None => (one, None),
            })
            .map(|(name, value)| (name.trim().to_ascii_lowercase(), value))
            .collect();
        let old = header(headers, PRAGMA).is_some_and(|value| value.contains("no-cache"));
        if old && values.is_empty() {
            directives.push(("no-cache".to_owned(), None));
        }
        Self(directives)
    }

    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| known == name)
    }

    fn value(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).and_then(|(_, value)| value.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::HeaderValue;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_static(value));
        }
        headers
    }

    fn lives(pairs: &[(&'static str, &'static str)]) -> Option<u64> {
        Freshness::of(&headers(pairs), 1000).map(|freshness| freshness.lifetime)
    }

    #[test]
    fn ref_22_response_lifetime_is_set_by_server() {
        assert_eq!(lives(&[("cache-control", "public, Max-Age=\"60\"")]), Some(60));
        assert_eq!(lives(&[("cache-control", "max-age=60"), ("age", "50")]), Some(10));
        assert_eq!(lives(&[("etag", "\"a\""), ("cache-control", "no-cache, max-age=60")]), Some(0));
        assert_eq!(lives(&[("etag", "\"a\""), ("pragma", "no-cache")]), Some(0));
        let dates = [
            ("date", "Sun, 06 Nov 1994 08:49:37 GMT"),
            ("expires", "Sun, 06 Nov 1994 08:50:37 GMT"),
        ];
        assert_eq!(lives(&dates), Some(60));
        assert_eq!(lives(&[("last-modified", "Sun, 06 Nov 1994 08:49:37 GMT")]), Some(0));
        assert_eq!(lives(&[("cache-control", "max-age=99999999999999999999")]), None);
        assert_eq!(lives(&[("cache-control", "max-age=18446744073709551615")]), Some(LONGEST));
        let old = [("cache-control", "max-age=9"), ("age", "18446744073709551615")];
        assert_eq!(lives(&old), None);
    }

    #[test]
    fn ref_22_what_is_private_is_not_kept() {
        for (name, value) in [
            ("cache-control", "no-store"),
            ("cache-control", "max-age=60, private"),
            ("vary", "Accept, *"),
        ] {
            let pairs = [("etag", "\"a\""), ("cache-control", "max-age=60"), (name, value)];
            assert_eq!(lives(&pairs), None, "{name}: {value}");
        }
        assert_eq!(lives(&[]), None);
        assert_eq!(lives(&[("expires", "0")]), None);
    }

    #[test]
    fn ref_22_response_is_fresh_until_lifetime_ends() {
        let freshness = Freshness::of(&headers(&[("cache-control", "max-age=60")]), 1000).unwrap();
        let fresh: Vec<_> = [999, 1000, 1059, 1060].map(|now| freshness.is_fresh(now)).into();
        assert_eq!(fresh, [false, true, true, false]);
    }

    #[test]
    fn ref_22_not_modified_renews_answer_it_speaks_of() {
        let mut kept = Freshness::of(&headers(&[("etag", "W/\"a\"")]), 1000).unwrap();
        assert!(kept.is_renewed_by(&headers(&[("etag", "\"a\"")])));
        assert!(kept.is_renewed_by(&headers(&[])));
        assert!(!kept.is_renewed_by(&headers(&[("etag", "\"b\"")])));
        kept.renew(&headers(&[("cache-control", "max-age=5")]), 2000);
        assert!(kept.is_fresh(2004) && !kept.is_fresh(2005));
    }
}
