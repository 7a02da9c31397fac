//! TY-7: a bare value stands for the one required parameter of a tool.

use crate::support::{block_on, outcome, program_with};
use contexture_context::Limits;
use contexture_script::analysis::check;
use contexture_script::host::{LoadedSource, MemoryLoader};
use contexture_script::program::load;
use contexture_script::runtime::{Entry, RunOptions, ScriptedHost, compile, run};
use contexture_script::server::{Effect, FieldFacts, FieldType, ServerFacts, ToolFacts};
use serde_json::json;

#[test]
fn ty_7_bare_value_is_the_one_required_parameter_of_a_tool() {
    let source = "import tool Http from \"https://a.b\" import tool File from \"file://workspace\"
        main func(input) { path = \"/x\" Http.get(path) Http.get({ url: \"/y\" }) File.read(\"a.md\") }";
    let host = ScriptedHost::new()
        .with_tool("Http.get", json!(1))
        .with_tool("Http.get", json!(2))
        .with_tool("File.read", json!(3));
    assert_eq!(outcome(source, json!({}), &host).result, Ok(json!(3)));
    let given: Vec<_> = host.tool_calls().into_iter().map(|call| call.arguments).collect();
    assert_eq!(given, [json!({ "url": "/x" }), json!({ "url": "/y" }), json!({ "path": "a.md" })]);
}

fn faults(source: &str) -> Vec<(String, String)> {
    let root = LoadedSource { name: "main.as".to_owned(), text: source.to_owned() };
    let program = load(root, &MemoryLoader::new(), &Limits::default());
    check(&program).into_iter().map(|fault| (fault.code.to_owned(), fault.message)).collect()
}

#[test]
fn ty_7_bare_value_of_a_wrong_type_or_for_several_parameters_is_error() {
    let source = |call: &str| {
        format!("import tool File from \"file://workspace\" main func(input) {{ File.{call} }}")
    };
    assert_eq!(faults(&source("read(\"a.md\")")), []);
    assert_eq!(
        faults(&source("read(5)")),
        [("AS6007".to_owned(), "the argument `path` of `File.read` must be a string".to_owned())]
    );
    assert_eq!(
        faults(&source("write(\"a.md\")")),
        [("AS6008".to_owned(), "`File.write` takes an object".to_owned())]
    );
}

#[test]
fn ty_7_bare_value_is_named_by_the_schema_of_a_server() {
    let field = |name: &str, required| FieldFacts {
        name: name.to_owned(),
        types: vec![FieldType::Text],
        words: Vec::new(),
        required,
    };
    let tool = ToolFacts {
        name: "search".to_owned(),
        fields: vec![field("limit", false), field("question", true)],
        open: false,
        effect: Effect::Read,
    };
    let facts = ServerFacts { tools: vec![tool] };
    let loader = MemoryLoader::new().with_server("web", facts);
    let source =
        "import tool Search from \"mcp://web\" main func(input) { Search.search(input.question) }";
    let program = program_with(loader, &[("main.as", source)]);
    assert_eq!(check(&program), []);
    let host = ScriptedHost::new().with_tool("Search.search", json!("found"));
    let (entry, options) = (Entry::default(), RunOptions::default());
    let input = json!({ "question": "Why?" });
    let done = block_on(run(&compile(&program), &entry, input, &host, &options));
    assert_eq!(done.result, Ok(json!("found")));
    assert_eq!(host.tool_calls()[0].arguments, json!({ "question": "Why?" }));
}
