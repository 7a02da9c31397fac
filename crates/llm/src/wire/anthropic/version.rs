//! The features of a model, as far as its name shows.
//!
//! Names: `claude-3-5-sonnet-20241022`, `claude-sonnet-4-5`, `claude-opus-4-20250514`. A name
//! without a version is taken for a new model.

/// The features that the request depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Features {
    /// Reasons when asked to.
    pub(super) thinks: bool,
    /// Reasons as much as it finds right, and refuses a budget of tokens.
    pub(super) adaptive: bool,
    /// The limit of tokens that is sent when the call sets none; the protocol demands one.
    pub(super) default_output: u64,
}

impl Features {
    pub(super) fn of(model: &str) -> Self {
        let version = version(model).unwrap_or((u32::MAX, 0));
        Self {
            thinks: version >= (3, 7),
            adaptive: version >= (4, 6),
            default_output: match version {
                (0..=2, _) | (3, 0..=4) => 4_096,
                (3, _) => 8_192,
                _ => 16_000,
            },
        }
    }
}

/// Returns the first number of one or two digits in the name, and the one right after it.
fn version(model: &str) -> Option<(u32, u32)> {
    let mut parts = model.split(['-', '.', '@', '/']).skip_while(|part| small(part).is_none());
    let major = parts.next().and_then(small)?;
    Some((major, parts.next().and_then(small).unwrap_or(0)))
}

fn small(part: &str) -> Option<u32> {
    let number = part.strip_prefix('v').unwrap_or(part);
    (number.len() <= 2).then(|| number.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_19_models_are_told_apart_by_their_version() {
        for (model, expected) in [
            ("claude-3-haiku-20240307", (3, 0)),
            ("claude-3-5-sonnet-20241022", (3, 5)),
            ("claude-3-7-sonnet-latest", (3, 7)),
            ("claude-opus-4-20250514", (4, 0)),
            ("claude-sonnet-4-5-20250929", (4, 5)),
            ("claude-opus-4-6", (4, 6)),
            ("claude-sonnet-5", (5, 0)),
        ] {
            assert_eq!(version(model), Some(expected), "{model}");
        }
        assert_eq!(version("claude-next"), None);
        assert!(Features::of("claude-next").adaptive);
        assert!(!Features::of("claude-sonnet-4-5").adaptive);
        assert!(!Features::of("claude-3-5-haiku-latest").thinks);
        assert_eq!(Features::of("claude-3-opus-20240229").default_output, 4_096);
    }
}
