//! AS-31: the language line by line.

use crate::support::block_on;
use contexture_script::host::MemoryLoader;
use contexture_script::runtime::{RunOptions, ScriptedHost, Session, SessionError};
use serde_json::{Value, json};

struct Lines {
    session: Session,
    host: ScriptedHost,
}

impl Lines {
    fn new(host: ScriptedHost) -> Self {
        let loader =
            MemoryLoader::new().with("w.as", "agent Worker { main func(input) { input * 2 } }");
        Self { session: Session::with_loader(RunOptions::default(), Box::new(loader)), host }
    }

    fn eval(&mut self, line: &str) -> Result<Option<Value>, SessionError> {
        block_on(self.session.eval(line, &self.host)).map(|outcome| outcome.value)
    }

    #[track_caller]
    fn value(&mut self, line: &str) -> Value {
        self.eval(line).unwrap_or_else(|error| panic!("{line}: {error}")).unwrap_or_default()
    }

    fn code(&mut self, line: &str) -> (String, u32) {
        match self.eval(line) {
            Err(SessionError::Run(error)) => (error.code, error.line),
            other => panic!("{line}: {other:?}"),
        }
    }
}

#[test]
fn as_31_variables_persist() {
    let mut lines = Lines::new(ScriptedHost::new());
    assert_eq!(lines.eval("x = 1").unwrap(), None);
    assert_eq!(lines.value("x + 1"), json!(2));
    assert_eq!(lines.value("x"), json!(1), "reading a variable leaves it");
    assert_eq!(lines.value("x += 10 y = [x] y"), json!([11]));
    assert_eq!(lines.value("y.add(x) y"), json!([11, 11]));
    assert_eq!(lines.value("if true { z = 1 x = 5 } x"), json!(5));
    assert_eq!(lines.session.variables(), ["x", "y"]);
}

#[test]
fn as_31_functions_agents_and_imports_persist() {
    let mut lines = Lines::new(ScriptedHost::new().with_tool("File.read", json!("text")));
    lines.value("func double(n) { n * 2 }");
    assert_eq!(lines.value("double(4)"), json!(8));
    lines.value("func double(n) { n * 20 }");
    assert_eq!(
        lines.value("[1, 2].map(double)"),
        json!([20, 40]),
        "a later declaration replaces an earlier one"
    );
    lines.value("agent A { main func(input) { input + 1 } }");
    assert_eq!(lines.value("A(double(1))"), json!(21));
    lines.value("import tool File from \"file://workspace\"");
    assert_eq!(lines.value("t = File.read({ path: \"a\" }) t"), json!("text"));
    lines.value("import agent Worker from \"w.as\"");
    assert_eq!(lines.value("Worker(21)"), json!(42));
    assert!(matches!(
        lines.eval("import agent Gone from \"gone.as\""),
        Err(SessionError::Syntax(_))
    ));
}

#[test]
fn as_31_uses_and_settings_persist() {
    let mut lines = Lines::new(ScriptedHost::new().with_answer(json!("a")).with_answer(json!("b")));
    lines.value("role \"a tester\"");
    lines.value("notes = [1]");
    lines.value("use notes as notes");
    lines.value("notes.add(2)");
    assert_eq!(lines.value("generate({ input: \"one\" })"), json!("a"));
    lines.value("if true { use \"inner\" }");
    assert_eq!(lines.value("answer = generate({ input: \"two\" }) answer"), json!("b"));
    let calls = lines.host.generate_calls();
    assert_eq!(
        (calls[0].role.as_deref(), &calls[0].items[0].value),
        (Some("a tester"), &json!([1, 2]))
    );
    assert_eq!(
        (calls[0].items[0].source.as_str(), calls[0].items[0].label.as_deref()),
        ("notes", Some("notes"))
    );
    assert_eq!(calls[1].items.len(), 1);
    let ids: Vec<u64> = lines.host.events().iter().map(|event| event.id).collect();
    assert_eq!(
        ids.iter().collect::<std::collections::BTreeSet<_>>().len(),
        *ids.iter().max().unwrap() as usize
    );
}

#[test]
fn as_31_failed_line_keeps_earlier_state_and_reports_place() {
    let mut lines = Lines::new(ScriptedHost::new());
    lines.value("x = 1");
    assert_eq!(lines.code("x = 2 y = 3 l = [] l[x]"), ("AS9007".to_owned(), 2));
    assert_eq!(lines.value("x"), json!(2));
    assert_eq!(lines.code("y").0, "AS9001");
    assert_eq!(lines.code("1 +\n  none"), ("AS9006".to_owned(), 5));
    assert_eq!(lines.value("x"), json!(2));
    assert!(lines.session.source().text().starts_with("x = 1\nx = 2 y = 3"));
}

#[test]
fn as_31_open_brackets_make_input_incomplete() {
    let mut lines = Lines::new(ScriptedHost::new());
    assert_eq!(lines.eval("func f(n) {"), Err(SessionError::Incomplete));
    assert_eq!(lines.eval("[1,"), Err(SessionError::Incomplete));
    lines.value("func f(n) {\n  n + 1\n}");
    assert_eq!(lines.value("f(1)"), json!(2));
    assert!(matches!(lines.eval("x = = 1"), Err(SessionError::Syntax(_))));
    assert_eq!(lines.value("f(2)"), json!(3));
}

#[test]
fn as_10_values_of_earlier_lines_are_outside_parallel_for() {
    let mut lines = Lines::new(ScriptedHost::new());
    lines.value("r = parallel for x in [1, 2, 3] max 9 { [x] }");
    assert_eq!(lines.code("parallel for x in [1] max 9 { r[0].add(x) }").0, "AS9016");
    assert_eq!(lines.value("r[0].add(9) r[0]"), json!([1, 9]));
}
