//! The condition, for each engine in its own words.

use crate::{Contender, compare};
use contexture_flow::condition::Condition;
use serde_json::{Value, json};
use std::hint::black_box;

const OURS: &str = "dependencies.inst_1.status == 'COMPLETED' AND dependencies.inst_1.result.score > 0.8 \
                    OR contains(dependencies.inst_2.result.text, 'done')";
const SIGNS: &str = "dependencies.inst_1.status == 'COMPLETED' && dependencies.inst_1.result.score > 0.8 \
                     || dependencies.inst_2.result.text.contains('done')";

fn context(score: f64) -> Value {
    let outcome = |n: usize, result: Value| {
        json!({"instructionId": format!("inst_{n}"), "status": "COMPLETED", "result": result, "executionTime": 12})
    };
    let text = "The nightly job read all of the rows, wrote the summary of the month, and then said that it was all done now.";
    json!({"dependencies": {
        "inst_1": outcome(1, json!({"score": score, "items": ["apple", "banana", "orange"], "source": "primary"})),
        "inst_2": outcome(2, json!({"count": 5, "text": text})),
        "inst_3": outcome(3, json!({"rows": [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}, {"a": 3, "b": "z"}]})),
        "inst_4": outcome(4, json!({"path": "/data/reports/2025/12/summary.md", "bytes": 18231})),
        "inst_5": outcome(5, json!({"analysis": {"trend": "up", "slope": 0.031, "confidence": 0.92}})),
    }})
}

fn by_hand(v: &Value) -> bool {
    let d = &v["dependencies"];
    (d["inst_1"]["status"] == "COMPLETED" && d["inst_1"]["result"]["score"].as_f64().is_some_and(|n| n > 0.8))
        || d["inst_2"]["result"]["text"].as_str().is_some_and(|text| text.contains("done"))
}

pub fn report() {
    println!("context {} bytes", context(0.93).to_string().len());
    for (name, score) in [("evaluate A (first clause)", 0.93), ("evaluate B (both clauses)", 0.5)] {
        let mut all = engines(&context(score));
        for engine in &mut all {
            assert!((engine.run)(), "{} says no", engine.name);
        }
        compare(name, all);
    }
    compare("parse", parsers());
    compare("make the context", contexts());
}

fn engines(value: &Value) -> Vec<Contender> {
    let condition = Condition::parse(OURS).unwrap();
    let (ours, hand) = (value.clone(), value.clone());
    let mut all = vec![
        Contender { name: "contexture", run: Box::new(move || condition.evaluate(black_box(&ours))) },
        Contender { name: "closure by hand", run: Box::new(move || by_hand(black_box(&hand))) },
    ];
    let env: &'static minijinja::Environment<'static> = Box::leak(Box::new(environment()));
    let words: &'static str = Box::leak(jinja().into_boxed_str());
    let expression = env.compile_expression(words).unwrap();
    let context = minijinja::Value::from(minijinja::value::Serde(value.clone()));
    all.push(Contender {
        name: "minijinja",
        run: Box::new(move || expression.eval(black_box(&context)).unwrap().is_true()),
    });
    let engine = rhai::Engine::new();
    let ast = engine.compile_expression(SIGNS.replace('\'', "\"")).unwrap();
    let mut scope = rhai::Scope::new();
    scope.push_dynamic("dependencies", rhai::serde::to_dynamic(&value["dependencies"]).unwrap());
    all.push(Contender {
        name: "rhai",
        run: Box::new(move || engine.eval_ast_with_scope::<bool>(black_box(&mut scope), &ast).unwrap()),
    });
    let tree = evalexpr::build_operator_tree::<evalexpr::DefaultNumericTypes>(&flat()).unwrap();
    let flat = flat_context(value);
    all.push(Contender {
        name: "evalexpr",
        run: Box::new(move || tree.eval_boolean_with_context(black_box(&flat)).unwrap()),
    });
    let program = cel::Program::compile(SIGNS).unwrap();
    let context = cel_context(value);
    all.push(Contender {
        name: "cel",
        run: Box::new(move || program.execute(black_box(&context)).unwrap() == cel::Value::Bool(true)),
    });
    all
}

fn environment() -> minijinja::Environment<'static> {
    minijinja::Environment::new()
}

fn jinja() -> String {
    OURS.replace("AND", "and").replace("OR ", "or ").replace(
        "contains(dependencies.inst_2.result.text, 'done')",
        "'done' in dependencies.inst_2.result.text",
    )
}

fn flat() -> String {
    let text = SIGNS.replace("dependencies.inst_2.result.text.contains('done')", "text_contains(dependencies.inst_2.result.text)");
    text.replace('\'', "\"")
}

fn flat_context(value: &Value) -> evalexpr::HashMapContext<evalexpr::DefaultNumericTypes> {
    use evalexpr::{ContextWithMutableFunctions, ContextWithMutableVariables};
    let mut context = evalexpr::HashMapContext::new();
    for (id, outcome) in value["dependencies"].as_object().unwrap() {
        for (key, inner) in std::iter::once(("status".to_owned(), &outcome["status"])).chain(
            outcome["result"].as_object().unwrap().iter().map(|(k, v)| (format!("result.{k}"), v)),
        ) {
            let name = format!("dependencies.{id}.{key}");
            let value = match inner {
                Value::String(text) => evalexpr::Value::String(text.clone()),
                Value::Number(number) => evalexpr::Value::Float(number.as_f64().unwrap()),
                other => evalexpr::Value::String(other.to_string()),
            };
            context.set_value(name, value).unwrap();
        }
    }
    let contains = evalexpr::Function::new(|value: &evalexpr::Value<evalexpr::DefaultNumericTypes>| {
        Ok(evalexpr::Value::Boolean(value.as_string()?.contains("done")))
    });
    context.set_function("text_contains".into(), contains).unwrap();
    context
}

fn cel_context(value: &Value) -> cel::Context<'static, 'static> {
    let mut context = cel::Context::default();
    context.add_variable("dependencies", &value["dependencies"]).unwrap();
    context
}

fn parsers() -> Vec<Contender> {
    let env: &'static minijinja::Environment<'static> = Box::leak(Box::new(environment()));
    let (engine, words, signs, flat) = (rhai::Engine::new(), jinja(), SIGNS.replace('\'', "\""), flat());
    vec![
        Contender { name: "contexture", run: Box::new(|| Condition::parse(black_box(OURS)).is_ok()) },
        Contender {
            name: "minijinja",
            run: Box::new(move || env.compile_expression(black_box(&words)).is_ok()),
        },
        Contender {
            name: "rhai",
            run: Box::new(move || engine.compile_expression(black_box(&signs)).is_ok()),
        },
        Contender {
            name: "evalexpr",
            run: Box::new(move || {
                evalexpr::build_operator_tree::<evalexpr::DefaultNumericTypes>(black_box(&flat)).is_ok()
            }),
        },
        Contender { name: "cel", run: Box::new(|| cel::Program::compile(black_box(SIGNS)).is_ok()) },
    ]
}

fn contexts() -> Vec<Contender> {
    let all: [Value; 5] = std::array::from_fn(|_| context(0.93));
    let [ours, jinja, rhai, flat, cel] = all;
    vec![
        Contender { name: "contexture (nothing to make)", run: Box::new(move || black_box(&ours).is_object()) },
        Contender {
            name: "minijinja",
            run: Box::new(move || minijinja::Value::from(minijinja::value::Serde(black_box(&jinja))).is_true()),
        },
        Contender {
            name: "rhai",
            run: Box::new(move || rhai::serde::to_dynamic(black_box(&rhai)).is_ok()),
        },
        Contender {
            name: "evalexpr",
            run: Box::new(move || {
                drop(black_box(flat_context(black_box(&flat))));
                true
            }),
        },
        Contender {
            name: "cel",
            run: Box::new(move || {
                drop(black_box(cel_context(black_box(&cel))));
                true
            }),
        },
    ]
}
