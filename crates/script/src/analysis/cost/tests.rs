use super::cost;
use crate::analysis::check;
use crate::host::{LoadedSource, MemoryLoader, NamedModel};
use crate::program::load;
use crate::semantic::ceiling::{CostFacts, KnownModel};
use contexture_context::Limits;
use contexture_core::profile::{Money, Price, Profile};

/// Dollars for a token: 2 for a prompt, 10 for an answer, in millionths.
fn known(model: Option<&NamedModel>) -> KnownModel {
    let uri = model.map_or("openai://priced".to_owned(), ToString::to_string);
    let money = |dollars: f64| Money::of_dollars(dollars / 1e6).unwrap();
    let price = Price { input: money(2.0), cached: money(1.0), output: money(10.0) };
    let profile = match uri.as_str() {
        "openai://priced" => Profile { price: Some(price), ..Profile::default() },
        "openai://sized" => Profile {
            window: Some(10_000),
            max_output: Some(1_000),
            price: Some(price),
            ..Profile::default()
        },
        _ => Profile::default(),
    };
    KnownModel { uri, profile, is_exact: true }
}

fn facts(text: &str) -> CostFacts {
    facts_of(text, &[])
}

fn facts_of(text: &str, files: &[(&str, &str)]) -> CostFacts {
    let loader = files.iter().fold(MemoryLoader::new(), |all, (name, text)| all.with(*name, *text));
    let root = LoadedSource { name: "main.as".to_owned(), text: text.to_owned() };
    let program = load(root, &loader, &Limits::default());
    let faults = check(&program);
    assert!(!faults.iter().any(|fault| fault.code.starts_with("AS1")), "{faults:?}");
    cost(&program, (None, None), &known)
}

/// Calls, tokens in and out, and millionths of a dollar.
fn total(text: &str) -> (Option<u64>, Option<u64>, Option<u64>, Option<f64>) {
    let total = facts(text).total;
    let money = total.money.map(|money| (money.dollars() * 1e6).round());
    (total.calls, total.input, total.output, money)
}

const ASK: &str = "generate({ input: \"a\", max_input: 1000, max_output: 100 }) -> { a string }";

fn main_of(body: &str) -> String {
    format!("main func(input) {{\n{}\n}}\n", body.replace("ASK", ASK))
}

fn reasons(text: &str) -> Vec<String> {
    let root = contexture_diagnostic::SourceFile::new("main.as", text);
    let facts = facts(text);
    facts
        .unbounded
        .iter()
        .map(|one| format!("{}: {}", root.position(one.span.start).line, one.reason))
        .collect()
}

#[test]
fn ca_5_one_call_costs_what_its_options_allow() {
    assert_eq!(total(&main_of("ASK")), (Some(1), Some(1_000), Some(100), Some(3_000.0)));
    assert_eq!(total(&main_of("1 + 1")), (Some(0), Some(0), Some(0), Some(0.0)));
}

#[test]
fn ca_5_calls_one_after_the_other_add_up_and_of_branches_the_dearest_counts() {
    assert_eq!(total(&main_of("a = ASK\nb = ASK\na")).0, Some(2));
    let text =
        main_of("if input.a { x = ASK\ny = ASK } else if input.b { x = ASK } else { x = 1 }\n1");
    assert_eq!(total(&text).0, Some(2));
    let tests = main_of("if ASK.a == \"x\" { x = 1 } else if ASK.a == \"y\" { x = ASK }\n1");
    assert_eq!(total(&tests).0, Some(3), "each condition may be tested");
    let tried = main_of("try { ASK } else err { ASK }");
    assert_eq!(total(&tried).0, Some(2), "what fails was paid for");
}

#[test]
fn ca_5_loops_multiply_by_their_bounds() {
    assert_eq!(total(&main_of("repeat * 3 { x = ASK }\n1")).0, Some(3));
    assert_eq!(total(&main_of("for i in input.list max 2 + 3 { x = ASK }\n1")).0, Some(5));
    assert_eq!(total(&main_of("for i in [1, 2] max 9 { x = ASK }\n1")).0, Some(2));
    assert_eq!(total(&main_of("parallel for i in input.list max 4 { ASK }")).0, Some(4));
    let nested = main_of("repeat * 3 { for i in input.list max 4 { x = ASK } }\n1");
    assert_eq!(total(&nested), (Some(12), Some(12_000), Some(1_200), Some(36_000.0)));
    let until = main_of("loop until ASK.a == \"x\" max 3 { y = ASK }\n1");
    assert_eq!(total(&until).0, Some(7), "the condition is tested once more than the body runs");
    assert_eq!(total(&main_of("repeat * 0 { x = ASK }\n1")).0, Some(0));
}

#[test]
fn ca_5_bound_that_the_input_decides_is_unbounded_and_named_with_its_line() {
    let text = main_of("for i in input.list max input.n { x = ASK }\n1");
    assert_eq!(total(&text), (None, None, None, None));
    assert_eq!(reasons(&text).len(), 1);
    assert!(reasons(&text)[0].starts_with("2: the bound of the loop"), "{:?}", reasons(&text));
    let idle = main_of("for i in input.list max input.n { x = 1 }\n1");
    assert_eq!((total(&idle).0, reasons(&idle).len()), (Some(0), 0), "it asks no model");
}

#[test]
fn ca_5_attempts_and_ranges_of_max_output_and_rounds_of_tools_count() {
    let ask = |options: &str| {
        main_of(&format!(
            "generate({{ input: \"a\", max_input: 1000, {options} }}) -> {{ a string }}"
        ))
    };
    let three = total(&ask("max_output: 100, attempts: 3"));
    assert_eq!(three, (Some(3), Some(3_000), Some(300), Some(9_000.0)));
    let range = total(&ask("max_output: 100 to 350, attempts: 4"));
    assert_eq!(range.2, Some(100 + 200 + 350 + 350));
    let tools = format!(
        "import tool Grep from \"sh://grep\"\n{}",
        ask("max_output: 100, attempts: 2, tools: [Grep]")
    );
    assert_eq!(total(&tools), (Some(18), Some(18_000), Some(1_800), Some(54_000.0)));
    assert_eq!(total(&ask("max_output: 100, tools: []")).0, Some(1));
    let open = ask("max_output: 100, attempts: input.n");
    assert_eq!(total(&open).0, None);
    assert!(reasons(&open)[0].contains("`attempts`"), "{:?}", reasons(&open));
}

#[test]
fn ca_5_profile_bounds_what_the_program_does_not_and_nothing_else_does() {
    let open = main_of("generate({ input: \"a\" }) -> { a string }");
    assert_eq!(total(&open), (Some(1), None, None, None));
    let told = reasons(&open);
    assert!(told[0].starts_with("2: nothing bounds its prompt: give `max_input`"), "{told:?}");
    assert!(told[1].starts_with("2: nothing bounds its answer: give `max_output`"), "{told:?}");
    let sized = "import llm Sized from \"openai://sized\"\nmodel Sized\n".to_owned() + &open;
    assert_eq!(total(&sized), (Some(1), Some(9_000), Some(1_000), Some(28_000.0)));
    let unpriced =
        "import llm Free from \"openai://free\"\nmodel Free\n".to_owned() + &main_of("ASK");
    assert_eq!(total(&unpriced), (Some(1), Some(1_000), Some(100), None));
    assert!(reasons(&unpriced).is_empty());
}

#[test]
fn ca_5_functions_count_each_time_they_are_called_and_recursion_is_unbounded() {
    let twice = format!("func ask(x) {{ ASK }}\n{}", main_of("a = ask(1)\nb = ask(2)\na"));
    let facts = facts(&twice.replace("ASK", ASK));
    assert_eq!(facts.total.calls, Some(2));
    assert_eq!(facts.sites.len(), 1);
    assert_eq!((facts.sites[0].each.calls, facts.sites[0].times), (Some(1), Some(2)));
    let unused = format!("func ask(x) {{ ASK }}\n{}", main_of("1")).replace("ASK", ASK);
    assert_eq!(total(&unused).0, Some(0));
    let again =
        format!("func ask(x) {{\n if x > 0 {{ y = ask(x - 1) }}\nASK\n}}\n{}", main_of("ask(9)"));
    let again = again.replace("ASK", ASK);
    assert_eq!(total(&again), (None, None, None, None));
    assert!(reasons(&again)[0].starts_with("2: `ask` calls itself"), "{:?}", reasons(&again));
    let mutual =
        format!("func a(x) {{ b(x) }}\nfunc b(x) {{ y = ASK\na(x) }}\n{}", main_of("a(9)"));
    assert_eq!(total(&mutual.replace("ASK", ASK)).0, None);
    for recursive in [again, mutual.replace("ASK", ASK)] {
        let site = &facts_of(&recursive, &[]).sites[0];
        assert_eq!((site.each.calls, site.times), (Some(1), None), "{recursive}");
    }
    let harmless = format!("func a(x) {{ if x > 0 {{ a(x - 1) }} }}\n{}", main_of("a(9)\nASK"));
    assert_eq!(total(&harmless).0, Some(1));
    let mapped = format!("func ask(x) {{ ASK }}\n{}", main_of("input.list.map(ask)"));
    assert_eq!(total(&mapped.replace("ASK", ASK)).0, None);
}

#[test]
fn ca_5_uses_count_with_each_call_that_sees_them_and_models_by_their_block() {
    let used =
        format!("func ask(x) {{ ASK }}\n{}", main_of("use ask(1) as a\nx = ASK\ny = ASK\nx"));
    assert_eq!(total(&used.replace("ASK", ASK)).0, Some(4));
    let text = "import llm Sized from \"openai://sized\"\nimport llm Free from \"openai://free\"\n\
                main agent A {\n model Sized\n main func(input) {\n if input.a { model Free\nx = ASK }\nASK\n}\n}\n";
    let facts = facts(&text.replace("ASK", ASK));
    let models: Vec<&str> = facts.sites.iter().map(|site| site.model.as_str()).collect();
    assert_eq!(models, ["openai://free", "openai://sized"]);
}

#[test]
fn ca_5_agents_of_other_files_count() {
    let lib = format!("agent Worker {{ main func(x) {{ {ASK} }} }}");
    let text = format!(
        "import agent Worker from \"./lib.as\"\n{}",
        main_of("repeat * 2 { x = Worker(1) }\n1")
    );
    let facts = facts_of(&text, &[("lib.as", &lib)]);
    assert_eq!(facts.total.calls, Some(2));
    assert_eq!(facts.sites[0].file, "lib.as");
}

#[test]
fn ca_5_reference_in_a_text_lets_the_model_load_resources() {
    let text = main_of(
        "generate({ input: \"see @file://a.md\", max_input: 10, max_output: 5 }) -> { a string }",
    );
    assert_eq!(total(&text).0, Some(9));
}

#[test]
fn ca_5_plan_is_unbounded() {
    let text = format!(
        "import tool Grep from \"sh://grep\"\n{}",
        main_of(
            "generate({ input: \"a\", max_input: 9, max_output: 9, tools: [Grep], plan: true })"
        )
    );
    assert_eq!(total(&text).0, None);
    assert!(reasons(&text)[0].contains("a plan decides"), "{:?}", reasons(&text));
}
