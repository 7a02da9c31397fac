//! Logging in without the client library seeing the login.
//!
//! The library writes each command to the program's log before it encodes it. So it is given a
//! stand-in for user and password, and the encoding puts in what is meant.

use super::super::address::Login;
use suppaftp::Encoding;

const STAND_IN: &str = "(hidden)";

/// The encoding of commands, UTF-8, which knows what the stand-ins stand for.
pub(super) struct Masked(Login);

impl Masked {
    pub(super) fn of(login: Option<&Login>) -> Self {
        let nobody =
            || Login { user: "anonymous".to_owned(), password: Some("contexture@".to_owned()) };
        Self(login.cloned().unwrap_or_else(nobody))
    }

    /// What the library is told of user and password.
    pub(super) fn shown() -> (&'static str, &'static str) {
        (STAND_IN, STAND_IN)
    }
}

impl Encoding for Masked {
    fn decode(&self, bytes: &[u8]) -> String {
        String::from_utf8_lossy(bytes).into_owned()
    }

    fn encode(&self, text: &str) -> std::io::Result<Vec<u8>> {
        let meant = match text.trim_end().split_once(' ') {
            Some(("USER", STAND_IN)) => format!("USER {}\r\n", self.0.user),
            Some(("PASS", STAND_IN)) => {
                format!("PASS {}\r\n", self.0.password.as_deref().unwrap_or_default())
            }
            _ => text.to_owned(),
        };
        Ok(meant.into_bytes())
    }
}

impl std::fmt::Debug for Masked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Masked(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ref_23_the_library_sees_a_stand_in_and_the_server_the_login() {
        let login = Login { user: "ann".to_owned(), password: Some("s3cret".to_owned()) };
        let masked = Masked::of(Some(&login));
        assert!(!format!("{masked:?}").contains("s3cret"));
        let sent = |line: &str| String::from_utf8(masked.encode(line).unwrap()).unwrap();
        assert_eq!(sent("USER (hidden)\r\n"), "USER ann\r\n");
        assert_eq!(sent("PASS (hidden)\r\n"), "PASS s3cret\r\n");
        assert_eq!(sent("RETR (hidden)\r\n"), "RETR (hidden)\r\n");
        let nobody = Masked::of(None).encode("USER (hidden)\r\n").unwrap();
        assert_eq!(nobody, b"USER anonymous\r\n");
    }
}
