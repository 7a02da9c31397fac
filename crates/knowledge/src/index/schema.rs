//! The fields of the index.
//!
//! Each area has a text field of its own: a question to one area then touches the postings of that
//! area alone, and the engine's shortcut for unions of terms stays possible, which a filter would
//! rule out.

use super::terms::{Language, Stream, Terms};
use crate::pack::{FOLDERS, GUIDE_FILE, SCRIPTS};
use crate::section::{BETWEEN, SourceSection, extension, is_text, stem};
use tantivy::schema::{
    Field, INDEXED, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions,
    Value,
};
use tantivy::tokenizer::{PreTokenizedString, TokenStream, TokenizerManager};
use tantivy::{Index, TantivyDocument, Term};

/// Rises whenever fields, terms or sections change: an index of another version is rebuilt.
pub(super) const VERSION: u32 = 11;

const TOKENIZER: &str = "contexture-terms";

/// The weight of the words of the last heading; those of outer headings count once.
const HEADING_WEIGHT: usize = 3;

#[derive(Debug, Clone)]
pub(super) struct Fields {
    path: Field,
    heading: Field,
    place: Field,
    area: Field,
    persona: Field,
    title: Field,
    text: [Field; Area::ALL.len()],
}

impl Fields {
    pub(super) fn schema() -> (Schema, Self) {
        let mut schema = Schema::builder();
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(TOKENIZER)
            .set_index_option(IndexRecordOption::WithFreqs);
        let titles = indexing.clone().set_index_option(IndexRecordOption::Basic);
        let title = TextOptions::default().set_indexing_options(titles.set_fieldnorms(false));
        let text = TextOptions::default().set_indexing_options(indexing);
        let fields = Self {
            path: schema.add_text_field("path", STRING | STORED),
            heading: schema.add_text_field("heading", STORED),
            place: schema.add_bytes_field("place", STORED),
            area: schema.add_u64_field("area", INDEXED),
            persona: schema.add_bool_field("persona", INDEXED),
            title: schema.add_text_field("title", title),
            text: Area::ALL
                .map(|area| schema.add_text_field(&format!("text{}", area.number()), text.clone())),
        };
        (schema.build(), fields)
    }

    /// Makes an index able to read and write these fields.
    pub(super) fn prepare(index: &Index) {
        Self::register(index.tokenizers());
    }

    pub(super) fn register(tokenizers: &TokenizerManager) {
        tokenizers.register(TOKENIZER, Terms);
    }

    pub(super) fn text(&self, area: Area) -> Field {
        self.text.get(area.number()).copied().unwrap_or(self.heading)
    }

    /// Returns all sections with a term in their own heading, but for those of sources.
    pub(super) fn titled(&self, term: &str) -> Term {
        Term::from_field_text(self.title, term)
    }

    pub(super) fn file(&self, path: &str) -> Term {
        Term::from_field_text(self.path, path)
    }

    pub(super) fn area(&self, area: Area) -> Term {
        Term::from_field_u64(self.area, area.number() as u64)
    }

    /// Returns all sections that shape tone, persona and taboos.
    pub(super) fn persona(&self) -> Term {
        Term::from_field_bool(self.persona, true)
    }

    /// Returns a section of a file as it is indexed, in the language of the file.
    pub(super) fn document(
        &self,
        (path, area): (&str, Area),
        section: &SourceSection,
        text: &str,
        language: Option<Language>,
    ) -> TantivyDocument {
        let mut document = TantivyDocument::new();
        document.add_text(self.path, path);
        document.add_text(self.heading, &section.heading);
        let body = text.get(section.text.clone()).unwrap_or_default();
        document.add_bytes(self.place, &place_bytes(section, body));
        document.add_u64(self.area, area.number() as u64);
        if is_persona(&section.heading) {
            document.add_bool(self.persona, true);
        }
        let field = self.text(area);
        let (outer, last) = match section.heading.rsplit_once(BETWEEN) {
            Some((outer, last)) => (outer, last),
            None => ("", section.heading.as_str()),
        };
        if area != Area::Source {
            add_words(&mut document, self.title, last.to_owned(), language);
        }
        let mut words = String::with_capacity(body.len() + 8 * section.heading.len());
        let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
        let folders = folders.split_once('/').map_or("", |(_, inner)| inner);
        let about = section.about.as_str();
        let names = [folders, stem(path), about, outer];
        for piece in names.into_iter().chain([last; HEADING_WEIGHT]) {
            words.push_str(piece);
            words.push('\n');
        }
        words.push_str(body);
        add_words(&mut document, field, words, language);
        document
    }

    pub(super) fn read(&self, document: &TantivyDocument) -> Option<(String, String, [u32; 6])> {
        let text = |field| document.get_first(field).and_then(|value| value.as_str());
        let place = document.get_first(self.place).and_then(|value| value.as_bytes())?;
        Some((text(self.path)?.to_owned(), text(self.heading)?.to_owned(), place_of(place)?))
    }
}

/// Adds words, without the endings of their language.
fn add_words(
    document: &mut TantivyDocument,
    field: Field,
    text: String,
    language: Option<Language>,
) {
    if language.is_none() {
        document.add_text(field, text);
        return;
    }
    let mut stream = Stream::in_language(&text, language);
    let mut tokens = Vec::new();
    stream.process(&mut |token| tokens.push(token.clone()));
    document.add_pre_tokenized_text(field, PreTokenizedString { text, tokens });
}

fn place_bytes(section: &SourceSection, body: &str) -> Vec<u8> {
    let small = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let (start, end) = (small(section.text.start), small(section.text.end));
    let mark = mark_of(body);
    let halves = [(mark >> 32) as u32, (mark & 0xffff_ffff) as u32];
    let numbers = [start, end, section.first_line, section.last_line].into_iter().chain(halves);
    numbers.flat_map(u32::to_le_bytes).collect()
}

fn place_of(bytes: &[u8]) -> Option<[u32; 6]> {
    let mut numbers = bytes.chunks_exact(4).filter_map(|four| four.try_into().ok());
    let mut next = || numbers.next().map(u32::from_le_bytes);
    Some([next()?, next()?, next()?, next()?, next()?, next()?])
}

/// Returns a mark of a text by which one sees that it is another (FNV-1a over eight bytes at a time,
/// its bits turned). It guards against a file that changed unseen, not against anybody: what is shown
/// is read from the pack in any case.
pub(super) fn mark_of(text: &str) -> u64 {
    let add = |mark: u64, word: u64| (mark ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(29);
    let (words, rest) = text.as_bytes().as_chunks();
    let mark =
        words.iter().fold(0xcbf2_9ce4_8422_2325, |mark, word| add(mark, u64::from_le_bytes(*word)));
    rest.iter().fold(mark, |mark, byte| add(mark, u64::from(*byte)))
}

/// Reports whether a heading shows that its section shapes tone, persona or taboos.
fn is_persona(heading: &str) -> bool {
    const WORDS: [&str; 16] = [
        "tone", "voice", "persona", "taboo", "boundar", "limits", "style", "语气", "口吻", "人设",
        "风格", "禁忌", "边界", "语调", "角色", "口癖",
    ];
    let last = heading.rsplit(BETWEEN).next().unwrap_or(heading).to_lowercase();
    WORDS.iter().any(|word| last.contains(word))
}

/// A part of a pack, as the resolver's rules name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Area {
    /// `compiled/splits/`.
    Split,
    /// The rest of `compiled/`.
    Compiled,
    /// The primary document.
    Primary,
    /// The rest of `documents/`.
    Document,
    /// `wiki/`.
    Wiki,
    /// `sources/`.
    Source,
}

impl Area {
    pub(crate) const ALL: [Self; 6] =
        [Self::Split, Self::Compiled, Self::Primary, Self::Document, Self::Wiki, Self::Source];

    pub(crate) const fn number(self) -> usize {
        self as usize
    }

    /// Returns the area of a file that can be indexed.
    pub(crate) fn of(path: &str, primary: Option<&str>) -> Option<Self> {
        if !is_text(path) {
            return None;
        }
        if primary.is_some_and(|primary| normal(primary) == path) {
            return Some(Self::Primary);
        }
        let (folder, rest) = path.split_once('/')?;
        match folder {
            "compiled" if rest.starts_with("splits/") => Some(Self::Split),
            "compiled" => Some(Self::Compiled),
            "documents" => Some(Self::Document),
            "wiki" => Some(Self::Wiki),
            "sources" => Some(Self::Source),
            _ => None,
        }
    }
}

/// The folders that are searched.
const SEARCHED: [&str; 4] = ["compiled", "documents", "wiki", "sources"];

/// Returns the reason why a file is not indexed; `None` also for files that the format keeps for
/// something else (MA-4).
pub(crate) fn not_indexed_because(path: &str, primary: Option<&str>) -> Option<String> {
    let folder = path.split_once('/').map_or("", |(folder, _)| folder);
    let is_primary = primary.is_some_and(|primary| normal(primary) == path);
    if SEARCHED.contains(&folder) || is_primary {
        return (!is_text(path)).then(|| format!("`.{}` files are not texts", extension(path)));
    }
    let is_kept = FOLDERS.contains(&folder)
        || folder == SCRIPTS
        || matches!(path, GUIDE_FILE | crate::synonyms::FILE);
    (!is_kept).then(|| {
        format!("only {} are searched", SEARCHED.map(|one| format!("`{one}/`")).join(", "))
    })
}

fn normal(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}
