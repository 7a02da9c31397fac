//! The language of a page, for its endings (MA-7).
//!
//! A page says its language, or the words of its grammar show it. Pages in English, in a language
//! without a table, or of code alone have none: they keep the rules for English.

use crate::section::language_tag;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// A language whose endings are known, English aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) enum Language {
    German,
    French,
    Spanish,
    Portuguese,
    Italian,
    Dutch,
    Russian,
}

/// The words of a page that are looked at.
const LOOKED_AT: usize = 2_000;

/// The words of grammar that a page has at least in its language, …
const LEAST: usize = 5;

/// … one among so many words, …
const ONE_AMONG: usize = 12;

/// … and so much more often than those of the next language, in tenths.
const CLEARLY: usize = 12;

impl Language {
    pub(crate) const ALL: [Self; 7] = [
        Self::German,
        Self::French,
        Self::Spanish,
        Self::Portuguese,
        Self::Italian,
        Self::Dutch,
        Self::Russian,
    ];

    /// Returns the language of a tag such as `de` or `pt-BR`; `None` in it for any other tag.
    pub(crate) fn of_tag(tag: &str) -> Option<Self> {
        let primary = tag.split(['-', '_']).next().unwrap_or_default().trim().to_ascii_lowercase();
        Self::ALL.into_iter().find(|one| {
            let (two_letters, three_letters, _) = one.facts();
            primary == two_letters || three_letters.split(' ').any(|known| known == primary)
        })
    }

    /// Returns the two letters of its tag, its tags of three letters, and the words of its grammar,
    /// as they are compared.
    const fn facts(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::German => (
                "de",
                "deu ger",
                "der die das und ist nicht ein eine einen einem einer mit für auf den dem des von zu wird \
                 werden sie wie kann können auch im bei oder wenn ich wir haben hat sind nach aus dass \
                 diese dieser dieses was wo warum welche welcher welches mein meine muss soll man über",
            ),
            Self::French => (
                "fr",
                "fra fre",
                "le la les des une un et est dans pour que qui sur avec pas vous nous par plus ce cette \
                 ces sont au aux du ne être votre vos comment pourquoi quand quel quelle quels je il elle \
                 ou où peut faire mon ma mes si",
            ),
            Self::Spanish => (
                "es",
                "spa",
                "el la los las un una de del y que en es para por con no se su sus al como lo más esta \
                 este esto son está puede puedes pero o cómo qué cuándo dónde cuál mi si hay yo hace",
            ),
            Self::Portuguese => (
                "pt",
                "por",
                "o a os as um uma de do da dos das e que em no na nos nas é para por não se seu sua \
                 ao como mais esta este isso são está pode você mas ou quando onde qual meu minha eu há",
            ),
            Self::Italian => (
                "it",
                "ita",
                "il lo la i gli le un una di del della dei delle e che in è per con non si su al come più \
                 questo questa sono può nel nella dal dalla anche ma o perché quando dove quale mio mia",
            ),
            Self::Dutch => (
                "nl",
                "nld dut",
                "de het een en van is niet met voor op dat die te zijn aan er in je jouw deze dit wordt \
                 worden kan kunnen als ook bij of maar naar uit hoe wat waarom wanneer waar welke mijn ik we",
            ),
            Self::Russian => (
                "ru",
                "rus",
                "и в во не на что для с со по как это или если из от к при так же также может можно чтобы \
                 его все вы мы я он она они был быть есть где когда почему какой какая какие мой моя у до",
            ),
        }
    }

    /// Reports whether a word, as it is compared, belongs to the grammar of the language.
    pub(crate) fn has_function_word(self, word: &str) -> bool {
        FUNCTION_WORDS.get(word).is_some_and(|of| of & self.bit() != 0)
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }

    /// Returns the language of a page: the one that it names, else the one that its words show, else
    /// that of its pack.
    pub(crate) fn of_page(text: &str, of_pack: Option<&str>) -> Option<Self> {
        match language_tag(text) {
            Some(tag) => Self::of_tag(tag),
            None => Self::of_text(text).unwrap_or_else(|| of_pack.and_then(Self::of_tag)),
        }
    }

    /// Returns the language that the words of a text show, `None` in it for English or several at
    /// once; `None` when there are too few words to show any.
    fn of_text(text: &str) -> Option<Option<Self>> {
        let mut counts = [0_usize; Self::ALL.len() + 1];
        let mut all = 0;
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        for word in words.take(LOOKED_AT) {
            all += 1;
            let lower;
            let word = if word.bytes().any(|byte| byte.is_ascii_uppercase() || byte >= 0xd0) {
                lower = word.to_lowercase();
                lower.as_str()
            } else {
                word
            };
            let Some(of) = FUNCTION_WORDS.get(word) else { continue };
            for (number, count) in counts.iter_mut().enumerate() {
                *count += usize::from(of >> number & 1);
            }
        }
        let best = counts.iter().max().copied().unwrap_or(0);
        if best < LEAST || best * ONE_AMONG < all {
            return None;
        }
        let is_next = |count: &&usize| **count < best;
        let next = counts.iter().filter(is_next).max().copied().unwrap_or(0);
        let winners = counts.iter().filter(|count| **count == best).count();
        let is_clear = winners == 1 && best * 10 >= next * CLEARLY;
        let winner = counts.iter().zip(Self::ALL).find(|(count, _)| **count == best);
        Some(winner.filter(|_| is_clear).map(|(_, language)| language))
    }
}

/// The place of English among the languages that a text may be in.
const ENGLISH: u8 = 1 << Language::ALL.len();

const ENGLISH_WORDS: &str = "the and is of to in that for with not this are you be as or it can from on \
    by an if your when how what will which";

static FUNCTION_WORDS: LazyLock<FxHashMap<&str, u8>> = LazyLock::new(|| {
    let mut words: FxHashMap<&str, u8> = FxHashMap::default();
    let of_one =
        |one: Language| one.facts().2.split_ascii_whitespace().map(move |w| (w, one.bit()));
    let english = ENGLISH_WORDS.split_ascii_whitespace().map(|word| (word, ENGLISH));
    for (word, bit) in Language::ALL.into_iter().flat_map(of_one).chain(english) {
        *words.entry(word).or_default() |= bit;
    }
    words
});
