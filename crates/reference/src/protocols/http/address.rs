//! The target of a request: a URL without its credentials, and the credentials beside it.

use super::super::address::{Login, decode};
use super::super::fault::Fault;
use std::fmt;
use url::Url;

#[derive(Debug, Clone)]
pub(super) struct Target {
    /// Without user info and fragment.
    pub(super) url: Url,
    pub(super) login: Option<Login>,
}

/// `https://host:port`, as messages name a server.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.url.origin().ascii_serialization())
    }
}

impl Target {
    /// Returns the path of a reference and the query that the server gets, as written. A fragment
    /// stays here, as it does with browsers.
    pub(super) fn parse(scheme: &str, path: &str, query: Option<&str>) -> Result<Self, Fault> {
        let path = path.split_once('#').map_or(path, |(path, _)| path);
        let query = query.map(|query| query.split_once('#').map_or(query, |(query, _)| query));
        let bad = |reason: &dyn fmt::Display| {
            let help = "write user:password@host:port/path; in user and password `/` is written \
                        %2F, `@` %40, `:` %3A, `#` %23 and `%` %25";
            Fault::new("REF4001", format!("it is not an address: {reason}"), help)
        };
        let mut url = Url::parse(&format!("{scheme}://{path}")).map_err(|error| bad(&error))?;
        url.set_query(query);
        let login = login_of(&url)?;
        if url.port() == Some(0) {
            return Err(bad(&"its port is 0"));
        }
        strip(&mut url);
        Ok(Self { url, login })
    }

    /// Returns where a redirect leads. Credentials stay with their origin, and none are taken from
    /// it.
    pub(super) fn redirected(&self, location: &str) -> Result<Self, Fault> {
        let refused = |what: String| {
            let help = "ask for the address that it leads to, if that is meant";
            Fault::new("REF4013", format!("{self} redirects {what}"), help)
        };
        let mut url = self.url.join(location).map_err(|_| refused("to nowhere".to_owned()))?;
        strip(&mut url);
        match url.scheme() {
            "https" => {}
            "http" if self.url.scheme() == "http" => {}
            "http" => return Err(refused(format!("from https to http ({})", origin(&url)))),
            other => return Err(refused(format!("to the protocol `{other}`"))),
        }
        let login = self.login.clone().filter(|_| url.origin() == self.url.origin());
        Ok(Self { url, login })
    }
}

fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

fn strip(url: &mut Url) {
    // A URL that can't have credentials has none.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_fragment(None);
}

fn login_of(url: &Url) -> Result<Option<Login>, Fault> {
    if url.username().is_empty() && url.password().is_none() {
        return Ok(None);
    }
    let password = url.password().map(decode).transpose()?;
    Ok(Some(Login { user: decode(url.username())?, password }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(path: &str, query: Option<&str>) -> Target {
        Target::parse("https", path, query).unwrap()
    }

    #[test]
    fn ref_22_query_goes_to_server_as_written() {
        let query = "b=2&a=%20x&flag&a=+&q=a%2Fb/c?d&x={y}|z";
        let target = parse("h.example:8443/p%20q/./r", Some(query));
        assert_eq!(target.url.query(), Some(query));
        assert_eq!(target.url.path(), "/p%20q/r");
        assert_eq!(target.to_string(), "https://h.example:8443");
        assert_eq!(parse("h/p#part", Some("a=1#part")).url.as_str(), "https://h/p?a=1");
    }

    #[test]
    fn ref_23_credentials_stand_beside_url_and_are_not_shown() {
        let target = parse("ann:p%40ss@h/p", None);
        assert_eq!(target.url.as_str(), "https://h/p");
        let login = target.login.clone().unwrap();
        assert_eq!((&*login.user, login.password.as_deref()), ("ann", Some("p@ss")));
        assert!(!format!("{target:?} {target}").contains("ss@"));
        assert!(!format!("{target:?}").contains("ann:"));
        for path in ["ann:sec/ret@h/p", "ann:secret@/p", "ann:secret@h:x/", "ann:%zzsecret@h/"] {
            let error = Target::parse("https", path, None).unwrap_err();
            assert_eq!(error.code, "REF4001");
            assert!(!format!("{error:?}").contains("sec"), "{error:?}");
        }
    }

    #[test]
    fn ref_22_redirect_keeps_credentials_on_their_origin_and_never_leaves_https() {
        let target = parse("ann:pw@h/a/b", None);
        let same = target.redirected("../c?x=1#f").unwrap();
        assert_eq!((same.url.as_str(), same.login.is_some()), ("https://h/c?x=1", true));
        for other in ["https://h:444/", "https://i/", "https://eve:pw@i/", "//i/"] {
            let other = target.redirected(other).unwrap();
            assert!(other.login.is_none() && other.url.username().is_empty());
        }
        for bad in ["http://h/", "ftp://h/", "file:///etc/passwd", "https://", "javascript:x"] {
            assert_eq!(target.redirected(bad).unwrap_err().code, "REF4013", "{bad}");
        }
        let plain = Target::parse("http", "ann:pw@h/", None).unwrap();
        assert!(plain.redirected("https://h/").unwrap().login.is_none());
    }
}
