use super::*;
use crate::codes;
use crate::item::{
    Grounding, Metadata, PackTrust, ProducedBy, ProducerKind, Profile, RuntimeMode, Status,
};
use contexture_diagnostic::Severity;
use proptest::prelude::*;

const GOOD: &str = "name: acme\ndescription: Facts.\ntype: brand-product\nstatus: ready\n\
                    profile: hybrid\n";

fn read_fields(fields: &str) -> Read {
    read(&format!("---\n{fields}---\n# Guide\n"), Path::new("/packs/acme"), &[])
}

/// Returns the good fields with one of them replaced; an empty line takes it out.
fn read_with(line: &str) -> Read {
    let field = line.split(':').next().unwrap();
    let others = GOOD.lines().filter(|other| !other.starts_with(&format!("{field}:")));
    let mut fields: Vec<&str> = others.collect();
    fields.push(line);
    read_fields(&format!("{}\n", fields.join("\n")))
}

fn read_without(field: &str) -> Read {
    let kept = GOOD.lines().filter(|line| !line.starts_with(&format!("{field}:")));
    read_fields(&kept.map(|line| format!("{line}\n")).collect::<String>())
}

fn codes_of(read: &Read) -> Vec<&str> {
    read.findings.iter().map(|finding| finding.code).collect()
}

fn only(read: &Read) -> &Finding {
    assert_eq!(read.findings.len(), 1, "{:#?}", read.findings);
    &read.findings[0]
}

#[test]
fn kn_4_every_field_of_item_is_read() {
    let read = read_fields(
        "name: acme\ndescription: >\n  Facts about\n  Acme.\ntype: brand-product\nstatus: ready\n\
         trust: user-confirmed\nprofile: document-first\nruntime:\n  mode: persona\nmetadata:\n  \
         primaryDocument: documents/brief.md\n  producedBy:\n    kind: skill\n    name: maker\n    \
         version: 1.10\n    digest: sha256:00\nversion: 0.7.2\nlanguage: zh\ngrounding: required\n\
         license: MIT\nmaintainers: [Ada, Bo]\nscope: products\nupdated: 2026-05-01\n\
         compatibility: 0.6\nunknown: {a: [1]}\n",
    );
    assert_eq!(codes_of(&read), Vec::<&str>::new());
    let item = read.item.unwrap();
    assert_eq!(item.description, "Facts about Acme.");
    assert_eq!(item.kind, "brand-product");
    assert_eq!(item.status, Status::Ready);
    assert_eq!(item.trust, Some(PackTrust::UserConfirmed));
    assert_eq!(item.profile, Profile::DocumentFirst);
    assert_eq!(item.runtime.mode, RuntimeMode::Persona);
    let produced_by = ProducedBy {
        kind: Some(ProducerKind::Skill),
        name: Some("maker".into()),
        version: Some("1.10".into()),
        digest: Some("sha256:00".into()),
    };
    assert_eq!(
        item.metadata,
        Metadata {
            primary_document: Some("documents/brief.md".into()),
            site_root: None,
            produced_by: Some(produced_by),
        }
    );
    assert_eq!(item.version.as_deref(), Some("0.7.2"));
    assert_eq!(item.language.as_deref(), Some("zh"));
    assert_eq!(item.grounding, Grounding::Required);
    assert_eq!(item.license.as_deref(), Some("MIT"));
    assert_eq!(item.maintainers, ["Ada", "Bo"]);
    assert_eq!(item.scope.as_deref(), Some("products"));
    assert_eq!(item.updated.as_deref(), Some("2026-05-01"));
    assert_eq!(item.compatibility.as_deref(), Some("0.6"));
    assert_eq!(item.location, Path::new("/packs/acme/KNOWLEDGE.md"));
    assert_eq!(item.pack_root, Path::new("/packs/acme"));
}

#[test]
fn kn_4_item_is_written_as_source_has_it() {
    let full = read_with(
        "metadata:\n  primaryDocument: documents/brief.md\n  producedBy: {kind: tool}\nversion: 1.0",
    );
    let value = serde_json::to_value(full.item.unwrap()).unwrap();
    assert_eq!(value["metadata"]["primaryDocument"], "documents/brief.md");
    assert_eq!(value["metadata"]["producedBy"], serde_json::json!({"kind": "tool"}));
    assert_eq!(value["version"], "1.0");

    let least = read_fields(GOOD).item.unwrap();
    assert_eq!(
        serde_json::to_value(least).unwrap(),
        serde_json::json!({
            "name": "acme", "description": "Facts.", "type": "brand-product", "status": "ready",
            "profile": "hybrid", "runtime": {"mode": "data"}, "grounding": "recommended",
            "location": "/packs/acme/KNOWLEDGE.md", "packRoot": "/packs/acme", "diagnostics": [],
        })
    );
}

#[test]
fn kn_5_without_description_pack_is_left_out() {
    for read in [
        read_without("description"),
        read_with("description:"),
        read_with("description: ''"),
        read_with("description: \" \\n \""),
    ] {
        assert_eq!(read.item, None);
        let finding = only(&read);
        assert_eq!(finding.code, codes::MISSING_DESCRIPTION.code);
        assert_eq!(finding.severity, Severity::Error);
        assert!(finding.message.contains("`description` is missing"), "{}", finding.message);
    }
}

#[test]
fn kn_5_yaml_that_does_not_parse_is_quarantined_with_position() {
    let read = read_fields("name: acme\ndescription: [1, 2\ntype: x\n");
    assert_eq!(read.item, None);
    let finding = only(&read);
    assert_eq!(finding.code, codes::BAD_YAML.code);
    assert_eq!(finding.severity, Severity::Error);
    assert!(finding.line.is_some_and(|line| (3..=5).contains(&line)), "{finding:?}");
    assert!(finding.message.contains("column"), "{}", finding.message);
}

#[test]
fn kn_5_duplicate_field_is_quarantined_with_line() {
    let read = read_fields("name: acme\ndescription: a\ntype: custom:x\nname: other\n");
    let finding = only(&read);
    assert_eq!((finding.code, finding.line), (codes::BAD_YAML.code, Some(5)));
    assert!(finding.message.contains("name"), "{}", finding.message);
}

#[test]
fn kn_5_name_that_is_not_folders_warns_and_loads() {
    let read = read_with("name: acme-brief");
    let finding = only(&read);
    assert_eq!((finding.code, finding.severity), (codes::NAME_DIFFERS.code, Severity::Warning));
    let item = read.item.unwrap();
    assert_eq!(item.name, "acme-brief");
    assert_eq!(item.diagnostics, ["`acme-brief` is not the name of the folder"]);
}

#[test]
fn kn_5_missing_name_is_that_of_folder() {
    let read = read_without("name");
    assert_eq!(codes_of(&read), [codes::MISSING_NAME.code]);
    assert_eq!(read.item.unwrap().name, "acme");
}

#[test]
fn kn_5_unknown_type_loads_if_namespaced_or_allowed() {
    let refused = read_with("type: recipe");
    assert_eq!(refused.item, None);
    assert_eq!(codes_of(&refused), [codes::UNKNOWN_TYPE.code]);
    for odd in ["type: ':x'", "type: 'custom:'"] {
        assert_eq!(read_with(odd).item, None, "{odd}");
    }
    assert_eq!(read_with("type: custom:recipe").item.unwrap().kind, "custom:recipe");
    let text = format!("---\n{}---\n", GOOD.replace("brand-product", "recipe"));
    let allowed = read(&text, Path::new("/packs/acme"), &["recipe".to_owned()]);
    assert_eq!(allowed.item.unwrap().kind, "recipe");
    for known in KNOWN_TYPES {
        assert_eq!(read_with(&format!("type: {known}")).findings, []);
    }
    let near = read_with("type: brand-products");
    assert_eq!(near.findings[0].help.as_deref(), Some("did you mean `brand-product`?"));
}

#[test]
fn kn_5_without_type_pack_is_left_out() {
    let read = read_without("type");
    assert_eq!(read.item, None);
    assert_eq!(codes_of(&read), [codes::MISSING_TYPE.code]);
}

#[test]
fn kn_5_without_profile_pack_is_wiki_first_with_warning() {
    let read = read_without("profile");
    let finding = only(&read);
    assert_eq!((finding.code, finding.severity), (codes::NO_PROFILE.code, Severity::Warning));
    assert!(finding.message.contains("compatibility"), "{}", finding.message);
    assert_eq!(read.item.unwrap().profile, Profile::WikiFirst);

    let unknown = read_with("profile: book-first");
    assert_eq!(codes_of(&unknown), [codes::UNKNOWN_PROFILE.code]);
    assert_eq!(unknown.item.unwrap().profile, Profile::WikiFirst);
}

#[test]
fn kn_5_missing_or_unknown_status_is_draft_with_warning() {
    for read in [read_without("status"), read_with("status: done"), read_with("status: [x]")] {
        assert!(codes_of(&read).contains(&codes::NO_STATUS.code), "{:?}", read.findings);
        assert!(read.findings.iter().all(|finding| finding.severity == Severity::Warning));
        assert_eq!(read.item.unwrap().status, Status::Draft);
    }
}

#[test]
fn kn_5_what_is_not_current_is_said() {
    for (status, word) in [("stale", "stale"), ("needs-review", "gaps"), ("disputed", "confirm")] {
        let read = read_with(&format!("status: {status}"));
        let finding = only(&read);
        assert_eq!(finding.severity, Severity::Warning);
        assert!(finding.message.contains(word), "{}", finding.message);
        assert_eq!(read.item.unwrap().status.as_str(), status);
    }
    let archived = read_with("status: archived");
    assert_eq!(only(&archived).severity, Severity::Hint);
    assert_eq!(read_with("status: draft").findings, []);
}

#[test]
fn kn_5_unknown_words_are_named_and_ignored() {
    let read = read_with("trust: certified\nruntime: {mode: oracle}\ngrounding: always");
    assert_eq!(codes_of(&read), [codes::UNKNOWN_VALUE.code; 3]);
    assert!(read.findings[0].message.contains("trust: certified"));
    let item = read.item.unwrap();
    assert_eq!((item.trust, item.runtime.mode), (None, RuntimeMode::Data));
    assert_eq!(item.grounding, Grounding::Recommended);
}

#[test]
fn kn_5_field_of_wrong_kind_is_named_with_what_came() {
    let read = read_with("description: {a: b}");
    assert_eq!(read.item, None);
    let finding = only(&read);
    assert_eq!(finding.code, codes::BAD_FIELD.code);
    assert_eq!(finding.message, "`description` must be a text, found a mapping");
    assert_eq!(finding.line, Some(6));

    let read = read_with("metadata: 5\nversion: [1, 2]\nruntime: persona\nmaintainers: Ada");
    let messages: Vec<&str> = read.findings.iter().map(|found| found.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "`runtime` must be a mapping, found a text",
            "`metadata` must be a mapping, found a text",
            "`version` must be a text, found a list",
        ]
    );
    let item = read.item.unwrap();
    assert_eq!((item.version, item.maintainers), (None, vec!["Ada".to_owned()]));
    assert_eq!(item.diagnostics.len(), 3);

    let odd = read_with("version: 1.10\nscope: [x]\nmaintainers: [1.50, true]").item.unwrap();
    assert_eq!((odd.version.as_deref(), odd.scope), (Some("1.10"), None));
    assert_eq!(odd.maintainers, ["1.50", "true"]);

    let list = read_fields("- a\n- b\n");
    assert_eq!(only(&list).message, "`the frontmatter` must be a mapping, found a list");
}

#[test]
fn kn_5_name_with_path_parts_is_refused() {
    for name in ["../x", "a/b", "'a\\b'", "..", ".", "\"a\\0b\"", "\"a\\u200bb\"", "\" a\""] {
        let read = read_with(&format!("name: {name}"));
        assert_eq!(read.item, None, "{name}");
        assert_eq!(only(&read).code, codes::BAD_NAME.code);
        assert_eq!(only(&read).severity, Severity::Error);
    }
    assert_eq!(read_with(&format!("name: {}", "x".repeat(129))).item, None);
    assert_eq!(read_with("name: 产品手册 v2").item.unwrap().name, "产品手册 v2");
}

#[test]
fn kn_5_primary_document_outside_pack_is_ignored() {
    for path in ["../secret.md", "/etc/passwd", "documents/../../x.md", "'..\\x.md'"] {
        let read = read_with(&format!("metadata: {{primaryDocument: {path}}}"));
        assert_eq!(codes_of(&read), [codes::BAD_PRIMARY.code], "{path}");
        assert_eq!(read.item.unwrap().metadata.primary_document, None);
    }
}

#[test]
fn kn_5_frontmatter_is_found_whatever_line_ends() {
    let crlf = format!("\u{feff}---\r\n{}--- \r\nBody\r\n", GOOD.replace('\n', "\r\n"));
    let read = super::read(&crlf, Path::new("/packs/acme"), &[]);
    assert_eq!(read.findings, []);
    assert_eq!(read.item.unwrap().description, "Facts.");
    let parts = split(&crlf).unwrap();
    assert_eq!((parts.body, parts.body_line), ("Body\r\n", 8));

    let dashes = "---\ndescription: |\n  a\n  ---\n  b\n---\nx\n---\ny";
    assert_eq!(split(dashes).unwrap().body, "x\n---\ny");
    assert_eq!(split("---\na: b\n---").unwrap().body, "");
    assert_eq!(split("---\n---\nx").unwrap().body, "x");
}

#[test]
fn kn_5_frontmatter_that_is_missing_open_or_too_large_is_reported_apart() {
    let problem = |text: &str| split(text).unwrap_err();
    assert_eq!(problem(""), SplitProblem::NoOpening);
    assert_eq!(problem("# Guide\n---\n"), SplitProblem::NoOpening);
    assert_eq!(problem("---"), SplitProblem::Unclosed);
    assert_eq!(problem("---\nname: x\n"), SplitProblem::Unclosed);
    let large = format!("---\n{}\n---\n", "a: b\n".repeat(2 << 20));
    assert_eq!(problem(&large), SplitProblem::TooLarge);
    let long_line = format!("---\na: {}", "x".repeat(10 << 20));
    assert_eq!(problem(&long_line), SplitProblem::TooLarge);
    let read = super::read("---\nname: x\n", Path::new("/packs/acme"), &[]);
    assert_eq!(codes_of(&read), [codes::UNCLOSED_FRONTMATTER.code]);
}

#[test]
fn kn_5_aliases_do_not_grow_without_limit() {
    let mut bomb = String::from("a: &a [x, x, x, x, x, x, x, x, x]\n");
    for (name, of) in ('b'..='l').zip('a'..) {
        let nine = vec![format!("*{of}"); 9].join(", ");
        bomb.push_str(&format!("{name}: &{name} [{nine}]\n"));
    }
    let read = read_fields(&format!("{GOOD}{bomb}"));
    // Unknown fields are passed over without unfolding them, or refused: never unfolded.
    assert!(codes_of(&read).iter().all(|code| *code == codes::BAD_YAML.code));
    let read = read_fields(&format!("{bomb}name: *l\n"));
    assert_eq!(codes_of(&read), [codes::BAD_YAML.code]);
    let deep = format!("{GOOD}x: {}{}\n", "[".repeat(5_000), "]".repeat(5_000));
    assert_eq!(codes_of(&read_fields(&deep)), [codes::BAD_YAML.code]);
}

proptest! {
    #[test]
    fn kn_5_no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let text = [b"---\n".as_slice(), &bytes, b"\n---\n"].concat();
        for bytes in [bytes.as_slice(), &text] {
            for is_whole in [false, true] {
                if let Ok(yaml) = frontmatter(bytes, is_whole) {
                    let _ = read_yaml(yaml, Path::new("/packs/acme"), &[]);
                }
            }
            let _ = split(&String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn kn_4_what_is_read_without_parser_is_what_parser_reads(lines in prop::collection::vec(
        prop_oneof![
            "(name|description|type|status|version|x-1|null|y)[:][ ]{0,2}[a-zA-Z0-9'\"#:,.~ é文-]{0,12}",
            "(runtime|metadata|maintainers|a|b):",
            "[ ]{0,3}(mode|kind|primaryDocument|producedBy|a)[:]( [a-z0-9._-]{1,8})?",
            "[ ]{0,2}- [a-zA-Z0-9 :#'\"]{0,8}",
            "(name|version): (1\\.10|0x1f|1e3|1_000|2026-05-01|True|NULL|0o7|007|1:30|yes|a  b|\\.5|12:30:45|\"a: b\"|'x #y')",
        ], 0..8
    )) {
        let yaml = format!("---\n{}\n", lines.join("\n"));
        let location = Path::new("/packs/acme/KNOWLEDGE.md");
        if let Some(node) = super::quick::read(&yaml) {
            let quick = super::fields::fields(node, &yaml, location);
            let parsed = super::fields::parse(&yaml, location);
            let same = match (&quick, &parsed) {
                (Ok((quick, _)), Ok((parsed, _))) => quick == parsed,
                (Err(quick), Err(parsed)) => quick.code == parsed.code,
                _ => false,
            };
            prop_assert!(same, "{yaml}\n{quick:#?}\n{parsed:#?}");
        }
    }

    #[test]
    fn kn_5_no_yaml_panics(lines in prop::collection::vec(
        "(name|description|type|status|runtime|metadata|maintainers|- )?(: )?[\\[\\]{}&*!|>'\"#%a-z0-9:,. ~-]{0,24}", 0..12
    )) {
        let read = read_fields(&format!("{}\n", lines.join("\n")));
        prop_assert!(read.item.is_some() || !read.findings.is_empty());
    }
}

#[test]
fn kn_4_usual_frontmatter_needs_no_parser() {
    let usual = "---\nname: acme\ndescription: \"Facts: all of them\"\ntype: brand-product\n\nstatus: ready\r\n\
                 runtime:\n  mode: data\nmetadata:\n    primaryDocument: documents/brief.md\n    \
                 producedBy:\n      kind: skill\n      version: 1.10\nmaintainers:\n- Ada\n- Bo B.\n\
                 说明: x\n";
    assert_eq!(super::quick::read(usual), None);
    let usual = usual.replace("说明: x\n", "updated: 2026-05-01\n");
    let node = super::quick::read(&usual).unwrap();
    let (fields, findings) =
        super::fields::fields(node, &usual, Path::new("/packs/acme/KNOWLEDGE.md")).unwrap();
    assert_eq!(findings, []);
    assert_eq!(fields.description.as_deref(), Some("Facts: all of them"));
    assert_eq!(fields.maintainers, Some(vec!["Ada".to_owned(), "Bo B.".to_owned()]));
    let parsed = super::fields::parse(&usual, Path::new("/packs/acme/KNOWLEDGE.md")).unwrap().0;
    assert_eq!(fields, parsed);
}

#[test]
fn kn_5_what_is_wrong_with_yaml_is_said_in_words_of_packs() {
    for (field, told) in [
        ("name: again", "duplicate mapping key: name at line"),
        ("more: &a [*a]", "an alias repeats itself at line"),
    ] {
        let read = read_fields(&format!("name: acme\ndescription: D.\n{field}\n"));
        let [finding] = read.findings.as_slice() else { panic!("{:?}", read.findings) };
        assert!(finding.message.contains(told), "{}", finding.message);
        assert!(!finding.message.contains("Options"), "{}", finding.message);
    }
}

#[test]
fn ma_5_text_with_colon_and_without_quotes_is_accepted_with_hint() {
    let read = read_fields(
        "name: acme\ntype: brand-product\ndescription: Acme: all of it\nscope: a: b:\n",
    );
    let item = read.item.unwrap();
    assert_eq!(
        (item.description.as_str(), item.scope.as_deref()),
        ("Acme: all of it", Some("a: b:"))
    );
    let hints: Vec<_> = read.findings.iter().filter(|found| found.code == "KN1128").collect();
    assert_eq!(hints.len(), 2);
    assert_eq!(hints[0].line, Some(4));
    assert_eq!(hints[0].help.as_deref(), Some("write `description: \"Acme: all of it\"`"));
    let read = read_fields("name: acme\ndescription: Acme: all\nscope: [\n");
    assert_eq!((read.item, read.findings[0].code), (None, "KN1105"));
}
