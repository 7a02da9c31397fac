//! The end of a reference's tag: a reference may itself contain braces, as `*.{md,txt}` does.

/// Returns the start of the reference, if the tag that begins at `start` includes one.
pub(super) fn reference(text: &str, start: usize) -> Option<usize> {
    let rest = text.get(start..)?.trim_start().strip_prefix('>')?.trim_start();
    rest.starts_with('@').then(|| text.len() - rest.len())
}

/// Returns the position of the braces that close the tag: the first pair outside the reference's
/// own braces. `None` if these are not balanced; then the next `}}` closes.
///
/// Decision: a reference is one line, and its own braces contain no white space. So an unbalanced
/// brace in one never takes the following text into the tag.
pub(super) fn of_reference(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut open = 0_usize;
    for (by, byte) in bytes.get(from..)?.iter().enumerate() {
        let at = from + by;
        let doubled = bytes.get(at + 1) == Some(byte);
        match byte {
            b'{' if doubled => return None,
            b'{' => open += 1,
            b'}' if open > 0 => open -= 1,
            b'}' if doubled => return Some(at),
            b' ' | b'\t' | b'\r' | b'\n' if open > 0 => return None,
            b'\n' => return closed_behind(text, at),
            _ => {}
        }
    }
    None
}

/// Returns the closing braces, if only white space is before them.
fn closed_behind(text: &str, from: usize) -> Option<usize> {
    let rest = text.get(from..)?.trim_start();
    let rest = rest.strip_prefix('~').unwrap_or(rest);
    rest.starts_with("}}").then(|| text.len() - rest.len())
}

pub(super) fn has_space(text: &str, from: usize, to: usize) -> bool {
    text.get(from..to).is_some_and(|part| part.contains(char::is_whitespace))
}
