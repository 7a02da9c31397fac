use super::*;
use crate::maintenance::support::{GUIDE, pack, shown};
use proptest::prelude::*;

#[test]
fn kn_17_pack_without_fault_passes() {
    let made = pack(&[
        ("compiled/facts.md", "# Facts\n\n- It is blue. [source: sources/a.md#L1]\n"),
        ("sources/a.md", "It is blue.\n"),
    ]);
    let checked = made.validate();
    assert_eq!(checked.findings, []);
    assert!(checked.ok && checked.status == "passed");
    let [one] = checked.packs.as_slice() else { panic!("one pack") };
    assert_eq!((one.name.as_str(), one.files, one.errors, one.warnings), ("acme", 3, 0, 0));
}

#[test]
fn ma_7_lines_of_synonyms_that_are_not_used_are_findings() {
    let made = pack(&[("synonyms.txt", "# Words\nlogin, sign in\nalone\n")]);
    let checked = made.validate();
    let [found] = checked.findings.as_slice() else { panic!("{:?}", checked.findings) };
    assert_eq!((found.code, found.line), ("KN4018", Some(3)));
    assert!(found.message.ends_with("expected two or more expressions with commas between them"));
}

#[test]
fn ma_4_files_outside_of_searched_folders_are_findings() {
    let made = pack(&[
        ("stray.md", "# Stray\n"),
        ("sources.md", "# Sources\n"),
        ("notes/a.md", "# A\n"),
        ("synonyms.txt", "login, sign in\n"),
        ("ontology/terms.md", "# Terms\n"),
    ]);
    let only = "is not indexed: only `compiled/`, `documents/`, `wiki/`, `sources/` are searched";
    let told = made.findings();
    assert_eq!(told.len(), 3, "{told:#?}");
    assert!(told[0].starts_with("KN4001 notes the folder `notes/` has no meaning"), "{told:#?}");
    assert_eq!(told[1], format!("KN4016 sources.md `sources.md` {only}"));
    assert_eq!(told[2], format!("KN4016 stray.md `stray.md` {only}"));
    assert!(made.validate().ok);
}

#[test]
fn kn_17_pack_is_named_by_folder_guide_or_project() {
    let made = pack(&[]);
    let project = tempfile::tempdir().unwrap();
    let packs = project.path().join(".agents/knowledge");
    std::fs::create_dir_all(&packs).unwrap();
    std::fs::rename(&made.root, packs.join("acme")).unwrap();
    let options = DiscoveryOptions::default();
    for path in [packs.join("acme"), packs.join("acme/KNOWLEDGE.md"), project.path().to_owned()] {
        let checked = validate(&path, &options).unwrap();
        assert_eq!(checked.packs.len(), 1, "{}", path.display());
        assert_eq!(read_properties(&path, &options).unwrap().name, "acme");
    }
    let empty = tempfile::tempdir().unwrap();
    for path in [empty.path().to_owned(), empty.path().join("none")] {
        let error = validate(&path, &options).unwrap_err();
        assert_eq!(error.code(), "KN4204", "{error}");
    }
}

#[test]
fn kn_17_faults_of_manifest_are_found_as_by_discovery() {
    let made = pack(&[("KNOWLEDGE.md", &GUIDE.replace("description", "subscription"))]);
    let checked = made.validate();
    assert!(!checked.ok && checked.packs.is_empty());
    assert_eq!(checked.findings[0].code, "KN1107");
    let error = read_properties(&made.root, &DiscoveryOptions::default()).unwrap_err();
    assert!(error.to_string().contains("description"), "{error}");

    made.write("KNOWLEDGE.md", &GUIDE.replace("ready", "archived"));
    assert_eq!(made.validate().packs.len(), 1, "archived packs are checked");
}

#[test]
fn kn_17_layout_follows_conventions() {
    let made = pack(&[
        ("compile/facts.md", "# Facts\n"),
        ("notes/a.txt", "a"),
        ("scripts/build.sh", "rm -rf /\n"),
        ("assets/SKILL.md", "# Skill\n"),
        ("README.md", "# Read me\n"),
    ]);
    assert_eq!(
        made.findings(),
        [
            "KN4016 README.md `README.md` is not indexed: only `compiled/`, `documents/`, `wiki/`, \
             `sources/` are searched",
            "KN4002 assets/SKILL.md a skill lies in the pack; it is never run",
            "KN4001 compile the folder `compile/` has no meaning in a pack; did you mean \
             `compiled`?",
            "KN4001 notes the folder `notes/` has no meaning in a pack; known are assets, \
             compiled, documents, evals, indexes, ontology, runs, schemas, sources, wiki",
            "KN4002 scripts the pack has a folder `scripts/`; nothing in it is run",
        ]
    );
    assert!(made.validate().ok);
}

#[test]
fn kn_17_anchors_lead_to_places_that_exist() {
    let made = pack(&[
        ("sources/a.md", "# First part\n\nIt is blue.\n\n[00:12:33] It is big.\n"),
        (
            "compiled/facts.md",
            "# Facts\n\n\
            - Blue. [source: sources/a.md#L3]\n\
            - Long. [source: sources/a.md#L30]\n\
            - Part. [source: sources/a.md#first-part]\n\
            - Lost. [source: sources/a.md#second-part]\n\
            - Gone. [source: sources/b.md#L1]\n\
            - Out. [source: ../../etc/passwd#L1]\n\
            - Big. [source: sources/a.md#t=00:12:33]\n",
        ),
    ]);
    let found = made.findings();
    let places: Vec<&str> = found.iter().filter_map(|line| line.get(..28)).collect();
    assert_eq!(
        places,
        [
            "KN4007 compiled/facts.md:4 `",
            "KN4007 compiled/facts.md:6 `",
            "KN4007 compiled/facts.md:7 t",
            "KN4007 compiled/facts.md:8 t",
        ],
        "{found:#?}"
    );
    assert!(!made.validate().ok);
}

#[test]
fn kn_17_pack_that_requires_grounding_has_sources_in_compiled_view() {
    let guide = GUIDE.replace("profile:", "grounding: required\nprofile:");
    let made = pack(&[
        ("KNOWLEDGE.md", &guide),
        ("sources/a.md", "It is blue.\n"),
        ("compiled/facts.md", "# Facts\n\n- It is blue. [source: sources/a.md#L1]\n- It is big.\n"),
        ("wiki/index.md", "# Index\n\nIt is old.\n"),
    ]);
    let found = made.findings();
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].starts_with("KN4008 compiled/facts.md:4 "), "{found:#?}");
    made.write("KNOWLEDGE.md", GUIDE);
    assert_eq!(made.findings(), [""; 0]);
}

#[test]
fn kn_17_fields_have_forms_that_other_clients_take() {
    let guide = GUIDE
        .replace("name: acme", "name: Acme Widget")
        .replace("Facts about", &"Facts about ".repeat(100))
        .replace("profile:", "updated: last week\nlanguage: Chinese!\nversion: '2'\nprofile:");
    let made = pack(&[("KNOWLEDGE.md", &guide)]);
    let found: Vec<String> =
        made.findings().into_iter().filter(|line| !line.starts_with("KN1")).collect();
    assert_eq!(
        found,
        [
            "KN4012 KNOWLEDGE.md description has 1217 characters; other clients take 1024",
            "KN4012 KNOWLEDGE.md language \"Chinese!\" is not a language tag such as `en` or `zh-CN`",
            "KN4012 KNOWLEDGE.md name \"Acme Widget\" can't address the pack everywhere: only \
             lower-case letters, digits and hyphens may stand in it",
            "KN4012 KNOWLEDGE.md updated \"last week\" is not a date such as 2026-05-01",
        ]
    );
    assert!(made.validate().ok);
}

#[test]
fn kn_17_files_that_guide_names_are_there() {
    let guide = format!(
        "{GUIDE}\n- `compiled/facts.md`, `compiled/`, `wiki/*.md`, `contexture knowledge list`\n\
        - `compiled/gone.md` and `documents/`\n"
    );
    let made = pack(&[("KNOWLEDGE.md", &guide), ("compiled/facts.md", "# Facts\n")]);
    assert_eq!(
        made.findings(),
        [
            "KN4013 KNOWLEDGE.md:12 the guide names `compiled/gone.md`, which is not in the pack",
            "KN4013 KNOWLEDGE.md:12 the guide names `documents/`, which is not in the pack",
        ]
    );
}

#[test]
fn kn_17_anchors_in_code_are_examples_and_those_in_plain_texts_count() {
    let made = pack(&[
        (
            "wiki/index.md",
            "Write `[source: sources/x.md#L1]`.\n\n```\n[source: sources/y.md]\n```\n",
        ),
        ("documents/log.txt", "It is blue. [source: sources/z.md#L1]\n"),
    ]);
    let found = made.findings();
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].starts_with("KN4007 documents/log.txt:1 "), "{found:#?}");
}

#[test]
fn kn_17_findings_of_one_file_are_bounded() {
    let links: String = (0..500).map(|number| format!("[x](gone{number}.md)\n")).collect();
    let made = pack(&[("compiled/facts.md", &links)]);
    let checked = made.validate();
    assert_eq!(checked.findings.len(), 51);
    assert_eq!(checked.findings[50].code, "KN4010");
    assert_eq!(shown(&checked.findings[..1], &made.root).len(), 1);
    assert!(checked.findings[0].help.is_some());
}

#[test]
fn kn_17_files_that_are_not_text_are_reported() {
    let made = pack(&[]);
    std::fs::create_dir_all(made.root.join("wiki")).unwrap();
    std::fs::write(made.root.join("wiki/index.md"), b"caf\xe9").unwrap();
    let found = made.findings();
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].starts_with("KN4009 wiki/index.md "), "{found:#?}");
}

#[cfg(unix)]
#[test]
fn kn_17_links_of_file_system_lead_nowhere_else() {
    let made = pack(&[("wiki/index.md", "[out](out.md) [loop](loop/index.md)\n")]);
    let outside = made.root.parent().unwrap().join("secret.md");
    std::fs::write(&outside, "# Secret\n").unwrap();
    std::os::unix::fs::symlink(&outside, made.root.join("wiki/out.md")).unwrap();
    std::os::unix::fs::symlink(made.root.join("wiki"), made.root.join("wiki/loop")).unwrap();
    let (links, symlinks): (Vec<String>, Vec<String>) =
        made.findings().into_iter().partition(|line| line.starts_with("KN4005"));
    assert!(links.iter().all(|line| line.starts_with("KN4005 wiki/index.md:1 ")), "{links:#?}");
    assert_eq!(links.len(), 2, "{links:#?}");
    assert_eq!(
        symlinks,
        [
            "KN4014 wiki/loop the symlink `wiki/loop` is left out: it leads outside the pack, \
             or by an absolute path",
            "KN4014 wiki/out.md the symlink `wiki/out.md` is left out: it leads outside the \
             pack, or by an absolute path",
        ]
    );
}

/// Texts in which the marks of guides, links, anchors and records come often.
fn any_text() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(
        &[
            "---\n",
            "[source: ",
            "sources/a.md",
            "#L",
            "9",
            "]",
            "[[",
            "]](",
            "../",
            "/",
            "#",
            "\n",
            "`",
            "- ",
            "{\"claims\": [",
            "{\"source\": ",
            "\"",
            "}",
            "%2",
            "é",
            "茶",
            " ",
            "|",
            ": ",
        ][..],
    );
    proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn kn_17_no_pack_makes_validation_panic(
        guide in any_text(), page in any_text(), map in any_text(), run in any_text()
    ) {
        let guide = format!("{}{guide}", GUIDE.replace("profile:", "grounding: required\nprofile:"));
        let made = pack(&[
            ("KNOWLEDGE.md", &guide),
            ("compiled/facts.md", &page),
            ("wiki/index.md", &page),
            ("sources/a.md", &map),
            ("indexes/source-map.json", &map),
            ("runs/usage.jsonl", &run),
        ]);
        for finding in made.validate().findings {
            prop_assert!(crate::codes::ALL.find(finding.code).is_some());
            prop_assert!(!finding.message.is_empty());
        }
    }
}

#[test]
fn kn_17_folder_without_packs_is_not_valid_pack() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("inner")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.path().join("inner"), folder.path().join("link")).unwrap();
    let error = validate(folder.path(), &DiscoveryOptions::default()).unwrap_err();
    assert_eq!(error.code(), "KN4204");
    // A guide that is broken is a pack all the same.
    std::fs::write(folder.path().join("inner/KNOWLEDGE.md"), "x").unwrap();
    assert!(!validate(folder.path(), &DiscoveryOptions::default()).unwrap().ok);
}

#[test]
fn kn_5_what_profile_and_mode_promise_is_checked() {
    let documents = GUIDE.replace("profile: wiki-first", "profile: document-first");
    assert_ne!(documents, GUIDE);
    let made = pack(&[("KNOWLEDGE.md", &documents)]);
    assert_eq!(
        made.findings(),
        ["KN1122 KNOWLEDGE.md the pack is document-first and has neither `documents/` nor a \
          primary document"]
    );
    let named =
        documents.replace("profile:", "metadata:\n  primaryDocument: documents/b.md\nprofile:");
    made.write("KNOWLEDGE.md", &named);
    let gap = "KN1122 KNOWLEDGE.md there is no primary document `documents/b.md` in the pack";
    assert_eq!(made.findings(), [gap]);
    made.write("documents/b.md", "# B\n");
    assert_eq!(made.findings(), [""; 0]);

    let persona = GUIDE.replace("profile:", "runtime:\n  mode: persona\nprofile:");
    let made = pack(&[("KNOWLEDGE.md", &persona)]);
    let [gap] = <[String; 1]>::try_from(made.findings()).unwrap();
    assert!(gap.starts_with("KN1123 KNOWLEDGE.md "), "{gap}");
    assert!(made.validate().ok, "a doubt is not an error");
    made.write("KNOWLEDGE.md", &format!("{persona}\n## Boundaries\n\nNo politics.\n"));
    assert_eq!(made.findings(), [""; 0]);
}
