//! `markdown`: a document, whole or the section under one heading.

use super::small::{Fault, Made, text_of};
use contexture_core::reference::{Parameters, Resource};
use contexture_diagnostic::suggestion;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

pub(super) fn markdown(resource: &Resource, parameters: &Parameters) -> Made {
    let text = text_of(resource)?;
    let part = match parameters.get("section") {
        None => text,
        Some(name) => section(text, name)?,
    };
    Ok(("text/markdown".to_owned(), part.as_bytes().to_vec()))
}

struct Heading {
    level: HeadingLevel,
    words: String,
    start: usize,
}

/// From the first heading of that name to the next one of its level or above.
fn section<'t>(text: &'t str, name: &str) -> Result<&'t str, Fault> {
    let headings = headings(text);
    let wanted = folded(name.trim_start_matches('#'));
    let Some(at) = headings.iter().position(|heading| folded(&heading.words) == wanted) else {
        return Err(no_section(name, &headings));
    };
    let mut following = headings.iter().skip(at);
    let Some(found) = following.next() else { return Err(no_section(name, &headings)) };
    let end = following
        .find(|heading| heading.level <= found.level)
        .map_or(text.len(), |heading| heading.start);
    Ok(text.get(found.start..end).unwrap_or_default().trim_end())
}

fn headings(text: &str) -> Vec<Heading> {
    let mut headings: Vec<Heading> = Vec::new();
    let mut inside = false;
    for (event, range) in Parser::new_ext(text, Options::all()).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                headings.push(Heading { level, words: String::new(), start: range.start });
                inside = true;
            }
            Event::End(TagEnd::Heading(_)) => inside = false,
            Event::Text(words) | Event::Code(words) if inside => {
                if let Some(heading) = headings.last_mut() {
                    heading.words.push_str(&words);
                }
            }
            Event::SoftBreak | Event::HardBreak if inside => {
                if let Some(heading) = headings.last_mut() {
                    heading.words.push(' ');
                }
            }
            _ => {}
        }
    }
    headings
}

/// Case and runs of white space don't matter.
fn folded(words: &str) -> String {
    words.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn no_section(name: &str, headings: &[Heading]) -> Fault {
    /// So many headings are listed.
    const LISTED: usize = 12;
    let names = || headings.iter().map(|heading| heading.words.trim());
    let help = match suggestion(name, names()) {
        Some(help) => help,
        None if headings.is_empty() => "it has no headings".to_owned(),
        None => {
            let listed: Vec<_> = names().take(LISTED).map(|name| format!("`{name}`")).collect();
            let more = headings.len().saturating_sub(LISTED);
            let more = if more == 0 { String::new() } else { format!(" and {more} more") };
            format!("its headings are {}{more}", listed.join(", "))
        }
    };
    Fault::new("REF3026", format!("there is no section `{name}`"), help)
}
