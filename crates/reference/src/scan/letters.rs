//! What a character does to a reference in running text (REF-6).

/// The effect of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// It belongs to the reference.
    Stays,
    /// The reference ends before it.
    Ends,
    /// A letter of Chinese, Japanese or Korean: it belongs to the reference, but not after a mark.
    Cjk,
    /// An ASCII mark: it belongs to the reference unless white space, such a letter or the end
    /// follow.
    Mark,
    /// An opening bracket: a mark that its closing one needs.
    Opens(Bracket),
    /// A closing bracket.
    Closes(Bracket),
}

/// A pair of brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bracket {
    Round,
    Square,
    Curly,
}

/// Returns what a character does; `|` is left to the table it may stand in.
pub(super) fn effect(character: char) -> Effect {
    match character {
        'a'..='z' | 'A'..='Z' | '0'..='9' => Effect::Stays,
        '.' | ',' | ';' | ':' | '!' | '?' => Effect::Mark,
        '(' => Effect::Opens(Bracket::Round),
        '[' => Effect::Opens(Bracket::Square),
        '{' => Effect::Opens(Bracket::Curly),
        ')' => Effect::Closes(Bracket::Round),
        ']' => Effect::Closes(Bracket::Square),
        '}' => Effect::Closes(Bracket::Curly),
        // `<` begins a tag in Markdown; `>` ends one, or the address it encloses.
        '"' | '\'' | '`' | '<' | '>' => Effect::Ends,
        _ if character.is_ascii() && !character.is_ascii_control() && character != ' ' => {
            Effect::Stays
        }
        _ => beyond_ascii(character),
    }
}

fn beyond_ascii(character: char) -> Effect {
    if character.is_whitespace() || character.is_control() {
        return Effect::Ends;
    }
    let ends = is_quote(character) || is_wide_punctuation(character) || is_invisible(character);
    match character {
        _ if ends => Effect::Ends,
        _ if is_cjk_letter(character) => Effect::Cjk,
        _ => Effect::Stays,
    }
}

fn is_quote(character: char) -> bool {
    matches!(character, '«' | '»' | '\u{2018}'..='\u{201f}' | '‹' | '›' | '\u{2e42}')
}

/// Characters that separate without being seen.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{200b}' | '\u{2060}' | '\u{feff}')
}

/// CJK and full-width punctuation. The dash and the ellipsis are of Chinese, too.
fn is_wide_punctuation(character: char) -> bool {
    matches!(character,
        '\u{2014}' | '\u{2015}' | '\u{2025}' | '\u{2026}'
        // Of CJK Symbols and Punctuation all but letters, numerals and marks.
        | '\u{3001}'..='\u{3004}' | '\u{3008}'..='\u{3020}' | '\u{3030}'
        | '\u{3036}'..='\u{3037}' | '\u{303d}'..='\u{303f}'
        | '\u{30a0}' | '\u{30fb}'
        | '\u{fe10}'..='\u{fe19}' | '\u{fe30}'..='\u{fe6b}'
        | '\u{ff01}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}'
        | '\u{ff3b}'..='\u{ff40}' | '\u{ff5b}'..='\u{ff65}' | '\u{ffe0}'..='\u{ffee}')
}

fn is_cjk_letter(character: char) -> bool {
    matches!(character,
        '\u{1100}'..='\u{11ff}'
        | '\u{2e80}'..='\u{2fdf}' | '\u{3005}'..='\u{9fff}' | '\u{a000}'..='\u{a4cf}'
        | '\u{a960}'..='\u{a97f}' | '\u{ac00}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}'
        | '\u{ff10}'..='\u{ff19}' | '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}'
        | '\u{ff66}'..='\u{ffdc}' | '\u{1aff0}'..='\u{1b16f}' | '\u{1f200}'..='\u{1f2ff}'
        | '\u{20000}'..='\u{3ffff}')
}
