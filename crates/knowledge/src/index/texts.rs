//! An index of texts that are at hand: in memory, for one question.

use super::opened::Opened;
use super::schema::{Area, Fields};
use super::state::State;
use super::terms::Language;
use crate::section::SourceSection;
use std::collections::HashMap;
use tantivy::directory::RamDirectory;
use tantivy::tokenizer::TokenizerManager;
use tantivy::{IndexBuilder, ReloadPolicy, TantivyError};

/// The area of such texts.
pub(crate) const AREA: Area = Area::Document;

/// The bytes from which the engine derives the size of its first table of terms.
const MEMORY: usize = 3_000_000;

/// Indexes sections, each with the name and the text of its file. A section's number in the index
/// is its number here.
pub(crate) fn of_sections<'t>(
    sections: impl Iterator<Item = (&'t SourceSection, &'t str, &'t str)>,
) -> Result<Opened, TantivyError> {
    let (schema, fields) = Fields::schema();
    let tokenizers = TokenizerManager::default();
    Fields::register(&tokenizers);
    let builder = IndexBuilder::new().schema(schema).tokenizers(tokenizers);
    let mut writer = builder.single_segment_index_writer(RamDirectory::create(), MEMORY)?;
    let mut languages: HashMap<*const u8, Option<Language>> = HashMap::new();
    for (section, name, text) in sections {
        // Names may be equal, places of texts are not.
        let detected = || Language::of_page(text, None);
        let language = *languages.entry(text.as_ptr()).or_insert_with(detected);
        writer.add_document(fields.document((name, AREA), section, text, language))?;
    }
    let index = writer.finalize()?;
    let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
    let languages = languages.into_values().flatten().collect();
    let (searcher, state) = (reader.searcher(), State::new().in_memory());
    Ok(Opened { searcher, fields, state, index, languages, areas: [AREA].into() })
}
