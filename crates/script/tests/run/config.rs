//! AS-1: `model`, `role`, `description` are scoped.

use crate::support::{failure_of, outcome};
use contexture_script::runtime::ScriptedHost;
use serde_json::json;

type Seen = (Option<String>, Option<String>, Option<String>);

fn seen(source: &str) -> Vec<Seen> {
    let host = (0..20).fold(ScriptedHost::new(), |host, _| host.with_answer(json!("ok")));
    let outcome = outcome(source, json!({}), &host);
    assert!(outcome.result.is_ok(), "{:?}", outcome.result);
    host.generate_calls()
        .into_iter()
        .map(|call| (call.model.map(|model| model.to_string()), call.role, call.description))
        .collect()
}

fn set(model: &str, role: &str, description: &str) -> Seen {
    let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    (given(model), given(role), given(description))
}

#[test]
fn as_1_nearest_setting_wins() {
    let source = "
        import llm Big from \"openai://big\"
        import llm Small from \"openai://small\"
        model Big
        role \"file\"
        agent Plain { main func(input) { generate({ input: \"x\" }) } }
        main agent {
            role \"agent\" description \"first\"
            description \"second\"
            main func(input) {
                generate({ input: \"1\" })
                model Small
                generate({ input: \"2\" })
                if true {
                    role \"block\"
                    generate({ input: \"3\" })
                    role \"later\" model Big
                    generate({ input: \"4\" })
                }
                generate({ input: \"5\" })
                Plain(1)
            }
        }";
    assert_eq!(
        seen(source),
        [
            set("openai://big", "agent", "second"),
            set("openai://small", "agent", "second"),
            set("openai://small", "block", "second"),
            set("openai://big", "later", "second"),
            set("openai://small", "agent", "second"),
            set("openai://big", "file", ""),
        ]
    );
}

#[test]
fn as_1_settings_are_lexical_not_inherited_by_callees() {
    let source = "
        func helper() { generate({ input: \"x\" }) }
        main agent { role \"agent\" main func(input) { role \"inner\" helper() } }";
    assert_eq!(seen(source), [set("", "", "")]);
}

#[test]
fn as_1_unknown_model_is_reported_at_call() {
    let error = failure_of("main func(input) {\nmodel Nope\ngenerate({ input: \"x\" })\n}");
    assert_eq!(
        (error.code.as_str(), error.message.as_str()),
        ("AS9001", "use of undefined model `Nope`")
    );
}
