//! Common English endings, so that `prices`, `priced` and `pricing` meet `price`.
//!
//! It is a handful of rules, not a grammar: both sides of a comparison go through them, so that
//! what matters is that forms of one word meet and that different words seldom do.

/// The shortest word that has an ending to lose.
const SHORT: usize = 4;

pub(super) fn stem(word: &mut String) {
    if word.len() < SHORT || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return;
    }
    plural(word);
    if let Some((length, least)) = ending(word)
        && word.len() >= length + least
    {
        let stays = word.len() - length;
        let is_ion = length == 3 && word.ends_with("ion");
        let before = word.as_bytes().get(stays.wrapping_sub(1)).copied().unwrap_or_default();
        if (!is_ion || matches!(before, b't' | b's')) && has_vowel(word, stays) {
            word.truncate(stays);
        }
    }
    if word.ends_with('e') && word.len() >= SHORT {
        word.pop();
    }
    if word.ends_with("at") && word.len() >= 7 {
        word.truncate(word.len() - 2);
    }
    undouble(word);
    if word.ends_with('y') && word.len() >= SHORT {
        word.pop();
        word.push('i');
    }
}

/// Returns the length of the ending of a word, and the fewest letters that must stay before it. A word
/// has at most one of them; the last letter leaves one or two to compare.
fn ending(word: &str) -> Option<(usize, usize)> {
    let ends = |ending: &str| word.ends_with(ending);
    match word.bytes().next_back()? {
        b'y' if ends("ability") => Some((7, 4)),
        b'y' if ends("ly") => Some((2, 4)),
        b'e' if ends("able") => Some((4, 4)),
        b't' if ends("ment") => Some((4, 3)),
        b's' if ends("ness") => Some((4, 4)),
        b'g' if ends("ing") => Some((3, 3)),
        b'n' if ends("ion") => Some((3, 5)),
        b'd' if ends("ed") => Some((2, 3)),
        b'l' if ends("al") => Some((2, 4)),
        _ => None,
    }
}

fn plural(word: &mut String) {
    let len = word.len();
    if !word.ends_with('s') {
        return;
    }
    if word.ends_with("ies") && len > 4 {
        word.truncate(len - 3);
        word.push('y');
    } else if ["sses", "shes", "ches", "xes", "zzes"].iter().any(|end| word.ends_with(end)) {
        word.truncate(len - 2);
    } else if !["ss", "us", "is"].iter().any(|end| word.ends_with(end)) {
        word.truncate(len - 1);
    }
}

fn has_vowel(word: &str, before: usize) -> bool {
    word.bytes().take(before).any(|byte| matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y'))
}

fn undouble(word: &mut String) {
    let bytes = word.as_bytes();
    if let [.., before, last] = bytes
        && before == last
        && !matches!(last, b's' | b'z' | b'e' | b'o')
        && bytes.len() > 3
    {
        word.pop();
    }
}
