//! Knowledge packs in a run (AS-2, AS-15, KN-9): the packs that a call shows, and the methods that
//! query them.

use crate::support::{main_of, outcome};
use contexture_context::{Budget, Keep, Trust};
use contexture_script::host::{GenerateCall, HostError, Supplied};
use contexture_script::runtime::ScriptedHost;
use serde_json::json;

const IMPORTS: &str = "import knowledge Acme from \"knowledge://acme-brief\"\n\
                       import knowledge Wiki from \"knowledge://wiki\"\n\
                       import resource Docs from \"@?file://docs/*.md\"\n";

fn host() -> ScriptedHost {
    (0..9).fold(ScriptedHost::new(), |host, _| host.with_answer(json!("ok")))
}

fn calls(source: &str) -> Vec<GenerateCall> {
    let host = host();
    let outcome = outcome(source, json!({ "q": "Why?" }), &host);
    assert!(outcome.result.is_ok(), "{:?}", outcome.result);
    host.generate_calls()
}

#[test]
fn as_15_pack_is_requested_from_host_once_per_call() {
    let body = "use input.q as question\nuse Acme max 3k keep tail priority 3 as \"product facts\"\n\
                use Docs\nuse Wiki\nuse \"last\"\ngenerate({ input: \"x\" })\n\
                generate({ input: \"y\" })";
    let calls = calls(&format!("{IMPORTS}{}", main_of(body)));
    assert_eq!(calls.len(), 2);
    for call in &calls {
        let items: Vec<&str> = call.items.iter().map(|item| item.source.as_str()).collect();
        assert_eq!(items, ["input.q", "\"last\""]);
        let [acme, wiki] = call.packs.as_slice() else { panic!("{:?}", call.packs) };
        assert_eq!((acme.before, acme.resources_before), (1, 0));
        assert_eq!((wiki.before, wiki.resources_before), (1, 1));
        assert_eq!((&*acme.import.name, &*acme.import.pack), ("Acme", "acme-brief"));
        assert_eq!(acme.budget, Some(Budget::tokens(3000).keeping(Keep::Tail)));
        assert_eq!((acme.priority, acme.label.as_deref()), (3, Some("product facts")));
        assert_eq!(acme.position.line, 6);
        assert_eq!((wiki.label.as_deref(), wiki.budget, wiki.keep), (None, None, Keep::Head));
        assert_eq!(call.resources.len(), 1);
    }
}

#[test]
fn as_14_pack_of_agent_is_visible_only_to_functions_of_agent() {
    let source = format!(
        "{IMPORTS}agent Other {{ main func(x) {{ generate({{ input: \"o\" }}) }} }}\n\
         main agent A {{\n use Acme as facts\n main func(input) {{\n\
         if true {{ use Wiki as inner\n }}\n generate({{ input: \"x\" }})\n helper()\n Other(1)\n }}\n\
         func helper() {{ use Wiki as own\ngenerate({{ input: \"y\" }}) }}\n}}"
    );
    let calls = calls(&source);
    let packs = |call: &GenerateCall| -> Vec<String> {
        call.packs.iter().map(|used| used.import.pack.clone()).collect()
    };
    assert_eq!(packs(&calls[0]), ["acme-brief"]);
    assert_eq!(packs(&calls[1]), ["acme-brief", "wiki"]);
    assert_eq!(packs(&calls[2]), Vec::<String>::new());
}

#[test]
fn as_17_candidate_that_is_chosen_may_be_pack() {
    let of = |candidates: &str| {
        let body = format!("use one of {{ {candidates} }} as c\ngenerate({{ input: \"x\" }})");
        calls(&format!("{IMPORTS}{}", main_of(&body))).remove(0)
    };
    let acme = of("a: input.q b: Acme max 1k selected c: Docs");
    assert_eq!((acme.items.len(), acme.resources.len(), acme.packs.len()), (0, 0, 1));
    assert_eq!(acme.packs[0].budget, Some(Budget::tokens(1000)));
    let none = of("a: Acme b: empty selected");
    assert_eq!((none.items.len(), none.packs.len()), (0, 0));
}

#[test]
fn kn_9_pack_methods_return_values_with_trust_of_pack() {
    let found = json!({ "context": "The price is 5.", "tokens": 4, "missing": [] });
    let host = host()
        .with_knowledge("Acme.resolve", found)
        .with_knowledge("Acme.guide", json!({ "name": "acme-brief", "body": "Read me." }));
    let body = "found = Acme.resolve({ task: input.q, budget: \"3k\", evidence: true })\n\
                guide = Acme.guide()\nuse found.context as facts\nuse guide.body\n\
                generate({ input: \"x\" })\nfound.tokens + 1";
    let outcome = outcome(&format!("{IMPORTS}{}", main_of(body)), json!({ "q": "Price?" }), &host);
    assert_eq!(outcome.result, Ok(json!(5)));
    let asked = host.knowledge_calls();
    assert_eq!(asked[0].method, "resolve");
    assert_eq!(asked[0].import.pack, "acme-brief");
    let arguments = json!({ "task": "Price?", "budget": "3k", "evidence": true });
    assert_eq!(asked[0].arguments, arguments);
    assert_eq!((asked[1].method.as_str(), &asked[1].arguments), ("guide", &json!({})));
    let trusts: Vec<Trust> =
        host.generate_calls()[0].items.iter().map(|item| item.origin.trust).collect();
    assert_eq!(trusts, [Trust::Pack, Trust::Pack]);
    let kinds: Vec<String> =
        host.events().iter().map(|event| format!("{:?}", event.kind)).collect();
    assert_eq!(kinds.iter().filter(|kind| *kind == "Knowledge").count(), 4);
}

#[test]
fn kn_9_pack_may_be_queried_in_parallel_for() {
    let host = host().with_knowledge("Acme.resolve", json!({ "tokens": 1 })).with_waits(2);
    let body =
        "all = parallel for x in [1, 2, 3] max 3 { Acme.resolve({ task: \"t\" }).tokens }\nall";
    let outcome = outcome(&format!("{IMPORTS}{}", main_of(body)), json!({}), &host);
    assert_eq!(outcome.result, Ok(json!([1, 1, 1])));
    assert!(host.most_under_way() > 1);
}

#[test]
fn kn_8_refused_pack_is_catchable_failure() {
    let refused = HostError::new("knowledge_not_allowed", "`acme-brief` is a draft");
    let host = host().with_result("Acme.guide", Err(refused));
    let body = "try { Acme.guide() } else err { err.code + \": \" + err.message }";
    let source = format!("{IMPORTS}{}", main_of(body));
    let outcome = outcome(&source, json!({}), &host);
    assert_eq!(outcome.result, Ok(json!("knowledge_not_allowed: `acme-brief` is a draft")));
}

#[test]
fn as_20_trust_below_that_of_pack_is_kept() {
    let web = Supplied { value: json!("x"), label: Trust::Web.into(), ..Supplied::default() };
    let host = host().with_result("Acme.guide", Ok(web));
    let body = "guide = Acme.guide()\nuse guide\ngenerate({ input: \"x\" })";
    let source = format!("{IMPORTS}{}", main_of(body));
    assert!(outcome(&source, json!({}), &host).result.is_ok());
    assert_eq!(host.generate_calls()[0].items[0].origin.trust, Trust::Web);
}
