//! AS-28: input shapes.

use crate::support::{block_on, failure_of, outcome, program_of, value_of};
use contexture_script::analysis::check;
use contexture_script::runtime::{Entry, RunOptions, ScriptedHost, compile, run};
use serde_json::{Value, json};

const ORDER: &str = "
func check(order {
  id string
  quantity integer
  price number
  note?: string
  tags list[string]
  any list
  state \"open\" | \"paid\"
  customer { name string, vip?: boolean }
  rest json
}) {
  [order.note, order.customer.vip, order]
}
main func(input) { check(input.order) }";

fn order() -> Value {
    json!({
        "id": "a1", "quantity": 2, "price": 3.5, "tags": ["x"], "any": [1, "a"], "state": "open",
        "customer": { "name": "Ada" }, "rest": null,
    })
}

fn checked(change: impl FnOnce(&mut Value)) -> Result<Value, (String, String, Value)> {
    let mut order = order();
    change(&mut order);
    let result = outcome(ORDER, json!({ "order": order }), &ScriptedHost::new()).result;
    result.map_err(|error| (error.code, error.message, error.details.unwrap_or_default()))
}

#[test]
fn as_28_missing_optional_field_reads_as_none_and_stays_absent() {
    assert_eq!(checked(|_| {}), Ok(json!([null, null, order()])));
    let given = checked(|order| order["note"] = json!("n")).unwrap();
    assert_eq!(given[0], "n");
    assert_eq!(checked(|order| order["note"] = json!(null)).unwrap()[0], json!(null));
}

#[test]
fn as_28_faults_are_reported_by_path() {
    let (code, message, details) = checked(|order| {
        order["quantity"] = json!("2");
        order["tags"] = json!(["a", 5]);
        order["customer"] = json!({});
    })
    .unwrap_err();
    assert_eq!(code, "AS9017");
    assert_eq!(
        message,
        "`check`: order.quantity: expected integer, found string \"2\"; order.tags[1]: expected string, found number 5; \
         order.customer.name: expected string, found nothing: the field is missing"
    );
    assert_eq!(
        details[0],
        json!({ "path": "order.quantity", "expected": "integer", "found": "string \"2\"" })
    );
}

#[test]
fn as_28_nothing_is_coerced_and_further_fields_are_kept() {
    for (field, wrong) in [
        ("id", json!(1)),
        ("quantity", json!(2.5)),
        ("quantity", json!("2")),
        ("price", json!("3")),
        ("tags", json!("x")),
        ("any", json!({})),
        ("state", json!("Open")),
        ("customer", json!([])),
        ("id", json!(null)),
    ] {
        let fault = checked(|order| order[field] = wrong.clone());
        assert_eq!(fault.unwrap_err().0, "AS9017", "{field}: {wrong}");
    }
    assert_eq!(checked(|order| order["extra"] = json!([1])).unwrap()[2]["extra"], json!([1]));
    assert!(checked(|order| order["quantity"] = json!(2.0)).is_ok(), "2.0 is a whole number");
}

#[test]
fn as_28_shape_fault_is_reported_at_call() {
    let source = "func f(n integer) { n }\nmain func(input) {\n  f(1)\n  f(\"two\")\n}";
    let error = failure_of(source);
    assert_eq!((error.code.as_str(), error.line, error.column), ("AS9017", 4, 3));
    assert_eq!(error.message, "`f`: n: expected integer, found string \"two\"");
    assert_eq!(error.help.as_deref(), Some("declared as `n integer`"));
    let source = "agent A { main func(input { n integer }) { input.n } }\nmain agent {\n  main func(input) { try { A({}) } else err { [err.code, err.line, err.details[0].path] } }\n}";
    assert_eq!(value_of(source), json!(["AS9017", 3, "input.n"]));
}

#[test]
fn as_28_input_of_run_is_checked() {
    let source = "main func(input { question string }) { input.question }";
    let error = outcome(source, json!({ "question": 5 }), &ScriptedHost::new()).result.unwrap_err();
    assert_eq!(error.message, "`main`: input.question: expected string, found number 5");
    let error = outcome(source, json!([1]), &ScriptedHost::new()).result.unwrap_err();
    assert_eq!(error.message, "`main`: input: expected object, found a list of 1 item");
}

#[test]
fn as_28_optional_fields_survive_copies() {
    let source = "
        agent B { func read(o) { o.note } }
        func f(o { note?: string }) { o.other = 1
 [B.read(o), o.summary.note, o] }
        main agent { main func(input) { f({ x: 1 }) } }";
    assert_eq!(value_of(source), json!([null, null, { "x": 1, "other": 1 }]));
}

const NODES: &str = "
/// A node of a tree.
shape Node { name string length 1 to 3, weight integer min 1 max 5, children?: list[Node] }
shape Level \"low\" | \"high\"
func heaviest(node Node) -> integer {
  best = node.weight
  for child in node.get(\"children\", []) max 10 {
    below = heaviest(child)
    if below > best { best = below }
  }
  best
}
func level(weight) -> { level Level } {
  if weight > 3 { return { level: \"high\" } }
  { level: weight }
}
main func(input) { [heaviest(input.node), level(5).level] }";

#[test]
fn ty_1_named_shape_that_contains_itself_is_checked_at_every_depth() {
    let run = |node: Value| {
        let result = outcome(NODES, json!({ "node": node }), &ScriptedHost::new()).result;
        result.map_err(|error| (error.code, error.message, error.details.unwrap_or_default()))
    };
    let child = json!({ "name": "b", "weight": 4, "children": [{ "name": "c", "weight": 5 }] });
    let node = json!({ "name": "a", "weight": 1, "children": [child] });
    assert_eq!(run(node), Ok(json!([5, "high"])));
    let child = json!({ "name": "long", "weight": 4, "children": [{ "name": "c", "weight": 9 }] });
    let (code, message, details) =
        run(json!({ "name": "a", "weight": 1, "children": [child] })).unwrap_err();
    assert_eq!(code, "AS9017");
    assert_eq!(
        message,
        "`heaviest`: node.children[0].name: expected string of 1 to 3 characters, found string \
         \"long\" of 4 characters; node.children[0].children[0].weight: expected integer from 1 to 5, \
         found number 9"
    );
    assert_eq!(details[1]["path"], "node.children[0].children[0].weight");
}

#[test]
fn ty_1_result_that_does_not_fit_fails_where_it_is_returned() {
    let source = NODES.replace("level(5)", "level(2)");
    let source = source.replace("[heaviest(input.node), level(2).level]", "level(2)");
    let failure = failure_of(&source);
    assert_eq!(failure.code, "AS9017");
    assert_eq!(
        failure.message,
        "`level`: result.level: expected one of \"low\", \"high\", found number 2"
    );
    assert_eq!(failure.help.as_deref(), Some("declared as `-> { level \"low\" | \"high\" }`"));
    assert_eq!(failure.line, 15);
    let nothing = failure_of("func f() -> string { x = 1 }\nmain func() { f() }");
    assert_eq!(nothing.message, "`f`: result: expected string, found null");
}

#[test]
fn ty_1_shape_and_function_of_another_file_keep_their_own_names() {
    let library = "
        shape Part { name string, kind Kind }
        shape Kind \"whole\" | \"half\"
        func share(part Part) -> Part { whole(part) }
        func whole(part) { part.kind = \"whole\" part }";
    let main = "
        import shape Part from \"./library.as\"
        import func share from \"./library.as\"
        shape Kind \"other\"
        main func(input) { part({ name: \"a\", kind: \"half\" }, { kind: \"other\" }) }
        func part(part Part, own { kind Kind }) { share(part) }";
    let program = program_of(&[("main.as", main), ("library.as", library)]);
    let faults: Vec<(&str, u32)> =
        check(&program).iter().map(|fault| (fault.code, fault.span.start)).collect();
    assert_eq!(faults, []);
    let program = compile(&program);
    let (entry, options) = (Entry::default(), RunOptions::default());
    let host = ScriptedHost::new();
    let running = run(&program, &entry, json!(null), &host, &options);
    assert_eq!(block_on(running).result.unwrap(), json!({ "name": "a", "kind": "whole" }));
}
