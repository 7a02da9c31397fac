//! Common English endings, so that `prices`, `priced` and `pricing` meet `price`.
//!
//! It is a handful of rules, not a grammar: both sides of a comparison go through them, so that
//! what matters is that forms of one word meet and that different words seldom do.

/// The shortest word that has an ending to lose.
const SHORT: usize = 4;

/// Takes the ending off a word in small letters. Endings are compared letter by letter, as slices: each
/// word of a pack comes by here.
pub(super) fn stem(word: &mut String) {
    if word.len() < SHORT || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return;
    }
    plural(word);
    if let Some((length, least)) = ending(word.as_bytes())
        && word.len() >= length + least
        && has_vowel(word, word.len() - length)
    {
        word.truncate(word.len() - length);
    }
    if matches!(word.as_bytes(), [.., b'e']) && word.len() >= SHORT {
        word.pop();
    }
    if matches!(word.as_bytes(), [.., b'a', b't']) && word.len() >= 7 {
        word.truncate(word.len() - 2);
    }
    undouble(word);
    if matches!(word.as_bytes(), [.., b'y']) && word.len() >= SHORT {
        word.pop();
        word.push('i');
    }
}

/// Returns the length of the ending of a word, and the fewest letters that must stay before it. A word
/// has at most one of them.
const fn ending(word: &[u8]) -> Option<(usize, usize)> {
    Some(match word {
        [.., b'a', b'b', b'i', b'l', b'i', b't', b'y'] => (7, 4),
        [.., b'l', b'y'] => (2, 4),
        [.., b'a', b'b', b'l', b'e'] | [.., b'n', b'e', b's', b's'] => (4, 4),
        [.., b'm', b'e', b'n', b't'] => (4, 3),
        [.., b'i', b'n', b'g'] => (3, 3),
        [.., b't' | b's', b'i', b'o', b'n'] => (3, 5),
        [.., b'e', b'd'] => (2, 3),
        [.., b'a', b'l'] => (2, 4),
        _ => return None,
    })
}

fn plural(word: &mut String) {
    let len = word.len();
    match word.as_bytes() {
        [.., b'i', b'e', b's'] if len > 4 => {
            word.truncate(len - 3);
            word.push('y');
        }
        [.., b's', b's', b'e', b's']
        | [.., b's' | b'c', b'h', b'e', b's']
        | [.., b'x', b'e', b's']
        | [.., b'z', b'z', b'e', b's'] => word.truncate(len - 2),
        [.., b's' | b'u' | b'i', b's'] => {}
        [.., b's'] => word.truncate(len - 1),
        _ => {}
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
