//! The meaning of a field, by its name, its description and its place.

use super::rank::Query;
use super::terms::{stem, terms as all_terms, topic_terms, words};

/// The way a text field is filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The title of the document.
    Title,
    /// Some sentences about the whole.
    Summary,
    /// A single word.
    Keyword,
    /// A name, a date or an address that only stands where it is named.
    Named,
    /// The text that is most relevant to the question.
    Plain,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Field {
    /// Its name in words.
    pub(super) name: String,
    /// The meaningful terms of its name.
    pub(super) terms: Vec<String>,
    /// The meaningful terms of its description.
    pub(super) about: Vec<String>,
    /// All terms of its description.
    pub(super) told: Vec<String>,
    pub(super) role: Role,
    /// The least and most sentences, items or words that are asked for.
    pub(super) count: Option<(usize, usize)>,
    /// True if nothing is a good answer: `missing`, `errors`.
    pub(super) may_be_empty: bool,
    /// True if the field may not be left out.
    pub(super) required: bool,
}

const TITLES: &str = "title headline heading 标题 题目 題目 见出し titre titel titulo";
const SUMMARIES: &str = "summary abstract overview synopsis tldr gist digest description 摘要 概要 总结 總結 概述 \
    简介 要約 résumé zusammenfassung resumen";
const KEYWORDS: &str = "keyword word term tag search 关键词 關鍵詞 キーワード";
const NAMED: &str = "author email mail phone date url link website address version id company vendor supplier \
    customer country city number currency licence license owner sender recipient 作者 日期 \
    邮箱 电话 地址 公司 编号";
const EMPTY: &str = "missing error problem issue gap violation conflict objection warning blocker 缺失 遗漏 \
    错误 问题";

impl Field {
    /// Creates the field of this name and description; `top` when it is not part of a list's item.
    pub(super) fn new(name: &str, description: &str, top: bool) -> Self {
        let parts: Vec<String> = words(name).into_iter().map(str::to_lowercase).collect();
        let stems: Vec<String> = parts.iter().map(|part| stem(part)).collect();
        let is = |list: &str| {
            stems
                .iter()
                .chain(&parts)
                .any(|part| list.split(' ').any(|known| stem(known) == *part || known == part))
        };
        let one_word = ["one word", "single word", "a word", "一个词"];
        let description_lower = description.to_lowercase();
        let role = if one_word.iter().any(|phrase| description_lower.contains(phrase)) {
            Role::Keyword
        } else if is(TITLES) && top {
            Role::Title
        } else if is(SUMMARIES) && top {
            Role::Summary
        } else if is(KEYWORDS) && (parts.len() == 1 || is("key search query")) {
            Role::Keyword
        } else if is(NAMED) && !is("reason description text") {
            Role::Named
        } else {
            Role::Plain
        };
        Self {
            terms: topic_terms(name),
            about: topic_terms(description),
            told: all_terms(description),
            count: count(&description_lower),
            may_be_empty: is(EMPTY),
            required: true,
            name: parts.join(" "),
            role,
        }
    }

    /// Returns the terms to look for, those of the name first.
    pub(super) fn query(&self) -> Query {
        let name = self.terms.iter().map(|term| (term.clone(), 2.0));
        let about = self.about.iter().filter(|term| !self.terms.contains(term));
        name.chain(about.map(|term| (term.clone(), 0.7))).collect()
    }
}

/// "three to six points", "2-3 sentences", "at most 5 items", "one sentence".
fn count(text: &str) -> Option<(usize, usize)> {
    const UNITS: &[&str] = &[
        "sentence", "point", "item", "bullet", "word", "entry", "step", "line", "example", "tag",
        "keyword",
    ];
    let words = words(text);
    let number = |at: usize| words.get(at).and_then(|word| small_number(word));
    for at in 0..words.len() {
        let Some(first) = number(at) else { continue };
        let joined = matches!(words.get(at + 1).copied(), Some("to" | "or" | "and" | "bis"));
        let second = if joined { number(at + 2) } else { number(at + 1) };
        let end = at + 1 + usize::from(joined && second.is_some()) + usize::from(second.is_some());
        let counted = (end..end + 4).filter_map(|at| words.get(at));
        if !counted.into_iter().any(|word| UNITS.contains(&stem_unit(word).as_str())) {
            continue;
        }
        let most =
            matches!(at.checked_sub(1).and_then(|at| words.get(at)).copied(), Some("most" | "to"));
        // "One entry per position" counts nothing.
        let each =
            words.iter().skip(at).take(5).any(|word| matches!(*word, "per" | "each" | "every"));
        if each && first == 1 {
            continue;
        }
        let least = if most { 1 } else { first };
        return Some((least, second.unwrap_or(first).max(least)));
    }
    None
}

fn stem_unit(word: &str) -> String {
    match word {
        "entries" => "entry".to_owned(),
        _ => word.strip_suffix('s').unwrap_or(word).to_owned(),
    }
}

fn small_number(word: &str) -> Option<usize> {
    const NAMES: [&str; 13] = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "eleven", "twelve",
    ];
    let named = NAMES.iter().position(|name| *name == word);
    named.or_else(|| word.parse().ok()).filter(|number| (1..=50).contains(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_24_counts_are_read_from_descriptions() {
        for (text, expected) in [
            ("The three to six most important points, each one sentence.", Some((3, 6))),
            ("Two or three sentences that say what it is.", Some((2, 3))),
            ("at most 5 items", Some((1, 5))),
            ("one sentence", Some((1, 1))),
            ("2-4 bullets", Some((2, 4))),
            ("One entry per position.", None),
            ("The 2024 report", None),
            ("", None),
        ] {
            assert_eq!(count(&text.to_lowercase()), expected, "{text}");
        }
    }

    #[test]
    fn as_24_roles_follow_from_names() {
        let role = |name: &str, description: &str| Field::new(name, description, true).role;
        assert_eq!(role("title", ""), Role::Title);
        assert_eq!(role("pageTitle", ""), Role::Title);
        assert_eq!(role("摘要", ""), Role::Summary);
        assert_eq!(role("search", "One word to search for next."), Role::Keyword);
        assert_eq!(role("tags", ""), Role::Keyword);
        assert_eq!(role("search_terms", ""), Role::Keyword);
        assert_eq!(role("payment_terms", ""), Role::Plain);
        assert_eq!(role("author", ""), Role::Named);
        assert_eq!(role("answer", ""), Role::Plain);
        assert_eq!(Field::new("key_points", "", true).terms, [] as [&str; 0]);
        assert!(Field::new("missing", "", true).may_be_empty);
    }
}
