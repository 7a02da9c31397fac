use super::*;
use crate::discovery::{DiscoveryOptions, Roots, discover};
use crate::maintenance::{eval, validate};

fn brief(profile: Profile) -> NewPack<'static> {
    NewPack { name: "acme-brief", profile, description: None, kind: None, types: &[] }
}

#[test]
fn kn_17_a_new_pack_of_each_profile_is_a_draft_without_a_fault() {
    for profile in Profile::ALL {
        let folder = tempfile::tempdir().unwrap();
        let into = folder.path().join(".agents/knowledge");
        let written = new(&brief(*profile), &into).unwrap();
        assert_eq!(written[0], into.join("acme-brief/KNOWLEDGE.md"));
        assert!(written.iter().all(|path| path.is_file()));

        let roots = Roots { project: Some(folder.path().to_owned()), ..Roots::default() };
        let discovery = discover(&roots, &DiscoveryOptions::default());
        let item = &discovery.packs[0].item;
        assert_eq!((item.status, item.profile), (Status::Draft, *profile));
        assert!(discovery.findings.iter().all(|finding| finding.code == "KN1121"));

        let checked = validate(&into.join("acme-brief"), &DiscoveryOptions::default()).unwrap();
        assert_eq!(checked.packs[0].files, written.len());
        let rest: Vec<_> = checked.findings.iter().filter(|f| f.code != "KN1121").collect();
        assert!(rest.is_empty(), "{profile}: {rest:#?}");
        assert!(eval(&discovery, None).unwrap().ok, "{profile}");

        // The cases hold for the pack that it becomes, too.
        let guide = std::fs::read_to_string(&written[0]).unwrap();
        let guide = guide.replace("status: draft", "status: ready");
        std::fs::write(&written[0], guide).unwrap();
        let discovery = discover(&roots, &DiscoveryOptions::default());
        assert_eq!(discovery.packs[0].item.status, Status::Ready);
        assert!(eval(&discovery, None).unwrap().ok, "{profile}, ready");
    }
}

#[test]
fn kn_17_a_description_of_any_characters_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let description = "Acme: \"facts\" # and\nmore — 茶";
    let pack = NewPack {
        description: Some(description),
        kind: Some("custom:tea"),
        ..brief(Profile::WikiFirst)
    };
    new(&pack, folder.path()).unwrap();
    let roots = Roots { explicit: vec![folder.path().to_owned()], ..Roots::default() };
    let found = discover(&roots, &DiscoveryOptions::default());
    assert_eq!(found.packs[0].item.kind, "custom:tea");
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words(&found.packs[0].item.description), words(description));
}

#[test]
fn kn_17_bad_names_and_existing_folders_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let long = "a".repeat(65);
    for name in ["", "Acme", "../acme", "a/b", "a b", "-a", "a-", "a--b", ".hidden", "茶", &long] {
        let error = new(&NewPack { name, ..brief(Profile::Hybrid) }, folder.path()).unwrap_err();
        assert_eq!(error.code(), "KN4201", "{name}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);

    std::fs::create_dir(folder.path().join("acme-brief")).unwrap();
    let error = new(&brief(Profile::Hybrid), folder.path()).unwrap_err();
    assert_eq!(error.code(), "KN4202");
    assert_eq!(std::fs::read_dir(folder.path().join("acme-brief")).unwrap().count(), 0);

    let file = folder.path().join("file");
    std::fs::write(&file, "x").unwrap();
    assert_eq!(new(&brief(Profile::Hybrid), &file).unwrap_err().code(), "KN4203");
}

#[test]
fn kn_17_what_discovery_would_leave_out_is_not_made() {
    let folder = tempfile::tempdir().unwrap();
    let code = |pack: &NewPack<'_>| new(pack, folder.path()).unwrap_err().code();
    let good = brief(Profile::Hybrid);
    assert_eq!(code(&NewPack { kind: Some("gadgets"), ..good.clone() }), "KN4207");
    assert_eq!(code(&NewPack { description: Some(""), ..good.clone() }), "KN4207");
    assert_eq!(code(&NewPack { description: Some("  "), ..good.clone() }), "KN4207");
    assert_eq!(code(&NewPack { name: "indexes", ..good.clone() }), "KN4201");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    let types = ["gadgets".to_owned()];
    let allowed = NewPack { kind: Some("gadgets"), types: &types, ..good };
    assert!(new(&allowed, folder.path()).is_ok());
}
