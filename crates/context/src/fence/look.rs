//! Characters as they look: what a reader, human or model, would take them for.

use unicode_normalization::char::{decompose_compatible, is_combining_mark};

/// Whether a character shows nothing: zero-width, format, filler, variation and control
/// characters.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{00ad}' | '\u{034f}' | '\u{061c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
        || c.is_control() && !c.is_whitespace()
}

/// White space or nothing visible at all.
pub(super) fn is_blank(c: char) -> bool {
    c.is_whitespace() || is_invisible(c)
}

/// The plain small letter, digit or sign that a character looks like; none for a mark upon one.
pub(super) fn plain(c: char) -> Option<char> {
    if c.is_ascii() {
        return Some(c.to_ascii_lowercase());
    }
    if is_combining_mark(c) {
        return None;
    }
    let mut base = None;
    decompose_compatible(c, |part| {
        if base.is_none() && !is_combining_mark(part) {
            base = Some(part);
        }
    });
    let base = base?;
    let lower = base.to_lowercase().next().unwrap_or(base);
    Some(twin(lower).unwrap_or(lower))
}

/// Latin letters and signs for what looks like them.
const fn twin(c: char) -> Option<char> {
    Some(match c {
        'а' | 'α' | 'ɑ' => 'a',
        'с' | 'ϲ' | 'ᴄ' => 'c',
        'ԁ' | 'ɗ' => 'd',
        'е' | 'ε' | 'є' | 'ҽ' => 'e',
        'ɡ' | 'ց' => 'g',
        'һ' | 'հ' => 'h',
        'і' | 'ι' | 'ı' | 'ɩ' | 'ӏ' | 'ⅼ' => 'i',
        'ј' => 'j',
        'κ' | 'к' => 'k',
        'м' | 'ᴍ' => 'm',
        'п' | 'ո' | 'η' | 'ɴ' | 'н' => 'n',
        'о' | 'ο' | 'օ' | 'σ' => 'o',
        'р' | 'ρ' => 'p',
        'г' | 'ʀ' => 'r',
        'ѕ' | 'ꜱ' => 's',
        'т' | 'τ' | 'ᴛ' => 't',
        'υ' | 'ս' | 'ц' => 'u',
        'ν' | 'ѵ' => 'v',
        'ԝ' | 'ω' | 'ѡ' => 'w',
        'х' | 'χ' => 'x',
        'у' | 'γ' | 'ү' => 'y',
        '∶' | 'ː' | '꞉' | '։' | '׃' => ':',
        '∣' | 'ǀ' | '│' | '┃' | '❘' => '|',
        '∕' | '⁄' | '⧸' | '╱' => '/',
        _ if is_less(c) => '<',
        _ if is_greater(c) => '>',
        '▁' | '‗' => '_',
        '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' => '-',
        _ => return None,
    })
}

/// Signs that look like `<`.
pub(super) const fn is_less(c: char) -> bool {
    matches!(
        c,
        '<' | '＜'
            | '﹤'
            | '‹'
            | '〈'
            | '\u{2329}'
            | '⟨'
            | '˂'
            | 'ᐸ'
            | '❮'
            | '❰'
            | '≺'
            | '⧼'
            | '«'
            | '《'
            | '⟪'
    )
}

/// Signs that look like `>`.
const fn is_greater(c: char) -> bool {
    matches!(
        c,
        '>' | '＞'
            | '﹥'
            | '›'
            | '〉'
            | '\u{232a}'
            | '⟩'
            | '˃'
            | 'ᐳ'
            | '❯'
            | '❱'
            | '≻'
            | '⧽'
            | '»'
            | '》'
            | '⟫'
    )
}

/// Signs that look like `[` or stand in for it.
pub(super) const fn is_square(c: char) -> bool {
    matches!(c, '[' | '［' | '【' | '〔' | '⟦' | '❲')
}

/// Whether two characters are one letter where both are easily mistaken (`l`, `i` and `1`, `0` and
/// `o`).
pub(super) fn alike(found: char, wanted: char) -> bool {
    found == wanted
        || matches!(
            (found, wanted),
            ('l' | '1' | '|', 'i') | ('i' | '1' | '|', 'l') | ('0', 'o') | ('$' | '5', 's')
        )
}
