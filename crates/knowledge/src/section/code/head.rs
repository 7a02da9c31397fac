//! The heads of declarations, taken apart.

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

/// Returns the first word of a text, and what follows it.
pub(super) fn first_word(text: &str) -> (&str, &str) {
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
pub(super) fn identifier(text: &str) -> Option<String> {
    let is_part = |c: char| c.is_alphanumeric() || "_$.:?!`".contains(c);
    let end = text.find(|c: char| !is_part(c)).unwrap_or(text.len());
    let name = text.get(..end)?.trim_matches('`').trim_end_matches([':', '.']);
    name.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$').then(|| name.to_owned())
}

/// Returns what follows balanced brackets at the beginning of a text.
pub(super) fn without_brackets(text: &str, open: char, close: char) -> Option<&str> {
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
pub(super) fn assigned(text: &str) -> Option<String> {
    let (name, value) = text.split_once('=')?;
    let value = value.trim_start();
    let is_function = value.contains("=>") || value.starts_with("function");
    let name = name.split(':').next().unwrap_or_default().trim();
    let is_plain = !name.is_empty() && !name.contains(char::is_whitespace);
    (is_function && is_plain).then(|| identifier(name)).flatten()
}

/// Returns what follows `template <…>`.
pub(super) fn without_template(line: &str) -> &str {
    let Some(rest) = line.strip_prefix("template") else { return line };
    let rest = without_brackets(rest.trim_start(), '<', '>').unwrap_or_default();
    if rest.is_empty() { line } else { rest }
}

/// Returns what names a class, without the macros before it.
pub(super) fn without_macros(text: &str) -> &str {
    let mut rest = text;
    loop {
        let (word, after) = first_word(rest);
        let is_name = |word: &str| word.chars().all(|c| c.is_alphanumeric() || c == '_');
        let (next, _) = first_word(after);
        let begins = next.starts_with(|c: char| c.is_alphabetic() || c == '_');
        if !is_name(word) || !begins || next == "final" {
            return rest;
        }
        rest = after;
    }
}

/// Returns a line without the arguments of its types: `Map<(A, B)> of(…)` is `Map of(…)`.
fn without_type_arguments(line: &str) -> String {
    let mut bare = String::with_capacity(line.len());
    // Where the brackets begin that are open.
    let mut open = Vec::new();
    let (mut last, mut has_ended) = (' ', false);
    for c in line.chars() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let was_open = open.len();
        match c {
            '<' if is_word(last) => {
                open.push(bare.len());
                bare.push(c);
            }
            '>' if !matches!(last, '-' | '=') && !open.is_empty() => {
                bare.truncate(open.pop().unwrap_or_default());
            }
            _ => {
                if has_ended && is_word(c) {
                    bare.push(' ');
                }
                bare.push(c);
            }
        }
        has_ended = open.len() < was_open;
        last = c;
    }
    bare
}

/// Returns the name of an operator by its head: `bool operator ==(A a, B b) {`.
fn operator(line: &str) -> Option<String> {
    let (before, rest) = line.split_once("operator")?;
    let is_word = before.is_empty() || before.ends_with([' ', ':', '&', '*']);
    // `operator()(…)`
    let skip = if rest.starts_with("()") { 2 } else { 0 };
    let end = skip + rest.get(skip..)?.find('(')?;
    let sign = rest.get(..end)?.trim();
    let is_plain = !sign.is_empty() && sign.len() <= 24 && !sign.contains(['{', ';']);
    (is_word && is_plain && !before.contains('=')).then(|| format!("operator{sign}"))
}

/// Returns the name of a function by its head: `type name(arguments) {`.
pub(super) fn head(line: &str, below: &str, is_member: bool) -> Option<String> {
    let bare = without_type_arguments(line);
    let (before, arguments) = bare.split_once('(')?;
    let first = first_word(line).0;
    let operator = operator(&bare);
    let is_declared = ACCESS.contains(&first) && (operator.is_some() || !before.contains('='));
    let ends_open = line.ends_with('{')
        || below == "{"
        || below.starts_with("->")
        || below.starts_with(':') && !below.starts_with("::")
        || line.ends_with('}') && line.contains('{');
    let is_bodiless = line.ends_with(");") || line.ends_with(';') && line.contains(") where ");
    let is_abstract = is_member && before.trim().contains(' ') && is_bodiless;
    if let Some(operator) = operator.filter(|_| is_declared || ends_open) {
        return Some(operator);
    }
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
    // `void lock() {` is a method, `lock (this) {` a statement.
    let is_statement = is_control(last) && words.clone().next().is_none();
    if is_statement || words.any(is_control) {
        return None;
    }
    identifier(last.trim_start_matches(['*', '&', '#', '~']))
}
