//! Character classes: `[a-zA-Z0-9_-]`, `[^/]`, `[\u4e00-\u9fff]`, `[#x4E00-#x9FFF]`.

/// A set of characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Class {
    /// As written, with its brackets.
    pub(super) text: String,
    is_negated: bool,
    ranges: Vec<(char, char)>,
}

impl Class {
    /// Returns every character.
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
    while let Some(c) = chars.clone().next() {
        if let Some((numbered, behind)) = numbered(chars.as_str()) {
            members.push(Member::One(numbered));
            chars = behind.chars();
            continue;
        }
        chars.next();
        members.push(match c {
            '-' => Member::Dash,
            '\\' => match chars.next() {
                Some('t') => Member::One('\t'),
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

/// Returns a character by its number, and what stands behind it: `\u4e00`, `\u{4e00}`, `\x41`, or
/// `#x4E00` as the notation of XML has it.
fn numbered(text: &str) -> Option<(char, &str)> {
    if let Some(inside) = text.strip_prefix("\\u{") {
        let (digits, behind) = inside.split_once('}')?;
        return Some((hexadecimal(digits)?, behind));
    }
    if let Some(digits) = text.strip_prefix("#x") {
        let end = digits.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(digits.len());
        let (digits, behind) = digits.split_at_checked(end)?;
        return Some((hexadecimal(digits)?, behind));
    }
    let (digits, count) = match text.strip_prefix("\\u") {
        Some(digits) => (digits, 4),
        None => (text.strip_prefix("\\x")?, 2),
    };
    let (digits, behind) = digits.split_at_checked(count)?;
    Some((hexadecimal(digits)?, behind))
}

fn hexadecimal(digits: &str) -> Option<char> {
    // `from_str_radix` takes a sign, too.
    let is_number = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_hexdigit());
    let number = is_number.then(|| u32::from_str_radix(digits, 16).ok())??;
    char::from_u32(number)
}
