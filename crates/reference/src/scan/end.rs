//! The end of a reference in running text (REF-6).

/// The open brackets of each kind inside a reference.
#[derive(Debug, Clone, Copy, Default)]
struct Open {
    round: u32,
    square: u32,
    curly: u32,
}

impl Open {
    fn count(&mut self, bracket: Bracket) -> &mut u32 {
        match bracket {
            Bracket::Round => &mut self.round,
            Bracket::Square => &mut self.square,
            Bracket::Curly => &mut self.curly,
        }
    }

    fn open(&mut self, bracket: Bracket) {
        let count = self.count(bracket);
        *count = count.saturating_add(1);
    }

    /// Reports whether a bracket of this kind was open.
    fn close(&mut self, bracket: Bracket) -> bool {
        let count = self.count(bracket);
        let was_open = *count > 0;
        *count = count.saturating_sub(1);
        was_open
    }
}

/// Returns where the reference ends whose `@` stands at `sign` and whose head ends at `body`.
pub(super) fn of_reference(text: &str, sign: usize, body: usize, in_table: bool) -> usize {
    let rest = text.get(body..).unwrap_or_default();
    let end = body + length(rest, in_table);
    without_emphasis(text, sign, body, end)
}

fn length(rest: &str, in_table: bool) -> usize {
    let mut open = Open::default();
    // Where a run of marks begins that has reached the character at hand.
    let mut marks: Option<usize> = None;
    for (at, character) in rest.char_indices() {
        match effect(character) {
            Effect::Stays if character == '|' && in_table => return marks.unwrap_or(at),
            Effect::Stays => marks = None,
            Effect::Ends => return marks.unwrap_or(at),
            Effect::Cjk => {
                if let Some(end) = marks {
                    return end;
                }
            }
            Effect::Mark => marks = marks.or(Some(at)),
            Effect::Opens(bracket) => {
                open.open(bracket);
                marks = marks.or(Some(at));
            }
            Effect::Closes(bracket) if open.close(bracket) => marks = None,
            Effect::Closes(_) => return marks.unwrap_or(at),
        }
    }
    marks.unwrap_or(rest.len())
}

/// More signs than this make no emphasis.
const MOST_EMPHASIS: usize = 3;

/// Takes the emphasis away that encloses a reference: `**@file://a.md**`.
fn without_emphasis(text: &str, sign: usize, body: usize, end: usize) -> usize {
    let before = text.as_bytes().get(..sign).unwrap_or_default();
    let Some(mark @ (b'*' | b'_' | b'~')) = before.last().copied() else {
        return end;
    };
    let run = |bytes: &[u8]| bytes.iter().rev().take_while(|byte| **byte == mark).count();
    let before = run(before.get(sign.saturating_sub(MOST_EMPHASIS)..).unwrap_or_default());
    let reference = text.get(body..end).unwrap_or_default();
    let after = run(reference.as_bytes());
    // More signs than the enclosing ones belong to a wildcard.
    if after < before || after == reference.len() {
        return end;
    }
    let inside = reference.get(..reference.len() - before).unwrap_or_default();
    body + inside.trim_end_matches(['.', ',', ';', ':', '!', '?']).len()
}

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
