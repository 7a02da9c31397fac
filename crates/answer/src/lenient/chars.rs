//! Roles of characters outside strings: ASCII, full-width and Chinese forms alike.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    OpenObject,
    CloseObject,
    OpenArray,
    CloseArray,
    Colon,
    Comma,
    Quote(Quote),
    Other,
}

/// A family of quotes: a string opened by one is closed by one of the same family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quote {
    Double,
    Single,
    Backtick,
    /// Typographic and full-width double quotes; models that switch keyboards mix them with `"`.
    SmartDouble,
    /// Typographic and full-width single quotes; mixed with `'` likewise.
    SmartSingle,
    Corner,
    WhiteCorner,
    Guillemet,
}

impl Quote {
    pub(super) fn closes(self, c: char) -> bool {
        match self {
            Quote::Double => c == '"',
            Quote::Single => c == '\'',
            Quote::Backtick => matches!(c, '`' | '´'),
            Quote::SmartDouble => matches!(c, '"' | '“' | '”' | '„' | '‟' | '＂' | '〝' | '〞'),
            Quote::SmartSingle => matches!(c, '\'' | '‘' | '’' | '‚' | '‛' | '＇'),
            Quote::Corner => matches!(c, '」' | '﹂' | '｣'),
            Quote::WhiteCorner => matches!(c, '』' | '﹄'),
            Quote::Guillemet => c == '»',
        }
    }

    /// Returns the only quote that closes a string of the family, if it is ASCII.
    pub(super) fn ascii(self) -> Option<u8> {
        match self {
            Quote::Double => Some(b'"'),
            Quote::Single => Some(b'\''),
            _ => None,
        }
    }

    /// Returns an ASCII quote that closes a string of the family; a double one if there is none.
    pub(super) fn ascii_twin(self) -> u8 {
        match self {
            Quote::Single | Quote::SmartSingle => b'\'',
            Quote::Backtick => b'`',
            _ => b'"',
        }
    }

    /// Returns the family that may have closed a string opened with an ASCII quote, when no ASCII
    /// quote does.
    pub(super) fn stand_in(self) -> Option<Quote> {
        match self {
            Quote::Double => Some(Quote::SmartDouble),
            Quote::Single => Some(Quote::SmartSingle),
            _ => None,
        }
    }
}

/// Reports whether a character may begin or end a string.
pub(crate) fn is_quote(c: char) -> bool {
    matches!(mark(c), Mark::Quote(_))
}

/// Reports whether a character ends a string, an object or a list.
pub(crate) fn closes(c: char) -> bool {
    matches!(mark(c), Mark::Quote(_) | Mark::CloseObject | Mark::CloseArray)
}

pub(super) fn mark(c: char) -> Mark {
    match c {
        '{' | '｛' | '﹛' => Mark::OpenObject,
        '}' | '｝' | '﹜' => Mark::CloseObject,
        '[' | '［' | '【' => Mark::OpenArray,
        ']' | '］' | '】' => Mark::CloseArray,
        ':' | '：' | '﹕' | '︰' => Mark::Colon,
        ',' | '，' | '、' | '﹐' | '､' => Mark::Comma,
        c => quote(c).map_or(Mark::Other, Mark::Quote),
    }
}

pub(super) fn quote(c: char) -> Option<Quote> {
    Some(match c {
        '"' => Quote::Double,
        '\'' => Quote::Single,
        '`' | '´' => Quote::Backtick,
        '“' | '”' | '„' | '‟' | '＂' | '〝' | '〞' => Quote::SmartDouble,
        '‘' | '’' | '‚' | '‛' | '＇' => Quote::SmartSingle,
        '「' | '」' | '﹁' | '｢' => Quote::Corner,
        '『' | '』' | '﹃' => Quote::WhiteCorner,
        '«' => Quote::Guillemet,
        _ => return None,
    })
}

/// Reports whether a character outside strings only separates: white space and invisible
/// characters.
pub(super) fn is_blank(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c, '\u{200B}'..='\u{200D}' | '\u{2060}' | '\u{FEFF}')
}

pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '-' | '.' | '@' | '/')
}

/// Returns the ASCII form of a full-width character (`１` → `1`, `－` → `-`), else the character
/// itself.
pub(super) fn fold(c: char) -> char {
    match c {
        '\u{FF01}'..='\u{FF5E}' => {
            u32::from(c).checked_sub(0xFEE0).and_then(char::from_u32).unwrap_or(c)
        }
        '−' => '-',
        c => c,
    }
}
