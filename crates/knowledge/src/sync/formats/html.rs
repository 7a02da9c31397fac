//! HTML to Markdown: headings, lists, tables, code, links; no scripts, styles and navigation (MA-4).
//!
//! Decision: a tokenizer that follows the standard reads the page, and tags are written as they
//! come, without a tree: memory is that of the text, and no depth of nesting matters.

mod block;
mod inline;
mod table;
mod tags;

use super::Unread;
use block::Writer;
use encoding_rs::Encoding;
use html5gum::{DefaultEmitter, Tokenizer};
use tags::{Region, region};

type Token = html5gum::Token<()>;
type StartTag = html5gum::StartTag<()>;

/// The bytes at the beginning of a page in which its encoding is looked for, as browsers do.
const ENCODING_WITHIN: usize = 1024;

pub(super) use inline::{escaped, start_escaped};

/// Returns the Markdown of a page.
pub(super) fn markdown(bytes: &[u8]) -> Result<String, Unread> {
    let html = decoded(bytes)?;
    content(&html, &Facts::of(&html), Links::All)
}

/// Returns the Markdown of a chapter of a book: without its name, which its book gives, and without
/// links to other chapters, which are one page with it.
pub(super) fn chapter(bytes: &[u8]) -> Result<String, Unread> {
    let html = decoded(bytes)?;
    content(&html, &Facts::default(), Links::Web)
}

/// The links that are kept.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Links {
    #[default]
    All,
    /// Those that name a site.
    Web,
}

fn content(html: &str, facts: &Facts, links: Links) -> Result<String, Unread> {
    // Where a page says what its content is, nothing else of it is taken.
    let mut text = written(html, facts, links, true);
    if text.is_empty() {
        text = written(html, facts, links, false);
    }
    if text.is_empty() {
        return Err(Unread::Empty);
    }
    Ok(text)
}

/// Returns a page as text, in the encoding that its mark or its head names; without one it is UTF-8.
fn decoded(bytes: &[u8]) -> Result<String, Unread> {
    let named = Encoding::for_bom(bytes).map(|(encoding, _)| encoding).or_else(|| named(bytes));
    let encoding = named.unwrap_or(encoding_rs::UTF_8);
    let (text, _, has_errors) = encoding.decode(bytes);
    if has_errors {
        return Err(Unread::Encoding(encoding.name()));
    }
    Ok(text.into_owned())
}

fn named(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes.get(..ENCODING_WITHIN.min(bytes.len()))?;
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let (_, after) = head.split_once("charset=")?;
    let label = after.trim_start_matches(['"', '\'']);
    let end = label.find(|c: char| !c.is_ascii_alphanumeric() && !"-_:.".contains(c))?;
    Encoding::for_label(label.get(..end)?.as_bytes())
}

fn tokens(html: &str) -> impl Iterator<Item = Token> {
    let mut emitter = DefaultEmitter::<()>::default();
    emitter.naively_switch_states(true);
    Tokenizer::new_with_emitter(html, emitter).filter_map(Result::ok)
}

/// What is known of a page before it is written.
#[derive(Default)]
struct Facts {
    title: String,
    description: String,
    has_main: bool,
}

impl Facts {
    fn of(html: &str) -> Self {
        let mut facts = Self::default();
        let mut is_title = false;
        for token in tokens(html) {
            match token {
                Token::StartTag(tag) => {
                    is_title = tag.name.as_slice() == b"title" && facts.title.is_empty();
                    facts.has_main |= region(&tag) == Region::Main;
                    let is_description = attribute(&tag, b"name").as_deref() == Some("description");
                    if tag.name.as_slice() == b"meta" && is_description {
                        facts.description = line(&attribute(&tag, b"content").unwrap_or_default());
                    }
                }
                Token::String(text) if is_title => {
                    facts.title = line(&String::from_utf8_lossy(&text));
                    is_title = false;
                }
                _ => {}
            }
        }
        facts
    }
}

/// Returns a text on one line.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(super) fn attribute(tag: &StartTag, name: &[u8]) -> Option<String> {
    let value = tag.attributes.get(name)?;
    Some(String::from_utf8_lossy(value).into_owned())
}

/// Writes the content of a page; `chosen` leaves out navigation and what is beside its main part.
fn written(html: &str, facts: &Facts, links: Links, chosen: bool) -> String {
    let writer = Writer::keeping(links);
    let mut page = Page { chosen, has_main: facts.has_main, writer, ..Page::default() };
    for token in tokens(html) {
        match token {
            Token::StartTag(tag) => page.start(&tag),
            Token::EndTag(tag) => page.end(&tag.name),
            Token::String(text) if page.is_shown() => {
                page.writer.text(&String::from_utf8_lossy(&text));
            }
            _ => {}
        }
    }
    // A region without an end would have taken the rest of the page with it.
    if page.chosen && page.skipped.is_some() {
        return String::new();
    }
    let has_title = page.writer.has_title(&facts.title);
    let body = page.writer.finish();
    if body.is_empty() {
        return body;
    }
    let mut text = String::new();
    if !facts.description.is_empty() {
        let description = serde_json::Value::from(facts.description.as_str());
        text.push_str(&format!("---\ndescription: {description}\n---\n\n"));
    }
    if !has_title && !facts.title.is_empty() {
        text.push_str(&format!("# {}\n\n", inline::escaped(&facts.title)));
    }
    text + &body
}

#[derive(Default)]
struct Page {
    chosen: bool,
    has_main: bool,
    writer: Writer,
    /// The element that is left out, and how many of its name are open.
    skipped: Option<(Vec<u8>, usize)>,
    /// The element of the main part, and how many of its name are open in it.
    main: Option<(Vec<u8>, usize)>,
}

impl Page {
    fn is_shown(&self) -> bool {
        self.skipped.is_none() && (!self.chosen || !self.has_main || self.main.is_some())
    }

    fn start(&mut self, tag: &StartTag) {
        let name = tag.name.as_slice();
        let is_void = tags::is_void(name);
        if let Some((skipped, open)) = &mut self.skipped {
            *open += usize::from(skipped == name && !is_void);
            return;
        }
        let region = region(tag);
        let is_left_out = match region {
            Region::Never => true,
            Region::Navigation => self.chosen,
            // The head of a page is not that of an article.
            Region::Frame => self.chosen && self.main.is_none(),
            Region::Main | Region::Content => false,
        };
        if is_left_out && !is_void {
            self.skipped = Some((name.to_owned(), 1));
            return;
        }
        match &mut self.main {
            Some((main, open)) => *open += usize::from(main == name),
            None if region == Region::Main => self.main = Some((name.to_owned(), 1)),
            None => {}
        }
        if self.is_shown() && !is_left_out {
            self.writer.start(name, tag);
        }
    }

    fn end(&mut self, name: &[u8]) {
        if let Some((skipped, open)) = &mut self.skipped {
            *open -= usize::from(skipped == name);
            if *open == 0 {
                self.skipped = None;
            }
            return;
        }
        if self.is_shown() {
            self.writer.end(name);
        }
        if let Some((main, open)) = &mut self.main {
            *open -= usize::from(main == name);
            if *open == 0 {
                self.main = None;
            }
        }
    }
}

#[cfg(test)]
mod tests;
