//! How languages declare symbols.

use super::head::{
    assigned, first_word, head, identifier, without_brackets, without_macros, without_template,
};
use Kind::{Container, Leaf};

/// A symbol that a line declares.
pub(super) struct Symbol {
    pub(super) name: String,
    pub(super) is_container: bool,
}

/// What a keyword declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Container,
    Leaf,
}

type Keywords = &'static [(&'static str, Kind)];

/// A programming language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::section) enum Language {
    Python,
    Ruby,
    Lua,
    Rust,
    Go,
    JavaScript,
    /// Java, Kotlin, C#, Scala, Swift, PHP: classes with modifiers.
    Classes,
    /// C and C++.
    C,
    Shell,
}

/// Words before the keyword or type of a declaration.
const MODIFIERS: [&str; 41] = [
    "abstract",
    "actual",
    "async",
    "case",
    "companion",
    "const",
    "data",
    "declare",
    "default",
    "expect",
    "export",
    "extern",
    "fileprivate",
    "final",
    "implicit",
    "infix",
    "inline",
    "inner",
    "internal",
    "lazy",
    "let",
    "local",
    "mutating",
    "native",
    "open",
    "operator",
    "override",
    "partial",
    "private",
    "protected",
    "pub",
    "public",
    "readonly",
    "sealed",
    "static",
    "suspend",
    "typedef",
    "unsafe",
    "value",
    "var",
    "virtual",
];

impl Language {
    /// Returns the language of files with that ending.
    pub(in crate::section) fn of(extension: &str) -> Option<Self> {
        Some(match extension {
            "py" | "pyi" => Self::Python,
            "rb" => Self::Ruby,
            "lua" => Self::Lua,
            "rs" => Self::Rust,
            "go" => Self::Go,
            "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" => Self::JavaScript,
            "java" | "kt" | "kts" | "cs" | "scala" | "swift" | "php" => Self::Classes,
            "c" | "h" | "cc" | "cpp" | "cxx" | "hh" | "hpp" => Self::C,
            "sh" | "bash" => Self::Shell,
            _ => return None,
        })
    }

    const fn keywords(self) -> Keywords {
        match self {
            Self::Python => &[("def", Leaf), ("class", Container)],
            Self::Ruby => &[("def", Leaf), ("class", Container), ("module", Container)],
            Self::Lua | Self::Shell => &[("function", Leaf)],
            Self::Rust => &[
                ("fn", Leaf),
                ("struct", Leaf),
                ("enum", Leaf),
                ("union", Leaf),
                ("type", Leaf),
                ("macro_rules!", Leaf),
                ("trait", Container),
                ("impl", Container),
                ("mod", Container),
            ],
            Self::Go => &[("func", Leaf), ("type", Leaf)],
            Self::JavaScript => &[
                ("function", Leaf),
                ("function*", Leaf),
                ("type", Leaf),
                ("enum", Leaf),
                ("interface", Leaf),
                ("class", Container),
                ("namespace", Container),
                ("module", Container),
            ],
            Self::Classes => &[
                ("fun", Leaf),
                ("func", Leaf),
                ("def", Leaf),
                ("function", Leaf),
                ("init", Leaf),
                ("class", Container),
                ("interface", Container),
                ("@interface", Container),
                ("enum", Container),
                ("record", Container),
                ("struct", Container),
                ("object", Container),
                ("trait", Container),
                ("namespace", Container),
                ("extension", Container),
                ("protocol", Container),
                ("actor", Container),
            ],
            Self::C => &[
                ("class", Container),
                ("struct", Container),
                ("union", Container),
                ("enum", Container),
                ("namespace", Container),
            ],
        }
    }

    /// Returns the symbol that a line declares; `below` is the line under it, `is_member` is true in
    /// a class.
    pub(super) fn symbol(self, line: &str, below: &str, is_member: bool) -> Option<Symbol> {
        let line = if self == Self::C { without_template(line) } else { line };
        let mut rest = line;
        loop {
            let (word, after) = first_word(rest);
            // `private[core] def`, `@inlinable func`
            let plain = word.split_once('[').map_or(word, |(plain, _)| plain);
            let is_modifier = MODIFIERS.contains(&plain)
                || word.starts_with("pub(")
                || word.starts_with('@') && word != "@interface"
                // `extern "C" fn`
                || self == Self::Rust && word.starts_with('"');
            if let Some((_, kind)) = self.keywords().iter().find(|(keyword, _)| *keyword == word)
                && let Some(name) = self.name(word, after)
            {
                let is_container = *kind == Container && !line.ends_with(';');
                return Some(Symbol { name, is_container });
            }
            if !is_modifier || after.is_empty() {
                break;
            }
            rest = after;
        }
        // `auto size() const` over `-> int {`; elsewhere a call goes on so.
        let below = if self == Self::C || !below.starts_with("->") { below } else { "" };
        let name = match self {
            Self::JavaScript => assigned(rest).or_else(|| head(line, below, false)),
            Self::Classes => head(line, below, is_member),
            Self::C | Self::Shell => head(line, below, false),
            // In `type (…)` each line begins with a name.
            Self::Go if is_member => identifier(line),
            _ => None,
        };
        name.map(|name| Symbol { name, is_container: false })
    }

    /// Returns the name that follows a keyword.
    fn name(self, keyword: &str, after: &str) -> Option<String> {
        let is_declared_alone = after.ends_with(';') && !after.contains('{');
        if self == Self::C && (after.contains('(') || is_declared_alone) {
            // A function whose type begins with `struct`, or a variable.
            return None;
        }
        if keyword == "impl" {
            let bare = without_brackets(after, '<', '>').unwrap_or(after);
            let end = bare.find([';', '{']).unwrap_or(bare.len());
            let bare = bare.get(..end).unwrap_or_default();
            let bare = bare.split(" where").next().unwrap_or_default().trim();
            return (!bare.is_empty()).then(|| bare.to_owned());
        }
        if self == Self::Go && after.starts_with('(') {
            // `func (r *Reader) Read(…)`
            let (receiver, rest) = after.get(1..)?.split_once(')')?;
            let kind = receiver.rsplit([' ', '*']).next()?.split('[').next()?;
            return Some(format!("{kind}.{}", identifier(rest.trim_start())?));
        }
        // `declare module 'x'`
        if self == Self::JavaScript && after.starts_with(['\'', '"']) {
            let name = after.get(1..)?.split(['\'', '"']).next()?;
            return (!name.is_empty()).then(|| name.to_owned());
        }
        // `enum class Color`
        let (word, rest) = first_word(after);
        let is_double = self.keywords().iter().any(|(keyword, _)| *keyword == word);
        let after = if is_double && !rest.is_empty() { rest } else { after };
        if keyword == "init" {
            return after.starts_with('(').then(|| keyword.to_owned());
        }
        // `class EXPORTED Pool`
        let after = if self == Self::C { without_macros(after) } else { after };
        // `fun <T> of(…)`, `function &items()`
        identifier(without_brackets(after, '<', '>').unwrap_or(after).trim_start_matches('&'))
    }

    /// Reports whether a line begins a group of declarations without their keyword.
    pub(super) fn is_group(self, words: &str) -> bool {
        self == Self::Go && words == "type ("
    }

    /// Reports whether functions are known by their types and arguments, without a keyword.
    pub(super) const fn has_typed_heads(self) -> bool {
        matches!(self, Self::Classes | Self::C)
    }

    /// Reports whether a line ends the symbol with its indentation.
    pub(super) fn is_end(self, words: &str) -> bool {
        match self {
            Self::Python => false,
            Self::Ruby | Self::Lua => {
                matches!(first_word(words).0.trim_end_matches([',', ')', ';']), "end")
            }
            _ => words.starts_with('}'),
        }
    }

    /// Reports whether a line belongs to the declaration above it.
    pub(super) fn continues(self, words: &str) -> bool {
        let word = first_word(words).0;
        words.starts_with(['{', ')', ']', ':', ','])
            || matches!(word, "where" | "->" | "=>" | "rescue" | "ensure" | "then" | "do")
            || self == Self::C && words.starts_with('#')
    }

    /// Reports whether a line is a comment or decorator, as they lead a declaration.
    pub(super) fn is_lead(self, words: &str) -> bool {
        match self {
            Self::Python | Self::Ruby | Self::Shell => words.starts_with(['#', '@']),
            Self::Lua => words.starts_with("--"),
            _ => {
                let is_marker = words.starts_with('@') && !words.starts_with("@interface");
                let is_alone = ![" class ", " func "].iter().any(|word| words.contains(word))
                    && !words.ends_with('{');
                ["//", "/*", "*", "#["].iter().any(|mark| words.starts_with(mark))
                    || (is_marker && is_alone)
                    || words.starts_with("template") && words.ends_with('>')
            }
        }
    }

    /// Returns the mark that ends the comment or text which is open after a line.
    pub(super) fn quoted_after(
        self,
        words: &str,
        open: Option<&'static str>,
    ) -> Option<&'static str> {
        let marks: &[(&str, &'static str)] = match self {
            Self::Python => &[("\"\"\"", "\"\"\""), ("'''", "'''")],
            Self::Ruby | Self::Shell => &[],
            Self::Lua => &[("--[[", "]]")],
            _ => &[("/*", "*/")],
        };
        let (mut rest, mut open) = (words.trim_start(), open);
        loop {
            if let Some(close) = open {
                let Some((_, after)) = rest.split_once(close) else { return open };
                (rest, open) = (after, None);
                continue;
            }
            let found =
                marks.iter().filter_map(|(mark, close)| Some((rest.find(mark)?, mark, close)));
            let (at, mark, close) = found.min_by_key(|(at, _, _)| *at)?;
            let before = rest.get(..at).unwrap_or_default();
            // Only Python has long texts; elsewhere the mark may be part of a short one.
            let is_other =
                if self == Self::Python { before.contains('#') } else { !before.is_empty() };
            if is_other {
                return None;
            }
            rest = rest.get(at + mark.len()..).unwrap_or_default();
            open = Some(close);
        }
    }
}
