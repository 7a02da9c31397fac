//! The served agents: those of the programs of `contexture serve`.

use super::codes;
use crate::fault::Fault;
use contexture::Project;
use contexture::diagnostic::{Diagnostic, Severity, render, suggestion};
use contexture::models::imported;
use contexture::script::program::AgentId;
use contexture::turn;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone)]
pub(crate) struct Agent {
    /// The name for clients: that of the agent or of its file.
    pub(crate) name: String,
    pub(crate) program: PathBuf,
    /// The text of the program when it is not a file.
    pub(crate) text: Option<String>,
    /// The name in the program; the main agent when absent.
    pub(crate) agent: Option<String>,
    /// The names under which its program imports models.
    pub(crate) models: Vec<String>,
    /// The reason why this main agent can't answer conversations.
    pub(crate) misfit: Option<String>,
    /// True if it can be given attachments.
    pub(crate) takes_attachments: bool,
}

/// All agents; the first one is the default.
#[derive(Debug, Clone, Default)]
pub(crate) struct Agents(Vec<Agent>);

impl Agents {
    /// Loads and checks the programs.
    ///
    /// # Errors
    /// A [`Fault`] when a program can't be read, has errors, or has no agent that can answer, or
    /// when two agents have the same name.
    pub(crate) fn load(project: &Project, files: &[PathBuf]) -> Result<Self, Fault> {
        let mut agents: Vec<Agent> = Vec::new();
        for file in files {
            for agent in of_program(project, file)? {
                if let Some(other) = agents.iter().find(|known| known.name == agent.name) {
                    let message = format!(
                        "two agents are named `{}`: in {} and {}",
                        agent.name,
                        other.program.display(),
                        agent.program.display()
                    );
                    return Err(Fault::of(codes::NOT_SERVED, message)
                        .with_help("rename one of them: clients choose agents by name"));
                }
                agents.push(agent);
            }
        }
        Ok(Self(agents))
    }

    pub(crate) fn first(&self) -> Option<&Agent> {
        self.0.first()
    }

    pub(crate) fn all(&self) -> &[Agent] {
        &self.0
    }

    /// Returns the programs of the agents, each once.
    pub(crate) fn programs(&self) -> Vec<PathBuf> {
        let mut programs: Vec<PathBuf> = self.0.iter().map(|agent| agent.program.clone()).collect();
        programs.dedup();
        programs
    }

    /// Returns the names under which the programs import models.
    pub(crate) fn models(&self) -> BTreeSet<&str> {
        self.0.iter().flat_map(|agent| &agent.models).map(String::as_str).collect()
    }

    pub(crate) fn named(&self, name: &str) -> Option<&Agent> {
        self.0.iter().find(|agent| agent.name == name)
    }

    /// Suggests a similar name.
    pub(crate) fn suggestion(&self, name: &str) -> Option<String> {
        suggestion(name, self.0.iter().map(|agent| agent.name.as_str()))
    }
}

/// Returns the agents of a program, the main one first.
fn of_program(project: &Project, file: &Path) -> Result<Vec<Agent>, Fault> {
    let file = std::path::absolute(file)
        .map_err(|error| Fault::of(codes::NOT_SERVED, format!("{}: {error}", file.display())))?;
    let (source, checked) = contexture::run::load(project, &file)?;
    if checked.has_errors() {
        let errors = checked.diagnostics.iter().filter(|one| one.severity == Severity::Error);
        let line = |fault: &Diagnostic| {
            let source = checked.files.iter().find(|source| source.name() == fault.file);
            Some(render::one_line(fault, source.or(checked.files.first())?))
        };
        let lines: Vec<String> = errors.filter_map(line).take(20).collect();
        let message = format!("{} is refused:\n{}", file.display(), lines.join("\n"));
        return Err(Fault::of(codes::NOT_SERVED, message)
            .with_help("`contexture check` shows all faults with their places"));
    }
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let main = source.main_agent(0);
    let items =
        source.files.first().map(|file| file.agents().map(|(item, _)| item).collect::<Vec<_>>());
    let others =
        items.unwrap_or_default().into_iter().map(|item| AgentId { file: 0, item: Some(item) });
    let mut agents = Vec::new();
    for id in main.into_iter().chain(others.filter(|id| Some(*id) != main)) {
        if source.entry(id).is_none() {
            continue;
        }
        let own =
            source.agent(id).and_then(|agent| agent.name.as_ref()).map(|name| name.text.clone());
        let name = own.clone().unwrap_or_else(|| stem.clone());
        // The others may serve the main one or flows.
        let misfit = (Some(id) == main).then(|| turn::misfit(&source, own.as_deref())).flatten();
        let misfit = misfit.map(|misfit| misfit.message);
        let models = imported(&source).map(str::to_owned).collect();
        let takes_attachments = turn::takes_attachments(&source, own.as_deref());
        agents.push(Agent {
            name,
            program: file.clone(),
            text: None,
            agent: own,
            models,
            misfit,
            takes_attachments,
        });
    }
    if agents.is_empty() {
        return Err(Fault::of(
            codes::NOT_SERVED,
            format!("{} has no agent that could answer", file.display()),
        )
        .with_help("give it a `main func`, or an agent with one"));
    }
    Ok(agents)
}

#[cfg(test)]
mod tests {
    use super::*;
    use contexture::Environment;

    #[test]
    fn cp_5_main_agent_that_turn_cannot_call_is_warning() {
        let folder = tempfile::tempdir().unwrap();
        let project = Project::open(folder.path(), Environment::default()).unwrap();
        let misfits = |text: &str| -> Vec<Option<String>> {
            let file = folder.path().join("app.as");
            std::fs::write(&file, text).unwrap();
            let agents = Agents::load(&project, &[file]).unwrap();
            agents.all().iter().map(|agent| agent.misfit.clone()).collect()
        };
        let told = "the agent needs `customer` and `question`, which a turn of a conversation does not have";
        let needs = "main func(input { customer string, question string }) { 1 }";
        assert_eq!(misfits(needs), [Some(told.to_owned())]);
        assert_eq!(misfits(&format!("main agent A {{ {needs} }}")), [Some(told.to_owned())]);
        for fits in [
            "main func(question string) { 1 }",
            "main func(input { path string, n?: integer }) { 1 }",
        ] {
            assert_eq!(misfits(fits), [None]);
        }
        let helper = format!("main agent A {{ main func(input) {{ 1 }} }}\nagent B {{ {needs} }}");
        assert_eq!(misfits(&helper), [None, None]);
    }
}
