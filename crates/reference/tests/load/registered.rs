//! Ids from registry files, rows with variables, and globs (MA-2).

use crate::support::{Fixture, run};
use contexture_diagnostic::{Diagnostic, Severity};
use contexture_reference::definition::{Definitions, Glob, GlobError, Layer, Options, Origin};
use contexture_reference::syntax::Reference;
use contexture_reference::{Loader, Place, State};

const PACKAGE: &str = "<resource protocol=\"package\">\n<registry>\n| id | reference |\n|--|--|\n\
    | top | @file://top.md |\n| resource/{path} | @file://packages/{path} |\n</registry>\n</resource>\n";

fn origin(file: &str) -> Origin {
    Origin::new(Layer::Explicit, file).at(Place::workspace())
}

fn registry(rows: &[(&str, &str, &str)]) -> String {
    let row = |(protocol, id, reference): &(&str, &str, &str)| {
        format!(r#"{{"id":"{id}","protocol":"{protocol}","reference":"{reference}","name":"x"}}"#)
    };
    let rows: Vec<String> = rows.iter().map(row).collect();
    format!("{{\"version\":\"2.0.0\",\"resources\":[\n{}\n]}}", rows.join(",\n"))
}

/// A fixture whose definitions were changed.
fn with(fixture: Fixture, change: impl FnOnce(&mut Definitions)) -> Fixture {
    let mut definitions = Definitions::built_in();
    change(&mut definitions);
    Fixture { loader: fixture.loader.with_definitions(definitions), ..fixture }
}

fn quiet(told: Vec<Diagnostic>) {
    assert!(told.is_empty(), "{told:?}");
}

fn glob(definitions: &mut Definitions, protocol: &str, pattern: &str) {
    definitions.add_glob(protocol, Glob::parse(pattern).unwrap()).unwrap();
}

#[test]
fn ma_2_row_passes_the_rest_of_the_path_on() {
    let fixture = Fixture::with(&[("packages/role/a.md", "A"), ("top.md", "T")]).define(PACKAGE);
    assert_eq!(fixture.text("@package://resource/role/a.md"), "A");
    assert_eq!(fixture.names("@package://resource/role/*.md"), ["@file://packages/role/a.md"]);
    assert_eq!(fixture.text("@package://top"), "T");
    assert_eq!(fixture.refused("@package://other/a.md").0, "REF2072");
    assert_eq!(fixture.refused("@package://resource/../top.md").0, "REF2072");
}

#[test]
fn ma_2_variable_without_counterpart_costs_the_row() {
    let mut definitions = Definitions::built_in();
    let text = PACKAGE.replace("packages/{path}", "packages/{file}");
    let told = definitions.add(origin("p.resource.md"), &text, &Options::default());
    assert_eq!(told.iter().map(|fault| fault.code).collect::<Vec<_>>(), ["REF2065"]);
    let reference = Reference::parse("@package://resource/a").unwrap();
    assert_eq!(definitions.resolve(&reference).unwrap_err().code(), "REF2080");
}

#[test]
fn ma_2_rows_of_registry_file_name_references() {
    let fixture = Fixture::with(&[("thoughts/a.md", "A")]);
    let rows = [("thought", "a", "@file://thoughts/a.md"), ("role", "r", "@thought://a")];
    let fixture = with(fixture, |definitions| {
        quiet(definitions.add_registry(&origin("x.registry.json"), &registry(&rows)));
    });
    assert_eq!(fixture.text("@!role://r"), "A");
    let role = Reference::parse("@role://r").unwrap();
    let route = fixture.loader.route(&role, &Place::workspace()).unwrap();
    let hops: Vec<_> = route.trail.iter().map(|hop| (hop.file.as_str(), hop.line)).collect();
    assert_eq!(hops, [("x.registry.json", 3), ("x.registry.json", 2)]);
    let (code, help) = fixture.refused("@thought://b");
    assert_eq!((code, help.contains('a')), ("REF2072", true), "{help}");
}

#[test]
fn ma_2_bad_registry_files_are_told_and_used_as_far_as_they_go() {
    let mut definitions = Definitions::built_in();
    let mut told = |text: &str| -> Vec<&'static str> {
        let told = definitions.add_registry(&origin("x.json"), text);
        told.iter().map(|fault| fault.code).collect()
    };
    assert_eq!(told("{\"resources\": [{}, 1]}"), ["REF2022", "REF2022"]);
    assert_eq!(told("[]"), ["REF2022"]);
    assert_eq!(told("{"), ["REF2022"]);
    assert_eq!(told(&registry(&[("file", "a", "@file://a.md")])), ["REF2022"]);
    assert_eq!(told(&registry(&[("a b", "a", "@file://a.md")])), ["REF2022"]);
    assert_eq!(told(&registry(&[("role", "a", "nothing")])), ["REF2063"]);
    let twice = [("role", "b", "@file://b.md"), ("role", "b", "@file://c.md")];
    assert_eq!(told(&registry(&twice)), ["REF2023"]);
    let reference = Reference::parse("@role://b").unwrap();
    let resolution = definitions.resolve(&reference).unwrap();
    assert_eq!(resolution.reference.as_str(), "@file://b.md");
}

#[test]
fn ma_2_bad_row_of_registry_file_costs_itself_alone() {
    let mut definitions = Definitions::built_in();
    let text = registry(&[("role", "a", "@file://a.md"), ("role", "", "@file://b.md")])
        .replace("\"id\":\"\",", "")
        .replace(
            "\n]}",
            ",\n{\"id\":\"c\",\"protocol\":\"role\",\"reference\":\"@file://c.md\"}]}",
        );
    let told = definitions.add_registry(&origin("x.json"), &text);
    let [fault] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!((fault.code, fault.severity), ("REF2022", Severity::Warning));
    assert_eq!(fault.message, "row 2 is left out: missing field `id`");
    let start = usize::try_from(fault.span.start).unwrap();
    assert!(text.get(start..).unwrap().starts_with("\"@file://b.md\""), "{start}");
    for id in ["a", "c"] {
        let name = format!("@role://{id}");
        let resolution = definitions.resolve(&Reference::parse(&name).unwrap()).unwrap();
        assert_eq!(resolution.reference.as_str(), format!("@file://{id}.md"));
    }
}

#[test]
fn ma_2_glob_names_one_file_by_its_id() {
    let files = [
        ("a/x.thought.md", "X"),
        ("b/twice.thought.md", "1"),
        ("c/twice.thought.md", "2"),
        ("a{b}.thought.md", "braces"),
    ];
    let fixture = with(Fixture::with(&files), |all| glob(all, "thought", "**/{id}.thought.md"));
    assert_eq!(fixture.text("@!thought://x"), "X");
    assert_eq!(fixture.text("@thought://a{b}"), "braces");
    assert_eq!(fixture.names("@thought://x"), ["@file://a/x.thought.md"]);
    let error = fixture.load("@thought://twice").unwrap_err();
    assert_eq!(error.code, "REF3042");
    assert!(
        error.message.contains("@file://b/twice.thought.md, @file://c/twice.thought.md"),
        "{}",
        error.message
    );
    assert_eq!(fixture.refused("@thought://none").0, "REF3030");
    assert_eq!(
        fixture.refused("@thought://twcie"),
        ("REF3030", "did you mean `twice`?".to_owned())
    );
    for not_one_segment in ["@thought://*", "@thought://a/x", "@thought://**"] {
        assert_eq!(fixture.refused(not_one_segment).0, "REF2072", "{not_one_segment}");
        let help = fixture.refused(not_one_segment).1;
        assert!(help.starts_with("write one segment"), "{help}");
    }
}

#[test]
fn ma_2_globs_that_name_no_id_are_refused() {
    assert_eq!(Glob::parse("**/*.md"), Err(GlobError::NoId));
    assert_eq!(Glob::parse("**/*.{id}"), Err(GlobError::AfterStar));
    assert_eq!(Glob::parse("../{id}.md"), Err(GlobError::Path));
    assert_eq!(Glob::parse("/{id}.md"), Err(GlobError::Path));
    assert_eq!(Glob::parse("{id}.md?line=1"), Err(GlobError::Path));
    let glob = Glob::parse("{id}.md").unwrap();
    let mut definitions = Definitions::built_in();
    assert_eq!(definitions.add_glob("file", glob.clone()), Err(GlobError::Reserved));
    assert_eq!(definitions.add_glob("a b", glob.clone()), Err(GlobError::Name));
    assert_eq!(definitions.add_glob("memory", glob), Ok(()));
}

#[test]
fn ma_2_row_whose_target_is_missing_falls_back_to_the_glob_with_a_warning() {
    let rows = [("role", "nuwa", "@package://role/nuwa.md"), ("role", "gone", "@file://gone.md")];
    let files = [("roles/nuwa.role.md", "N"), ("roles/gone.role.md", "G")];
    let fixture = with(Fixture::with(&files), |definitions| {
        quiet(definitions.add_registry(&origin("x.json"), &registry(&rows)));
        glob(definitions, "role", "**/{id}.role.md");
    });
    for (id, text) in [("nuwa", "N"), ("gone", "G")] {
        let loaded = fixture.load(&format!("@!role://{id}")).unwrap();
        assert_eq!(loaded.resources[0].text(), Some(text));
        let codes: Vec<_> = loaded.notes.iter().map(|note| note.code).collect();
        assert_eq!(codes, ["REF3043"], "{:?}", loaded.notes);
        assert!(loaded.notes[0].message.contains("**/{id}.role.md"), "{:?}", loaded.notes);
    }
    let none = fixture.load("@!role://none").unwrap_err();
    assert_eq!(none.code, "REF3030");
}

#[test]
fn ma_2_wrapper_protocol_takes_ids_of_a_glob() {
    let files = [("x.execution.md", "Do it."), ("a.md", "A")];
    let fixture = with(Fixture::with(&files), |all| glob(all, "execution", "**/{id}.execution.md"));
    assert_eq!(fixture.text("@!execution://x"), "Do it.");
    assert!(fixture.text("@!execution:file://a.md").contains("<execution source="));
}

#[test]
fn ma_2_workspace_extends_memory_where_it_has_nothing() {
    let files = [("m/goal.md", "file"), ("m/other.md", "other"), ("m/row.txt", "row")];
    let element = "<resource protocol=\"memory\">\n<registry>\n| id | reference |\n|--|--|\n\
                   | row | @file://m/row.txt |\n</registry>\n</resource>\n";
    let fixture = with(Fixture::with(&files), |definitions| {
        quiet(definitions.add(origin("m.resource.md"), element, &Options::default()));
        glob(definitions, "memory", "m/{id}.md");
    });
    assert_eq!(fixture.text("@memory://goal"), "win");
    assert_eq!(fixture.text("@memory://other"), "other");
    assert_eq!(fixture.text("@memory://row"), "row");
    assert!(fixture.load("@memory://other").unwrap().notes.is_empty());
    assert_eq!(fixture.refused("@memory://none").0, "REF3035");
}

#[test]
fn ma_2_element_can_add_ids_to_our_protocols_and_change_nothing_else() {
    let mut definitions = Definitions::built_in();
    let mut told = |text: &str| -> Vec<&'static str> {
        let told = definitions.add(origin("x.resource.md"), text, &Options::default());
        told.iter().map(|fault| fault.code).collect()
    };
    let registry = "<registry>\n| id | reference |\n|--|--|\n| a | @file://a.md |\n</registry>";
    let element =
        |name: &str, body: &str| format!("<resource protocol=\"{name}\">\n{body}\n</resource>\n");
    assert_eq!(told(&element("knowledge", registry)), [""; 0]);
    assert_eq!(told(&element("file", registry)), ["REF2017"]);
    let location = format!("<location>\nlocation ::= [a-z]+\n</location>\n{registry}");
    assert_eq!(told(&element("knowledge", &location)), ["REF2017"]);
    assert_eq!(told(&element("knowledge", "prose")), ["REF2017"]);
}

#[test]
fn ma_2_role_is_expanded_by_globs_as_its_repository_lies() {
    let role = "# Nuwa\n@!thought://first\n@!execution://make\n@!knowledge://spec\n";
    let files = [
        ("res/role/nuwa/nuwa.role.md", role),
        ("res/role/nuwa/thought/first.thought.md", "Think.\n"),
        ("res/role/nuwa/execution/make.execution.md", "Do; use @tool://creator，mode.\n"),
        ("res/role/nuwa/knowledge/spec.knowledge.md", "Know.\n"),
    ];
    let fixture = with(Fixture::with(&files), |definitions| {
        for protocol in ["role", "thought", "execution", "knowledge"] {
            glob(definitions, protocol, &format!("**/{{id}}.{protocol}.md"));
        }
    });
    let reference = Reference::parse("@!role://nuwa").unwrap();
    let expanded = run(Loader::expand(&fixture.loader, &reference, &Default::default()));
    assert_eq!(expanded.text, "# Nuwa\nThink.\nDo; use @tool://creator，mode.\nKnow.");
    let states: Vec<_> = expanded.steps.iter().map(|step| step.state.as_str()).collect();
    assert_eq!(states, ["loaded", "loaded", "loaded", "failed", "loaded"]);
    assert!(expanded.hot_failure().is_none());
    let plan = fixture.plan("@!role://nuwa", &Default::default());
    assert_eq!(plan.entries[0].state, State::Loaded);
    assert!(plan.entries[0].reason.starts_with("3 references inside are not loaded"));
}

#[test]
fn ma_2_near_id_is_found_in_folders_too() {
    let files = [("skills/tea/SKILL.md", "T"), ("skills/rice/SKILL.md", "R")];
    let fixture = with(Fixture::with(&files), |all| glob(all, "craft", "skills/{id}/SKILL.md"));
    assert_eq!(fixture.refused("@craft://ricee").1, "did you mean `rice`?");
}
