//! Terms: the words of a text as they are compared.
//!
//! Words are lower-cased and lose common English endings, so that "expires" meets "expire"; text
//! without spaces between words (Chinese, Japanese, Thai) is taken in pairs of characters.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Returns the terms of a text, in order, without those that mean nothing.
pub(super) fn terms(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for word in words(text) {
        if dense(word) {
            word.split(|c| DENSE_SEAMS.contains(c)).for_each(|part| pairs(part, &mut out));
            continue;
        }
        let lower = word.to_lowercase();
        if !is_stop_word(&lower) {
            out.push(stem(&lower));
        }
    }
    out
}

/// Returns the words of a text: runs of letters and digits of one kind of script; `camelCase` and
/// `snake_case` fall apart.
pub(super) fn words(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut start = None;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let part = c.is_alphanumeric() || (matches!(c, '\'' | '’') && before.is_alphabetic());
        let turn =
            (before.is_lowercase() && c.is_uppercase()) || (dense_char(before) != dense_char(c));
        if let Some(from) = start
            && (!part || turn)
        {
            out.extend(text.get(from..at));
            start = None;
        }
        if part && start.is_none() && c.is_alphanumeric() {
            start = Some(at);
        }
        before = c;
    }
    out.extend(start.and_then(|from| text.get(from..)));
    out
}

/// Reports whether a script writes words without spaces between them.
fn dense_char(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Reports whether a term is of a script without spaces between words.
pub(super) fn dense(word: &str) -> bool {
    word.chars().next().is_some_and(dense_char)
}

fn pairs(word: &str, out: &mut Vec<String>) {
    let chars: Vec<char> = word.chars().collect();
    if let [only] = chars.as_slice() {
        out.push(only.to_string());
    }
    for pair in chars.windows(2) {
        let pair: String = pair.iter().collect();
        if !DENSE_STOP.contains(&pair.as_str()) {
            out.push(pair);
        }
    }
}

/// Counts the words of a text; characters of dense scripts count half.
pub(super) fn length(text: &str) -> usize {
    words(text)
        .into_iter()
        .map(|word| if dense(word) { word.chars().count().div_ceil(2) } else { 1 })
        .sum()
}

/// Returns a word without common English endings. Not linguistics: it only has to treat both sides
/// alike.
pub(super) fn stem(word: &str) -> String {
    let word = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word);
    if let Some((_, base)) = IRREGULAR.iter().find(|(form, _)| *form == word) {
        return (*base).to_owned();
    }
    if !word.is_ascii() || word.len() < 4 {
        return word.to_owned();
    }
    let ending = |end: &str, least: usize| {
        word.strip_suffix(end).filter(|rest| rest.len() >= least && rest.contains(is_vowel))
    };
    if let Some(rest) = ending("ies", 2) {
        return format!("{rest}y");
    }
    let cut = ending("ingly", 3)
        .or_else(|| ending("edly", 3))
        .or_else(|| ending("ing", 3))
        .or_else(|| ending("ed", 2))
        .or_else(|| ending("es", 3))
        .or_else(|| ending("s", 3).filter(|rest| !rest.ends_with(['s', 'u', 'i'])))
        .unwrap_or(word);
    // "logg" of "logged" is "log", and "add" of "added" stays.
    let doubled = |c| cut.len() > 3 && is_consonant(c) && !matches!(c, 'l' | 's');
    let undoubled = cut.strip_suffix(doubled);
    let cut = match undoubled {
        Some(rest) if cut != word && rest.chars().last() == cut.chars().last() => rest,
        _ => cut,
    };
    if cut.len() > 3 { cut.strip_suffix('e').unwrap_or(cut).to_owned() } else { cut.to_owned() }
}

/// Forms that common endings do not lead to their word.
const IRREGULAR: &[(&str, &str)] = &[
    ("using", "use"),
    ("used", "use"),
    ("uses", "use"),
    ("ran", "run"),
    ("made", "make"),
    ("wrote", "write"),
    ("written", "write"),
    ("sent", "send"),
    ("kept", "keep"),
    ("built", "build"),
    ("chosen", "choose"),
    ("chose", "choose"),
    ("gave", "give"),
    ("took", "take"),
    ("paid", "pay"),
    ("said", "say"),
    ("began", "begin"),
    ("won", "win"),
];

fn is_vowel(c: char) -> bool {
    "aeiouy".contains(c)
}

fn is_consonant(c: char) -> bool {
    c.is_ascii_lowercase() && !is_vowel(c)
}

/// Reports whether two terms are equal, or one begins with the other ("feat",
/// "feature").
pub(super) fn related(a: &str, b: &str) -> bool {
    let begins = |long: &str, short: &str| short.len() >= 4 && long.starts_with(short);
    a == b || begins(a, b) || begins(b, a)
}

pub(super) fn is_stop_word(word: &str) -> bool {
    listed(word, STOP) || (word.len() == 1 && word.chars().all(|c| c.is_ascii_alphabetic()))
}

/// Reports whether a word is in a list whose words are separated by blanks.
pub(super) fn listed(word: &str, list: &str) -> bool {
    list.split(' ').any(|known| known == word)
}

/// Characters that hardly ever are a part of a word that means something.
const DENSE_SEAMS: &str = "的了是吗呢哪谁吧么很";

const DENSE_STOP: &[&str] = &[
    "的是", "是的", "这个", "那个", "一个", "我们", "你们", "他们", "可以", "以及", "并且", "因为",
    "所以", "但是", "如果", "什么", "怎么", "です", "ます", "する", "した", "して", "ある", "いる",
    "から", "まで", "こと", "この", "その",
];

const STOP: &str = "many much the and or but not nor of to in on at by for from with without into onto over under as is \
    are was were be been being am do does did done has have had having will would shall should \
    can could may might must it its it's this that these those there here he she they them \
    their his her we us our you your my me an any all each every some such no yes so than then \
    too very just also only if when while where which who whom whose what why how because \
    about up down out off more most other own same both few one der die das und oder ist ein \
    eine den dem zu mit von le la les et ou un une des du est el los las y";

/// Words of instructions that mean what to do and not what about.
const TASK: &str = "summarise summarize summary document text file answer question user extract list name give \
    write return find identify describe explain provide follow context base use using please \
    key point main important title say tell state read look note work decide decision next \
    step result evidence observation shape json field value format sentence word item entry \
    print present hold support already whether generate create make produce determine short \
    brief briefly concise";

/// [`TASK`] as terms.
static TASK_TERMS: LazyLock<HashSet<String>> =
    LazyLock::new(|| TASK.split(' ').map(stem).collect());

/// Returns the terms of an instruction that show what it is about.
pub(super) fn topic_terms(text: &str) -> Vec<String> {
    let mut out = terms(text);
    out.retain(|term| !TASK_TERMS.contains(term));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_24_words_meet_their_forms() {
        for (a, b) in [
            ("expires", "expire"),
            ("logged", "log"),
            ("logging", "log"),
            ("entries", "entry"),
            ("benefits", "benefit"),
            ("cached", "caches"),
            ("fixed", "fix"),
            ("added", "add"),
            ("requests", "requested"),
            ("running", "run"),
            ("adding", "add"),
        ] {
            assert_eq!(stem(a), stem(b), "{a} {b}");
        }
        assert_eq!(stem("status"), "status");
        assert_eq!(stem("class"), "class");
        assert!(related("feat", "featur") && !related("cat", "category"));
    }

    #[test]
    fn as_24_names_and_dense_scripts_fall_apart() {
        assert_eq!(
            words("keyPoints key_points 2.0版本"),
            ["key", "Points", "key", "points", "2", "0", "版本"]
        );
        assert_eq!(terms("待办事项"), ["待办", "办事", "事项"]);
        assert_eq!(terms("The cache of it"), ["cach"]);
        assert_eq!(length("版本发布 now"), 3);
    }
}
