//! Specimens: programs with their diagnostics, source and result in one snapshot.
//!
//! A specimen may contain lines `//// file: NAME`, which begin another file, and `//// limits:
//! NAME=NUMBER`, which lowers a limit. `//// template: FILE always=a,b used=a,b,c` sets the facts
//! about a template, `//// template: FILE fault=CODE` makes it invalid, `//// reference: TEXT CODE`
//! and `//// pack: NAME CODE` set the fault of a reference or a pack, `//// server: NAME
//! TOOL{field!:string|null,…} …` sets the tools of a server.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::disallowed_methods,
    reason = "a test that can't go on has failed"
)]

use contexture_context::Limits;
use contexture_diagnostic::render::terminal;
use contexture_diagnostic::{Diagnostic, Severity, SourceFile};
use contexture_script::analysis::check;
use contexture_script::codes;
use contexture_script::format::format;
use contexture_script::host::{Fitting, LoadedSource, MemoryLoader};
use contexture_script::knowledge::KnowledgeFault;
use contexture_script::migrate::migrate;
use contexture_script::program::{Program, load};
use contexture_script::reference::ReferenceFault;
use contexture_script::server::{Effect, FieldFacts, FieldType, ServerFacts, ToolFacts};
use contexture_script::template::{TemplateFacts, TemplateFault, TemplatePlace};
use std::fmt::Write;
use std::path::PathBuf;

struct Specimen {
    name: String,
    text: String,
    program: Program,
}

fn folder(area: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/specimens").join(area)
}

fn specimens(area: &str) -> Vec<Specimen> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder(area)).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "as"));
    paths.sort();
    assert!(!paths.is_empty(), "no specimens in {area}");
    paths.iter().map(|path| specimen(path)).collect()
}

fn specimen(path: &std::path::Path) -> Specimen {
    let text = std::fs::read_to_string(path).unwrap();
    let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
    let mut limits = Limits::default();
    let mut files = vec![("main.as".to_owned(), String::new())];
    let mut loader = MemoryLoader::new();
    for line in text.split_inclusive('\n') {
        if let Some(file) = line.strip_prefix("//// file: ") {
            files.push((file.trim().to_owned(), String::new()));
        } else if let Some(known) = line.strip_prefix("//// template: ") {
            let (file, facts) = template(known);
            loader = loader.with_template(file, facts);
        } else if let Some(known) = line.strip_prefix("//// reference: ") {
            let (text, code) = known.trim().split_once(' ').unwrap_or((known.trim(), ""));
            loader = loader.with_reference(text, reference_fault(text, code));
        } else if let Some(known) = line.strip_prefix("//// pattern: ") {
            let mut words = known.split_whitespace();
            let text = words.next().unwrap();
            let mut number = || words.next().unwrap().parse().unwrap();
            let (files, whole) = (number(), number());
            loader = loader.with_pattern(text, Fitting { files, whole });
        } else if let Some(known) = line.strip_prefix("//// pack: ") {
            let (pack, code) = known.trim().split_once(' ').unwrap();
            loader = loader.with_pack(pack, pack_fault(pack, code));
        } else if let Some(known) = line.strip_prefix("//// server: ") {
            let (name, facts) = server(known);
            loader = loader.with_server(name, facts);
        } else if let Some(settings) = line.strip_prefix("//// limits: ") {
            for setting in settings.split_whitespace() {
                set(&mut limits, setting);
            }
        } else {
            files.last_mut().unwrap().1.push_str(line);
        }
    }
    let loader = files.iter().fold(loader, |all, (name, text)| all.with(name, text));
    let (name_of_root, root) = files.remove(0);
    let program = load(LoadedSource { name: name_of_root, text: root }, &loader, &limits);
    Specimen { name, text, program }
}

fn template(known: &str) -> (String, Result<TemplateFacts, Vec<TemplateFault>>) {
    let mut words = known.split_whitespace();
    let file = words.next().unwrap().to_owned();
    let mut facts = TemplateFacts::default();
    for word in words {
        let (key, value) = word.split_once('=').unwrap();
        let names = || value.split(',').map(str::to_owned).collect();
        match key {
            "always" => facts.always = names(),
            "used" => facts.used = names(),
            "partials" => facts.partials = names(),
            _ => {
                let fault = TemplateFault::Invalid {
                    code: "PT1003",
                    place: TemplatePlace { file: file.clone(), line: 3, column: 5 },
                    message: "`{{#if a}}` is never closed".to_owned(),
                    help: Some("write `{{/if}}` where the block ends".to_owned()),
                };
                return (file, Err(vec![fault]));
            }
        }
    }
    (file, Ok(facts))
}

/// Parses `fs read{path!:string,head:integer,…} stat{}`; a field `…` allows further fields.
fn server(known: &str) -> (String, ServerFacts) {
    let (name, tools) = known.trim().split_once(' ').unwrap_or((known.trim(), ""));
    let tool = |text: &str| {
        let (name, fields) = text.trim_end_matches('}').split_once('{').unwrap();
        let written = fields.split(',').filter(|field| !field.is_empty());
        let (open, written): (Vec<&str>, Vec<&str>) = written.partition(|field| *field == "…");
        let fields = written.into_iter().map(field).collect();
        ToolFacts { name: name.to_owned(), fields, open: !open.is_empty(), effect: Effect::Write }
    };
    (name.to_owned(), ServerFacts { tools: tools.split_whitespace().map(tool).collect() })
}

fn field(text: &str) -> FieldFacts {
    let (name, kinds) = text.split_once(':').unwrap();
    let mut known = FieldFacts {
        name: name.trim_end_matches('!').to_owned(),
        required: name.ends_with('!'),
        types: Vec::new(),
        words: Vec::new(),
    };
    for kind in kinds.split('|') {
        known.types.push(match kind {
            "string" => FieldType::Text,
            "number" => FieldType::Number,
            "integer" => FieldType::Whole,
            "boolean" => FieldType::Flag,
            "object" => FieldType::Object,
            "array" => FieldType::List,
            "null" => FieldType::Null,
            "any" => continue,
            word => {
                known.words.push(word.trim_matches('\'').to_owned());
                continue;
            }
        });
    }
    known
}

/// Returns a fault of the reference layer: its code is not ours, and its place is the last four
/// characters.
fn reference_fault(text: &str, code: &str) -> Option<ReferenceFault> {
    let code = match code {
        "REF1001" => "REF1001",
        "REF1004" => "REF1004",
        _ => return None,
    };
    let (start, end) = (text.len().saturating_sub(4), text.len());
    let message = "this is not a reference".to_owned();
    let help = Some("write `@protocol://path`".to_owned());
    Some(ReferenceFault { code, severity: Severity::Error, start, end, message, help })
}

/// Returns a fault of the knowledge layer: its code is not ours.
fn pack_fault(pack: &str, code: &str) -> KnowledgeFault {
    let (code, severity) = match code {
        "KN1001" => ("KN1001", Severity::Error),
        _ => ("KN1002", Severity::Warning),
    };
    let message = std::format!("something is to be said of `{pack}`");
    let help = Some("see `contexture knowledge list`".to_owned());
    KnowledgeFault { code, severity, message, help }
}

fn set(limits: &mut Limits, setting: &str) {
    let (name, value) = setting.split_once('=').unwrap();
    let value = value.parse().unwrap();
    match name {
        "source_bytes" => limits.source_bytes = value,
        "source_depth" => limits.source_depth = value,
        "source_files" => limits.source_files = value,
        _ => panic!("no limit {name}"),
    }
}

fn rendered(program: &Program, faults: &[Diagnostic]) -> String {
    let mut out = String::new();
    for fault in faults.iter().take(100) {
        let source = program.source(&fault.file).unwrap();
        let _ = writeln!(out, "{}", terminal(fault, source, false));
    }
    out
}

fn snapshot(area: &str, name: &str, content: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(folder(area).join("snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, content));
}

fn numbered(text: &str) -> String {
    if text.lines().count() > 300 {
        return text.lines().take(5).collect::<Vec<_>>().join("\n");
    }
    text.trim_end().to_owned()
}

#[test]
fn as_32_diagnostics() {
    for specimen in specimens("diagnostics") {
        let faults = check(&specimen.program);
        let shown = rendered(&specimen.program, &faults);
        let source = numbered(&specimen.text);
        snapshot("diagnostics", &specimen.name, &std::format!("{source}\n\n────────\n\n{shown}"));
    }
}

#[test]
fn as_32_every_code_has_specimen_that_shows_it() {
    let specimens = specimens("diagnostics");
    for code in codes::ALL {
        let shows = |specimen: &&Specimen| {
            specimen.name.starts_with(code.code)
                && check(&specimen.program).iter().any(|fault| fault.code == code.code)
        };
        assert!(specimens.iter().any(|specimen| shows(&specimen)), "{} {}", code.code, code.name);
    }
    for specimen in &specimens {
        let code = specimen.name.split('_').next().unwrap();
        assert!(codes::find(code).is_some(), "{}", specimen.name);
    }
}

#[test]
fn as_32_every_diagnostic_has_code_reason_and_fix() {
    for area in ["diagnostics", "syntax"] {
        for specimen in specimens(area) {
            for fault in check(&specimen.program) {
                if ["REF", "KN", "MCP"].iter().any(|own| fault.code.starts_with(own)) {
                    continue;
                }
                let code = codes::find(fault.code).expect(fault.code);
                assert_eq!(code.severity, fault.severity);
                assert!(!fault.message.is_empty() && !fault.message.contains('\n'));
                let needs_help = fault.severity != Severity::Hint
                    && ![codes::UNEXPECTED_TOKEN, codes::TOO_MANY_ERRORS].contains(code);
                assert!(!needs_help || fault.help.is_some(), "{}: {fault:?}", specimen.name);
            }
        }
    }
}

#[test]
fn as_31_formatted() {
    for area in ["format", "syntax"] {
        for specimen in specimens(area) {
            let source = &specimen.program.files[0].source;
            let text = match format(source, &Limits::default()) {
                Ok(text) => text,
                Err(faults) => faults
                    .iter()
                    .fold(String::new(), |all, fault| all + &terminal(fault, source, false) + "\n"),
            };
            snapshot(area, &std::format!("{}_formatted", specimen.name), &text);
        }
    }
}

#[test]
fn as_31_migrated() {
    for specimen in specimens("migrate") {
        let source = &specimen.program.files[0].source;
        let migrated = migrate(source, &Limits::default());
        let left: Vec<&str> = migrated.diagnostics.iter().map(|fault| fault.code).collect();
        assert_eq!(left, Vec::<&str>::new(), "{}", specimen.name);
        let content = std::format!("{} places\n\n{}", migrated.changes, migrated.text);
        snapshot("migrate", &specimen.name, &content);
        let again =
            migrate(&SourceFile::new("again.as", migrated.text.as_str()), &Limits::default());
        assert_eq!((again.changes, again.text), (0, migrated.text));
    }
}
