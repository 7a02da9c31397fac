use super::symbols::{Access, SymbolKind, Symbols};
use super::written::written;
use crate::analysis::symbols;
use crate::host::{LoadedSource, MemoryLoader};
use crate::program::{Program, load, reload};
use contexture_context::Limits;

fn program(text: &str, files: &[(&str, &str)]) -> Program {
    let loader = files.iter().fold(MemoryLoader::new(), |all, (name, text)| all.with(*name, *text));
    let root = LoadedSource { name: "main.as".to_owned(), text: text.to_owned() };
    load(root, &loader, &Limits::default())
}

/// Returns the places of the name that stands at `word` of a file, as `file:line:column`.
fn places(program: &Program, found: &Symbols, file: usize, word: &str) -> Vec<String> {
    let at = program.files[file].source.text().find(word).unwrap();
    let symbol = found.at(file, u32::try_from(at).unwrap()).unwrap().symbol;
    let shown = found.places(symbol).map(|(file, place)| {
        let source = &program.files[file].source;
        let at = source.position(place.span.start);
        let mark = match place.access {
            Access::Declare => "=",
            Access::Write => "!",
            Access::Read => "",
        };
        format!("{}:{}:{}{mark}", source.name(), at.line, at.column)
    });
    shown.collect()
}

#[test]
fn ty_9_variable_has_all_its_places_and_no_namesake() {
    let text = "func a(x) {\n  y = x\n  y += 1\n  if y > 1 { y = 2 }\n  y\n}\nfunc b() { y = 1 y }";
    let program = program(text, &[]);
    let found = symbols(&program);
    let expected = ["main.as:2:3=", "main.as:3:3!", "main.as:4:6", "main.as:4:14!", "main.as:5:3"];
    assert_eq!(places(&program, &found, 0, "y"), expected);
    assert_eq!(places(&program, &found, 0, "x)"), ["main.as:1:8=", "main.as:2:7"]);
}

#[test]
fn ty_9_variable_of_block_ends_with_block() {
    let text =
        "main func(l) {\n  for i in l max 2 { p = i }\n  try { 1 } else e { e }\n  p = 3\n  p\n}";
    let program = program(text, &[]);
    let found = symbols(&program);
    assert_eq!(places(&program, &found, 0, "p ="), ["main.as:2:22="]);
    assert_eq!(places(&program, &found, 0, "e {"), ["main.as:3:18=", "main.as:3:22"]);
    let end = u32::try_from(text.len() - 2).unwrap();
    let names: Vec<&str> = found.visible(0, end).iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["p", "l", "main"]);
}

#[test]
fn ty_9_use_before_assignment_is_a_place() {
    let text = "main func() {\n  use draft.text as draft\n  draft = { text: \"a\" }\n}";
    let program = program(text, &[]);
    let expected = ["main.as:2:7", "main.as:3:3="];
    assert_eq!(places(&program, &symbols(&program), 0, "draft ="), expected);
}

#[test]
fn ty_9_agent_and_its_functions_have_places_in_all_files() {
    let text = "import agent Worker from \"lib.as\"\nmain func(x) { Worker.run(x) + Worker(x) }";
    let lib =
        "/// Works.\n/// Hard.\nagent Worker { main func run(x) { help(x) } func help(x) { x } }";
    let program = program(text, &[("lib.as", lib)]);
    let found = symbols(&program);
    let expected = ["main.as:1:14", "main.as:2:16", "main.as:2:32", "lib.as:3:7="];
    assert_eq!(places(&program, &found, 0, "Worker"), expected);
    assert_eq!(places(&program, &found, 0, "run"), ["main.as:2:23", "lib.as:3:26="]);
    assert_eq!(places(&program, &found, 1, "help"), ["lib.as:3:35", "lib.as:3:50="]);
    let worker = found.all().iter().find(|one| one.name == "Worker").unwrap();
    assert_eq!((worker.kind, worker.doc.as_deref()), (SymbolKind::Agent, Some("Works.\nHard.")));
}

#[test]
fn ty_9_import_under_another_name_is_its_own_symbol() {
    let text = "import agent Other from \"lib.as\"\nmain func(x) { Other(x) }";
    let program = program(text, &[("lib.as", "main agent Worker { main func(x) { x } }")]);
    let found = symbols(&program);
    assert_eq!(places(&program, &found, 0, "Other"), ["main.as:1:14=", "main.as:2:16"]);
    let other = found.all().iter().find(|one| one.name == "Other").unwrap();
    assert_eq!(other.target.and_then(|target| found.get(target)).unwrap().name, "Worker");
}

#[test]
fn ty_9_shapes_are_known_through_fields_and_lists() {
    let text = "main func(input { rows list[{ id integer }] }) {\n  for row in input.rows { n = row.id }\n  a = generate({ input: \"x\" }) -> { ok boolean, why }\n  a = a\n  b = a.why\n  c = 1 c = a\n}";
    let program = program(text, &[]);
    let found = symbols(&program);
    let shape = |name: &str| {
        let symbol = found.all().iter().find(|one| one.name == name).unwrap();
        symbol.shape.as_ref().map(written)
    };
    assert_eq!(shape("n").as_deref(), Some("integer"));
    assert_eq!(shape("a").as_deref(), Some("{ ok boolean, why string }"));
    assert_eq!(shape("b").as_deref(), Some("string"));
    assert_eq!(shape("c"), None);
}

#[test]
fn ty_9_reload_keeps_what_is_parsed_and_follows_the_rest() {
    let text = "import agent Worker from \"lib.as\"\nmain func(x) { Worker(x) }";
    let loader = MemoryLoader::new().with("lib.as", "main agent Worker { main func(x) { x } }");
    let root = |text: &str| LoadedSource { name: "main.as".to_owned(), text: text.to_owned() };
    let first = load(root(text), &loader, &Limits::default());
    let kept = first.files[1].parsed.tokens.as_ptr();
    let next = reload(first, vec![root(&text.replace("x", "y"))], &loader, &Limits::default());
    assert_eq!(next.files[1].parsed.tokens.as_ptr(), kept);
    assert_eq!(next.files[0].source.text(), text.replace("x", "y"));
    let alone = reload(next, vec![root("main func(x) { x }")], &loader, &Limits::default());
    assert_eq!(alone.files.len(), 1);
}

#[test]
fn ty_9_names_in_strings_and_roles_are_places() {
    let text = "import file TONE from \"t.md\"\nrole \"Speak \\(TONE)\"\nmain func(name) {\n  description \"for \\(name)\"\n  \"Hello \\(name)\"\n}";
    let program = program(text, &[]);
    let found = symbols(&program);
    assert_eq!(places(&program, &found, 0, "TONE"), ["main.as:1:13=", "main.as:2:15"]);
    let expected = ["main.as:3:11=", "main.as:4:22", "main.as:5:12"];
    assert_eq!(places(&program, &found, 0, "name)"), expected);
}
