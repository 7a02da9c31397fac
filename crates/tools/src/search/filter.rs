//! Globs over names and paths.

use crate::error::{ToolError, shown};
use crate::workspace::WorkspacePath;
use globset::{GlobBuilder, GlobMatcher};

/// Chooses places by a glob: by name, or by the path below the start when the glob has a slash.
pub(super) struct Filter {
    matcher: Option<GlobMatcher>,
    by_path: bool,
}

impl Filter {
    /// Lets everything through when there is no glob.
    pub(super) fn new(argument: &str, glob: Option<&str>) -> Result<Self, ToolError> {
        let Some(glob) = glob else { return Ok(Self { matcher: None, by_path: false }) };
        let bad = |reason: String| {
            let message = format!("`{argument}`: `{}` is not a glob: {reason}", shown(glob));
            let help = "globs have `*`, `?`, `[a-z]`, `{a,b}` and `**`; put `\\` before such a character to mean itself";
            ToolError::new("bad_glob", message).with_help(help)
        };
        if glob.is_empty() {
            return Err(bad("it is empty".to_owned()));
        }
        let glob = glob.strip_prefix("./").unwrap_or(glob);
        let built = GlobBuilder::new(glob).literal_separator(true).build();
        let matcher = built.map_err(|error| bad(error.kind().to_string()))?.compile_matcher();
        Ok(Self { matcher: Some(matcher), by_path: glob.contains('/') })
    }

    pub(super) fn lets(&self, path: &WorkspacePath, start: &WorkspacePath) -> bool {
        self.matcher.as_ref().is_none_or(|matcher| {
            matcher.is_match(if self.by_path { path.below(start) } else { path.name() })
        })
    }
}
