//! Where the tag of a reference ends: a reference may itself hold braces, as `*.{md,txt}` does.

/// Where the reference begins, if the tag that begins at `start` includes one.
pub(super) fn reference(text: &str, start: usize) -> Option<usize> {
    let rest = text.get(start..)?.trim_start().strip_prefix('>')?.trim_start();
    rest.starts_with('@').then(|| text.len() - rest.len())
}

/// Where the braces that close the tag begin: the first pair outside the reference's own braces.
/// `None` when these do not come in pairs; then the next `}}` closes.
///
/// Decision: a reference is one line, and its own braces hold no white space. So a brace that is left
/// open in one never takes the text that follows into the tag.
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

/// The closing braces, if nothing but white space stands before them.
fn closed_behind(text: &str, from: usize) -> Option<usize> {
    let rest = text.get(from..)?.trim_start();
    let rest = rest.strip_prefix('~').unwrap_or(rest);
    rest.starts_with("}}").then(|| text.len() - rest.len())
}

/// Whether white space stands between two places.
pub(super) fn has_space(text: &str, from: usize, to: usize) -> bool {
    text.get(from..to).is_some_and(|part| part.contains(char::is_whitespace))
}
