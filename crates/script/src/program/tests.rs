use super::*;
use crate::host::MemoryLoader;

fn root(text: &str) -> LoadedSource {
    LoadedSource { name: "main.as".to_owned(), text: text.to_owned() }
}

fn load_with(text: &str, files: &[(&str, &str)]) -> Program {
    let own = MemoryLoader::new().with("main.as", text);
    let loader = files.iter().fold(own, |all, (name, text)| all.with(*name, *text));
    load(root(text), &loader, &Limits::default())
}

#[test]
fn as_2_files_are_found_from_importer_and_read_once() {
    let program = load_with(
        "import agent A from \"lib/a.as\"\nimport agent B from \"./lib/b.as\"",
        &[
            ("lib/a.as", "import agent B from \"b.as\"\nagent A { func run(x) { x } }"),
            ("lib/b.as", "import agent Main from \"../main.as\"\nagent B { func run(x) { x } }"),
        ],
    );
    let names: Vec<&str> = program.files.iter().map(|file| file.source.name()).collect();
    assert_eq!(names, ["main.as", "lib/a.as", "lib/b.as"]);
    assert!(program.faults.is_empty());
    assert_eq!(program.files[2].links, [("Main".to_owned(), 0)]);
}

#[test]
fn as_2_missing_file_is_reported_at_import() {
    let program = load_with("import agent A from \"./nowhere.as\"", &[]);
    assert_eq!(program.faults[0].code, "AS2013");
    assert_eq!(program.faults[0].file, "main.as");
    assert_eq!(program.faults[0].span.start, 20);
}

#[test]
fn as_2_number_of_files_is_limited() {
    let limits = Limits::default();
    let mut loader = MemoryLoader::new();
    for index in 0..=limits.source_files {
        let next = index + 1;
        loader = loader.with(format!("{index}.as"), format!("import agent A from \"{next}.as\""));
    }
    let program = load(root("import agent A from \"0.as\""), &loader, &limits);
    assert_eq!(program.files.len(), limits.source_files);
    assert_eq!(program.faults[0].code, "AS2019");
}

#[test]
fn as_28_which_agent_import_means() {
    let text = "import agent One from \"two.as\"\nimport agent Any from \"two.as\"\nimport agent Main from \"main_func.as\"";
    let program = load_with(
        text,
        &[
            ("two.as", "agent One { func a(x) { x } }\nmain agent Two { func b(x) { x } }"),
            ("main_func.as", "func helper() { 1 }\nmain func(input) { input }"),
        ],
    );
    let of = |name: &str| program.imported_agent(0, name);
    assert_eq!(of("One"), Some(AgentId { file: 1, item: Some(0) }));
    assert_eq!(of("Any"), Some(AgentId { file: 1, item: Some(1) }));
    let implicit = of("Main").unwrap();
    assert_eq!(implicit, AgentId { file: 2, item: None });
    assert!(program.entry(implicit).unwrap().main);
    assert!(program.function(implicit, "helper").is_some());
}

#[test]
fn as_1_several_agents_without_main_one_have_none() {
    let program = load_with("agent A { func a() { 1 } }\nagent B { func b() { 1 } }", &[]);
    assert_eq!(program.main_agent(0), None);
    let program = load_with("agent A { func a() { 1 } }", &[]);
    assert_eq!(program.main_agent(0), Some(AgentId { file: 0, item: Some(0) }));
    let program = load_with("func only() { 1 }", &[]);
    assert_eq!(program.main_agent(0), Some(AgentId { file: 0, item: None }));
    let program = load_with("", &[]);
    assert_eq!(program.main_agent(0), None);
}
