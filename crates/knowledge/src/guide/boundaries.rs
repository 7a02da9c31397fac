//! Whether a guide states the boundaries of a persona (KN-5).

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

/// Words of headings about boundaries, in lower case.
const WORDS: [&str; 2] = ["边界", "禁忌"];
/// The same as whole words.
const WHOLE: [&str; 6] = ["boundary", "boundaries", "limit", "limits", "limitation", "limitations"];

fn is_about_boundaries(title: &str) -> bool {
    let mut words = title.split(|c: char| !c.is_ascii_alphabetic());
    WORDS.iter().any(|word| title.contains(word)) || words.any(|word| WHOLE.contains(&word))
}

/// Reports whether a heading of the guide is about boundaries and something stands under it.
pub(super) fn are_stated(body: &str) -> bool {
    let mut heading: Option<String> = None;
    let mut is_about = false;
    for event in Parser::new(body) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                let title = heading.take().unwrap_or_default().to_lowercase();
                // A heading below one about boundaries keeps to the subject.
                is_about = is_about || is_about_boundaries(&title);
            }
            Event::Text(text) | Event::Code(text) => match &mut heading {
                Some(title) => title.push_str(&text),
                None if is_about && !text.trim().is_empty() => return true,
                None => {}
            },
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kn_5_heading_about_boundaries_counts_when_something_stands_under_it() {
        for heading in
            ["Boundaries", "Persona boundary", "LIMITS", "边界说明", "表达禁忌", "`Limits`"]
        {
            assert!(are_stated(&format!("# Guide\n\n## {heading}\n\nNever promise dates.\n")));
        }
        assert!(are_stated("Boundaries\n==========\n\n### Prices\n\n- none\n"));
        assert!(!are_stated("# Guide\n\nIt has no boundaries.\n"));
        assert!(!are_stated("# Guide\n\n## Boundaries\n"));
        assert!(!are_stated("```\n# Boundaries\n```\nText\n"));
        assert!(!are_stated("# Limitless fun\n\nAlways.\n"));
        assert!(!are_stated(""));
    }
}
