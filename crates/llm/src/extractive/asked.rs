//! What is asked: the terms of a question with their weights, and the kind of answer it wants.

use super::layout::Item;
use super::rank::Query;
use super::sentences::sentences;
use super::terms::{dense, is_stop_word, listed, stem, terms, topic_terms, words};

/// The topic of the call, apart from its fields.
#[derive(Debug, Clone, Default)]
pub(super) struct Ask {
    /// Terms of the instruction and of items that ask.
    pub(super) topic: Query,
    /// Those of the items that ask; of the instruction, when none does.
    pub(super) question: Query,
    /// The words behind these terms as they are written.
    pub(super) words: Vec<String>,
    /// True if a certain thing is asked, so that only what touches it is an answer.
    pub(super) specific: bool,
    pub(super) wants: Wants,
    /// What must stand in an answer as it is written: names of options, versions, years.
    pub(super) literals: Vec<String>,
    /// True if it asks how to do something.
    pub(super) how: bool,
    /// True if it asks what its subject is.
    pub(super) defines: bool,
}

/// What must stand in an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Wants {
    #[default]
    Anything,
    Number,
    Time,
    Name,
    Reason,
}

/// Instructions that ask about the whole and not about one thing in it.
const GENERAL: &[&str] = &[
    "summar",
    "overview",
    "abstract",
    "key point",
    "main point",
    "outline",
    "tl;dr",
    "摘要",
    "总结",
    "概括",
    "要点",
];

/// Words of a question that an answer hardly repeats.
const LIGHT: &str = "mean happen use need get make want contain work available possible call set should kind \
    type sort way today now take";

/// Words that ask for a number behind "how".
const SIZES: &str = "many much tall long old far big large high fast heavy";

/// The weight of a term that an answer hardly repeats.
const LITTLE: f64 = 0.3;

impl Ask {
    /// Reads what an instruction and the items that ask say.
    pub(super) fn of(instruction: &str, questions: &[Item]) -> Self {
        let instruction = without_addresses(instruction);
        let instruction = instruction.as_str();
        let weight = if questions.is_empty() { 1.0 } else { 0.3 };
        let mut topic: Query = Vec::new();
        for question in questions {
            extend(&mut topic, topic_terms(&question.text), 1.0);
        }
        let about = topic_terms(instruction);
        let specific = !questions.is_empty() || !about.is_empty();
        extend(&mut topic, about, weight);
        if specific {
            // Words such as "entry" or "result" may be what it is about; they decide between equals.
            extend(&mut topic, terms(instruction), 0.2 * weight);
        }
        let texts = || questions.iter().map(|item| item.text.as_str()).chain([instruction]);
        let lower = instruction.to_lowercase();
        let general = questions.is_empty() && GENERAL.iter().any(|word| lower.contains(word));
        let asked = match questions {
            [] => asking(instruction),
            items => items.iter().map(|item| asking(&item.text)).collect::<Vec<_>>().join(" "),
        };
        Self {
            specific: specific && !general,
            topic,
            question: question(&asked),
            words: texts().flat_map(words).map(str::to_owned).collect(),
            wants: Wants::of(&asked),
            literals: literals(&asked),
            how: ["how do", "how can", "how to", "如何", "怎么"]
                .iter()
                .any(|begin| asked.trim().to_lowercase().starts_with(begin)),
            defines: defines(&asked),
        }
    }
}

/// Returns a text without addresses, such as those of references, which ask nothing.
fn without_addresses(text: &str) -> String {
    let named: Vec<&str> = text.split_whitespace().filter(|word| !word.contains("://")).collect();
    named.join(" ")
}

/// Returns the sentences of a text that ask; the whole, when none does.
fn asking(text: &str) -> String {
    let text = without_addresses(text);
    let asks: Vec<&str> = sentences(&text)
        .into_iter()
        .filter(|sentence| sentence.ends_with(['?', '？']))
        .map(|sentence| sentence.rsplit_once(": ").map_or(sentence, |(_, asked)| asked))
        .collect();
    if asks.is_empty() { text.clone() } else { asks.join(" ") }
}

/// Returns the terms of a question; those that an answer hardly repeats weigh less.
fn question(text: &str) -> Query {
    let parts: Vec<String> = words(text).into_iter().map(str::to_lowercase).collect();
    let kind = parts.windows(2).find_map(|pair| match pair {
        [which, kind] if matches!(which.as_str(), "which" | "what") => Some(stem(kind)),
        _ => None,
    });
    // The word behind "how" says what kind of answer is wanted.
    let size = parts.windows(2).find_map(|pair| match pair {
        [how, size] if how == "how" && listed(size, SIZES) => Some(stem(size)),
        _ => None,
    });
    let light: Vec<String> = LIGHT.split(' ').map(stem).collect();
    let topic = topic_terms(text);
    let asks = text.trim_end().ends_with(['?', '？']);
    let names: Vec<String> = words(text)
        .into_iter()
        .skip(1)
        .filter(|word| word.starts_with(char::is_uppercase))
        .flat_map(terms)
        .collect();
    let mut out = Query::new();
    for term in terms(text) {
        if out.iter().any(|(known, _)| *known == term) || size.as_ref() == Some(&term) {
            continue;
        }
        let weight = if kind.as_ref() == Some(&term) && !dense(&term) {
            if Wants::of(text) == Wants::Number { 0.15 } else { 0.45 }
        } else if light.contains(&term) {
            LITTLE
        } else if !topic.contains(&term) {
            // What a task is called may be what a question is about.
            if asks { 0.7 } else { LITTLE }
        } else if names.contains(&term) {
            1.6
        } else {
            1.0
        };
        out.push((term, weight));
    }
    out
}

/// Returns what stands in a question as it must stand in an answer.
fn literals(text: &str) -> Vec<String> {
    let trimmed = text
        .split(|c: char| c.is_whitespace() || u32::from(c) >= 0x1100)
        .map(|word| word.trim_matches(|c: char| "?!.,;:()\"'`".contains(c)));
    let exact = |word: &&str| {
        let digits = word.chars().filter(char::is_ascii_digit).count();
        let number = word.chars().all(|c| c.is_ascii_digit() || c == '.');
        word.starts_with("--") || (number && (digits >= 4 || (digits >= 2 && word.contains('.'))))
    };
    trimmed.filter(exact).map(str::to_owned).collect()
}

/// Reports whether a literal stands in a text as a word of its own.
pub(super) fn stands_in(literal: &str, text: &str) -> bool {
    let inside = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '-');
    text.match_indices(literal).any(|(at, _)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text.get(at + literal.len()..).and_then(|text| text.chars().next());
        !inside(before) && !inside(after)
    })
}

fn defines(text: &str) -> bool {
    let lower = text.trim().to_lowercase();
    ["what is ", "what are ", "what's ", "什么是"].iter().any(|begin| lower.starts_with(begin))
        || lower.trim_end_matches(['?', '？']).ends_with("是什么")
}

impl Wants {
    fn of(text: &str) -> Self {
        let lower = text.to_lowercase();
        let parts = words(&lower);
        let after_how =
            parts.windows(2).any(|pair| matches!(pair, ["how", size] if listed(size, SIZES)));
        let counts = ["percentage", "percent", "price", "多少", "几个", "几岁", "几天", "version"];
        if after_how || counts.iter().any(|word| lower.contains(word)) {
            return Self::Number;
        }
        match parts.first() {
            Some(&"when") => Self::Time,
            Some(&"why") => Self::Reason,
            Some(&("who" | "whose" | "whom")) => Self::Name,
            _ => Self::Anything,
        }
    }

    /// Reports whether a text can be what is wanted.
    pub(super) fn allows(self, text: &str) -> bool {
        let lower = text.to_lowercase();
        let says = |list: &str| words(&lower).iter().any(|word| listed(word, list));
        let digit = || text.chars().any(char::is_numeric);
        match self {
            Self::Anything => true,
            Self::Number => {
                digit()
                    || says(NUMBERS)
                    || text.contains(|c| "一二三四五六七八九十两百千万".contains(c))
            }
            Self::Time => {
                digit() || says(TIMES) || text.contains(['年', '月', '日', '时', '后', '前'])
            }
            Self::Reason => REASONS.iter().any(|word| lower.contains(word)),
            Self::Name => {
                let capital = |word: &&str| word.starts_with(char::is_uppercase);
                let parts = words(text);
                // A sentence begins with a capital; it names somebody where no article does.
                let begins = parts
                    .first()
                    .is_some_and(|first| capital(first) && !is_stop_word(&first.to_lowercase()));
                begins || text.contains('@') || parts.iter().skip(1).any(capital)
            }
        }
    }
}

const NUMBERS: &str = "zero one two three four five six seven eight nine ten eleven twelve twenty thirty forty \
    fifty sixty hundred thousand million percent half double twice none no";

const TIMES: &str = "when before after until upon if once during date day week month year monday tuesday \
    wednesday thursday friday saturday sunday january february march april may june july august \
    september october november december today tomorrow yesterday now immediately minutes hours";

const REASONS: &[&str] = &[
    "because",
    "since ",
    "due to",
    "reason",
    "therefore",
    "so that",
    "in order to",
    "cause",
    "for this",
    "因为",
    "由于",
    "为了",
    "因此",
    "以确保",
    "以避免",
];

fn extend(query: &mut Query, terms: Vec<String>, weight: f64) {
    for term in terms {
        if !query.iter().any(|(known, _)| *known == term) {
            query.push((term, weight));
        }
    }
}

/// Reports whether an instruction is a question.
pub(super) fn is_question(instruction: &str) -> bool {
    const WORDS: &[&str] =
        &["what", "which", "who", "when", "where", "why", "how", "is", "are", "does", "do", "can"];
    let first = words(instruction).first().map(|word| word.to_lowercase());
    instruction.trim_end().ends_with(['?', '？'])
        || first.is_some_and(|word| WORDS.contains(&word.as_str()))
}
