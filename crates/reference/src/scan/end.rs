//! Where a reference in running text ends (REF-6).

use super::letters::{Bracket, Effect, effect};

/// How many brackets of each kind are open inside a reference.
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
