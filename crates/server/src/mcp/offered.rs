//! The tools and resources of a project.

use crate::fault::Fault;
use crate::mcp::knowledge::{Knowledge, NAMES};
use crate::mcp::program::runner::Runner;
use crate::mcp::prompts::Prompts;
use crate::mcp::tasks::Tasks;
use crate::mcp::tool::Tool;
use std::collections::HashMap;
use std::sync::Arc;

/// The offered tools and resources.
pub(crate) struct Offered {
    /// In the order of listing.
    pub(crate) tools: Vec<Arc<dyn Tool>>,
    pub(crate) by_name: HashMap<String, usize>,
    pub(crate) knowledge: Arc<Knowledge>,
    pub(crate) prompts: Prompts,
    pub(crate) runner: Arc<Runner>,
    pub(crate) tasks: Tasks,
    pub(crate) notices: Vec<Fault>,
}

impl Offered {
    /// Returns a tool; those of packs do not exist without packs (KN-6).
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

    /// Searches for packs when that is due, off the thread that reads messages.
    pub(crate) async fn refresh(&self) {
        if self.knowledge.is_due() {
            let knowledge = Arc::clone(&self.knowledge);
            // A failed search leaves the packs unchanged.
            let _ = tokio::task::spawn_blocking(move || knowledge.look_again()).await;
        }
    }
}
