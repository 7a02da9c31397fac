//! Phrases that instruct the reader to disobey, or to become someone else.

use crate::fence::look::{is_invisible, plain};
use memchr::memmem::Finder;
use std::sync::LazyLock;

/// Words that begin a phrase, with words that must follow soon.
struct Phrase {
    what: &'static str,
    verbs: &'static [&'static str],
    objects: &'static [&'static str],
}

const DISOBEY: &str = "to disregard instructions";
const BECOME: &str = "to take another role";
const REVEAL: &str = "to reveal the prompt";
const HIDE: &str = "to keep something from the user";

/// In lower case, words separated by one space. Verbs match the beginning of a word.
const ENGLISH: &[Phrase] = &[
    Phrase {
        what: DISOBEY,
        verbs: words![
            "ignor" "disregard" "forget" "overrid" "bypass" "do not follow" "don t follow"
            "stop following" "do not obey" "don t obey"
        ],
        objects: words![
            "instruction" "prompt" "rules" "guideline" "directive" "you were told"
            "you have been told" "your orders" "safety" "restrictions" "everything above"
            "everything before"
        ],
    },
    Phrase {
        what: BECOME,
        verbs: words![
            "you are now" "you must now" "from now on you" "from now on act" "pretend to be"
            "pretend you are" "act as if you" "enter developer mode" "new instructions"
            "new system prompt" "updated instructions" "system override" "admin override"
            "jailbreak mode" "enable developer mode" "developer mode enabled"
        ],
        objects: &[],
    },
    Phrase {
        what: REVEAL,
        verbs: &["reveal", "print", "show me", "repeat", "output", "leak", "exfiltrate", "send"],
        objects: words![
            "your system prompt" "the system prompt" "your instructions" "your hidden prompt"
            "your api key" "all api keys" "your secrets" "the words above" "the text above"
            "the prompt above"
        ],
    },
    Phrase {
        what: HIDE,
        verbs: words![
            "do not tell the user" "don t tell the user" "do not inform the user"
            "without telling the user" "do not mention this to the user"
            "without informing the user" "do not let the user know"
        ],
        objects: &[],
    },
];

/// In Chinese, Japanese and German; compared without spaces.
const OTHERS: &[(&str, &[&str], &[&str])] = &[
    (
        DISOBEY,
        words![
            "忽略" "无视" "無視" "忘记" "忘記" "忘掉" "不要遵守" "不要遵循" "不要服从" "绕过"
            "覆盖" "抛开" "跳过"
        ],
        words![
            "指令" "指示" "提示词" "提示詞" "系统提示" "规则" "規則" "要求" "命令" "设定" "限制"
            "约束"
        ],
    ),
    (
        BECOME,
        words![
            "你现在是" "你現在是" "从现在开始你" "从现在起你" "從現在開始你" "请扮演"
            "进入开发者模式" "开发者模式已启用" "新的系统指令" "新的指令如下"
        ],
        &[],
    ),
    (
        REVEAL,
        &["输出", "泄露", "显示", "透露", "告诉我", "打印", "重复"],
        &["系统提示", "你的提示词", "你的指令", "系统指令", "密钥"],
    ),
    (HIDE, &["不要告诉用户", "别告诉用户", "不要让用户知道", "不得告知用户"], &[]),
    (DISOBEY, &["以前の指示", "これまでの指示", "上記の指示"], &["無視"]),
    (DISOBEY, &["ignoriere", "vergissallebisherigen"], &["anweisung", "regeln"]),
];

/// The greatest distance of an object after its verb, in bytes.
const REACH: usize = 90;

/// A way in which an English phrase begins.
type Beginning = (&'static Phrase, &'static str);

/// The beginnings of English phrases, by their first letter: most words of a text begin none.
static BEGINNINGS: LazyLock<[Vec<Beginning>; 26]> = LazyLock::new(|| {
    let all =
        ENGLISH.iter().flat_map(|phrase| phrase.verbs.iter().map(move |verb| (phrase, *verb)));
    let of =
        |letter: u8| all.clone().filter(|(_, verb)| verb.bytes().next() == Some(letter)).collect();
    std::array::from_fn(|number| {
        u8::try_from(number).map_or_else(|_| Vec::new(), |at| of(b'a' + at))
    })
});

/// Returns the first such phrase of a line: its description and its approximate position.
pub(super) fn find(line: &str) -> Option<(&'static str, usize)> {
    let text = words(line, |_, _| {});
    if let Some((what, shown)) = english(&text) {
        let mut place = 0;
        words(line, |word, at| {
            if word <= shown {
                place = at;
            }
        });
        return Some((what, place));
    }
    if text.is_ascii() && !GERMAN.iter().any(|verb| verb.find(text.as_bytes()).is_some()) {
        return None;
    }
    other(&text.replace(' ', "")).map(|what| (what, 0))
}

/// The beginnings of German phrases.
static GERMAN: LazyLock<[Finder<'static>; 2]> =
    LazyLock::new(|| ["ignoriere", "vergiss"].map(Finder::new));

/// Returns the words of a line in plain lower-case letters, each after a space; `begins` is told where
/// each begins, there and in the line.
fn words(line: &str, mut begins: impl FnMut(usize, usize)) -> String {
    let mut text = String::with_capacity(line.len() + 1);
    let mut is_between = true;
    for (at, c) in line.char_indices() {
        let letter = if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else if is_invisible(c) {
            continue;
        } else {
            match plain(c) {
                Some(c) if c.is_alphanumeric() => c,
                Some(_) => {
                    is_between = true;
                    continue;
                }
                None => continue,
            }
        };
        if is_between {
            text.push(' ');
            begins(text.len(), at);
        }
        is_between = false;
        text.push(letter);
    }
    text
}

fn english(text: &str) -> Option<(&'static str, usize)> {
    for (at, pair) in text.as_bytes().windows(2).enumerate() {
        let [b' ', letter] = pair else { continue };
        let known = BEGINNINGS.get(usize::from(letter.wrapping_sub(b'a'))).into_iter().flatten();
        for (phrase, verb) in known {
            let rest = text.get(at + 1..).unwrap_or_default();
            let Some(behind) = rest.strip_prefix(*verb) else { continue };
            if phrase.objects.is_empty() || reaches(behind, phrase.objects) {
                return Some((phrase.what, at + 1));
            }
        }
    }
    None
}

fn other(text: &str) -> Option<&'static str> {
    text.char_indices().filter(|(_, c)| leads(*c)).find_map(|(at, _)| {
        let rest = text.get(at..).unwrap_or_default();
        OTHERS.iter().find_map(|(what, verbs, objects)| {
            let verb = verbs.iter().find(|verb| rest.starts_with(**verb))?;
            let behind = rest.get(verb.len()..).unwrap_or_default();
            (objects.is_empty() || reaches(behind, objects)).then_some(*what)
        })
    })
}

/// Reports whether one of the verbs in [`OTHERS`] begins with this character.
const fn leads(c: char) -> bool {
    matches!(
        c,
        // Chinese
        '忽' | '无' | '無' | '忘' | '不' | '绕' | '覆' | '抛' | '跳' | '你' | '从' | '從' | '请' | '进'
        | '开' | '新' | '输' | '泄' | '显' | '透' | '告' | '打' | '重' | '别'
        // Japanese, German
        | '以' | 'こ' | '上' | 'i' | 'v'
    )
}

/// Reports whether one of the objects follows soon.
fn reaches(behind: &str, objects: &[&str]) -> bool {
    let reach = (0..=REACH.min(behind.len())).rev().find(|at| behind.is_char_boundary(*at));
    let near = reach.and_then(|reach| behind.get(..reach)).unwrap_or_default();
    objects.iter().any(|object| near.contains(object))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kn_13_every_verb_is_searched() {
        for verb in OTHERS.iter().flat_map(|(_, verbs, _)| *verbs) {
            assert!(leads(verb.chars().next().unwrap()), "{verb}");
        }
    }
}
