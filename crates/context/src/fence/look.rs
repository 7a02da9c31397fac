//! Appearance of characters: the sign that a reader, human or model, would take them for.

use unicode_normalization::char::{decompose_compatible, is_combining_mark};

/// Reports whether a character is invisible: zero-width, format, filler, variation and control
/// characters.
pub(super) fn is_invisible(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control() && !c.is_whitespace();
    }
    matches!(c,
        '\u{00ad}' | '\u{034f}' | '\u{061c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffc}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
        || c.is_control() && !c.is_whitespace()
}

pub(super) const fn turns(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}')
}

pub(super) fn is_blank(c: char) -> bool {
    c.is_whitespace() || is_invisible(c)
}

/// Returns the plain lower-case letter, digit or sign that a character looks like; none for a
/// combining mark.
pub(super) fn plain(c: char) -> Option<char> {
    if c.is_ascii() {
        return Some(c.to_ascii_lowercase());
    }
    if is_combining_mark(c) {
        return None;
    }
    if is_ideograph(c) {
        return Some(c);
    }
    // The rest needs no table: it is the punctuation of Chinese texts.
    match c {
        '\u{3001}'..='\u{3029}' => return Some(twin(c).unwrap_or(c)),
        '\u{ff01}'..='\u{ff5e}' => {
            let ascii = char::from_u32(c as u32 - 0xff01 + 0x21);
            return ascii.map(|ascii| ascii.to_ascii_lowercase());
        }
        _ => {}
    }
    if let Some(letter) = ornamented(c) {
        return Some(letter);
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

/// Reports whether a character is in the main Chinese, Japanese and Korean ranges, where nothing
/// looks Latin.
const fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{4e3e}' | '\u{4e40}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}

/// Returns the Latin letter or sign that a character without decomposition looks like.
const fn twin(c: char) -> Option<char> {
    Some(match c {
        'а' | 'α' | 'ɑ' | 'ᴀ' | 'ⲁ' | 'ꭺ' | 'ⱥ' | 'ꓮ' | 'ᗩ' | '𐌀' | '𐊠' => 'a',
        'ь' | 'ʙ' | 'ɓ' | 'ƀ' | 'в' | 'β' | 'ᏼ' | 'ꓐ' | 'ᗷ' => 'b',
        'с' | 'ϲ' | 'ᴄ' | 'ⲥ' | 'ꮯ' | 'ƈ' | 'ȼ' | '¢' | 'ꓚ' | 'ᑕ' | 'ᑢ' | '𐌂' => {
            'c'
        }
        'ԁ' | 'ɗ' | 'đ' | 'ɖ' | 'ᴅ' | 'ꭰ' | 'ժ' | 'ᑯ' | 'ð' | 'ꓓ' | 'ᗪ' | '∂' | 'ᗞ' => {
            'd'
        }
        'е' | 'ε' | 'є' | 'ҽ' | 'ᴇ' | '℮' | 'ꭼ' | 'ⲉ' | 'ɇ' | 'ǝ' | 'ə' | 'ꓰ' | 'ᗴ' | 'ᕮ' | 'ⴹ'
        | '∊' | '𐊆' => 'e',
        'ɡ' | 'ց' | 'ɢ' | 'ǥ' | 'ɠ' | 'ƍ' | 'ꓖ' | 'ꮐ' | 'ᘜ' => 'g',
        'һ' | 'հ' | 'ħ' | 'ʜ' | 'ꮋ' | 'ꓧ' | 'ᕼ' => 'h',
        'і' | 'ι' | 'ı' | 'ɩ' | 'ӏ' | 'ⅼ' | 'ɪ' | 'ɨ' | 'ⲓ' | 'ן' | 'ا' | 'ⵏ' | 'ꓲ' | 'ł' => {
            'i'
        }
        'ј' | 'ʝ' | 'ɉ' | 'ꓙ' | 'ꭻ' | 'ᒍ' => 'j',
        'κ' | 'к' | 'ᴋ' | 'ĸ' | 'ƙ' | 'ⲕ' | 'ꮶ' | 'ꓗ' | 'ᛕ' => 'k',
        'ʟ' | 'ꮮ' | 'ɫ' | 'ƚ' | 'ɭ' | 'լ' | 'ꓡ' | 'ᒪ' => 'l',
        'м' | 'ᴍ' | 'ⲙ' | 'ɱ' | 'ꮇ' | 'ꓟ' | 'ᗰ' | '𐌌' => 'm',
        'п' | 'ո' | 'η' | 'ɴ' | 'н' | 'ռ' | 'ŋ' | 'ɲ' | 'ƞ' | 'ⲛ' | 'и' | 'ꓠ' | 'ᑎ' => {
            'n'
        }
        'о' | 'ο' | 'օ' | 'σ' | 'ᴏ' | 'ø' | 'ɵ' | 'ө' | 'ⲟ' | 'ס' | 'ه' | '०' | '੦' | '০' | '௦'
        | '๐' | '໐' | 'ဝ' | 'ഠ' | 'ჿ' | 'ꓳ' | 'ⵔ' | '𐐬' => 'o',
        'р' | 'ρ' | 'ᴘ' | 'ⲣ' | 'ƥ' | 'ꮲ' | 'þ' | 'ꓑ' | 'ᑭ' => 'p',
        'г' | 'ʀ' | 'ɍ' | 'ꭱ' | 'ᴦ' | 'ꮁ' | 'ꓣ' | 'ᖇ' => 'r',
        'ѕ' | 'ꜱ' | 'ʂ' | 'ꮪ' | 'ƽ' | 'տ' | 'ꓢ' | 'ꮥ' | 'ᔕ' | 'ꞩ' | '§' => 's',
        'т' | 'τ' | 'ᴛ' | 'ŧ' | 'ƭ' | 'ⲧ' | 'ꭲ' | 'ꓔ' | '𐌕' => 't',
        'υ' | 'ս' | 'ц' | 'ᴜ' | 'ʋ' | 'ʊ' | 'ʉ' | 'μ' | 'ꓴ' | 'ᑌ' | 'ꮜ' | '∪' | 'ꭎ' => {
            'u'
        }
        'ν' | 'ѵ' | 'ᴠ' | 'ⱱ' | 'ꓦ' | 'ꮩ' | 'ᐯ' => 'v',
        'ԝ' | 'ω' | 'ѡ' | 'ᴡ' | 'ա' | 'ɯ' | 'ꮃ' | 'ш' | 'ꓪ' | 'ᗯ' => 'w',
        'х' | 'χ' | 'ⲭ' | 'ꓫ' | '᙭' => 'x',
        'у' | 'γ' | 'ү' | 'ʏ' | 'ყ' | 'ɏ' | 'ꓬ' | 'ꭹ' | 'ꮍ' | 'ⲩ' => 'y',
        '∶' | 'ː' | '꞉' | '։' | '׃' | '⁝' | '˸' | '⁚' | 'ꓽ' | '܃' | '܄' | '᛬' | '᠃' => {
            ':'
        }
        '∣' | 'ǀ' | '│' | '┃' | '❘' | '¦' | '￤' | '￨' => '|',
        '∕' | '⁄' | '⧸' | '╱' | '⟋' | 'ノ' | '丿' | '㇓' => '/',
        _ if is_less(c) => '<',
        _ if is_greater(c) => '>',
        '▁' | '‗' | 'ˍ' | '⎽' => '_',
        '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' => '-',
        _ => return None,
    })
}

/// Returns the letter of a character in a circle, square or bracket, or of a flag.
const fn ornamented(c: char) -> Option<char> {
    let first = match c {
        '⒜'..='⒵' => '⒜',
        '🄐'..='🄩' => '🄐',
        '🅐'..='🅩' => '🅐',
        '🅰'..='🆉' => '🅰',
        '🇦'..='🇿' => '🇦',
        _ => return None,
    };
    char::from_u32('a' as u32 + (c as u32 - first as u32))
}

pub(super) const fn is_less(c: char) -> bool {
    matches!(
        c,
        '<' | '＜' | '﹤'
        // Brackets and quotes
        | '‹' | '〈' | '\u{2329}' | '⟨' | '❮' | '❰' | '❬' | '⧼' | '⦑' | '«' | '《' | '⟪' | '︿' | '︽'
        // Letters, relations, music
        | '˂' | 'ᐸ' | 'ᚲ' | '≮' | '≺' | '⋖' | '≪' | '⋘' | '𝈶'
    )
}

pub(super) const fn is_greater(c: char) -> bool {
    matches!(
        c,
        '>' | '＞' | '﹥'
        // Brackets and quotes
        | '›' | '〉' | '\u{232a}' | '⟩' | '❯' | '❱' | '❭' | '⧽' | '⦒' | '»' | '》' | '⟫' | '﹀' | '︾'
        // Letters, relations, music
        | '˃' | 'ᐳ' | '≯' | '≻' | '⋗' | '≫' | '⋙' | '𝈷'
    )
}

/// Reports whether a sign looks like `[` or replaces it.
pub(super) const fn is_square(c: char) -> bool {
    matches!(c, '[' | '［' | '【' | '〔' | '⟦' | '❲')
}

/// Reports whether two characters are easily mistaken for each other (`l`, `i` and `1`, `0` and
/// `o`).
pub(super) fn alike(found: char, wanted: char) -> bool {
    found == wanted
        || matches!(
            (found, wanted),
            ('l' | '1' | '|', 'i') | ('i' | '1' | '|', 'l') | ('0', 'o') | ('$' | '5', 's')
        )
}

/// Does the same, and accepts a digit or sign that replaces a letter (`3` for `e`): only for long
/// words, as `41` is not `ai`.
pub(super) fn stands_for(found: char, wanted: char) -> bool {
    alike(found, wanted)
        || matches!((found, wanted), ('3', 'e') | ('4' | '@', 'a') | ('7', 't') | ('8', 'b'))
}
