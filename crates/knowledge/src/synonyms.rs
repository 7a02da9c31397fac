//! Synonyms of a pack: expressions that mean the same in it (MA-7).
//!
//! `synonyms.txt` beside the guide has one group in a line: `login, sign in, 登录`. What a question
//! names by one expression is looked for by the others, too, with less weight.

use crate::index::terms::{Kind, Language, Stream, is_unspaced};
use std::collections::HashMap;
use std::sync::OnceLock;
use tantivy::tokenizer::TokenStream;

/// The name of the file, in the folder of the pack.
pub const FILE: &str = "synonyms.txt";

/// The most groups of a pack.
pub const MAX_GROUPS: usize = 2_000;

/// The most expressions of a group.
pub const MAX_EXPRESSIONS: usize = 16;

/// The most words of an expression; of scripts without spaces, pairs of characters.
pub const MAX_WORDS: usize = 8;

/// The synonyms of a pack.
#[derive(Debug, Default)]
pub(crate) struct Synonyms {
    groups: Vec<Vec<String>>,
    in_languages: [OnceLock<InLanguage>; Language::ALL.len() + 1],
}

/// A line that says nothing that can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SynonymProblem {
    /// The line, counted from 1.
    pub(crate) line: u32,
    pub(crate) message: String,
}

/// The groups as words are compared in one language.
#[derive(Debug, Default)]
struct InLanguage {
    groups: Vec<Vec<Vec<String>>>,
    /// The expressions by their first words: numbers of the group and in it.
    by_first: HashMap<String, Vec<(usize, usize)>>,
}

/// An expression of a question, with what means the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Meant {
    /// Its words, as they are compared.
    pub(crate) words: Vec<String>,
    /// The words of each other expression.
    pub(crate) others: Vec<Vec<String>>,
}

impl Synonyms {
    /// Reads the groups of a file; lines that can't be used are left out and returned.
    pub(crate) fn parse(text: &str) -> (Self, Vec<SynonymProblem>) {
        let (mut groups, mut problems) = (Vec::new(), Vec::new());
        for (line, content) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
            if content.trim().is_empty() || content.trim_start().starts_with('#') {
                continue;
            }
            let group = if groups.len() == MAX_GROUPS {
                Err(format!("there are more than {MAX_GROUPS} groups; this one is left out"))
            } else {
                group(content)
            };
            match group {
                Ok(group) => groups.push(group),
                Err(message) => problems.push(SynonymProblem { line, message }),
            }
        }
        (Self { groups, in_languages: Default::default() }, problems)
    }

    /// Returns the expressions that a question has, as a language compares words.
    pub(crate) fn meant(&self, question: &str, language: Option<Language>) -> Vec<Meant> {
        let number = language.map_or(Language::ALL.len(), |language| language as usize);
        let Some(known) = self.in_languages.get(number) else { return Vec::new() };
        let known = known.get_or_init(|| InLanguage::of(&self.groups, language));
        let words = words(question, language);
        let mut found: Vec<Meant> = Vec::new();
        for (at, word) in words.iter().enumerate() {
            for (group, own) in known.by_first.get(word).into_iter().flatten() {
                let Some(group) = known.groups.get(*group) else { continue };
                let Some(expression) = group.get(*own) else { continue };
                if words.get(at..).is_some_and(|rest| rest.starts_with(expression)) {
                    let others = group.iter().filter(|other| *other != expression).cloned();
                    found.push(Meant { words: expression.clone(), others: others.collect() });
                }
            }
        }
        found
    }
}

impl InLanguage {
    fn of(groups: &[Vec<String>], language: Option<Language>) -> Self {
        let of_group = |group: &Vec<String>| -> Vec<Vec<String>> {
            group.iter().map(|expression| words(expression, language)).collect()
        };
        let groups: Vec<Vec<Vec<String>>> = groups.iter().map(of_group).collect();
        let mut by_first: HashMap<String, Vec<(usize, usize)>> = HashMap::new();
        for (number, group) in groups.iter().enumerate() {
            for (own, expression) in group.iter().enumerate() {
                if let Some(first) = expression.first() {
                    by_first.entry(first.clone()).or_default().push((number, own));
                }
            }
        }
        Self { groups, by_first }
    }
}

/// Returns the expressions of a line.
fn group(line: &str) -> Result<Vec<String>, String> {
    let parts = line.split([',', '，', '、', ';', '；']).map(str::trim);
    let mut group: Vec<String> = Vec::new();
    for part in parts.filter(|part| !part.is_empty()) {
        let count = words(part, None).len();
        if count == 0 {
            return Err(format!("`{part}` has no word"));
        }
        if count > MAX_WORDS {
            return Err(format!(
                "`{part}` has {count} words; an expression has at most {MAX_WORDS}"
            ));
        }
        if !group.iter().any(|known| known == part) {
            group.push(part.to_owned());
        }
    }
    match group.len() {
        2..=MAX_EXPRESSIONS => Ok(group),
        0 | 1 => Err("expected two or more expressions with commas between them".to_owned()),
        count => {
            Err(format!("there are {count} expressions; a group has at most {MAX_EXPRESSIONS}"))
        }
    }
}

/// Returns the words of an expression as they are compared; of scripts without spaces, the pairs.
fn words(text: &str, language: Option<Language>) -> Vec<String> {
    let mut stream = Stream::in_language(text, language);
    let mut found = Vec::new();
    while stream.advance() {
        let is_alone = || text.chars().filter(|c| is_unspaced(*c)).count() == 1;
        if stream.kind() != Kind::One || is_alone() {
            found.push(stream.token().text.clone());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\u{feff}# Words of support\nlogin, sign in, 登录\n\n两步验证，2FA、two-factor authentication\nEinstellung, Konfiguration\n";

    fn others(question: &str, language: Option<Language>) -> Vec<Vec<Vec<String>>> {
        let (synonyms, problems) = Synonyms::parse(TEXT);
        assert_eq!(problems, []);
        synonyms.meant(question, language).into_iter().map(|meant| meant.others).collect()
    }

    #[test]
    fn ma_7_expression_of_a_question_finds_the_others_of_its_group() {
        assert_eq!(others("Where do I sign in?", None), [[vec!["login"], vec!["登录"]]]);
        assert_eq!(others("怎么登录", None), [[vec!["login"], vec!["sign", "in"]]]);
        assert_eq!(
            others("Turn on 2fa", None),
            [[vec!["两步", "步验", "验证"], vec!["two", "factor", "authentic"]]]
        );
        assert_eq!(others("sign the letter in ink", None), Vec::<Vec<Vec<String>>>::new());
        assert_eq!(
            others("Wo sind die Einstellungen?", Some(Language::German)),
            [[vec!["konfigur"]]]
        );
    }

    #[test]
    fn ma_7_lines_that_say_nothing_are_told() {
        let long = (0..9).map(|number| format!("w{number}")).collect::<Vec<_>>().join(" ");
        let many = (0..17).map(|number| format!("w{number}")).collect::<Vec<_>>().join(", ");
        let text = format!("alone\na, !!!\n{long}, b\n{many}\ncar, car\nok, fine\n");
        let (synonyms, problems) = Synonyms::parse(&text);
        let told: Vec<_> = problems.iter().map(|p| (p.line, p.message.as_str())).collect();
        assert_eq!(synonyms.groups, [["ok", "fine"]]);
        assert_eq!(told[0], (1, "expected two or more expressions with commas between them"));
        assert_eq!(told[1], (2, "`!!!` has no word"));
        assert!(told[2].0 == 3 && told[2].1.ends_with("has 9 words; an expression has at most 8"));
        assert_eq!(told[3], (4, "there are 17 expressions; a group has at most 16"));
        assert_eq!((told[4].0, told.len()), (5, 5));
        let (synonyms, problems) = Synonyms::parse(&"a, b\n".repeat(MAX_GROUPS + 3));
        assert_eq!((synonyms.groups.len(), problems.len()), (MAX_GROUPS, 3));
    }
}
