//! Tokens: what a source text is made of.
//!
//! Decision: keywords are plain words. Which words matter is decided where they stand (AS-3), so
//! the lexer never has to know. Comments are tokens too, for the formatter; white space is not.

use contexture_diagnostic::Span;

/// A token with its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it stands.
    pub span: Span,
    /// Whether nothing but white space stands before it on its line.
    pub starts_line: bool,
    /// Whether it is malformed: an unclosed string, or punctuation of another script.
    pub flawed: bool,
}

impl Token {
    /// Whether it is a comment of any kind.
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

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "punctuation is named by its sign")]
pub enum TokenKind {
    /// An identifier or keyword.
    Word,
    /// A number with whatever letters are glued to it.
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
    /// `/* … */`, which the language does not have.
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
    /// `*=`, `/=`, `%=`, which the language does not have.
    ForeignAssign,
    /// Signs that mean nothing here.
    Unknown,
    /// The end of the text.
    End,
}

impl TokenKind {
    /// How messages name it.
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
            Self::Unknown => "an unknown sign",
            Self::End => "the end of the text",
        }
    }

    /// The closing bracket of an opening one.
    #[must_use]
    pub const fn closer(self) -> Option<Self> {
        match self {
            Self::OpenBrace => Some(Self::CloseBrace),
            Self::OpenParen => Some(Self::CloseParen),
            Self::OpenBracket => Some(Self::CloseBracket),
            _ => None,
        }
    }

    /// Whether it is a closing bracket.
    #[must_use]
    pub const fn is_closer(self) -> bool {
        matches!(self, Self::CloseBrace | Self::CloseParen | Self::CloseBracket)
    }

    /// Whether it assigns.
    #[must_use]
    pub const fn is_assignment(self) -> bool {
        matches!(self, Self::Assign | Self::PlusAssign | Self::MinusAssign | Self::ForeignAssign)
    }
}
