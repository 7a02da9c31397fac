//! The reasons of system errors, in words.

use std::io::Error;

/// Returns the reason without Rust's `(os error 20)`, as the end of a sentence.
#[must_use]
pub fn reason(error: &Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_32_the_system_is_told_in_words() {
        let missing = Error::from_raw_os_error(2);
        assert_eq!(reason(&missing), "no such file or directory");
        assert_eq!(reason(&Error::other("Disk gone")), "disk gone");
    }
}
