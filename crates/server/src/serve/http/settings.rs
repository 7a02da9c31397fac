//! The check of hosts and origins at the start: one that is written differently than clients send it
//! would refuse everybody without an explanation (CP-19).

use crate::fault::Fault;
use crate::serve::codes;
use contexture::config::Serve;

/// Checks the names of hosts and origins.
///
/// # Errors
/// A [`Fault`] for the first one that no request can have.
pub(super) fn check(settings: &Serve) -> Result<(), Fault> {
    settings.origins.iter().try_for_each(|origin| check_origin(origin))?;
    settings.hosts.iter().try_for_each(|host| check_host(host))
}

fn check_origin(origin: &str) -> Result<(), Fault> {
    let fault = |help: String| {
        let expected = "an origin such as https://app.example.com";
        let message = format!("serve.origins: expected {expected}, found `{origin}`");
        Err(Fault::of(codes::BAD_SETTING, message).with_help(help))
    };
    if origin.contains('*') {
        return fault("name each origin whose pages may call".to_owned());
    }
    let (scheme, rest) = origin.split_once("://").unwrap_or(("", origin));
    let (scheme, host) = (if scheme.is_empty() { "https" } else { scheme }, authority(rest));
    // Browsers leave out the default port.
    let usual = match scheme.to_ascii_lowercase().as_str() {
        "https" => ":443",
        "http" => ":80",
        _ => "",
    };
    let host = host.filter(|_| is_scheme(scheme)).map(|host| bare(host, usual));
    match host.map(|host| format!("{scheme}://{host}")) {
        Some(meant) if meant == origin => Ok(()),
        Some(meant) => fault(format!("did you mean `{meant}`?")),
        None => fault("an origin has a scheme and a host, and a port if need be".to_owned()),
    }
}

fn check_host(host: &str) -> Result<(), Fault> {
    let meant = authority(host.split_once("://").map_or(host, |(_, rest)| rest));
    if meant == Some(host) && !host.contains('*') {
        return Ok(());
    }
    let message = format!(
        "serve.hosts: expected the name of a host such as agents.example.com, found `{host}`"
    );
    let help = match meant.filter(|meant| !meant.contains('*')) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => "name each host that clients call the server by".to_owned(),
    };
    Err(Fault::of(codes::BAD_SETTING, message).with_help(help))
}

/// Returns the host of an address with its port; `None` without a valid one.
fn authority(text: &str) -> Option<&str> {
    let host = text.split(['/', '?', '#']).next().unwrap_or_default();
    let is_bad = |sign: char| sign.is_whitespace() || sign.is_control() || sign == '@';
    (!host.is_empty() && !host.contains(is_bad)).then_some(host)
}

fn is_scheme(scheme: &str) -> bool {
    scheme.starts_with(|sign: char| sign.is_ascii_alphabetic())
        && scheme.chars().all(|sign| sign.is_ascii_alphanumeric() || "+-.".contains(sign))
}

fn bare<'h>(host: &'h str, port: &str) -> &'h str {
    host.strip_suffix(port).filter(|host| !host.is_empty()).unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cp_19_origins_are_written_as_browsers_send_them() {
        for good in [
            "https://app.example.com",
            "http://app.example.com:8080",
            "HTTPS://App.Example.com",
            "chrome-extension://abcdef",
            "http://[2001:db8::1]:80800",
        ] {
            assert!(check_origin(good).is_ok(), "{good}");
        }
        for (wrong, help) in [
            ("*", "name each origin"),
            ("https://*.example.com", "name each origin"),
            ("app.example.com", "`https://app.example.com`"),
            ("https://app.example.com/", "`https://app.example.com`"),
            ("https://app.example.com/page?x", "`https://app.example.com`"),
            ("https://app.example.com:443", "`https://app.example.com`"),
            ("http://app.example.com:80", "`http://app.example.com`"),
            ("https://", "a scheme and a host"),
            ("https://me@app.example.com", "a scheme and a host"),
            ("null", "`https://null`"),
            ("", "a scheme and a host"),
        ] {
            let fault = check_origin(wrong).unwrap_err();
            assert!(fault.message.contains("serve.origins"), "{wrong}");
            assert!(fault.help.as_ref().unwrap().contains(help), "{wrong}: {fault:?}");
        }
    }

    #[test]
    fn cp_19_hosts_are_names() {
        for good in ["agents.example.com", "agents.example.com:8443", "box"] {
            assert!(check_host(good).is_ok(), "{good}");
        }
        for (wrong, help) in [
            ("https://agents.example.com/", "`agents.example.com`"),
            ("agents.example.com/v1", "`agents.example.com`"),
            ("*", "name each host"),
            ("", "name each host"),
            ("a b", "name each host"),
        ] {
            let fault = check_host(wrong).unwrap_err();
            assert!(fault.help.as_ref().unwrap().contains(help), "{wrong}: {fault:?}");
        }
    }
}
