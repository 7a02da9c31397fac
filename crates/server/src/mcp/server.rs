//! The MCP server of a project.

use crate::fault::Fault;
use crate::mcp::knowledge::{self, Knowledge};
use crate::mcp::load::LoadResource;
use crate::mcp::offered::Offered;
use crate::mcp::operator::Operator;
use crate::mcp::program::found::discover;
use crate::mcp::program::runner::Runner;
use crate::mcp::prompts::Prompts;
use crate::mcp::session::Session;
use crate::mcp::tasks::Tasks;
use crate::mcp::tool::Tool;
use contexture::config::NoticeLanguage;
use contexture::context::tokens::tokenizer_for;
use contexture::models::{Replacements, default_model};
use contexture::packs;
use contexture::ports::policy::Class;
use contexture::{Project, servers};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

/// The settings of the server.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The project.
    pub project: Project,
    /// A folder of programs in the workspace, each of which becomes a tool.
    pub programs: Option<PathBuf>,
    /// A folder of prompt templates in the workspace, each of which becomes a prompt.
    pub prompts: Option<PathBuf>,
    /// The default model of programs; takes precedence over environment and settings.
    pub model: Option<String>,
    /// The models in place of single ones that programs name.
    pub models: Replacements,
    /// The references or patterns that load_resource may load besides the content of the workspace.
    /// holds.
    pub offers: Vec<String>,
    /// Further packs, and the permissions for packs.
    pub packs: packs::Options,
    /// The permissions of programs for the MCP servers of the project.
    pub servers: servers::Consent,
    /// Classes of effects of programs that are allowed although they are influenced (GU-6).
    pub yes_to: Vec<Class>,
    /// The names of the packs to serve besides the explicit ones; all packs when absent.
    pub selected: Option<Vec<String>>,
}

impl Settings {
    /// Creates settings for a project with its packs, without programs.
    #[must_use]
    pub fn new(project: Project) -> Self {
        Self {
            project,
            programs: None,
            prompts: None,
            model: None,
            models: Replacements::default(),
            offers: Vec::new(),
            packs: packs::Options::default(),
            servers: servers::Consent::default(),
            yes_to: Vec::new(),
            selected: None,
        }
    }
}

/// The MCP server of a project; a clone is the same server.
#[derive(Clone)]
pub struct Server(Arc<Offered>);

impl Server {
    /// Opens a project and creates its tools.
    ///
    /// # Errors
    /// A [`Fault`] when the workspace or the folder of programs can't be used, or an offer is not a
    /// reference.
    pub fn open(settings: Settings) -> Result<Self, Fault> {
        let Settings {
            mut project,
            programs,
            prompts,
            model,
            models,
            offers,
            packs,
            servers,
            yes_to,
            selected,
        } = settings;
        if let Some(folder) = &programs {
            // One tool does not write what another one runs.
            project
                .protect_programs(&std::path::absolute(folder).unwrap_or_else(|_| folder.clone()));
        }
        let prompts = prompts.map(|folder| std::path::absolute(&folder).unwrap_or(folder));
        if let Some(folder) = &prompts {
            // Nor what a client shows its model.
            project.protect_files(folder);
        }
        project.share_runs();
        let chosen = (model.clone(), models.clone());
        let runner = Runner::new(project.clone(), chosen, packs.clone(), (servers, yes_to));
        let counter = tokenizer_for(&default_model(&project, model.as_deref()).uri);
        let is_english = project.config.knowledge.lang == NoticeLanguage::En;
        let (prompts, mut notices) = Prompts::open(&project, packs.clone(), prompts.as_deref())?;
        let load = LoadResource::open(project.clone(), packs.clone(), &offers)?;
        let knowledge = Knowledge::open(project, packs, selected, counter, is_english)?;
        let knowledge = Arc::new(knowledge);
        let mut tools: Vec<Arc<dyn Tool>> = knowledge::tools(&knowledge);
        tools.push(Arc::new(load.following(&knowledge)));
        if let Some(folder) = programs {
            let taken = tools.iter().map(|tool| tool.definition().name.to_string());
            let (programs, left_out) = discover(&runner, &folder, taken.collect::<Vec<_>>())?;
            let imported = programs.iter().flat_map(|program| &program.models);
            models.check_among(&imported.map(String::as_str).collect())?;
            tools.extend(programs.into_iter().map(|program| Arc::new(program) as Arc<dyn Tool>));
            notices.extend(left_out);
        } else {
            models.check_among(&BTreeSet::new())?;
        }
        let names = tools.iter().enumerate();
        let by_name = names.map(|(at, tool)| (tool.definition().name.to_string(), at)).collect();
        Ok(Self(Arc::new(Offered {
            tools,
            by_name,
            knowledge,
            prompts,
            runner,
            tasks: Tasks::default(),
            notices,
        })))
    }

    /// Returns the names of the tools, in order.
    #[must_use]
    pub fn tools(&self) -> Vec<&str> {
        self.0.tools().map(|tool| &*tool.definition().name).collect()
    }

    /// Returns the names of the packs, in order.
    #[must_use]
    pub fn packs(&self) -> Vec<String> {
        self.0.knowledge.view().names().map(str::to_owned).collect()
    }

    /// Returns the names of the prompts, in order.
    #[must_use]
    pub fn prompts(&self) -> Vec<&str> {
        self.0.prompts.names().collect()
    }

    /// Returns what was left out, with reasons.
    #[must_use]
    pub fn notices(&self) -> &[Fault] {
        &self.0.notices
    }

    /// Starts a session: one client, one conversation. An operator learns what the client is not
    /// told.
    pub(crate) fn session(&self, operator: Option<Arc<Operator>>) -> Session {
        Session::new(Arc::clone(&self.0), operator)
    }

    /// Returns what no line of a log may hold.
    pub(crate) fn secrets(&self) -> Vec<String> {
        servers::secrets(&self.0.runner.project)
    }

    /// Cancels running programs and later calls: they end in order.
    pub(crate) fn stop(&self) {
        self.0.runner.stop();
    }

    /// Waits until no program runs.
    pub(crate) async fn idle(&self) {
        self.0.runner.idle().await;
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("tools", &self.tools()).finish_non_exhaustive()
    }
}
