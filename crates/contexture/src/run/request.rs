//! The request of a run: the part that runs, turns and flows have in common.

use super::loaded::Loaded;
use super::overrides::Overrides;
use super::recorded::Recorded;
use crate::durable::Durable;
use crate::frontend::Frontend;
use crate::models::{Replacements, StandIn};
use crate::permission::Permission;
use crate::servers::Consent;
use contexture_core::policy::Class;
use contexture_knowledge::Allowance;
use contexture_llm::{Ledger, SpendLimit};
use contexture_script::runtime::Given;
use contexture_store::contexts::ContextStore;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// A program with its input, and the options of its run. A turn and a flow hold one, too: for the
/// agent that answers, and for the agents and generations of the steps.
#[derive(Clone, Default)]
pub struct RunRequest {
    /// The program's path.
    pub program: PathBuf,
    /// Its text, if the file is not to be read: the path then names it in records and messages. From an
    /// absolute path outside of the workspace, it imports programs from the folder of that path.
    pub text: Option<String>,
    /// The program itself, if it is loaded already.
    pub loaded: Option<Arc<Loaded>>,
    /// Its input.
    pub input: Given,
    /// The agent to start; the main one when absent.
    pub agent: Option<String>,
    /// Its function to start; the main one when absent.
    pub function: Option<String>,
    /// The default model, also in place of all models that the program names; wins over environment
    /// and configuration.
    pub model: Option<String>,
    /// The models in place of single ones that the program names; they win over `model`.
    pub models: Replacements,
    /// The stand-in for the models.
    pub stand_in: StandIn,
    /// The file to which the models' answers are recorded.
    pub record: Option<PathBuf>,
    /// True if prompts are built, but no model is called and nothing is changed.
    pub dry_run: bool,
    /// The values of a kept run that a dry run takes in place of placeholders (IN-10); it is then
    /// kept in the store of the project, as a part of that run.
    pub recorded: Option<Arc<Recorded>>,
    /// Turns of a `parallel for` at the same time; wins over the configuration.
    pub concurrency: Option<usize>,
    /// The file to which the trace is written, besides the store.
    pub trace_file: Option<PathBuf>,
    /// True if no record is kept in the workspace. A flow without one can't be resumed.
    pub forget: bool,
    /// Candidates of `use one of` to take, by label, `file:line` or `file:line:column` of the
    /// `use`; one that fits none refuses the run (AS-17).
    pub selections: BTreeMap<String, String>,
    /// Options of model calls in place of those of the program.
    pub overrides: Overrides,
    /// Knowledge packs that may be read, each in one state (KN-8).
    pub allow_packs: Vec<Allowance>,
    /// The conversation context that the run belongs to, for its record.
    pub context: Option<String>,
    /// The stored contexts that `@context://` reads; those of the workspace when absent.
    pub contexts: Option<Contexts>,
    /// True if a person named the project, as with `contexture mcp --root`: that approves its packs
    /// for this run, except drafts and disputed ones (KN-8).
    pub approve_packs: bool,
    /// MCP servers of the project that may be used, each as its settings describe it now (AS-25).
    pub servers: Consent,
    /// The client that runs the tools of the front end.
    pub frontend: Option<Arc<dyn Frontend>>,
    /// The port that asks the user before a sensitive action; when absent nobody can be asked, and
    /// what the policy wants a person's yes for is refused.
    pub permission: Option<Arc<dyn Permission>>,
    /// Classes of effects that are allowed although something below the user had an influence on
    /// them, unless the project's policy denies them (GU-6).
    pub yes_to: Vec<Class>,
    /// Texts that are masked wherever the run is written down, as keys are (CP-19).
    pub private: Vec<String>,
    /// What the run may spend on models; wins over the configuration.
    pub spend: SpendLimit,
    /// The account of the client, which the run spends from, too.
    pub ledger: Option<Arc<Ledger>>,
    /// The journal that it keeps, so that it can be taken up again.
    pub durable: Option<Durable>,
    /// The step of a flow that it is, for its record.
    pub part_of: Option<PartOf>,
    /// True if the process ends after the run: the system takes the memory of its values back at once,
    /// where freeing an input of megabytes value by value takes a seventh of the run (GR-5).
    pub ends_process: bool,
}

/// A step of a flow.
#[derive(Debug, Clone)]
pub struct PartOf {
    /// The run of the flow.
    pub flow: String,
    /// The step.
    pub step: String,
    /// The journal of the flow, which keeps the plans of the step, too (GU-7).
    #[cfg(feature = "flow")]
    pub plans: Option<crate::flows::Plans>,
}

/// The stored contexts of one owner.
#[derive(Clone)]
pub struct Contexts {
    /// The store that keeps them.
    pub store: Arc<dyn ContextStore>,
    /// Their owner; those of others are not visible.
    pub owner: String,
}

impl fmt::Debug for Contexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contexts").field("owner", &self.owner).finish_non_exhaustive()
    }
}
