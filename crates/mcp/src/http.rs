//! The HTTP client of a server: the rules of addresses, and redirects within the origin alone.

use crate::error::McpError;
use contexture_tools::address::Reach;
use contexture_tools::client;
use reqwest::Client;
use reqwest::redirect::{Action, Attempt, Policy};
use std::time::Duration;
use url::{Host, Url};

const REDIRECTS: usize = 5;

const CONNECT: Duration = Duration::from_secs(10);

/// Returns the address of a server, when it is one that may be reached.
pub(crate) fn address(server: &str, url: &str, token: bool) -> Result<Url, McpError> {
    let refuse = |reason: String| McpError::unreachable(server, reason);
    let parsed =
        Url::parse(url).map_err(|error| refuse(format!("its `url` is not an address: {error}")))?;
    if !matches!(parsed.scheme(), "http" | "https") {
        return Err(refuse("its `url` must begin with `https://` or `http://`".to_owned()));
    }
    if !parsed.username().is_empty() || parsed.password().is_some() {
        return Err(refuse(
            "its `url` holds credentials; name a variable with `token_env`".to_owned(),
        ));
    }
    if token && parsed.scheme() == "http" && !is_local(&parsed) {
        return Err(refuse("a token is sent over `https` only".to_owned()));
    }
    Ok(parsed)
}

/// Returns a client for one address.
pub(crate) fn client_of(
    server: &str,
    url: &Url,
    allow_private: &[String],
) -> Result<Client, McpError> {
    let host = url
        .host()
        .ok_or_else(|| McpError::unreachable(server, "its `url` has no host".to_owned()))?;
    let port = url.port_or_known_default().unwrap_or_default();
    let reach = Reach::public_or_named(&host, port, allow_private)
        .map_err(|refused| McpError::unreachable(server, refused.to_string()))?;
    let home = url.origin();
    let builder = client::guarded(url.scheme() == "https", reach)
        .map_err(|error| no_client(server, &error))?
        .connect_timeout(CONNECT)
        .redirect(Policy::custom(move |attempt| redirect(&home, attempt)));
    client::build(builder).map_err(|error| no_client(server, &error))
}

/// Follows what repeats the request at the same origin. Anything else comes back as it is.
fn redirect(home: &url::Origin, attempt: Attempt<'_>) -> Action {
    let repeats = matches!(attempt.status().as_u16(), 307 | 308);
    let stays = attempt.url().origin() == *home;
    if repeats && stays && attempt.previous().len() <= REDIRECTS {
        attempt.follow()
    } else {
        attempt.stop()
    }
}

fn is_local(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

fn no_client(server: &str, error: &dyn std::error::Error) -> McpError {
    McpError::unreachable(server, format!("no HTTP client could be made: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_25_addresses_of_servers_are_checked() {
        for good in ["https://example.com/mcp", "http://127.0.0.1:8000/mcp", "http://[::1]:9/"] {
            assert!(address("web", good, true).is_ok(), "{good}");
        }
        let reason = |url: &str| address("web", url, true).unwrap_err().to_string();
        assert!(reason("http://example.com/mcp").contains("over `https` only"));
        assert!(reason("https://user:pw@example.com/").contains("holds credentials"));
        assert!(!reason("https://user:pw@example.com/").contains("pw@"));
        assert!(reason("ftp://example.com").contains("must begin with"));
        assert!(reason("example.com").contains("not an address"));
        assert!(address("web", "http://example.com/mcp", false).is_ok());
    }

    #[test]
    fn as_25_private_addresses_of_servers_are_refused_unless_allowed() {
        let url = Url::parse("http://10.0.0.8/mcp").unwrap();
        let refused = client_of("web", &url, &[]).unwrap_err().to_string();
        assert!(refused.contains("a private address"), "{refused}");
        assert!(client_of("web", &url, &["10.0.0.8".to_owned()]).is_ok());
        assert!(client_of("web", &Url::parse("http://localhost:1/").unwrap(), &[]).is_ok());
    }
}
