//! XML of documents. Entities that a document declares are refused: they can name files and addresses
//! and expand without end (MA-4).

use super::Unread;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// A piece of XML, with names without their prefixes.
pub(in crate::sync) enum Piece {
    Start(Tag),
    End(String),
    Text(String),
}

/// A start tag.
pub(in crate::sync) struct Tag {
    pub(in crate::sync) name: String,
    attributes: Vec<(String, String)>,
}

impl Tag {
    pub(in crate::sync) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Hands each piece of a text to a function; an empty element starts and ends.
pub(in crate::sync) fn read(text: &str, mut take: impl FnMut(Piece)) -> Result<(), Unread> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = false;
    let damaged = |what: String| Unread::Damaged(format!("its XML can't be read: {what}"));
    loop {
        match reader.read_event().map_err(|error| damaged(error.to_string()))? {
            Event::Start(tag) => take(Piece::Start(self::tag(&tag))),
            Event::Empty(tag) => {
                let tag = self::tag(&tag);
                let name = tag.name.clone();
                take(Piece::Start(tag));
                take(Piece::End(name));
            }
            Event::End(tag) => take(Piece::End(text_of(tag.local_name()))),
            Event::Text(words) => take(Piece::Text(text_of(&*words))),
            Event::CData(words) => take(Piece::Text(text_of(&*words))),
            Event::GeneralRef(name) => {
                let name = text_of(&*name);
                let known = quick_xml::escape::unescape(&format!("&{name};")).map(Into::into);
                let character: String = known.map_err(|_| Unread::Entity(name))?;
                take(Piece::Text(character));
            }
            Event::DocType(_) => return Err(Unread::Entity("DOCTYPE".to_owned())),
            Event::Eof => return Ok(()),
            Event::Decl(_) | Event::PI(_) | Event::Comment(_) => {}
        }
    }
}

fn tag(tag: &BytesStart<'_>) -> Tag {
    let mut attributes = tag.attributes();
    let attributes = attributes.with_checks(false).flatten().map(|one| {
        let value = text_of(&*one.value);
        let plain = quick_xml::escape::unescape(&value).map(Into::into);
        (text_of(one.key.local_name()), plain.unwrap_or(value))
    });
    Tag { name: text_of(tag.local_name()), attributes: attributes.collect() }
}

fn text_of(text: impl AsRef<str>) -> String {
    text.as_ref().to_owned()
}
