//! The id of a run, which is also the name of its file.

use std::fmt;

/// 26 letters and digits that sort by time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(String);

const LONGEST: usize = 40;

impl RunId {
    /// Reads an id: letters and digits alone, so that as a file name it leads nowhere else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let fits = (1..=LONGEST).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        fits.then(|| Self(text.to_owned()))
    }

    /// Returns the id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
