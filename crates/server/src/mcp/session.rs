//! One session with a client: MCP's requests, answered from what is offered.

use crate::fault::Fault;
use crate::mcp::codes;
use crate::mcp::knowledge::Knowledge;
use crate::mcp::server::Offered;
use crate::mcp::tool::{Call, Conversation, Tool};
use contexture::diagnostic::suggestion;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode, ErrorData,
    Implementation, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    ServerCapabilities, ServerConfig, Tool as Definition,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Value, json};
use std::sync::Arc;

/// The methods that are answered, but for their parameters.
const METHODS: [&str; 6] = [
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "initialize",
];

/// A client's session.
pub(crate) struct Session {
    offered: Arc<Offered>,
    conversation: Conversation,
}

impl Session {
    pub(crate) fn new(offered: Arc<Offered>) -> Self {
        Self { offered, conversation: Conversation::default() }
    }

    fn unknown_tool(&self, name: &str) -> ErrorData {
        let names = self.offered.tools().iter().map(|tool| &*tool.definition().name);
        let help = suggestion(name, names).map(|help| format!("; {help}")).unwrap_or_default();
        ErrorData::invalid_params(format!("there is no tool `{name}`{help}"), None)
    }
}

impl ServerHandler for Session {
    fn get_info(&self) -> ServerConfig {
        let server =
            Implementation::new("contexture", env!("CARGO_PKG_VERSION")).with_title("Contexture");
        let tools = ServerCapabilities::builder().enable_tools();
        match self.offered.knowledge() {
            Some(_) => ServerConfig::new(tools.enable_resources().build())
                .with_instructions(Knowledge::instruction()),
            None => ServerConfig::new(tools.build()),
        }
        .with_server_info(server)
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.offered.tools().iter().map(|tool| tool.definition().clone());
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    fn get_tool(&self, name: &str) -> Option<Definition> {
        self.offered.tool(name).map(|tool| tool.definition().clone())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = self.offered.tool(&request.name);
        let tool: &Arc<dyn Tool> = tool.ok_or_else(|| self.unknown_tool(&request.name))?;
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let call = Call { arguments, conversation: Arc::clone(&self.conversation), context };
        let result = match tool.call(call).await {
            Ok(given) => given.into_result(),
            Err(fault) => fault.into_result(),
        };
        Ok(result.into())
    }

    /// What is left when a request fits none of MCP's.
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
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources = self.offered.knowledge().map(|knowledge| knowledge.resources());
        Ok(ListResourcesResult::with_all_items(resources.unwrap_or_default()))
    }

    async fn list_resource_templates(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = self.offered.knowledge().map(|_| Knowledge::templates());
        Ok(ListResourceTemplatesResult::with_all_items(templates.unwrap_or_default()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let Some(knowledge) = self.offered.knowledge().cloned() else {
            return Err(not_read(Fault::of(
                codes::UNKNOWN_RESOURCE,
                "there are no resources here",
            )));
        };
        let work = tokio::task::spawn_blocking(move || knowledge.resource(&request.uri));
        let read =
            work.await.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(ReadResourceResult::new(vec![read.map_err(not_read)?]).into())
    }
}

/// Resources have no result that is an error: the failure is one of the protocol.
fn not_read(fault: Fault) -> ErrorData {
    let data = Some(json!({ "code": fault.code, "help": fault.help }));
    ErrorData::resource_not_found(fault.to_string(), data)
}
