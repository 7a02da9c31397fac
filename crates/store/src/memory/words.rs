//! The words of a text, as they are indexed and searched in every backend.
//!
//! Decisions: letters and digits in lower case, without accents, plural `s` folded. Scripts that
//! write no spaces are indexed by single characters and by pairs and searched by pairs, so that
//! 「数据库」 finds a text that has it anywhere; a symbol such as an emoji is a word by itself. Common
//! English words are not searched for, unless there are no others.

use unicode_normalization::UnicodeNormalization as _;

/// The longest word, in characters; a longer one is cut, in texts and queries alike.
const LONGEST: usize = 64;

/// The most different words of a query that are searched for.
pub(super) const MOST_SEARCHED: usize = 64;

const COMMON: [&str; 42] = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "can", "do", "does", "for", "from",
    "had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "not",
    "of", "on", "or", "so", "that", "the", "then", "this", "to", "was", "we", "were", "what",
    "with",
];

/// Returns all words of a text, in order, for an index.
pub(super) fn indexed(text: &str) -> Vec<String> {
    words(text, true)
}

/// Returns the different words of a query, and whether there were more than are searched for.
pub(super) fn searched(text: &str) -> (Vec<String>, bool) {
    let mut all: Vec<String> = Vec::new();
    for word in words(text, false) {
        if !all.contains(&word) {
            all.push(word);
        }
        if all.len() > MOST_SEARCHED + COMMON.len() {
            break;
        }
    }
    if all.iter().any(|word| !is_common(word)) {
        all.retain(|word| !is_common(word));
    }
    let more = all.len() > MOST_SEARCHED;
    all.truncate(MOST_SEARCHED);
    (all, more)
}

fn is_common(word: &str) -> bool {
    COMMON.contains(&word)
}

fn words(text: &str, singles: bool) -> Vec<String> {
    let mut out = Vec::new();
    let mut word = String::new();
    let mut run: Vec<char> = Vec::new();
    for character in text.nfkc() {
        let unspaced = is_unspaced(character);
        if !unspaced {
            flush_run(&mut run, singles, &mut out);
        }
        let in_word = !unspaced && (character.is_alphanumeric() || is_accent(character));
        if !in_word {
            flush_word(&mut word, &mut out);
        }
        if unspaced {
            run.push(character);
        } else if in_word {
            word.push(character);
        } else if is_symbol(character) {
            out.push(character.to_string());
        }
    }
    flush_word(&mut word, &mut out);
    flush_run(&mut run, singles, &mut out);
    out
}

fn flush_word(word: &mut String, out: &mut Vec<String>) {
    if word.is_empty() {
        return;
    }
    let plain = word.nfd().filter(|character| !is_accent(*character));
    let lower: String = plain.flat_map(char::to_lowercase).take(LONGEST).collect();
    word.clear();
    if !lower.is_empty() {
        out.push(singular(lower));
    }
}

fn flush_run(run: &mut Vec<char>, singles: bool, out: &mut Vec<String>) {
    if singles || run.len() == 1 {
        out.extend(run.iter().map(char::to_string));
    }
    out.extend(run.windows(2).map(|pair| pair.iter().collect::<String>()));
    run.clear();
}

/// Folds the plural of an English word: cities, boxes and tests become city, boxe and test, as do
/// their singulars that end alike.
fn singular(word: String) -> String {
    if word.len() <= 3 || !word.is_ascii() {
        return word;
    }
    let ends = |suffixes: &[&str]| suffixes.iter().any(|suffix| word.ends_with(suffix));
    if word.ends_with("ies") && !ends(&["eies", "aies"]) {
        return word.strip_suffix("ies").map_or_else(String::new, |stem| format!("{stem}y"));
    }
    if word.ends_with('s') && !ends(&["us", "ss", "is"]) {
        return word.strip_suffix('s').map_or_else(String::new, str::to_owned);
    }
    word
}

const fn is_accent(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}')
}

/// Scripts that put no space between words.
const fn is_unspaced(character: char) -> bool {
    matches!(character,
        '\u{e00}'..='\u{eff}'            // Thai, Lao
        | '\u{1000}'..='\u{109f}'        // Myanmar
        | '\u{1780}'..='\u{17ff}'        // Khmer
        | '\u{3005}'..='\u{3007}'        // 々〆〇
        | '\u{3040}'..='\u{30ff}'        // Kana
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{ac00}'..='\u{d7af}'        // Hangul: spaced, but with endings on every word
        | '\u{20000}'..='\u{3ffff}')
}

/// Reports whether a character is an emoji or a sign that someone may look for.
const fn is_symbol(character: char) -> bool {
    matches!(character, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn as_26_words_are_folded() {
        assert_eq!(
            indexed("The Login-Tests: snake_case, Café x2"),
            ["the", "login", "test", "snake", "case", "cafe", "x2"]
        );
        assert_eq!(
            indexed("cities boxes class status this bus"),
            ["city", "boxe", "class", "status", "this", "bus"]
        );
        assert_eq!(indexed("cafe\u{301} ﬁne ＡＢＣ"), ["cafe", "fine", "abc"]);
        assert_eq!(indexed("Ärger Straße ПРИВЕТ"), ["arger", "straße", "привет"]);
        assert_eq!(indexed("🎉 done → next"), ["🎉", "done", "→", "next"]);
        assert_eq!(indexed("...!?"), Vec::<String>::new());
    }

    #[test]
    fn as_26_scripts_without_spaces_are_paired() {
        assert_eq!(indexed("数据库v2"), ["数", "据", "库", "数据", "据库", "v2"]);
        assert_eq!(searched("数据库").0, ["数据", "据库"]);
        assert_eq!(searched("库").0, ["库"]);
        assert_eq!(searched("テスト").0, ["テス", "スト"]);
    }

    #[test]
    fn as_26_common_words_are_searched_only_alone() {
        assert_eq!(searched("How do I deploy the service?").0, ["deploy", "service"]);
        assert_eq!(searched("to be or not to be").0, ["to", "be", "or", "not"]);
        let (words, more) = searched(&(0..100).map(|n| format!("w{n} ")).collect::<String>());
        assert_eq!((words.len(), more), (MOST_SEARCHED, true));
    }

    proptest! {
        #[test]
        fn as_26_what_is_searched_is_indexed(text in "\\PC{0,60}") {
            let indexed = indexed(&text);
            for word in searched(&text).0 {
                prop_assert!(indexed.contains(&word), "{word}");
            }
        }
    }
}
