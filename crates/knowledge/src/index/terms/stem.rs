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
    // Each ending with the fewest letters that must stay before it.
    const ENDINGS: [(&str, usize); 9] = [
        ("ability", 4),
        ("able", 4),
        ("ment", 3),
        ("ness", 4),
        ("ing", 3),
        ("ion", 5),
        ("ed", 3),
        ("al", 4),
        ("ly", 4),
    ];
    for (ending, least) in ENDINGS {
        if ends_with(word, ending) && word.len() >= ending.len() + least {
            let stays = word.len() - ending.len();
            let before = word.as_bytes().get(stays.wrapping_sub(1)).copied().unwrap_or_default();
            if (ending == "ion" && !matches!(before, b't' | b's')) || !has_vowel(word, stays) {
                continue;
            }
            word.truncate(stays);
            break;
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

/// Reports whether a word has an ending; comparing the last letters alone spares a call for most.
fn ends_with(word: &str, ending: &str) -> bool {
    word.bytes().next_back() == ending.bytes().next_back() && word.ends_with(ending)
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
