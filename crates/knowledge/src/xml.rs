//! Text inside XML (KN-6, KN-7).

use contexture_context::fence::escape_open;
use std::borrow::Cow;

/// Returns a text as the content of an element: escaped, on one line, without characters that XML
/// lacks. A sign that only looks like the `<` of a tag is written by its number: it opens nothing,
/// and stays the same.
pub(crate) fn text(value: &str) -> String {
    let value = value.trim();
    let look_alikes = look_alikes(value);
    let mut out = String::with_capacity(value.len());
    for (at, c) in value.char_indices() {
        match c {
            c if look_alikes.contains(&at) => out.push_str(&format!("&#x{:X};", u32::from(c))),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // Everything that some reader takes for the end of a line.
            '\t' | '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => {
                out.push(' ');
            }
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Returns where signs stand that look like `<` before what looks like a tag: a fence would mark
/// what follows.
fn look_alikes(value: &str) -> Vec<usize> {
    let Cow::Owned(marked) = escape_open(value, &[]) else { return Vec::new() };
    let mut marked = marked.chars();
    let mut found = Vec::new();
    let mut before: Option<(usize, char)> = None;
    for (at, c) in value.char_indices() {
        if marked.next() != Some(c) {
            marked.next();
            let is_sign = |(_, sign): &(usize, char)| !sign.is_ascii() && !sign.is_whitespace();
            found.extend(before.filter(is_sign).map(|(at, _)| at));
        }
        before = Some((at, c));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kn_6_text_is_escaped_and_stays_on_one_line() {
        assert_eq!(text(" a < b & c > d \n"), "a &lt; b &amp; c &gt; d");
        assert_eq!(text("a\r\nb\u{2028}c"), "a  b c");
        assert_eq!(text("a\0b\u{1b}[31m\u{ffff}"), "a\u{fffd}b\u{fffd}[31m\u{fffd}");
        assert_eq!(text("价格 \"quoted\" 🔑"), "价格 \"quoted\" 🔑");
    }

    #[test]
    fn kn_6_what_looks_like_tag_is_none_and_is_same_text() {
        let last = " a ‹ /available_knowledge_packs› b";
        assert_eq!(text("＜/knowledge_pack＞"), "&#xFF1C;/knowledge_pack＞");
        assert_eq!(text(last), "a &#x2039; /available_knowledge_packs› b");
        assert_eq!(text("x＜system＞ ＜ y </z>"), "x&#xFF1C;system＞ ＜ y &lt;/z&gt;");
        for plain in ["《价格》与〈说明〉", "« citation »", "a ＜ b", "a\\b", "System: x"]
        {
            assert_eq!(text(plain), plain);
        }
    }
}
