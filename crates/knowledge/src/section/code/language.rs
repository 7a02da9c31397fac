//! How languages declare symbols.

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

/// Words that begin the head of a method, and nothing else that has brackets.
const ACCESS: [&str; 9] = [
    "abstract",
    "async",
    "final",
    "internal",
    "override",
    "private",
    "protected",
    "public",
    "static",
];

/// Words that begin a statement with brackets, which declares nothing.
const CONTROL: [&str; 27] = [
    "assert",
    "await",
    "catch",
    "do",
    "elif",
    "else",
    "elseif",
    "fixed",
    "for",
    "foreach",
    "function",
    "guard",
    "if",
    "in",
    "lock",
    "match",
    "new",
    "return",
    "super",
    "switch",
    "synchronized",
    "throw",
    "try",
    "using",
    "when",
    "while",
    "with",
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
        let mut rest = line;
        loop {
            let (word, after) = first_word(rest);
            let is_modifier = MODIFIERS.contains(&word) || word.starts_with("pub(");
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
        let name = match self {
            Self::JavaScript => assigned(rest).or_else(|| head(line, below, false)),
            Self::Classes => head(line, below, is_member),
            Self::C | Self::Shell => head(line, below, false),
            _ => None,
        };
        name.map(|name| Symbol { name, is_container: false })
    }

    /// Returns the name that follows a keyword.
    fn name(self, keyword: &str, after: &str) -> Option<String> {
        if self == Self::C && (after.contains('(') || after.ends_with(';')) {
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
        // `enum class Color`
        let (word, rest) = first_word(after);
        let is_double = self.keywords().iter().any(|(keyword, _)| *keyword == word);
        let after = if is_double && !rest.is_empty() { rest } else { after };
        if keyword == "init" {
            return after.starts_with('(').then(|| keyword.to_owned());
        }
        // `fun <T> of(…)`
        identifier(without_brackets(after, '<', '>').unwrap_or(after))
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
        words.starts_with(['{', ')', ']', ':'])
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
                let is_alone = !words.contains(" class ") && !words.ends_with('{');
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

fn first_word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    // `impl<T>`, `init(`
    let end = word.find(['<', '(']).filter(|end| *end > 0 && !word.starts_with("pub("));
    match end.and_then(|end| Some((word.get(..end)?, text.get(end..)?))) {
        Some(divided) => divided,
        None => (word, rest.trim_start()),
    }
}

/// Returns the name at the beginning of a text.
fn identifier(text: &str) -> Option<String> {
    let is_part = |c: char| c.is_alphanumeric() || "_$.:?!`".contains(c);
    let end = text.find(|c: char| !is_part(c)).unwrap_or(text.len());
    let name = text.get(..end)?.trim_matches('`').trim_end_matches([':', '.']);
    name.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$').then(|| name.to_owned())
}

/// Returns what follows balanced brackets at the beginning of a text.
fn without_brackets(text: &str, open: char, close: char) -> Option<&str> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(text.get(at + c.len_utf8()..)?.trim_start());
            }
        } else if depth == 0 {
            return None;
        }
    }
    None
}

/// Returns the name of a function that is assigned: `name = (a) => {`.
fn assigned(text: &str) -> Option<String> {
    let (name, value) = text.split_once('=')?;
    let value = value.trim_start();
    let is_function = value.contains("=>") || value.starts_with("function");
    let name = name.split(':').next().unwrap_or_default().trim();
    let is_plain = !name.is_empty() && !name.contains(char::is_whitespace);
    (is_function && is_plain).then(|| identifier(name)).flatten()
}

/// Returns the name of a function by its head: `type name(arguments) {`.
fn head(line: &str, below: &str, is_member: bool) -> Option<String> {
    let (before, arguments) = line.split_once('(')?;
    let first = first_word(line).0;
    let is_declared = ACCESS.contains(&first) && !before.contains('=');
    let ends_open =
        line.ends_with('{') || below == "{" || line.ends_with('}') && line.contains('{');
    let is_abstract = is_member && before.trim().contains(' ') && line.ends_with(");");
    let is_call = arguments.contains("=>")
        || arguments.contains("function")
        || arguments.contains(['"', '\'', '`'])
        || before.contains(['=', '"', '\'', '.', '[', ')', '{', '?']);
    if !is_declared && (is_call || !(ends_open || is_abstract)) {
        return None;
    }
    let mut words = before.split_whitespace();
    let last = words.next_back()?;
    let is_control = |word: &str| CONTROL.contains(&word);
    if is_control(last) || words.any(is_control) {
        return None;
    }
    identifier(last.trim_start_matches(['*', '&', '#', '~']))
}
