//! Character classes: `[a-zA-Z0-9_-]`, `[^/]`.

/// A set of characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Class {
    /// As written, with its brackets.
    pub(super) text: String,
    is_negated: bool,
    ranges: Vec<(char, char)>,
}

impl Class {
    /// Every character.
    pub(super) fn any() -> Self {
        Self { text: "any character".to_owned(), is_negated: true, ranges: Vec::new() }
    }

    /// Reads what stands between the brackets. A range that runs backwards is its three
    /// characters, and `true` is given back.
    pub(super) fn read(inside: &str) -> (Self, bool) {
        let is_negated = inside.len() > 1 && inside.starts_with('^');
        let members = members(inside.get(usize::from(is_negated)..).unwrap_or_default());
        let mut ranges = Vec::new();
        let mut is_backward = false;
        let mut rest = members.as_slice();
        while let Some((first, behind)) = rest.split_first() {
            rest = behind;
            match (first, behind) {
                (Member::Set(set), _) => ranges.extend_from_slice(set),
                (Member::One(low), [Member::Dash, Member::One(high), after @ ..]) => {
                    rest = after;
                    if low <= high {
                        ranges.push((*low, *high));
                    } else {
                        is_backward = true;
                        ranges.extend([(*low, *low), ('-', '-'), (*high, *high)]);
                    }
                }
                (Member::One(one), _) => ranges.push((*one, *one)),
                (Member::Dash, _) => ranges.push(('-', '-')),
            }
        }
        (Self { text: format!("[{inside}]"), is_negated, ranges }, is_backward)
    }

    pub(super) fn has(&self, c: char) -> bool {
        self.ranges.iter().any(|(low, high)| (*low..=*high).contains(&c)) != self.is_negated
    }
}

enum Member {
    One(char),
    Dash,
    Set(&'static [(char, char)]),
}

fn members(text: &str) -> Vec<Member> {
    let mut members = Vec::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        members.push(match c {
            '-' => Member::Dash,
            '\\' => match chars.next() {
                Some('d') => Member::Set(&[('0', '9')]),
                Some('w') => Member::Set(&[('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_')]),
                Some('s') => Member::Set(&[(' ', ' '), ('\t', '\r')]),
                Some(escaped) => Member::One(escaped),
                None => Member::One('\\'),
            },
            c => Member::One(c),
        });
    }
    members
}
