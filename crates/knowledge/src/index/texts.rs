//! An index of texts that are at hand: in memory, for one question.

use super::opened::Opened;
use super::schema::{Area, Fields};
use super::state::State;
use crate::section::SourceSection;
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
    for (section, name, text) in sections {
        writer.add_document(fields.document(name, AREA, section, text))?;
    }
    let index = writer.finalize()?;
    let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
    Ok(Opened { searcher: reader.searcher(), fields, state: State::new().in_memory(), index })
}
