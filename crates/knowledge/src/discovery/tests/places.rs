//! Scopes, precedence, and what is skipped.

use super::*;
use crate::item::Scope;
use contexture_diagnostic::Severity;

#[test]
fn kn_2_scopes_go_in_their_order() {
    let place = Place::new();
    place.pack("home/.agents/knowledge/d");
    place.pack("home/.contexture/knowledge/c");
    place.pack("project/.agents/knowledge/b");
    place.pack("project/.contexture/knowledge/a");
    place.pack("named/z");
    place.pack("company/y");
    let item = place.discover().packs[0].item.clone();
    let built_in = CatalogItem { name: "x".into(), ..item };
    let roots = Roots {
        explicit: vec![place.path("named/z")],
        organization: vec![place.path("company")],
        built_in: vec![Pack::from_static(built_in, &[("KNOWLEDGE.md", "---\n---\nbody\n")])],
        ..place.roots()
    };
    let found = discover(&roots, &DiscoveryOptions::default());
    let scopes: Vec<(&str, Scope)> =
        found.packs.iter().map(|found| (found.item.name.as_str(), found.scope)).collect();
    assert_eq!(
        scopes,
        [
            ("z", Scope::Explicit),
            ("a", Scope::Project),
            ("b", Scope::Project),
            ("c", Scope::User),
            ("d", Scope::User),
            ("y", Scope::Organization),
            ("x", Scope::BuiltIn),
        ]
    );
    assert_eq!(found.findings, []);
    assert_eq!(found.open("x").unwrap().guide_body().unwrap(), "body\n");
    assert_eq!(found.open("y").unwrap().scope(), Scope::Organization);
}

#[test]
fn kn_2_of_one_name_scope_that_goes_before_is_used_and_others_are_reported() {
    let place = Place::new();
    let folders = [
        "named/acme",
        "project/.contexture/knowledge/acme",
        "project/.agents/knowledge/acme",
        "home/.contexture/knowledge/acme",
        "home/.agents/knowledge/acme",
        "company/acme",
    ];
    for folder in folders {
        place.pack(folder);
    }
    for first in 0..folders.len() {
        let roots = Roots {
            explicit: vec![place.path("named")],
            organization: vec![place.path("company")],
            ..place.roots()
        };
        let found = discover(&roots, &DiscoveryOptions::default());
        assert_eq!(names(&found), ["acme"]);
        assert_eq!(found.packs[0].item.pack_root, place.path(folders[first]));
        assert_eq!(found.findings.len(), folders.len() - 1 - first);
        for (finding, folder) in found.findings.iter().zip(&folders[first + 1..]) {
            assert_eq!(finding.code, codes::SHADOWED.code);
            assert_eq!(finding.severity, Severity::Warning);
            assert_eq!(finding.path, place.path(folder).join("KNOWLEDGE.md"));
            assert!(finding.message.contains(folders[first]), "{}", finding.message);
        }
        std::fs::remove_file(place.path(folders[first]).join("KNOWLEDGE.md")).unwrap();
    }
}

#[test]
fn kn_2_only_exact_name_makes_pack() {
    let place = Place::new();
    for name in ["knowledge.md", "Knowledge.md", "KNOWLEDGE.MD", "README.md", "KNOWLEDGE.md.bak"] {
        let folder = format!("project/.agents/knowledge/{}", name.replace('.', "-"));
        place.write(&format!("{folder}/{name}"), manifest("x", ""));
    }
    let found = place.discover();
    assert_eq!(names(&found), Vec::<&str>::new());
    let codes: Vec<&str> = found.findings.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, [codes::MISNAMED_GUIDE.code; 3]);
}

#[test]
fn kn_2_named_path_may_be_pack_guide_folder_of_packs_or_project() {
    let place = Place::new();
    place.pack("one/acme");
    place.pack("work/.agents/knowledge/acme");
    place.pack("work/src/fixtures/decoy");
    for named in ["one/acme", "one/acme/KNOWLEDGE.md", "one", "work", "one/../one/acme"] {
        let roots = Roots { explicit: vec![place.path(named)], ..Roots::default() };
        let found = discover(&roots, &DiscoveryOptions::default());
        assert_eq!(names(&found), ["acme"], "{named}");
        assert_eq!(found.packs[0].scope, Scope::Explicit);
        assert!(!found.packs[0].item.location.to_string_lossy().contains(".."), "{named}");
        assert_eq!(found.findings, []);
    }
}

#[test]
fn kn_3_every_location_is_listed_and_only_named_ones_must_be_there() {
    let place = Place::new();
    let roots = Roots {
        explicit: vec![place.path("nowhere")],
        organization: vec![place.write("file.txt", "x")],
        ..place.roots()
    };
    std::fs::create_dir_all(place.path("project")).unwrap();
    let found = discover(&roots, &DiscoveryOptions::default());
    let expected = [
        "nowhere",
        "project/.contexture/knowledge",
        "project/.agents/knowledge",
        "home/.contexture/knowledge",
        "home/.agents/knowledge",
        "file.txt",
    ];
    assert_eq!(found.scanned, expected.map(|path| place.path(path)));
    let expected =
        [(codes::LOCATION_MISSING.code, "nowhere"), (codes::LOCATION_UNUSABLE.code, "file.txt")];
    assert_eq!(told(&found, &root(&place)), expected);
}

#[test]
fn kn_3_version_control_modules_build_output_caches_and_indexes_are_skipped() {
    let place = Place::new();
    place.pack("project/.agents/knowledge/acme");
    let skipped = [
        ".git",
        "node_modules",
        ".cache",
        ".venv",
        "indexes",
        "target",
        "dist",
        "build",
        "out",
        "__pycache__",
    ];
    for folder in skipped {
        place.pack(&format!("project/.agents/knowledge/{folder}/deep/decoy"));
        place.pack(&format!("project/.agents/knowledge/group/{folder}/decoy"));
    }
    for folder in [".git", "node_modules", ".cache", "indexes"] {
        place.pack(&format!("project/.agents/knowledge/{folder}"));
    }
    let found = place.discover();
    assert_eq!(names(&found), ["acme"]);
    assert_eq!(found.findings, []);
}

#[test]
fn kn_3_pack_may_be_named_as_what_builds_make() {
    let place = Place::new();
    for name in ["target", "dist", "build"] {
        place.pack(&format!("project/.agents/knowledge/{name}"));
    }
    assert_eq!(names(&place.discover()), ["build", "dist", "target"]);
}

#[test]
fn kn_3_gitignore_is_honoured_when_asked_for() {
    let place = Place::new();
    for name in ["kept", "private", "draft-a", "draft-b"] {
        place.pack(&format!("project/.agents/knowledge/{name}"));
    }
    place.write("project/.gitignore", "private/\n");
    place.write("project/.agents/knowledge/.gitignore", "draft-*\n!draft-b\n");
    assert_eq!(names(&place.discover()), ["draft-a", "draft-b", "kept", "private"]);
    let found = with(&place, |options| options.gitignore = true);
    assert_eq!(names(&found), ["draft-b", "kept"]);
    place.write("project/.gitignore", ".agents\n");
    assert_eq!(names(&with(&place, |options| options.gitignore = true)), Vec::<&str>::new());
}

#[test]
fn kn_3_outer_one_of_two_packs_with_one_name_is_used() {
    let place = Place::new();
    place.pack_with("project/.agents/knowledge/a/deep/acme", "name: acme");
    place.pack_with("project/.agents/knowledge/z", "name: acme");
    let found = place.discover();
    assert_eq!(names(&found), ["acme"]);
    assert_eq!(found.packs[0].item.pack_root, place.path("project/.agents/knowledge/z"));
    let collision = found.findings.iter().find(|f| f.code == codes::NAME_COLLISION.code).unwrap();
    let hidden = place.path("project/.agents/knowledge/a/deep/acme/KNOWLEDGE.md");
    assert_eq!(collision.path, hidden);
}

#[test]
fn kn_3_collision_in_one_location_is_reported_and_first_by_path_is_used() {
    let place = Place::new();
    place.pack_with("project/.agents/knowledge/b", "name: acme");
    place.pack_with("project/.agents/knowledge/a", "name: acme");
    let found = place.discover();
    assert_eq!(names(&found), ["acme"]);
    assert_eq!(found.packs[0].item.pack_root, place.path("project/.agents/knowledge/a"));
    let collision = found.findings.iter().find(|f| f.code == codes::NAME_COLLISION.code).unwrap();
    assert_eq!(collision.path, place.path("project/.agents/knowledge/b/KNOWLEDGE.md"));
    assert!(collision.message.contains("`acme`"), "{}", collision.message);
}

#[test]
fn kn_3_pack_inside_pack_is_reported_and_not_entered() {
    let place = Place::new();
    place.pack("project/.agents/knowledge/outer");
    place.pack("project/.agents/knowledge/outer/wiki/inner");
    place.pack("project/.agents/knowledge/outer/wiki/inner/innermost");
    let found = place.discover();
    assert_eq!(names(&found), ["outer"]);
    let inner = "project/.agents/knowledge/outer/wiki/inner/KNOWLEDGE.md";
    assert_eq!(told(&found, &root(&place)), [(codes::NESTED_PACK.code, inner)]);
    let pack = found.open("outer").unwrap();
    assert_eq!(pack.files().unwrap().len(), 1);
    assert!(pack.read("wiki/inner/KNOWLEDGE.md", 1 << 20).is_err());
}

#[test]
fn kn_3_maxima_are_kept_and_said() {
    let place = Place::new();
    place.pack("project/.agents/knowledge/acme");
    place.pack("project/.agents/knowledge/a/b/c/deep");
    for depth in [4, 3] {
        let found = with(&place, |options| options.max_depth = depth);
        assert_eq!(found.packs.len(), if depth == 4 { 2 } else { 1 });
        let said = found.findings.iter().any(|finding| finding.code == codes::DEPTH_LIMIT.code);
        assert_eq!(said, depth == 3);
    }
    // Six folders: the location itself, a, b, c, deep and acme.
    assert_eq!(with(&place, |options| options.max_folders = 6).findings, []);
    for (folders, expected) in [(5, vec!["acme"]), (3, vec!["acme"]), (2, vec![]), (1, vec![])] {
        let found = with(&place, |options| options.max_folders = folders);
        assert_eq!(names(&found), expected, "{folders}");
        assert_eq!(
            told(&found, &root(&place)),
            [(codes::FOLDER_LIMIT.code, "project/.agents/knowledge")]
        );
        assert!(found.findings[0].message.contains(&format!("maximum of {folders} folders")));
    }
}

#[test]
fn kn_3_many_decoys_give_same_answer_each_time() {
    let place = Place::new();
    for number in 0..600 {
        std::fs::create_dir_all(place.path(&format!("project/.agents/knowledge/d{number}/x")))
            .unwrap();
    }
    for number in (0..600).step_by(7) {
        place.pack(&format!("project/.agents/knowledge/d{number}/p{number}"));
    }
    let whole = place.discover();
    assert_eq!((whole.packs.len(), whole.findings.len()), (86, 0));
    let first = with(&place, |options| options.max_folders = 700);
    assert!(first.packs.len() < 86 && !first.packs.is_empty());
    for _ in 0..5 {
        let again = with(&place, |options| options.max_folders = 700);
        assert_eq!((again.packs, again.findings), (first.packs.clone(), first.findings.clone()));
    }
}

#[test]
fn kn_5_archived_packs_are_only_in_diagnostics_unless_asked_for() {
    let place = Place::new();
    place.pack_with("project/.agents/knowledge/old", "status: archived");
    place.pack("home/.agents/knowledge/old");
    let found = place.discover();
    assert_eq!(found.packs[0].scope, Scope::User);
    let path = "project/.agents/knowledge/old/KNOWLEDGE.md";
    assert_eq!(told(&found, &root(&place)), [(codes::ARCHIVED.code, path)]);
    let found = with(&place, |options| options.archived = true);
    assert_eq!((found.packs.len(), found.packs[0].scope), (1, Scope::Project));
}

#[test]
fn kn_5_pack_that_is_left_out_shadows_nothing() {
    let place = Place::new();
    place.pack_with("project/.agents/knowledge/acme", "description: ''");
    place.pack("home/.agents/knowledge/acme");
    let found = place.discover();
    assert_eq!(found.packs[0].scope, Scope::User);
    let codes: Vec<&str> = found.findings.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, [codes::MISSING_DESCRIPTION.code]);
}

#[test]
fn kn_5_types_can_be_allowed() {
    let place = Place::new();
    place.pack_with("project/.agents/knowledge/soup", "type: recipe");
    assert_eq!(names(&place.discover()), Vec::<&str>::new());
    let found = with(&place, |options| options.types = vec!["recipe".into()]);
    assert_eq!(names(&found), ["soup"]);
    assert_eq!(found.open("soup").unwrap().item().kind, "recipe");
}

#[test]
fn kn_3_no_folder_and_no_pack_are_not_fault() {
    let place = Place::new();
    let found = place.discover();
    assert_eq!((found.packs.len(), found.findings.len(), found.scanned.len()), (0, 0, 4));
    let nothing = discover(&Roots::default(), &DiscoveryOptions::default());
    assert_eq!((nothing.packs.len(), nothing.scanned.len()), (0, 0));
}
