use super::*;
use crate::message::{ContentField, ToolCall, ToolDefinition};
use contexture_context::build::build_item;
use contexture_context::tokens::Words;
use contexture_context::{DeclaredItem, Trust};
use serde_json::json;

fn roles(messages: &[OpenaiChatMessage]) -> Vec<Role> {
    messages.iter().map(|message| message.role).collect()
}

fn assistant_calling(ids: &[&str]) -> OpenaiChatMessage {
    let calls = ids.iter().map(|id| ToolCall::function(*id, "now", "{}")).collect();
    OpenaiChatMessage { role: Role::Assistant, tool_calls: Some(calls), ..Default::default() }
}

fn item(index: usize, label: Option<&str>, value: &str, trust: Trust) -> ContextItem {
    let declared = DeclaredItem {
        label: label.map(str::to_owned),
        source: format!("source{index}"),
        position: None,
        value: value.into(),
        budget: None,
        keep: contexture_context::Keep::Head,
        priority: 0,
        question: None,
        origin: trust.into(),
        fence: None,
    };
    build_item(index, &declared, &Words).unwrap()
}

#[test]
fn pt_8_every_role_as_text_template_and_parts() {
    let template = PromptTemplate::compile("Hi {{name}}").unwrap();
    let ctx = TemplateContext::from_json(&json!({"name": "Ada"})).unwrap();
    let image = || OpenaiContentPart::image_url("https://x/y.png");
    let messages = PromptComposer::new()
        .system("s")
        .user("u")
        .assistant("a")
        .developer("d")
        .tool("c1", "t")
        .system_template(&template, &ctx)
        .unwrap()
        .user_template(&template, &ctx)
        .unwrap()
        .assistant_template(&template, &ctx)
        .unwrap()
        .developer_template(&template, &ctx)
        .unwrap()
        .tool_template("c2", &template, &ctx)
        .unwrap()
        .system_content(image())
        .user_content(OpenaiContentPart::input_audio("AAAA", "wav"))
        .assistant_content(image())
        .developer_content(OpenaiContentPart::file_id("f1"))
        .tool_content("c3", image())
        .system_contents(vec!["a".into(), image()])
        .user_contents(vec!["a".into(), image()])
        .assistant_contents(vec!["a".into(), image()])
        .developer_contents(vec!["a".into(), image()])
        .tool_contents("c4", vec!["a".into(), image()])
        .build();
    let five = [Role::System, Role::User, Role::Assistant, Role::Developer, Role::Tool];
    assert_eq!(roles(&messages), five.repeat(4));
    assert!(messages[5..10].iter().all(|message| message.text() == "Hi Ada"));
    assert_eq!(messages[11].parts(), [OpenaiContentPart::input_audio("AAAA", "wav")]);
    assert_eq!(messages[16].parts(), [OpenaiContentPart::text("a"), image()]);
    let ids: Vec<_> = messages.iter().filter_map(|one| one.tool_call_id.as_deref()).collect();
    assert_eq!(ids, ["c1", "c2", "c3", "c4"]);
}

#[test]
fn pt_8_template_error_ends_chain() {
    let template = PromptTemplate::compile("{{gone}}").unwrap();
    let error =
        PromptComposer::new().user_template(&template, &TemplateContext::new()).unwrap_err();
    assert!(matches!(error, PromptError::VariableNotFound(name) if name == "gone"));
}

#[test]
fn pt_8_with_name_names_last_message() {
    let names = |composer: PromptComposer| -> Vec<Option<String>> {
        composer.build().into_iter().map(|message| message.name).collect()
    };
    let some = |name: &str| Some(name.to_owned());
    let composer =
        PromptComposer::new().user("a").with_name("ada").user("b").assistant("c").with_name("bot");
    assert_eq!(names(composer), [some("ada"), None, some("bot")]);
    let composer = PromptComposer::new().with_name("x").with_name("first").user("a").user("b");
    assert_eq!(names(composer), [some("first"), None]);
    let composer = PromptComposer::new().user("a").with_name("one").with_name("two");
    assert_eq!(names(composer), [some("two")]);
    let history = PromptComposer::new().user("a").build();
    assert_eq!(
        names(PromptComposer::from_messages(history).with_name("old").user("b")),
        [some("old"), None]
    );
    assert_eq!(PromptComposer::new().with_name("nobody").build(), []);
}

#[test]
fn pt_8_build_request_leaves_options_open() {
    let req = PromptComposer::from_messages(vec![OpenaiChatMessage::of_text(Role::System, "s")])
        .user("u")
        .build_request("gpt-4o");
    assert_eq!(roles(&req.messages), [Role::System, Role::User]);
    assert_eq!((&req.tools, req.temperature, req.max_tokens), (&None, None, None));
    let tool = ToolDefinition::function("now", "the time", json!({"type": "object"}));
    let req = OpenaiChatRequest { tools: Some(vec![tool]), ..req };
    assert_eq!(req.tools.unwrap()[0].name(), "now");
}

#[test]
fn pt_9_text_messages_are_arrays_of_one_text() {
    for message in PromptComposer::new()
        .system("a")
        .user("a")
        .assistant("a")
        .developer("a")
        .tool("i", "a")
        .build()
    {
        assert_eq!(message.content, Some(ContentField::Array(vec![OpenaiContentPart::text("a")])));
    }
}

#[test]
fn pt_10_valid_sequences() {
    let ok = |composer: PromptComposer| validate_messages(&composer.build()).unwrap();
    ok(PromptComposer::new().user("u"));
    ok(PromptComposer::new()
        .system("a")
        .system("b")
        .developer("c")
        .developer("d")
        .user("u")
        .assistant("a")
        .user("u"));
    ok(PromptComposer::new()
        .user("u")
        .message(assistant_calling(&["c1", "c2"]))
        .tool("c2", "two")
        .tool("c1", "one")
        .assistant("done"));
    ok(PromptComposer::new().assistant("starts").user("u"));
}

#[test]
fn pt_10_invalid_sequences_name_index_and_rule() {
    let call = || PromptComposer::new().user("u").message(assistant_calling(&["c1", "c2"]));
    for (composer, wanted) in [
        (PromptComposer::new(), "there are no messages"),
        (PromptComposer::new().user("a").user("b"), "message 1 is a second user message in a row"),
        (
            PromptComposer::new().user("u").assistant("a").assistant("b"),
            "message 2 is a second assistant message",
        ),
        (
            PromptComposer::new().tool("c1", "t"),
            "message 0 is a tool message, but no assistant message",
        ),
        (PromptComposer::new().user("u").tool("c1", "t"), "message 1 is a tool message"),
        (
            PromptComposer::new().assistant("no calls").tool("c1", "t"),
            "message 1 is a tool message",
        ),
        (
            call().tool("c3", "t"),
            "message 2 answers the tool call `c3`, which the assistant message 1 does not make; its calls are `c1`, `c2`",
        ),
        (
            call().tool("c1", "t"),
            "message 1 calls the tool `c2`, which is not answered before the end",
        ),
        (
            call().tool("c1", "t").user("u"),
            "message 1 calls the tool `c2`, which is not answered before message 3 (user)",
        ),
        (
            call().tool("c1", "t").tool("c1", "t"),
            "message 3 answers the tool call `c1` of message 1 a second time",
        ),
        (
            call().tool("c1", "t").tool("c2", "t").assistant("a").tool("c1", "t"),
            "message 5 is a tool message",
        ),
        (
            PromptComposer::new()
                .message(OpenaiChatMessage { role: Role::User, ..assistant_calling(&["c"]) }),
            "message 0 (user) calls tools",
        ),
        (
            call().message(OpenaiChatMessage::of_text(Role::Tool, "t")),
            "message 2 is a tool message without a tool_call_id",
        ),
    ] {
        let error = validate_messages(&composer.build()).unwrap_err();
        assert!(
            matches!(&error, PromptError::InvalidSequence(why) if why.contains(wanted)),
            "{error}"
        );
        assert!(error.help().is_some(), "{error}");
    }
}

#[test]
fn pt_10_each_breach_has_own_fix() {
    let call = |id: &str| PromptComposer::new().user("u").message(assistant_calling(&[id]));
    for (composer, wanted) in [
        (PromptComposer::new(), "begin with"),
        (PromptComposer::new().user("a").user("b"), "join the two messages"),
        (PromptComposer::new().tool("in a row", "t"), "`assistant` with `tool_calls` before"),
        (call("a second time").tool("in a row", "t"), "the id of one of these calls"),
        (call("in a row"), "`tool` with this `tool_call_id` after"),
        (call("c").tool("c", "t").tool("c", "t"), "remove one of the two answers"),
        (
            call("c").message(OpenaiChatMessage::of_text(Role::Tool, "t")),
            "of the call that it answers",
        ),
        (
            PromptComposer::new()
                .message(OpenaiChatMessage { role: Role::User, ..assistant_calling(&["c"]) }),
            "move `tool_calls`",
        ),
    ] {
        let error = validate_messages(&composer.build()).unwrap_err();
        assert!(error.help().is_some_and(|help| help.contains(wanted)), "{error}: {wanted}");
    }
}

#[test]
fn pt_11_context_items_are_one_section() {
    let items =
        [item(0, Some("question"), "why so", Trust::User), item(1, None, "a page", Trust::Web)];
    let composer = PromptComposer::new().system("s").context(&items).assistant("ok");
    let report = composer.tokens(&Words);
    let messages = composer.build();
    assert_eq!(
        messages[1].text(),
        "Context:\n[question]\nsource: source0\nwhy so\n\n[1]\nsource: source1\n<untrusted_data trust=\"web\">\na page\n</untrusted_data>"
    );
    assert_eq!(PromptComposer::new().context(&[]).build(), []);
    assert_eq!(report.messages.len(), 3);
    assert_eq!(report.total, report.messages.iter().map(|one| one.tokens).sum::<u64>());
    assert_eq!((report.messages[0].tokens, report.messages[2].tokens), (1, 1));
    let found: Vec<_> = report
        .items
        .iter()
        .map(|one| (one.message, one.label.as_deref(), one.source.as_str(), one.tokens))
        .collect();
    assert_eq!(
        found,
        [(1, Some("question"), "source0", items[0].tokens), (1, None, "source1", items[1].tokens)]
    );
    assert!(report.items[0].section_tokens > report.items[0].tokens);
}

#[test]
fn pt_11_whole_prompts_and_other_parts_are_counted() {
    let items = [item(0, None, "a fact", Trust::Program)];
    let parts = PromptParts {
        role: Some("a clerk"),
        items: &items,
        instruction: "Go on",
        ..Default::default()
    };
    let composer = PromptComposer::new()
        .user_content(OpenaiContentPart::image_url("https://x"))
        .assistant("ok")
        .prompt(&parts);
    let report = composer.tokens(&Words);
    assert_eq!(report.items[0].message, 3);
    assert_eq!(report.items[0].tokens, 2);
    assert!(report.messages[0].has_other_parts);
    let messages = composer.build();
    assert_eq!(roles(&messages), [Role::User, Role::Assistant, Role::System, Role::User]);
    assert_eq!(messages[3].text(), "Context:\n[0]\nsource: source0\na fact\n\nInstruction:\nGo on");
}

#[test]
fn pt_8_message_of_no_parts_has_no_content() {
    let messages = PromptComposer::new().user("u").assistant_contents(vec![]).build();
    assert_eq!(messages[1].content, None);
    assert_eq!(
        serde_json::to_value(&messages[1]).unwrap(),
        serde_json::json!({"role": "assistant"})
    );
}
