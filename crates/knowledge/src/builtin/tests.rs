use super::*;
use crate::item::{PackTrust, Profile, Scope, Status};
use crate::resolve::{Resolver, Task};
use crate::{DiscoveryOptions, Roots, discover};
use contexture_context::tokens::tokenizer_for;

#[test]
fn kn_16_the_manual_is_a_pack_without_a_fault() {
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
fn kn_16_the_manual_answers_questions_about_the_language() {
    let resolver = Resolver::new(tokenizer_for("openai://gpt-4o"), None);
    for (question, path, heading) in [
        ("How do I limit the tokens of an item with use max?", "compiled/context.md", "Budgets"),
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
