//! Texts that fit into boxes. No font is available, so the width of a text is estimated: rather too
//! wide than too narrow.

/// Estimates the width of a text, in multiples of its font size.
pub(super) fn breadth(text: &str) -> f64 {
    text.chars().map(of_char).sum()
}

fn of_char(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '|' | '!' | '\'' => 0.36,
        'f' | 't' | 'r' | ' ' | '(' | ')' | '[' | ']' | '/' | '-' | 'I' => 0.46,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 1.0,
        c if c.is_ascii_uppercase() => 0.78,
        '_' => 0.55,
        c if c.is_ascii() => 0.66,
        // Combining marks, drawn on the letter before.
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '\u{fe00}'..='\u{fe0f}' => 0.0,
        '\u{1f000}'.. => 1.35,
        '\u{1100}'.. => 1.02,
        _ => 0.8,
    }
}

/// Splits a text into at most `lines` lines of this width; the rest is cut with `…`.
pub(super) fn wrap(text: &str, most: f64, lines: usize) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut rest: Vec<char> = text.chars().collect();
    while !rest.is_empty() {
        let fits = fitting(&rest, most);
        if fits == rest.len() || out.len() + 1 == lines {
            let mut line: String = rest.iter().take(fits).collect();
            if fits < rest.len() {
                line = rest.iter().take(fits.saturating_sub(1)).collect();
                line.push('…');
            }
            out.push(line);
            break;
        }
        let at = parting(&rest, fits);
        let next = rest.split_off(at);
        out.push(rest.iter().collect::<String>().trim_end().to_owned());
        rest = next;
        let blanks = rest.iter().take_while(|c| **c == ' ').count();
        rest.drain(..blanks);
    }
    out
}

/// Returns the number of characters that fit; at least one.
fn fitting(text: &[char], most: f64) -> usize {
    let mut sum = 0.0;
    for (index, c) in text.iter().enumerate() {
        sum += of_char(*c);
        if sum > most {
            return index.max(1);
        }
    }
    text.len()
}

/// Returns the end of a line of this length: after a separator, if there is one in its second half.
fn parting(text: &[char], fits: usize) -> usize {
    let parts = |c: &char| matches!(c, ' ' | '_' | '-' | '.' | '/' | ':' | ',');
    let line = text.get(..fits).unwrap_or_default();
    match line.iter().rposition(parts) {
        Some(last) if last + 1 > fits / 2 => last + 1,
        _ => fits,
    }
}

pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if crate::picture::is_harmful(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
