//! Text inside XML (KN-6, KN-7).

/// A text as the content of an element: escaped, on one line, without characters that XML lacks.
pub(crate) fn text(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for c in value.trim().chars() {
        match c {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kn_6_text_is_escaped_and_stays_on_its_line() {
        assert_eq!(text(" a < b & c > d \n"), "a &lt; b &amp; c &gt; d");
        assert_eq!(text("a\r\nb\u{2028}c"), "a  b c");
        assert_eq!(text("a\0b\u{1b}[31m\u{ffff}"), "a\u{fffd}b\u{fffd}[31m\u{fffd}");
        assert_eq!(text("价格 \"quoted\" 🔑"), "价格 \"quoted\" 🔑");
    }
}
