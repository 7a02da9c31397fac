//! Tokens: the parts of a source text.
//!
//! Decision: keywords are plain words. The parser decides by position which words matter (AS-3), so
//! the lexer never has to know. Comments are tokens too, for the formatter; white space is not.

use contexture_diagnostic::Span;

/// A token with its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// Its kind.
    pub kind: TokenKind,
    /// Its span.
    pub span: Span,
    /// True if only white space is before it on its line.
    pub starts_line: bool,
    /// True if it is malformed: an unterminated string, or punctuation of another script.
    pub flawed: bool,
}

impl Token {
    /// Reports whether it is a comment of any kind.
    #[must_use]
    pub const fn is_comment(self) -> bool {
        matches!(
            self.kind,
            TokenKind::LineComment
                | TokenKind::DashComment
                | TokenKind::DocComment
                | TokenKind::BlockComment
        )
    }
}

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "punctuation is named by its sign")]
pub enum TokenKind {
    /// An identifier or keyword.
    Word,
    /// A number with any letters glued to it.
    Number,
    /// `"…"` or `'…'`.
    Str,
    /// `"""…"""` or `'''…'''`.
    Block,
    /// The bare words after `as`.
    Label,
    /// `// …`
    LineComment,
    /// `-- …`
    DashComment,
    /// `/// …`
    DocComment,
    /// `/* … */`, which the language does not support.
    BlockComment,
    OpenBrace,
    CloseBrace,
    OpenParen,
    CloseParen,
    OpenBracket,
    CloseBracket,
    Comma,
    Colon,
    Dot,
    Question,
    Pipe,
    Arrow,
    Assign,
    PlusAssign,
    MinusAssign,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    Semicolon,
    /// `&&`, which is `and` here.
    ForeignAnd,
    /// `||`, which is `or` here.
    ForeignOr,
    /// `!`, which is `not` here.
    ForeignNot,
    /// `*=`, `/=`, `%=`, which the language does not support.
    ForeignAssign,
    /// Unknown characters.
    Unknown,
    /// The end of the text.
    End,
}

impl TokenKind {
    /// Returns its name for messages.
    #[must_use]
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Word => "a name",
            Self::Number => "a number",
            Self::Str | Self::Block => "a string",
            Self::Label => "a label",
            Self::LineComment | Self::DashComment | Self::DocComment | Self::BlockComment => {
                "a comment"
            }
            Self::OpenBrace => "`{`",
            Self::CloseBrace => "`}`",
            Self::OpenParen => "`(`",
            Self::CloseParen => "`)`",
            Self::OpenBracket => "`[`",
            Self::CloseBracket => "`]`",
            Self::Comma => "`,`",
            Self::Colon => "`:`",
            Self::Dot => "`.`",
            Self::Question => "`?`",
            Self::Pipe => "`|`",
            Self::Arrow => "`->`",
            Self::Assign => "`=`",
            Self::PlusAssign => "`+=`",
            Self::MinusAssign => "`-=`",
            Self::Equal => "`==`",
            Self::NotEqual => "`!=`",
            Self::Less => "`<`",
            Self::LessEqual => "`<=`",
            Self::Greater => "`>`",
            Self::GreaterEqual => "`>=`",
            Self::Plus => "`+`",
            Self::Minus => "`-`",
            Self::Star => "`*`",
            Self::Slash => "`/`",
            Self::Percent => "`%`",
            Self::Semicolon => "`;`",
            Self::ForeignAnd => "`&&`",
            Self::ForeignOr => "`||`",
            Self::ForeignNot => "`!`",
            Self::ForeignAssign => "a compound assignment",
            Self::Unknown => "an unknown character",
            Self::End => "the end of the text",
        }
    }

    /// Returns the closing bracket of an opening one.
    #[must_use]
    pub const fn closer(self) -> Option<Self> {
        match self {
            Self::OpenBrace => Some(Self::CloseBrace),
            Self::OpenParen => Some(Self::CloseParen),
            Self::OpenBracket => Some(Self::CloseBracket),
            _ => None,
        }
    }

    /// Reports whether it is a closing bracket.
    #[must_use]
    pub const fn is_closer(self) -> bool {
        matches!(self, Self::CloseBrace | Self::CloseParen | Self::CloseBracket)
    }

    /// Reports whether it is an assignment operator.
    #[must_use]
    pub const fn is_assignment(self) -> bool {
        matches!(self, Self::Assign | Self::PlusAssign | Self::MinusAssign | Self::ForeignAssign)
    }
}
