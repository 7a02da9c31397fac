//! The packs that come with the program (KN-2, KN-16).
//!
//! Decision: they are asked for. Without `[knowledge] built_in = true` a project without packs has
//! none, and nothing about packs stands in its prompts.
//!
//! ```
//! use contexture_knowledge::{DiscoveryOptions, Roots, builtin, discover};
//!
//! let roots = Roots { built_in: builtin::packs(), ..Roots::default() };
//! let found = discover(&roots, &DiscoveryOptions::default());
//! assert_eq!(found.packs[0].item.name, "contexture-manual");
//! assert!(found.open("contexture-manual")?.guide_body()?.contains("AgentScript"));
//! # Ok::<(), contexture_knowledge::PackError>(())
//! ```

use crate::manifest;
use crate::pack::{GUIDE_FILE, Pack};
use std::path::Path;

const MANUAL: &[(&str, &str)] = &[
    ("KNOWLEDGE.md", include_str!("../assets/contexture-manual/KNOWLEDGE.md")),
    ("compiled/agents.md", include_str!("../assets/contexture-manual/compiled/agents.md")),
    ("compiled/context.md", include_str!("../assets/contexture-manual/compiled/context.md")),
    ("compiled/generate.md", include_str!("../assets/contexture-manual/compiled/generate.md")),
    ("compiled/imports.md", include_str!("../assets/contexture-manual/compiled/imports.md")),
    ("compiled/language.md", include_str!("../assets/contexture-manual/compiled/language.md")),
];

/// Returns all packs that come with the program, by name.
#[must_use]
pub fn packs() -> Vec<Pack> {
    pack("built-in/contexture-manual", MANUAL).into_iter().collect()
}

/// None when its manifest is not right, which a test rules out.
fn pack(root: &str, files: &'static [(&'static str, &'static str)]) -> Option<Pack> {
    let (_, text) = files.iter().find(|(path, _)| *path == GUIDE_FILE)?;
    let item = manifest::read(text, Path::new(root), &[]).item?;
    Some(Pack::from_static(item, files))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item::{PackTrust, Profile, Scope, Status};
    use crate::resolve::{Resolver, Task};
    use crate::{DiscoveryOptions, Roots, discover};
    use contexture_context::tokens::tokenizer_for;

    #[test]
    fn kn_16_manual_is_pack_without_fault() {
        let [manual] = <[Pack; 1]>::try_from(packs()).unwrap();
        let item = manual.item();
        assert_eq!((item.name.as_str(), manual.scope()), ("contexture-manual", Scope::BuiltIn));
        assert_eq!((item.status, item.profile), (Status::Ready, Profile::WikiFirst));
        assert_eq!(item.trust, Some(PackTrust::Official));
        assert_eq!(item.diagnostics, Vec::<String>::new());
        let files: Vec<_> = manual.files().unwrap().into_iter().map(|file| file.path).collect();
        assert_eq!(files, MANUAL.iter().map(|(path, _)| (*path).to_owned()).collect::<Vec<_>>());
        assert!(crate::activate(&manual).unwrap().warnings.is_empty());
    }

    #[test]
    fn kn_2_without_being_asked_for_there_is_none() {
        assert!(discover(&Roots::default(), &DiscoveryOptions::default()).packs.is_empty());
    }

    #[test]
    fn kn_16_manual_answers_questions_about_language() {
        let resolver = Resolver::new(tokenizer_for("openai://gpt-4o"), None);
        for (question, path, heading) in [
            (
                "How do I limit the tokens of an item with use max?",
                "compiled/context.md",
                "Budgets",
            ),
            ("Which types can a shape have?", "compiled/generate.md", "Shapes"),
            ("How is a memory imported and queried?", "compiled/agents.md", "Memory"),
            ("Does a for loop need a max?", "compiled/language.md", "Conditions and loops"),
        ] {
            let resolution = resolver.resolve(&packs(), &Task::new(question, 1_000)).unwrap();
            let is_it = |section: &&crate::resolve::Section| {
                section.path == path && section.heading.ends_with(heading)
            };
            assert!(
                resolution.sections.iter().any(|section| is_it(&section)),
                "{question}: {:?}",
                resolution.sections.iter().map(|section| &section.heading).collect::<Vec<_>>()
            );
        }
    }
}
