//! `contexture lsp`: the language server for editors (TY-10).

use crate::output::text::sanitized;
use crate::prelude::*;
use crate::support::project;
use contexture::context::Limits;
use contexture::editor::Editor;
use contexture::script::host::{LoadedSource, SourceLoader};
use contexture::script::program::Program;
use contexture::script::semantic::ceiling::CostFacts;
use contexture::script::syntax::ast::Import;
use contexture_lsp::{Counted, RecordedUse};

const EXAMPLES: &str = "\
Examples:
  contexture lsp --help

An editor starts the command and talks to it over stdin and stdout. In Helix's languages.toml:
  [language-server.contexture]
  command = \"contexture\"
  args = [\"lsp\"]

It reads files of the project alone: it starts no other server, asks no network and runs nothing.
What the text in the editor says counts before what is saved. docs/editor.md has the settings of
other editors, and what each of them shows.";

/// Serves an editor over the Language Server Protocol.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Talk over stdin and stdout, which it does anyway: some editors say so.
    #[arg(long, hide = true)]
    stdio: bool,
}

pub(crate) fn run(_args: &Args, _terminal: &Terminal) -> CommandResult {
    let served = contexture_lsp::stdio(&|folder| {
        let program = folder.join("x.as");
        let project = project::of_editor(&program).map_err(|error| error.to_string())?;
        let editor = Editor::open(project).map_err(|error| error.message)?;
        Ok(Box::new(Files(editor)))
    });
    served.map(|()| Exit::Done).map_err(|error| {
        let help = "an editor starts this command; see docs/editor.md";
        CommandError::failed("editor_gone", error.to_string()).help(help).into()
    })
}

/// The files of a project, for the server.
struct Files(Editor);

impl contexture_lsp::Workspace for Files {
    fn root(&self) -> &Path {
        &self.0.project().root
    }

    fn name(&self, path: &Path) -> Option<String> {
        self.0.name(path)
    }

    fn loader(&self) -> &dyn SourceLoader {
        self.0.loader()
    }

    fn limits(&self) -> &Limits {
        &self.0.project().config.limits
    }

    fn programs(&self, most: usize) -> Vec<String> {
        self.0.programs(most)
    }

    fn read(&self, name: &str) -> Option<LoadedSource> {
        self.0.read(name)
    }

    fn names(&self, folder: &str) -> Vec<String> {
        self.0.names(folder)
    }

    fn protocols(&self) -> Vec<(String, String)> {
        self.0.protocols()
    }

    fn ids(&self, protocol: &str) -> Vec<(String, String)> {
        self.0.ids(protocol)
    }

    fn explain(&self, program: &str, reference: &str) -> Option<String> {
        Some(sanitized(&self.0.explain(program, reference)?))
    }

    fn refresh(&mut self) {
        self.0.refresh();
    }

    fn count(&self, importer: &str, import: &Import) -> Option<Counted> {
        let tokens = self.0.count(importer, &import.from.value)? as u64;
        Some(Counted { tokens, is_exact: self.0.is_exact() })
    }

    fn cost(&self, program: &Program) -> Option<CostFacts> {
        Some(self.0.cost(program))
    }

    fn recorded(&self, name: &str) -> Vec<RecordedUse> {
        let items = self.0.recorded(name).into_iter();
        let shown = items.filter_map(|item| {
            let line = item.position?.line;
            Some(RecordedUse { line, before: item.tokens_before, after: item.tokens })
        });
        shown.collect()
    }
}
