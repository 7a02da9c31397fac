//! The reason why a connection failed, in words.
//!
//! Decision: the layers around the fault ("error sending request", the URL) show nothing new, and
//! the numbers of the operating system help nobody; the kind of the innermost fault is
//! what a person can act on. What stays in the text comes from the local machine alone: no key is
//! ever part of it.

use std::error::Error;
use std::io::{self, ErrorKind};

/// Returns the reason why a connection to `host` failed, in one line.
pub(super) fn why(error: &(dyn Error + 'static), host: &str) -> String {
    let mut innermost = error;
    let mut fault = error.downcast_ref::<io::Error>();
    while let Some(inner) = innermost.source() {
        innermost = inner;
        fault = inner.downcast_ref().or(fault);
    }
    match fault.and_then(|fault| known(fault.kind())) {
        Some(text) => text.to_owned(),
        None => from_text(&innermost.to_string(), host),
    }
}

fn known(kind: ErrorKind) -> Option<&'static str> {
    Some(match kind {
        ErrorKind::ConnectionRefused => "the connection is refused; is a server running there?",
        ErrorKind::ConnectionReset
        | ErrorKind::ConnectionAborted
        | ErrorKind::BrokenPipe
        | ErrorKind::UnexpectedEof => "the other side broke the connection off",
        ErrorKind::HostUnreachable => "no way leads to this host",
        ErrorKind::NetworkUnreachable | ErrorKind::NetworkDown => "there is no network",
        ErrorKind::TimedOut => "the host does not respond",
        ErrorKind::PermissionDenied => "this machine does not permit the connection",
        _ => return None,
    })
}

/// Faults without a kind of their own are known by their text.
fn from_text(text: &str, host: &str) -> String {
    let text = text.split(" (os error").next().unwrap_or_default();
    if text.starts_with("failed to lookup address") {
        return format!("the name {host} is unknown, or there is no network to look it up");
    }
    match text.strip_prefix("invalid peer certificate: ") {
        Some(fault) => format!("the server's certificate is not accepted ({fault})"),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("error sending request for https://example.com/?key=sk-secret")]
    struct Layer(#[source] io::Error);

    fn of(kind: ErrorKind) -> String {
        why(&Layer(io::Error::from(kind)), "localhost:11434")
    }

    #[test]
    fn as_22_reason_of_lost_connection_has_no_error_numbers_or_addresses() {
        assert_eq!(
            of(ErrorKind::ConnectionRefused),
            "the connection is refused; is a server running there?"
        );
        assert_eq!(of(ErrorKind::ConnectionReset), "the other side broke the connection off");
        assert_eq!(of(ErrorKind::NetworkUnreachable), "there is no network");
        let refused = why(&Layer(io::Error::from_raw_os_error(13)), "h");
        assert!(!refused.contains("os error") && !refused.contains("sk-secret"), "{refused}");
        let odd = why(&Layer(io::Error::from_raw_os_error(24)), "h");
        assert!(!odd.contains("os error") && !odd.contains("sk-secret"), "{odd}");
    }

    #[test]
    fn as_22_names_and_certificates_that_fail_are_said_in_words() {
        let name = io::Error::other("failed to lookup address information: Name not known");
        assert_eq!(
            why(&Layer(name), "nosuch.example"),
            "the name nosuch.example is unknown, or there is no network to look it up"
        );
        let certificate = io::Error::other("invalid peer certificate: UnknownIssuer");
        assert_eq!(
            why(&Layer(certificate), "h"),
            "the server's certificate is not accepted (UnknownIssuer)"
        );
        assert_eq!(why(&Layer(io::Error::other("bad frame")), "h"), "bad frame");
    }
}
