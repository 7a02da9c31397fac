//! Words of questions that are not what the question is about, and words that show what is wanted.

use crate::resolve::types::Intent;
use std::collections::HashSet;
use std::sync::LazyLock;

/// Function words: never looked for.
const STOPS: &str = "a about above after again all also am an and any are as at be because been \
    before being below between both but by can could d did do does doing done during each either \
    else ever few for from get gets got had has have having he her here hers him his how i if in \
    into is it its itself just let ll m may me might more most much must my no nor not of off on \
    once one only or other our ours out over own please re s same shall she should so some such \
    t than that the their theirs them then there these they this those through to too under until \
    up us ve very was we were what when where whether which while who whom whose why will with \
    within would yes you your yours";

/// Words of instructions: they help to rank, but that a pack lacks them means nothing.
const WEAK: &str = "add answer ask based check cite claim claims compare compose context create \
    customer describe detail detailed details draft explain fact facts find follow following give \
    help include information kind know knowledge list long look make many mean means mention need \
    needs number pack paragraph prepare provide question read reply response say says sentence \
    sentences short show source sources state summarise summarize summary support tell text thing \
    things time times try tries trying type use used user users uses using verify want wanted wants way words
    work works write yet still far rather quite really maybe perhaps anyway always never somebody
    anybody someone anyone something anything somewhere else even actually say got right wrong go goes going went well best \
    two three four five six seven eight nine ten";

/// Characters that are mostly grammar.
const FUNCTIONS: &str =
    "几谁何的了吗呢吧啊呀嘛么和与及或是在有把被对从到为以于就也都还又很我你他她它其之这那个些";

static STOP_SET: LazyLock<HashSet<&str>> =
    LazyLock::new(|| STOPS.split_ascii_whitespace().collect());
static WEAK_SET: LazyLock<HashSet<&str>> =
    LazyLock::new(|| WEAK.split_ascii_whitespace().collect());

pub(super) fn is_stop(word: &str) -> bool {
    STOP_SET.contains(word)
}

pub(super) fn is_weak(word: &str) -> bool {
    WEAK_SET.contains(word)
}

pub(super) fn is_function(c: char) -> bool {
    FUNCTIONS.contains(c)
}

/// Words of each intent; those with spaces or of Chinese are found anywhere, others as whole words.
/// The first intent with a word in the text is taken.
const INTENTS: [(Intent, &str); 5] = [
    (
        Intent::Dispute,
        "dispute, disputed, disputes, contested, contradiction, contradictions, contradict, \
         conflicting, 争议, 矛盾, 异议, 冲突说法",
    ),
    (
        Intent::Verify,
        "verify, verified, verification, fact-check, fact check, double-check, prove, proof, \
         evidence, 核验, 核实, 验证, 查证, 证据, 证明, 求证",
    ),
    (
        Intent::Cite,
        "cite, cited, cites, citation, citations, sourced, footnote, footnotes, source for, \
         sources for, source of, sources of, the source, the sources, with sources, with source, \
         its source, their source, their sources, your sources, which source, what source, 引用, \
         出处, 来源, 引证, 原文",
    ),
    (Intent::Ingest, "ingest, ingestion, take in new, 收录, 导入来源, 录入, 入库"),
    (
        Intent::Detail,
        "detail, details, detailed, in depth, in-depth, why, relate, relates, related, relation, \
         relationship, depend, depends, connection, connected, compare, comparison, difference, \
         differ, differs, explain, background, interact, interacts, affect, affects, influence, \
         influences, 详细, 详情, 细节, 为什么, 为何, 关系, 关联, 联系, 区别, 差异, 对比, 比较, \
         深入, 原理, 背景, 影响, 解释",
    ),
];

const WRITING: &str = "write, writes, writing, rewrite, draft, compose, rephrase, paraphrase, polish, reply, greet, \
    greeting, letter, email, e-mail, newsletter, announcement, tweet, blog, slogan, tagline, \
    headline, caption, speech, poem, 写, 寫, 撰, 起草, 草拟, 拟一, 文案, 回复, 答复, 润色, 问候, \
    致辞, 祝福, 标语, 口号, 推文, 邮件";

/// Returns the intent that the words show.
pub(super) fn intent(text: &str) -> Intent {
    let lower = text.to_lowercase();
    let said = Said::of(&lower);
    let wanted = INTENTS.iter().find(|(_, words)| said.any(words));
    wanted.map_or(Intent::Answer, |(intent, _)| *intent)
}

pub(super) fn is_writing(text: &str) -> bool {
    Said::of(&text.to_lowercase()).any(WRITING)
}

/// A text in small letters, and its whole words.
struct Said<'t> {
    lower: &'t str,
    whole: HashSet<&'t str>,
}

impl<'t> Said<'t> {
    fn of(lower: &'t str) -> Self {
        let is_part = |c: char| c.is_alphanumeric() || c == '-';
        let words = lower.split(|c: char| !is_part(c)).filter(|word| !word.is_empty());
        Self { lower, whole: words.collect() }
    }

    fn any(&self, words: &str) -> bool {
        words.split(", ").any(|word| {
            if word.is_ascii() && !word.contains(' ') {
                self.whole.contains(word)
            } else {
                self.lower.contains(word)
            }
        })
    }
}
