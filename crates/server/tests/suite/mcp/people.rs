//! Questions to the person at a client, and calls as tasks (WA-9).

use super::support::{Folder, bad, connect, good};
use contexture_server::mcp::{Server, Settings, stdio};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ClientConfig,
    DetailedTask, ElicitRequestParams, ElicitResult, ElicitationAction, GetTaskParams,
    Implementation, ProtocolVersion, TaskPayload,
};
use rmcp::service::{
    ClientLifecycleMode, RequestContext, RunningService, serve_client_with_lifecycle,
};
use rmcp::{ClientHandler, RoleClient};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// A person at a client, who says the same to everything and remembers the questions.
#[derive(Clone)]
struct Person {
    says: (ElicitationAction, Value),
    asked: Arc<Mutex<Vec<Value>>>,
    can: ClientCapabilities,
}

impl Person {
    fn new(action: ElicitationAction, content: Value) -> Self {
        let can = ClientCapabilities::builder().enable_elicitation().build();
        Self { says: (action, content), asked: Arc::default(), can }
    }

    fn who_allows() -> Self {
        Self::new(ElicitationAction::Accept, json!({ "allow": true }))
    }

    fn asked(&self) -> Vec<Value> {
        self.asked.lock().unwrap().clone()
    }
}

impl ClientHandler for Person {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(self.can.clone(), Implementation::new("person", "1"))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, rmcp::ErrorData> {
        self.asked.lock().unwrap().push(serde_json::to_value(request).unwrap());
        let (action, content) = self.says.clone();
        Ok(ElicitResult::new(action).with_content(content))
    }
}

/// Programs that write where a file says, which needs a person's yes.
fn programs() -> Folder {
    let folder = Folder::new();
    folder
        .write("page.txt", "kept.txt")
        .write(
            "agents/keep.as",
            "import tool File from \"file://workspace\"\nmain func() {\n  File.write({ path: File.read({ path: \"page.txt\" }), content: \"茶\" })\n  \"kept\"\n}\n",
        )
        .write(
            "agents/twice.as",
            "import tool File from \"file://workspace\"\nmain func() {\n  page = File.read({ path: \"page.txt\" })\n  File.write({ path: page, content: \"a\" })\n  File.write({ path: page, content: \"b\" })\n  \"twice\"\n}\n",
        )
        .write("agents/add.as", "main func(a integer) { a + 1 }\n");
    folder
}

/// A client of the protocol without `initialize`.
async fn connect_newest(person: Person, server: &Server) -> RunningService<RoleClient, Person> {
    let (theirs, ours) = tokio::io::duplex(1 << 20);
    let server = server.clone();
    tokio::spawn(async move {
        let streams = tokio::io::split(ours);
        stdio::serve_on(&server, streams, std::future::pending()).await.unwrap();
    });
    let newest =
        ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::LATEST] };
    serve_client_with_lifecycle(person, theirs, newest).await.unwrap()
}

async fn keep<C: ClientHandler>(client: &RunningService<RoleClient, C>) -> CallToolResult {
    client.call_tool(CallToolRequestParams::new("keep")).await.unwrap()
}

fn kept(folder: &Folder) -> Option<String> {
    std::fs::read_to_string(folder.path().join("kept.txt")).ok()
}

#[tokio::test]
async fn wa_9_person_at_client_is_asked_what_policy_wants_a_yes_for() {
    let folder = programs();
    let person = Person::who_allows();
    let client = connect(person.clone(), &folder.server()).await;
    assert_eq!(good(&keep(&client).await), "kept");
    assert_eq!(kept(&folder).as_deref(), Some("茶"));
    let asked = person.asked();
    assert_eq!(asked.len(), 1, "{asked:?}");
    assert_eq!(asked[0]["mode"], "form");
    let message = asked[0]["message"].as_str().unwrap();
    assert!(message.starts_with("Allow `file.write`?"), "{message}");
    assert!(message.contains("\nIt is influenced by:\n- "), "{message}");
    assert!(
        message.contains("\npath: \"kept.txt\"") && message.contains("content: \"茶\""),
        "{message}"
    );
    let schema = &asked[0]["requestedSchema"];
    assert_eq!(schema["required"], json!(["allow"]));
    assert_eq!(schema["properties"]["allow"]["type"], "boolean");
}

#[tokio::test]
async fn wa_9_decline_and_cancel_of_question_refuse_the_effect() {
    for (action, content, part) in [
        (ElicitationAction::Decline, json!({}), "did not allow `file.write`"),
        (ElicitationAction::Cancel, json!({}), "gave no answer"),
        (ElicitationAction::Accept, json!({ "allow": false }), "did not allow `file.write`"),
    ] {
        let folder = programs();
        let client = connect(Person::new(action, content), &folder.server()).await;
        let result = keep(&client).await;
        let (code, text) = bad(&result);
        assert!(code == "PERMISSION_DENIED" && text.contains(part), "{code} {text}");
        assert_eq!(kept(&folder), None);
    }
}

#[tokio::test]
async fn wa_9_client_that_cannot_ask_gets_refusal_of_policy() {
    let folder = programs();
    let person = Person { can: ClientCapabilities::default(), ..Person::who_allows() };
    let client = connect(person.clone(), &folder.server()).await;
    assert_eq!(bad(&keep(&client).await).0, "POLICY_DENIED");
    assert_eq!((person.asked().len(), kept(&folder)), (0, None));
}

#[tokio::test]
async fn wa_9_newest_protocol_asks_person_by_result_and_second_request() {
    let folder = programs();
    let server = folder.server();
    let person = Person::who_allows();
    let client = connect_newest(person.clone(), &server).await;
    let request = CallToolRequestParams::new("twice");
    assert_eq!(good(&client.call_tool(request).await.unwrap()), "twice");
    assert_eq!(person.asked().len(), 2);
    assert_eq!(kept(&folder).as_deref(), Some("b"));

    let request = CallToolRequestParams::new("twice");
    let CallToolResponse::InputRequired(asked) = client.call_tool_once(request).await.unwrap()
    else {
        panic!("no question")
    };
    let state = asked.request_state.unwrap();
    // The state belongs to the call of one tool.
    let mut other = CallToolRequestParams::new("add");
    other.request_state = Some(state.clone());
    let refused = client.call_tool_once(other).await.unwrap_err().to_string();
    assert!(refused.contains("no call of this tool waits"), "{refused}");
    let mut again = CallToolRequestParams::new("twice");
    let key = asked.input_requests.unwrap().into_keys().next().unwrap();
    again.input_responses = Some([(key, json!({ "action": "decline" }))].into());
    again.request_state = Some(state);
    let CallToolResponse::Complete(result) = client.call_tool_once(again).await.unwrap() else {
        panic!("no result")
    };
    assert_eq!(bad(&result).0, "PERMISSION_DENIED");
    let calm = call_plain(&client, "add", json!({ "a": 41 })).await;
    assert_eq!(good(&calm), "42");
}

async fn call_plain<C: ClientHandler>(
    client: &RunningService<RoleClient, C>,
    tool: &'static str,
    arguments: Value,
) -> CallToolResult {
    let arguments = arguments.as_object().cloned().unwrap();
    client.call_tool(CallToolRequestParams::new(tool).with_arguments(arguments)).await.unwrap()
}

/// A client that knows tasks, and asks for nothing by itself.
async fn with_tasks(person: &mut Person, server: &Server) -> RunningService<RoleClient, Person> {
    person.can = ClientCapabilities::builder().enable_elicitation().enable_tasks().build();
    connect_newest(person.clone(), server).await
}

async fn begun(
    client: &RunningService<RoleClient, Person>,
    tool: &'static str,
    arguments: Value,
) -> String {
    let arguments = arguments.as_object().cloned().unwrap();
    let request = CallToolRequestParams::new(tool).with_arguments(arguments);
    match client.call_tool_once(request).await.unwrap() {
        CallToolResponse::Task(begun) => begun.task.task_id,
        other => panic!("{other:?}"),
    }
}

/// Asks for a task until it is as meant.
async fn task_when(
    client: &RunningService<RoleClient, Person>,
    id: &str,
    is_meant: impl Fn(&TaskPayload) -> bool,
) -> DetailedTask {
    for _ in 0..2_000 {
        let task = client.get_task(GetTaskParams::new(id)).await.unwrap().task;
        if is_meant(&task.payload) {
            return task;
        }
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    panic!("the task {id} does not come so far");
}

#[tokio::test]
async fn wa_9_long_program_is_task_for_client_that_knows_tasks() {
    let folder = programs();
    let server = folder.server();
    let client = with_tasks(&mut Person::who_allows(), &server).await;
    // What is quick is no task.
    assert_eq!(good(&call_plain(&client, "add", json!({ "a": 41 })).await), "42");
    let loaded =
        call_plain(&client, "load_resource", json!({ "reference": "@file://agents/add.as" })).await;
    assert!(good(&loaded).contains("main func"), "{loaded:?}");
    // A model that never answers.
    let models = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let uri = format!("openai+http://{}/v1/m", models.local_addr().unwrap());
    folder.write("agents/slow.as", "main func() { generate({ input: \"x\" }) }\n");
    let server = Server::open(Settings { model: Some(uri), ..folder.settings() }).unwrap();
    let client = with_tasks(&mut Person::who_allows(), &server).await;
    let id = begun(&client, "slow", json!({})).await;
    let asks = |it: &DetailedTask| {
        it.task.status_message.as_deref().is_some_and(|said| said.starts_with("asking"))
    };
    let working = client.get_task(GetTaskParams::new(&id)).await.unwrap().task;
    assert!(working.payload == TaskPayload::Working || asks(&working), "{working:?}");
    client.cancel_task(rmcp::model::CancelTaskParams::new(&id)).await.unwrap();
    let task = task_when(&client, &id, |it| it.status().is_terminal()).await;
    assert_eq!(task.payload, TaskPayload::Cancelled);
    let unknown = client.get_task(GetTaskParams::new("no-such")).await.unwrap_err().to_string();
    assert!(unknown.contains("unknown task"), "{unknown}");
}

#[tokio::test]
async fn wa_9_task_waits_for_answer_of_person_and_can_be_cancelled() {
    let folder = programs();
    let server = folder.server();
    let client = with_tasks(&mut Person::who_allows(), &server).await;
    let asks = |it: &TaskPayload| matches!(it, TaskPayload::InputRequired { .. });
    let id = begun(&client, "keep", json!({})).await;
    let task = task_when(&client, &id, asks).await;
    let TaskPayload::InputRequired { input_requests } = task.payload else { panic!() };
    let (key, request) = input_requests.into_iter().next().unwrap();
    let request = serde_json::to_value(request).unwrap();
    assert_eq!(request["method"], "elicitation/create");
    let answer = json!({ "action": "accept", "content": { "allow": true } });
    let answer = rmcp::model::UpdateTaskParams::new(&id, [(key, answer)].into());
    client.update_task(answer).await.unwrap();
    let ended = |it: &TaskPayload| it.status().is_terminal();
    let task = task_when(&client, &id, ended).await;
    let TaskPayload::Completed { result } = task.payload else { panic!("{task:?}") };
    assert_eq!(result["content"][0]["text"], "kept");
    assert!(result["_meta"]["contexture/run"].is_string(), "{result:?}");
    assert_eq!(kept(&folder).as_deref(), Some("茶"));

    std::fs::remove_file(folder.path().join("kept.txt")).unwrap();
    let id = begun(&client, "keep", json!({})).await;
    task_when(&client, &id, asks).await;
    client.cancel_task(rmcp::model::CancelTaskParams::new(&id)).await.unwrap();
    let task = task_when(&client, &id, ended).await;
    assert_eq!(task.payload, TaskPayload::Cancelled);
    assert_eq!(kept(&folder), None);
}
