//! What one project offers over MCP.

use crate::fault::Fault;
use crate::mcp::knowledge::{self, Knowledge, NAMES};
use crate::mcp::load::LoadResource;
use crate::mcp::program::{Runner, discover};
use crate::mcp::session::Session;
use crate::mcp::tool::Tool;
use contexture::config::NoticeLanguage;
use contexture::context::tokens::tokenizer_for;
use contexture::models::default_model;
use contexture::packs;
use contexture::{Project, servers};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// What is to be offered.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The project.
    pub project: Project,
    /// A folder of programs, each of which becomes a tool; it lies in the workspace.
    pub programs: Option<PathBuf>,
    /// The default model of programs; wins over environment and settings.
    pub model: Option<String>,
    /// References, or patterns of such, that load_resource may load besides what the workspace
    /// holds.
    pub offers: Vec<String>,
    /// Which packs there are besides those of the project, and what was allowed.
    pub packs: packs::Options,
    /// Which MCP servers of the project its programs may use.
    pub servers: servers::Consent,
    /// The names of the packs that are served, with those that are explicit; all packs when absent.
    pub selected: Option<Vec<String>>,
}

impl Settings {
    /// A project with its packs, without programs.
    #[must_use]
    pub fn new(project: Project) -> Self {
        Self {
            project,
            programs: None,
            model: None,
            offers: Vec::new(),
            packs: packs::Options::default(),
            servers: servers::Consent::default(),
            selected: None,
        }
    }
}

/// What a project offers; a clone is the same server.
#[derive(Clone)]
pub struct Server(Arc<Offered>);

/// All tools and resources.
pub(crate) struct Offered {
    /// In the order in which they are listed.
    tools: Vec<Arc<dyn Tool>>,
    by_name: HashMap<String, usize>,
    knowledge: Arc<Knowledge>,
    runner: Arc<Runner>,
    notices: Vec<Fault>,
}

impl Server {
    /// Looks at a project and makes its tools.
    ///
    /// # Errors
    /// A [`Fault`] when the workspace or the folder of programs can't be used, or an offer is no
    /// reference.
    pub fn open(settings: Settings) -> Result<Self, Fault> {
        let Settings { project, programs, model, offers, packs, servers, selected } = settings;
        let runner = Runner::new(project.clone(), model.clone(), packs.clone(), servers);
        let counter = tokenizer_for(&default_model(&project, model.as_deref()).uri);
        let is_english = project.config.knowledge.lang == NoticeLanguage::En;
        let load = LoadResource::open(project.clone(), packs.clone(), &offers)?;
        let knowledge = Knowledge::open(project, packs, selected, counter, is_english)?;
        let knowledge = Arc::new(knowledge);
        let mut tools: Vec<Arc<dyn Tool>> = knowledge::tools(&knowledge);
        tools.push(Arc::new(load.following(&knowledge)));
        let mut notices = Vec::new();
        if let Some(folder) = programs {
            let taken = tools.iter().map(|tool| tool.definition().name.to_string());
            let (programs, left_out) = discover(&runner, &folder, taken.collect::<Vec<_>>())?;
            tools.extend(programs.into_iter().map(|program| Arc::new(program) as Arc<dyn Tool>));
            notices.extend(left_out);
        }
        let names = tools.iter().enumerate();
        let by_name = names.map(|(at, tool)| (tool.definition().name.to_string(), at)).collect();
        Ok(Self(Arc::new(Offered { tools, by_name, knowledge, runner, notices })))
    }

    /// The names of the tools, in their order.
    #[must_use]
    pub fn tools(&self) -> Vec<&str> {
        self.0.tools().map(|tool| &*tool.definition().name).collect()
    }

    /// The names of the packs, in their order.
    #[must_use]
    pub fn packs(&self) -> Vec<String> {
        self.0.knowledge.view().names().map(str::to_owned).collect()
    }

    /// What was left out, and why.
    #[must_use]
    pub fn notices(&self) -> &[Fault] {
        &self.0.notices
    }

    /// A session: one client, one conversation.
    pub(crate) fn session(&self) -> Session {
        Session::new(Arc::clone(&self.0))
    }

    /// Cancels the programs that run, and those that are called from now on: they end in order.
    pub(crate) fn stop(&self) {
        self.0.runner.stop();
    }

    /// Waits until no program runs any more.
    pub(crate) async fn idle(&self) {
        self.0.runner.idle().await;
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("tools", &self.tools()).finish_non_exhaustive()
    }
}

impl Offered {
    /// A tool that is there. Those of packs are not where there are no packs (KN-6).
    pub(crate) fn tool(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        let tool = self.tools.get(*self.by_name.get(name)?)?;
        (!self.is_hidden(name)).then_some(tool)
    }

    pub(crate) fn tools(&self) -> impl Iterator<Item = &Arc<dyn Tool>> {
        let hidden = self.knowledge.view().is_empty();
        let is_there =
            move |tool: &&Arc<dyn Tool>| !(hidden && NAMES.contains(&&*tool.definition().name));
        self.tools.iter().filter(is_there)
    }

    fn is_hidden(&self, name: &str) -> bool {
        NAMES.contains(&name) && self.knowledge.view().is_empty()
    }

    pub(crate) const fn knowledge(&self) -> &Arc<Knowledge> {
        &self.knowledge
    }

    /// Looks for packs anew, when it is time, where nobody waits for the next message.
    pub(crate) async fn refresh(&self) {
        if self.knowledge.is_due() {
            let knowledge = Arc::clone(&self.knowledge);
            // A search that breaks off leaves the packs as they were.
            let _ = tokio::task::spawn_blocking(move || knowledge.look_again()).await;
        }
    }
}
