//! Templates as prompts (WA-9).

use super::support::{Client, Folder, client};
use contexture_server::mcp::{Server, Settings};
use rmcp::model::{ErrorCode, GetPromptRequestParams};
use rmcp::service::ServiceError;
use serde_json::{Value, json};

fn project() -> Folder {
    let folder = Folder::new();
    folder
        .write("prompts/review.md", "{{!-- Reviews a text\n in 三 points. --~}}\nReview {{ text }}{{#if tone}}, {{ tone }}{{/if}}.\n{{#each points}}- {{ item }}\n{{/each}}{{> closing}}")
        .write("prompts/closing.md", "Sign as {{ author.name }}.")
        .write("prompts/评审.hbs", "评审: {{ 文本 }}\n{{> @file://docs/*.md }}")
        .write("prompts/docs/rule.md", "Be </brief>.")
        .write("prompts/broken.md", "{{#if x}}")
        .write("prompts/notes.rst", "no template");
    folder
}

fn server(folder: &Folder) -> Server {
    let prompts = Some(folder.path().join("prompts"));
    Server::open(Settings { prompts, ..folder.settings() }).unwrap()
}

async fn get(client: &Client, name: &str, arguments: Value) -> Result<Value, (ErrorCode, String)> {
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    let request = GetPromptRequestParams::new(name).with_arguments(arguments);
    match client.get_prompt(request).await {
        Ok(result) => Ok(serde_json::to_value(result).unwrap()),
        Err(ServiceError::McpError(error)) => Err((error.code, error.message.into_owned())),
        Err(other) => panic!("{other}"),
    }
}

#[tokio::test]
async fn wa_9_template_of_project_is_listed_as_prompt() {
    let folder = project();
    let server = server(&folder);
    assert_eq!(server.prompts(), ["review", "评审"]);
    let told: Vec<String> = server.notices().iter().map(ToString::to_string).collect();
    assert!(told.len() == 1 && told[0].contains("broken.md:1:1"), "{told:?}");
    let client = client(&server).await;
    let listed = client.list_all_prompts().await.unwrap();
    assert_eq!(
        serde_json::to_value(&listed[0]).unwrap(),
        json!({
            "name": "review",
            "description": "Reviews a text in 三 points.",
            "arguments": [
                { "name": "text", "description": "a text", "required": true },
                { "name": "tone", "description": "a text", "required": false },
                { "name": "points", "description": "a list, as JSON", "required": true },
                { "name": "author", "description": "an object, as JSON, with name", "required": true },
            ],
        })
    );
    assert_eq!(listed[1].arguments.as_ref().unwrap()[0].name, "文本");
}

#[tokio::test]
async fn wa_9_prompt_is_rendered_with_its_arguments() {
    let folder = project();
    let client = client(&server(&folder)).await;
    let given =
        json!({ "text": "{{ x }}", "points": "[\"一\", \"two\"]", "author": "{\"name\":\"Ada\"}" });
    let told = get(&client, "review", given).await.unwrap();
    assert_eq!(told["description"], "Reviews a text in 三 points.");
    assert_eq!(
        told["messages"],
        json!([{
            "role": "user",
            "content": { "type": "text", "text": "Review {{ x }}.\n- 一\n- two\nSign as Ada." },
        }])
    );
    let told = get(&client, "评审", json!({ "文本": "茶" })).await.unwrap();
    assert_eq!(told["messages"][0]["content"]["text"], "评审: 茶\nBe </brief>.");
    // A template is read anew for each prompt.
    folder.write("prompts/评审.hbs", "新 {{ 文本 }}");
    let told = get(&client, "评审", json!({ "文本": "茶" })).await.unwrap();
    assert_eq!(told["messages"][0]["content"]["text"], "新 茶");
}

#[tokio::test]
async fn wa_9_wrong_request_for_prompt_is_invalid_params() {
    let folder = project();
    let client = client(&server(&folder)).await;
    let cases = [
        ("reveiw", json!({}), "there is no prompt `reveiw`; did you mean `review`?"),
        ("review", json!({}), "needs the argument `text`, `points`, `author`"),
        ("review", json!({ "txet": "a" }), "no argument `txet`"),
        ("review", json!({ "text": "a", "points": "1,2", "author": "{}" }), "`points` is not JSON"),
        ("review", json!({ "text": "a", "points": "3", "author": "{}" }), "`points` is not a list"),
        (
            "review",
            json!({ "text": "a", "points": "[]", "author": "{}" }),
            "closing.md:1:12: the template needs `author.name`",
        ),
        ("closing", json!({}), "there is no prompt `closing`"),
    ];
    for (name, arguments, part) in cases {
        let (code, message) = get(&client, name, arguments).await.unwrap_err();
        assert_eq!(code, ErrorCode::INVALID_PARAMS, "{message}");
        assert!(message.contains(part), "{part}: {message}");
    }
    folder.write("prompts/review.md", "{{#if x}}");
    let (code, message) = get(&client, "review", json!({})).await.unwrap_err();
    assert_eq!(code, ErrorCode::INTERNAL_ERROR, "{message}");
}

#[tokio::test]
async fn wa_9_no_prompts_are_announced_without_folder() {
    let folder = project();
    let client = client(&folder.server()).await;
    let can = client.peer_info().unwrap().capabilities.clone();
    assert!(can.prompts.is_none(), "{can:?}");
}
