//! Phrases of asking in scripts without spaces, which are not what a question is about.

use crate::index::terms::is_unspaced;
use std::ops::Range;
use std::sync::LazyLock;

/// Question phrases of Chinese, Japanese and Korean: they split the run that they stand in.
const PHRASES: &str = "为什么 什么样 什么时候 什么 怎么样 怎么办 怎么 怎样 如何 哪些 哪个 哪里 哪儿 多少 多久 \
    多长时间 多长 几个 是否 是不是 有没有 能不能 会不会 要不要 可不可以 可以 我们 你们 他们 它们 \
    咱们 请问 请你 请 一下 一个 这个 那个 这些 那些 这样 那样 以及 或者 并且 而且 但是 因为 所以 \
    如果 关于 对于 根据 需要 应该 告诉 介绍 说明 解释 列出 自己 已经 大概 总共 一直 以后 以前 \
    之后 之前 还是 就是 可能 没有 还有 时候 不会 不能 不要 想要 想让 ですか ください について \
    ですが 多少钱 什么意思 什么地方 多大 多远 多高 为何 何时 何地 几点 方法 は何ですか 何ですか \
    とは でしょうか どのくらい どれくらい どのように どうやって どうすれば どうしたら どんな \
    どの どれ どこ どう いくら いくつ いつ なぜ だれ 教えて 知りたい できますか ありますか \
    ますか ました ません する して できる 意味 얼마인가요 얼마예요 얼마나 얼마 되나요 인가요 \
    입니까 습니까 무엇인가요 무엇 뭐예요 뭔가요 어떻게 어디 언제 누구 알려주세요 알려 주세요 \
    있나요 하나요 할까요 해주세요 어떤 몇 대해 관해 이에요";

static PHRASE_LIST: LazyLock<Vec<&str>> = LazyLock::new(|| PHRASES.split(' ').collect());

/// Characters that, alone, show nothing of what is asked: they count, time and join.
const FILLERS: &str = "要会能可用让给比才再最更太多少做说看想好引等来去上下中里外后前时得着过起出不没无向则若即\
    该本某每各另同按由经并且但而却只仅便已曾将天年月日号点次种岁块元钱度个件份分秒周条位名张台套";

/// Reports whether what is left of a run is a character that is not a fact by itself.
pub(crate) fn is_filler(text: &str) -> bool {
    let mut chars = text.chars();
    matches!((chars.next(), chars.next()), (Some(c), None) if FILLERS.contains(c) || is_hiragana(c))
}

/// Reports whether the character is of the script in which Japanese writes its grammar.
pub(crate) fn is_hiragana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{309f}')
}

/// Reports whether a phrase is part of a longer word here, such as 请 of 申请 and 请假, or 说明 of 说明书.
fn is_in_word(phrase: &str, before: Option<char>, after: &str) -> bool {
    match phrase {
        "请" => {
            before.is_some_and(is_unspaced) || after.starts_with(['假', '求', '客', '柬', '帖'])
        }
        "说明" => after.starts_with('书'),
        "介绍" => after.starts_with('信'),
        "方法" => after.starts_with('论'),
        "多大" | "多远" | "多高" => before.is_some_and(|c| "很许更最太不众".contains(c)),
        _ if ENDINGS.split(' ').any(|ending| ending == phrase) => false,
        _ => before.is_some_and(|c| goes_on(c, phrase)),
    }
}

/// Phrases that stand behind words, as their ends.
const ENDINGS: &str = "ですか ください について ですが でしょうか ますか ました ません とは は何ですか できますか \
    ありますか 되나요 인가요 입니까 습니까 있나요 하나요 할까요 해주세요 주세요 이에요";

/// Reports whether a phrase in the letters of Japanese or Korean continues that sign within a
/// word, as in ぶどう: a particle ends one.
fn goes_on(before: char, phrase: &str) -> bool {
    let is_hangul = |c: char| matches!(c, '\u{ac00}'..='\u{d7a3}');
    let is_particle = |c: char| "はがをにでとものへや".contains(c);
    let first = phrase.chars().next().unwrap_or_default();
    is_hiragana(first) && is_hiragana(before) && !is_particle(before)
        || is_hangul(first) && is_hangul(before)
}

/// Those of them that are words of their own, which a heading may have.
const NOUNS: &str = "需要 介绍 说明 解释 列出 自己 可能 时候 根据 关于 告诉 应该 方法 意味";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Phrase {
    pub(crate) at: Range<usize>,
    /// True if it may be what a heading is about.
    pub(crate) is_word: bool,
}

/// Returns where phrases of asking stand, in their order.
pub(crate) fn phrases(text: &str) -> Vec<Phrase> {
    let mut found = Vec::new();
    if text.is_ascii() {
        return found;
    }
    let mut at = 0;
    while let Some(rest) = text.get(at..) {
        let Some(first) = rest.chars().next() else { break };
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let said = PHRASE_LIST.iter().filter(|phrase| {
            rest.strip_prefix(**phrase).is_some_and(|after| !is_in_word(phrase, before, after))
        });
        match said.max_by_key(|phrase| phrase.len()) {
            Some(phrase) => {
                let is_word = NOUNS.split(' ').any(|noun| noun == *phrase);
                found.push(Phrase { at: at..at + phrase.len(), is_word });
                at += phrase.len();
            }
            None => at += first.len_utf8(),
        }
    }
    found
}
