//! Signs in any spelling: character references and escapes are decoded.

/// The number of times a spelling may itself be encoded, as in `&amp;amp;lt;` and `%25253C`.
const DEPTH: usize = 8;
/// The digits of the longest number of a character.
const DIGITS: usize = 8;
/// Names of character references that can be part of a tag or a role marker, in lower case.
const NAMES: &[(&str, char)] = &[
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("sol", '/'),
    ("bsol", '\\'),
    ("lowbar", '_'),
    ("underbar", '_'),
    ("hyphen", '-'),
    ("dash", '-'),
    ("nbsp", ' '),
    ("tab", '\t'),
    ("newline", '\n'),
    ("lbrack", '['),
    ("lsqb", '['),
    ("rbrack", ']'),
    ("rsqb", ']'),
    ("vert", '|'),
    ("verbar", '|'),
    ("verticalline", '|'),
    ("colon", ':'),
    ("num", '#'),
    ("ast", '*'),
    ("equals", '='),
    ("shy", '\u{ad}'),
    ("zwj", '\u{200d}'),
    ("zwnj", '\u{200c}'),
    ("zerowidthspace", '\u{200b}'),
    ("lang", '⟨'),
    ("rang", '⟩'),
    ("laquo", '«'),
    ("raquo", '»'),
    ("lsaquo", '‹'),
    ("rsaquo", '›'),
];

#[derive(Clone)]
pub(super) struct Glyphs<'a> {
    rest: &'a str,
}

impl<'a> Glyphs<'a> {
    pub(super) const fn of(text: &'a str) -> Self {
        Self { rest: text }
    }

    pub(super) const fn rest(&self) -> &'a str {
        self.rest
    }

    pub(super) fn skipping(mut self, is_skipped: impl Fn(char) -> bool) -> Self {
        while let Some((_, length)) = first(self.rest).filter(|(sign, _)| is_skipped(*sign)) {
            self.rest = self.rest.get(length..).unwrap_or_default();
        }
        self
    }
}

/// What stands at the beginning of a text instead of signs that a reader sees.
pub(super) enum Comment<'a> {
    None,
    /// A comment, with what follows it.
    Before(Glyphs<'a>),
    /// A comment without an end within reach.
    Endless,
}

/// The bytes within which the end of a comment is searched.
const COMMENT_REACH: usize = 4_096;

impl<'a> Glyphs<'a> {
    /// Returns the comment of HTML that begins here (MA-11).
    pub(super) fn comment(&self) -> Comment<'a> {
        let mut inside = self.clone();
        if !['<', '!', '-', '-'].iter().all(|sign| inside.next() == Some(*sign)) {
            return Comment::None;
        }
        let bytes = inside.rest.as_bytes();
        let reach = bytes.get(..COMMENT_REACH).unwrap_or(bytes);
        // `<!-->` is a whole comment.
        if let Some(rest) = inside.rest.strip_prefix('>') {
            return Comment::Before(Glyphs::of(rest));
        }
        let end = memchr::memmem::find(reach, b"-->");
        match end.and_then(|end| inside.rest.get(end + 3..)) {
            Some(rest) => Comment::Before(Glyphs::of(rest)),
            None => Comment::Endless,
        }
    }

    /// Skips the comments and the signs that are to be skipped, in any order.
    pub(super) fn skipping_comments(mut self, is_skipped: impl Fn(char) -> bool) -> Self {
        loop {
            self = match self.comment() {
                Comment::Before(rest) => rest,
                Comment::None | Comment::Endless => {
                    match first(self.rest).filter(|(sign, _)| is_skipped(*sign)) {
                        Some((_, length)) => {
                            Glyphs::of(self.rest.get(length..).unwrap_or_default())
                        }
                        None => return self,
                    }
                }
            };
        }
    }
}

impl Iterator for Glyphs<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        let (sign, length) = first(self.rest)?;
        self.rest = self.rest.get(length..).unwrap_or_default();
        Some(sign)
    }
}

pub(super) fn first(text: &str) -> Option<(char, usize)> {
    let c = text.chars().next()?;
    let spelled = match c {
        '&' => reference(text),
        '\\' => escape(text),
        '%' => percent(text),
        _ => None,
    };
    Some(spelled.unwrap_or((c, c.len_utf8())))
}

/// Decodes `&lt;`, `&lt`, `&#60;`, `&#x3C;`, `&amp;lt;`.
fn reference(text: &str) -> Option<(char, usize)> {
    let mut at = 1;
    for _ in 0..DEPTH {
        let rest = text.get(at..)?;
        match ["amp;", "#38;", "#x26;"].iter().find(|again| starts(rest, again)) {
            Some(again) => at += again.len(),
            None => break,
        }
    }
    let rest = text.get(at..)?;
    let (sign, length) = match rest.strip_prefix('#') {
        Some(number) => {
            let (sign, length) = match number.strip_prefix(['x', 'X']) {
                Some(digits) => numbered(digits, 16).map(|(sign, length)| (sign, length + 1))?,
                None => numbered(number, 10)?,
            };
            (sign, length + 1)
        }
        None => named(rest)?,
    };
    let semicolon = usize::from(text.get(at + length..)?.starts_with(';'));
    Some((sign, at + length + semicolon))
}

/// Decodes a named reference; only `lt` and `gt` may lack the semicolon.
fn named(rest: &str) -> Option<(char, usize)> {
    let is = |(name, _): &&(&str, char)| {
        starts(rest, name)
            && (matches!(*name, "lt" | "gt")
                || rest.get(name.len()..).is_some_and(|behind| behind.starts_with(';')))
    };
    NAMES.iter().find(is).map(|(name, sign)| (*sign, name.len()))
}

/// Decodes `\u003c`, `\u{3c}`, `\U0000003c`, `\x3c`.
fn escape(text: &str) -> Option<(char, usize)> {
    let fixed = |count: usize| {
        let digits = text.get(2..2 + count)?;
        let (sign, length) = numbered(digits, 16)?;
        (length == count).then_some((sign, 2 + count))
    };
    match text.as_bytes().get(1)? {
        b'x' => fixed(2),
        b'U' => fixed(8),
        b'u' => fixed(4).or_else(|| {
            let (sign, length) = numbered(text.get(2..)?.strip_prefix('{')?, 16)?;
            text.get(3 + length..)?.starts_with('}').then_some((sign, length + 4))
        }),
        _ => None,
    }
}

/// Decodes `%3C`, `%253C`.
fn percent(text: &str) -> Option<(char, usize)> {
    let mut at = 1;
    for _ in 0..DEPTH {
        if !text.get(at..)?.starts_with("25") {
            break;
        }
        at += 2;
    }
    let (sign, length) = numbered(text.get(at..at + 2)?, 16)?;
    (length == 2 && sign.is_ascii()).then_some((sign, at + 2))
}

/// Returns the character of a number and the length of its digits.
fn numbered(text: &str, radix: u32) -> Option<(char, usize)> {
    let length = text.bytes().take_while(|byte| char::from(*byte).is_digit(radix)).count();
    let digits = text.get(..length).filter(|digits| !digits.is_empty())?;
    let shown = digits.trim_start_matches('0');
    if shown.len() > DIGITS {
        return None;
    }
    let number = if shown.is_empty() { 0 } else { u32::from_str_radix(shown, radix).ok()? };
    Some((char::from_u32(number)?, length))
}

fn starts(text: &str, word: &str) -> bool {
    text.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word))
}
