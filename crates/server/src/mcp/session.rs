//! A session with a client, which answers MCP requests.

use crate::fault::Fault;
use crate::mcp::client::Client;
use crate::mcp::codes;
use crate::mcp::knowledge::{Generation, Knowledge};
use crate::mcp::offered::Offered;
use crate::mcp::operator::{Operator, WARNINGS};
use crate::mcp::prompts::NoPrompt;
use crate::mcp::read::METHODS;
use crate::mcp::said;
use crate::mcp::tasks::Way;
use crate::mcp::tool::{Call, Conversation, Tool};
use contexture::diagnostic::suggestion;
use parking_lot::Mutex;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams, CustomRequest,
    CustomResult, ErrorCode, ErrorData, GetPromptRequestParams, GetPromptResponse, GetPromptResult,
    GetTaskParams, GetTaskResult, Implementation, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, PromptMessage, PromptsCapability,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ResourcesCapability, Role,
    ServerCapabilities, ServerConfig, Tool as Definition, UpdateTaskParams,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Value, json};
use std::sync::Arc;

pub(crate) struct Session {
    offered: Arc<Offered>,
    conversation: Conversation,
    /// The packs that the client knows.
    told: Mutex<Told>,
    /// The operator who learns what the client is not told; none over stdio.
    operator: Option<Arc<Operator>>,
}

/// The packs that a client knows.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Told {
    generation: Generation,
    has_packs: bool,
}

impl Told {
    fn now(offered: &Offered) -> Self {
        let knowledge = offered.knowledge();
        Self { generation: knowledge.generation(), has_packs: !knowledge.view().is_empty() }
    }
}

impl Session {
    pub(crate) fn new(offered: Arc<Offered>, operator: Option<Arc<Operator>>) -> Self {
        let told = Mutex::new(Told::now(&offered));
        Self { offered, conversation: Conversation::default(), told, operator }
    }

    fn told(&self, called: &str, fault: Fault) -> Fault {
        told(self.operator.as_ref(), called, fault)
    }

    /// Searches for packs when that is due, and notifies the client of changes.
    async fn refresh(&self, context: &RequestContext<RoleServer>) {
        self.offered.refresh().await;
        let now = Told::now(&self.offered);
        let before = {
            let mut told = self.told.lock();
            std::mem::replace(&mut *told, now)
        };
        // Later protocol versions notify only subscribers.
        let is_listening = context.protocol_version().is_some_and(|it| it.has_initialize());
        if before.generation == now.generation || !is_listening {
            return;
        }
        // A client that can't be reached does not read the answer either.
        if before.has_packs != now.has_packs {
            let _ = context.peer.notify_tool_list_changed().await;
        }
        let _ = context.peer.notify_resource_list_changed().await;
    }

    fn unknown_tool(&self, name: &str) -> ErrorData {
        let names = self.offered.tools().map(|tool| &*tool.definition().name);
        let help = suggestion(name, names).map(|help| format!("; {help}")).unwrap_or_default();
        ErrorData::invalid_params(format!("there is no tool `{name}`{help}"), None)
    }
}

impl ServerHandler for Session {
    fn get_info(&self) -> ServerConfig {
        let server =
            Implementation::new("contexture", env!("CARGO_PKG_VERSION")).with_title("Contexture");
        let can = ServerCapabilities::builder().enable_tools().enable_tool_list_changed();
        let has_long = self.offered.tools().any(|tool| tool.is_long());
        let mut can = if has_long { can.enable_tasks().build() } else { can.build() };
        if !self.offered.prompts.is_empty() {
            can.prompts = Some(PromptsCapability::default());
        }
        if self.offered.knowledge().view().is_empty() {
            ServerConfig::new(can)
        } else {
            let mut resources = ResourcesCapability::default();
            resources.list_changed = Some(true);
            can.resources = Some(resources);
            ServerConfig::new(can).with_instructions(Knowledge::instruction())
        }
        .with_server_info(server)
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        only_page(page)?;
        self.refresh(&context).await;
        let tools = self.offered.tools().map(|tool| tool.definition().clone());
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    fn get_tool(&self, name: &str) -> Option<Definition> {
        self.offered.tool(name).map(|tool| tool.definition().clone())
    }

    async fn call_tool(
        &self,
        mut request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.refresh(&context).await;
        let tasks = &self.offered.tasks;
        if let Some(answered) = tasks.again(&context, &mut request).await {
            return answered;
        }
        let tool = self.offered.tool(&request.name);
        let tool = Arc::clone(tool.ok_or_else(|| self.unknown_tool(&request.name))?);
        let way = if tool.is_long() { Way::of(&context) } else { Way::Waits };
        let name = request.name.to_string();
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let conversation = Arc::clone(&self.conversation);
        let operator = self.operator.clone();
        let is_remote = operator.is_some();
        let work = |client| {
            let call = Call { arguments, conversation, client, is_remote };
            called(tool, call, name.clone(), operator)
        };
        match way {
            Way::Waits => Ok(work(Client::Call(Box::new(context))).await.into()),
            way => tasks.call(&context, (way, &name), work).await,
        }
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        Ok(GetTaskResult::new(self.offered.tasks.manager.get_task(&request.task_id)?))
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.offered.tasks.manager.update_task(&request.task_id, request.input_responses)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.offered.tasks.manager.cancel_task(&request.task_id)
    }

    /// Answers a request with an unknown method.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        if !METHODS.contains(&method.as_str()) {
            let message = format!("there is no method `{method}`");
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None));
        }
        let message = format!("the parameters of `{method}` do not have their shape");
        Err(ErrorData::invalid_params(message, None))
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        only_page(page)?;
        self.refresh(&context).await;
        Ok(ListResourcesResult::with_all_items(self.offered.knowledge().resources()))
    }

    async fn list_prompts(
        &self,
        page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        only_page(page)?;
        let offered = Arc::clone(&self.offered);
        let work = tokio::task::spawn_blocking(move || offered.prompts.definitions());
        let prompts = work.await.map_err(|error| broken(&error))?;
        Ok(ListPromptsResult::with_all_items(prompts))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let (offered, asked) = (Arc::clone(&self.offered), request.name.clone());
        let handle = tokio::runtime::Handle::current();
        // Files are read off the thread that reads messages.
        let work = tokio::task::spawn_blocking(move || {
            handle.block_on(offered.prompts.get(&request.name, request.arguments))
        });
        match work.await.map_err(|error| broken(&error))? {
            Ok((description, text)) => {
                let mut result =
                    GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]);
                result.description = description;
                Ok(result.into())
            }
            Err(NoPrompt::OfClient(message)) => {
                Err(ErrorData::invalid_params(said::line(&message), None))
            }
            Err(NoPrompt::Failed(fault)) => {
                let fault = self.told(&asked, fault);
                let data = Some(json!({ "code": fault.code, "help": fault.help }));
                Err(ErrorData::internal_error(fault.to_string(), data))
            }
        }
    }

    async fn list_resource_templates(
        &self,
        page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        only_page(page)?;
        let has_packs = !self.offered.knowledge().view().is_empty();
        let templates = if has_packs { Knowledge::templates() } else { Vec::new() };
        Ok(ListResourceTemplatesResult::with_all_items(templates))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.refresh(&context).await;
        let knowledge = Arc::clone(self.offered.knowledge());
        let asked = request.uri.clone();
        let not_read = |fault| not_read(self.told(&asked, fault));
        if knowledge.view().is_empty() {
            let fault = Fault::of(codes::UNKNOWN_RESOURCE, "there are no resources here");
            return Err(not_read(fault));
        }
        let work = tokio::task::spawn_blocking(move || knowledge.resource(&request.uri));
        let read = work.await.map_err(|error| broken(&error))?;
        Ok(ReadResourceResult::new(vec![read.map_err(not_read)?]).into())
    }
}

/// Returns what the client may know of a failure.
fn told(operator: Option<&Arc<Operator>>, called: &str, fault: Fault) -> Fault {
    match operator {
        Some(operator) => operator.conceal(called, fault),
        None => fault,
    }
}

/// Calls a tool; its failure is a result.
async fn called(
    tool: Arc<dyn Tool>,
    call: Call,
    name: String,
    operator: Option<Arc<Operator>>,
) -> CallToolResult {
    match tool.call(call).await {
        Ok(mut given) => {
            if let Some(operator) = &operator
                && let Some(warnings) = given.meta.shift_remove(WARNINGS)
            {
                operator.warned(&name, &warnings);
            }
            given.into_result()
        }
        Err(fault) => told(operator.as_ref(), &name, fault).into_result(),
    }
}

/// Returns the error about work that did not end.
fn broken(error: &tokio::task::JoinError) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

/// Rejects a cursor, as lists are returned whole.
fn only_page(page: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    let Some(cursor) = page.and_then(|page| page.cursor) else { return Ok(()) };
    let cursor = said::line(&cursor.chars().take(80).collect::<String>());
    let message = format!("there is no page `{cursor}`: the list came whole");
    Err(ErrorData::invalid_params(message, None))
}

/// Returns an error of a resource as a protocol error, as resources have no error results.
fn not_read(fault: Fault) -> ErrorData {
    let data = Some(json!({ "code": fault.code, "help": fault.help }));
    ErrorData::resource_not_found(fault.to_string(), data)
}
