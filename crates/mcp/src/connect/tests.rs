use super::*;
use crate::contract::{self, ServerLog};
use crate::definition::Definition;
use rmcp::model::{
    CallToolResult, ContentBlock, ErrorData, ListToolsResult, ServerCapabilities, ServerConfig,
    Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ServerHandler, ServiceExt as _};
use serde_json::json;
use std::collections::VecDeque;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// A server of the library that the real client talks to.
#[derive(Clone)]
struct Server {
    tools: Arc<Mutex<Vec<Definition>>>,
    abandoned: Arc<Mutex<Vec<String>>>,
    peer: Arc<Mutex<Option<Peer<RoleServer>>>>,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let can = ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build();
        ServerConfig::new(can)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        *self.peer.lock().unwrap() = Some(context.peer);
        // One tool a page.
        let cursor = request.and_then(|page| page.cursor);
        let at: usize = cursor.map_or(0, |cursor| cursor.parse().unwrap());
        let tools = self.tools.lock().unwrap();
        let found = &tools[at];
        let schema = Arc::new(found.input_schema.clone());
        let tool = Tool::new_with_raw(
            found.name.clone(),
            found.description.clone().map(Into::into),
            schema,
        );
        let mut page = ListToolsResult::with_all_items(vec![tool]);
        page.next_cursor = (at + 1 < tools.len()).then(|| (at + 1).to_string());
        Ok(page)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let text = |text: &str| vec![ContentBlock::text(text)];
        let result = match &*request.name {
            "echo" => {
                let given = request.arguments.unwrap_or_default();
                CallToolResult::success(text(given["text"].as_str().unwrap()))
            }
            "structured" => CallToolResult::structured(json!({"n": 1})),
            "fail" => CallToolResult::error(text("no luck")),
            "wait" => {
                context.ct.cancelled().await;
                self.abandoned.lock().unwrap().push("wait".to_owned());
                CallToolResult::success(text("late"))
            }
            _ => return Err(ErrorData::invalid_params("unknown tool", None)),
        };
        Ok(result.into())
    }
}

impl ServerLog for Server {
    fn change(&self, tools: Vec<Definition>) -> BoxFuture<'_, ()> {
        *self.tools.lock().unwrap() = tools;
        let peer = self.peer.lock().unwrap().clone().unwrap();
        Box::pin(async move { peer.notify_tool_list_changed().await.unwrap() })
    }

    fn abandoned(&self) -> Vec<String> {
        self.abandoned.lock().unwrap().clone()
    }
}

fn about(server: &str) -> About {
    About {
        server: server.to_owned(),
        process: None,
        cause: Arc::default(),
        settings: ConnectSettings::default(),
    }
}

#[tokio::test]
async fn as_25_real_client_keeps_what_connections_promise() {
    let server = Server {
        tools: Arc::new(Mutex::new(contract::tools())),
        abandoned: Arc::default(),
        peer: Arc::default(),
    };
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let serving = server.clone();
    tokio::spawn(async move { serving.serve(theirs).await.unwrap().waiting().await });
    let connection = begin(about("words"), tokio::io::split(ours), Greeting::First).await;
    let connection = connection.unwrap_or_else(|NotBegun { error, .. }| panic!("{error}"));
    contract::suite(connection, &server).await;
}

/// A server over HTTP that gives back what it is told to, and keeps what it was asked.
struct Web {
    address: String,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Web {
    async fn new(answers: impl IntoIterator<Item = String>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let heads = Arc::default();
        let mut answers: VecDeque<String> = answers.into_iter().collect();
        let seen = Arc::clone(&heads);
        tokio::spawn(async move {
            while let (Ok((stream, _)), Some(answer)) =
                (listener.accept().await, answers.pop_front())
            {
                serve(stream, &answer, &seen).await;
            }
        });
        Self { address, heads }
    }

    fn heads(&self) -> String {
        self.heads.lock().unwrap().join("\n")
    }

    fn spec(&self, token: Option<&str>) -> ServerSpec {
        ServerSpec {
            name: "web".to_owned(),
            transport: Transport::Http {
                url: format!("{}/mcp?secret=abc", self.address),
                token_env: token.map(|_| "WEB_TOKEN".to_owned()),
                token: token.map(Secret::new),
                allow_private: Vec::new(),
            },
            timeout: Duration::from_secs(5),
        }
    }
}

async fn serve(stream: TcpStream, answer: &str, heads: &Mutex<Vec<String>>) {
    let mut stream = BufReader::new(stream);
    let mut head = String::new();
    while stream.read_line(&mut head).await.unwrap() > 2 {}
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().unwrap())
    });
    let mut body = vec![0; length.unwrap_or_default()];
    stream.read_exact(&mut body).await.unwrap();
    heads.lock().unwrap().push(head);
    stream.write_all(answer.as_bytes()).await.unwrap();
}

fn json_answer(value: &Value) -> String {
    let body = value.to_string();
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn empty(status: &str) -> String {
    format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
}

fn greeting(id: u64) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": {
        "protocolVersion": "2025-06-18",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "web", "version": "1"},
    }})
}

async fn refused(spec: &ServerSpec) -> McpError {
    match Connect::default().connect(spec).await {
        Ok(_) => panic!("connected"),
        Err(error) => error,
    }
}

#[tokio::test]
async fn as_25_http_server_gets_token_and_greeting() {
    let web = Web::new([json_answer(&greeting(0)), empty("202 Accepted")]).await;
    let connection = Connect::default().connect(&web.spec(Some("tok-12345678"))).await.unwrap();
    assert!(!connection.is_closed());
    let heads = web.heads().to_lowercase();
    assert!(heads.contains("authorization: bearer tok-12345678"), "{heads}");
    connection.close().await;
}

#[tokio::test]
async fn as_25_redirect_to_another_origin_is_not_followed() {
    let other = Web::new([empty("200 OK")]).await;
    let away = format!(
        "HTTP/1.1 307 Temporary Redirect\r\nlocation: {}/mcp\r\nconnection: close\r\ncontent-length: 0\r\n\r\n",
        other.address
    );
    let web = Web::new([away]).await;
    let error = refused(&web.spec(Some("tok-12345678"))).await;
    assert!(matches!(error, McpError::Unreachable { .. }), "{error:?}");
    assert_eq!(other.heads(), "", "nothing was sent there");
    let told = format!("{error} {error:?} {:?}", error.help());
    assert!(!told.contains("tok-12345678") && !told.contains("secret=abc"), "{told}");
}

#[tokio::test]
async fn as_25_server_that_refuses_token_reports_where_it_is_set() {
    let answer = "HTTP/1.1 401 Unauthorized\r\nwww-authenticate: Bearer\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
    let web = Web::new([answer.to_owned(), answer.to_owned()]).await;
    let error = refused(&web.spec(Some("tok-12345678"))).await.to_string();
    assert!(error.contains("token_env"), "{error}");
    let unset = ServerSpec {
        transport: Transport::Http {
            url: web.address.clone(),
            token_env: Some("WEB_TOKEN".to_owned()),
            token: None,
            allow_private: Vec::new(),
        },
        ..web.spec(None)
    };
    let error = refused(&unset).await.to_string();
    assert!(error.contains("WEB_TOKEN, which holds its token, is not set"), "{error}");
}

#[tokio::test]
async fn as_25_answer_over_http_that_is_too_large_or_nothing_at_all_is_reported() {
    let large = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: 99999999\r\n\r\n{";
    let web = Web::new([large.to_owned()]).await;
    let error = refused(&web.spec(None)).await.to_string();
    assert!(error.contains("16777216 bytes"), "{error}");
    let page = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\ncontent-length: 2\r\n\r\nhi";
    let web = Web::new([page.to_owned()]).await;
    let error = refused(&web.spec(None)).await.to_string();
    assert!(error.to_lowercase().contains("content type"), "{error}");
    let gone = Web { address: "http://127.0.0.1:9".to_owned(), heads: Arc::default() };
    let error = refused(&gone.spec(None)).await;
    assert!(error.to_string().contains("refused"), "{error}");
    assert!(!format!("{error:?}").contains("secret=abc"), "{error:?}");
}

#[tokio::test]
async fn as_25_answer_over_http_that_is_not_message_or_too_large_is_reported_as_such() {
    let page = |body: &str| {
        format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
    };
    let text = page("hi").replace("application/json", "text/html");
    let large = page("{").replace("content-length: 1\r", "content-length: 99999999\r");
    for (answer, code) in [
        (page("{\"jsonrpc\":"), "mcp_bad_answer"),
        (page(&"[".repeat(100_000)), "mcp_bad_answer"),
        (text, "mcp_bad_answer"),
        (large, "mcp_too_large"),
    ] {
        let answers = [json_answer(&greeting(0)), empty("202 Accepted")];
        let answers = answers.into_iter().chain(std::iter::repeat_n(answer, 3));
        let web = Web::new(answers).await;
        let connection = Connect::default().connect(&web.spec(None)).await.unwrap();
        let call = connection.call("any", Map::new(), None);
        let error = tokio::time::timeout(Duration::from_secs(10), call).await.unwrap().unwrap_err();
        assert_eq!(error.code(), code, "{error:?}");
    }
}

#[tokio::test]
async fn as_25_server_over_http_that_knows_no_greeting_is_asked_what_it_is() {
    let error = json!({"jsonrpc": "2.0", "id": 0, "error": {"code": -32601, "message": "what?"}});
    let bare = "HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain\r\nconnection: close\r\ncontent-length: 2\r\n\r\nno";
    let itself = json!({"jsonrpc": "2.0", "id": 0, "result": {
        "resultType": "complete",
        "supportedVersions": ["2026-07-28"],
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "web", "version": "1"},
        "ttlMs": 0,
        "cacheScope": "private",
    }});
    for refusal in [json_answer(&error), bare.to_owned()] {
        let web = Web::new([refusal, json_answer(&itself)]).await;
        let connection = Connect::default().connect(&web.spec(None)).await.unwrap();
        assert!(!connection.is_closed());
        connection.close().await;
    }
    // What does not know that either is told as it was told first.
    let web = Web::new([json_answer(&error), json_answer(&error)]).await;
    let error = refused(&web.spec(None)).await.to_string();
    assert!(error.contains("it refused: what? (-32601)"), "{error}");
}
