//! Which names can address a pack.

/// The most characters of a name.
const MAX_CHARACTERS: usize = 128;

/// Why a name can't address a pack; nothing when it can.
pub(crate) fn problem(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        Some("it is empty")
    } else if name.contains(['/', '\\']) {
        Some("it has a slash or backslash in it, as a path has")
    } else if matches!(name, "." | "..") {
        Some("it is a path")
    } else if name.chars().any(is_unseen) {
        Some("it has control or invisible characters in it")
    } else if name.trim() != name {
        Some("it begins or ends with a blank")
    } else if name.chars().count() > MAX_CHARACTERS {
        Some("it has more than 128 characters")
    } else {
        None
    }
}

/// Reports whether nobody sees the character, so that two names could look the same.
fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}
