//! `contexture new`: a project to begin with (CA-12).

use crate::prelude::*;
use crate::support::new_file::NewFile;
use clap::ValueEnum;
use std::{fs, io};

const EXAMPLES: &str = "\
Examples:
  contexture new my-project
  contexture new my-docs --template ask-docs
  contexture new my-chat --template server --json";

/// Creates a project: a program that runs as it is, with data and a README.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The folder to create.
    #[arg(value_name = "NAME", value_hint = clap::ValueHint::DirPath)]
    name: PathBuf,
    /// The kind of program.
    #[arg(long, value_enum, default_value_t)]
    template: Template,
    /// Print one JSON object: root, template, files and run, the command to try.
    #[arg(long)]
    json: bool,
}

/// The value of `--template`.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Template {
    /// A typed record from a document
    #[default]
    Extract,
    /// Answers from a folder of texts
    AskDocs,
    /// A search by a tool, and an answer from what it found
    Agent,
    /// A conversation over HTTP
    Server,
}

/// The files of a template, by their paths.
type Files = &'static [(&'static str, &'static str)];

const EXTRACT: Files = &[
    ("extract.as", include_str!("new/extract/extract.as")),
    ("data/invoice.txt", include_str!("new/extract/data/invoice.txt")),
    ("README.md", include_str!("new/extract/README.md")),
];
const ASK_DOCS: Files = &[
    ("ask.as", include_str!("new/ask-docs/ask.as")),
    ("docs/server.md", include_str!("new/ask-docs/docs/server.md")),
    ("docs/cache.md", include_str!("new/ask-docs/docs/cache.md")),
    ("README.md", include_str!("new/ask-docs/README.md")),
];
const AGENT: Files = &[
    ("agent.as", include_str!("new/agent/agent.as")),
    ("notes/network.md", include_str!("new/agent/notes/network.md")),
    ("README.md", include_str!("new/agent/README.md")),
];
const SERVER: Files = &[
    ("chat.as", include_str!("new/server/chat.as")),
    ("facts.md", include_str!("new/server/facts.md")),
    ("contexture.toml", include_str!("new/server/contexture.toml")),
    ("README.md", include_str!("new/server/README.md")),
];

/// What no repository should hold.
const IGNORED: (&str, &str) = (".gitignore", ".env\n.contexture/\n");

impl Template {
    /// Returns its files, and the arguments of `contexture` to try it.
    const fn parts(self) -> (Files, &'static str) {
        match self {
            Self::Extract => (EXTRACT, "run extract.as -i path=data/invoice.txt"),
            Self::AskDocs => {
                (ASK_DOCS, "run ask.as -i question='On which port does the server listen?'")
            }
            Self::Agent => {
                let run =
                    "run agent.as -i question='On which port does the server listen?' -i word=port";
                (AGENT, run)
            }
            Self::Server => (SERVER, "serve chat.as"),
        }
    }
}

pub(crate) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let root = &args.name;
    let is_free = fs::read_dir(root)
        .map_or_else(|_| root.symlink_metadata().is_err(), |mut entries| entries.next().is_none());
    if !is_free {
        let message = format!("{} is there already", root.display());
        return Err(CommandError::refused("file_exists", message)
            .file(root)
            .help("choose another name, or an empty folder")
            .into());
    }
    let (files, command) = args.template.parts();
    let mut written = Vec::new();
    for (name, text) in files.iter().chain([&IGNORED]) {
        let path = root.join(name);
        write(&path, text)?;
        written.push(path);
    }
    let run = format!("cd {} && contexture {command}", shell_word(root));
    if args.json {
        let template = args.template.to_possible_value();
        let template = template.map(|value| value.get_name().to_owned());
        let told = json!({ "root": root, "template": template, "files": written, "run": run });
        terminal.print_json(&told)?;
        return Ok(Exit::Done);
    }
    for path in &written {
        terminal.print_line(&one_line(&path.display().to_string()))?;
    }
    terminal.note(&format!("try it: {}", one_line(&run)));
    Ok(Exit::Done)
}

fn write(path: &Path, text: &str) -> Result<(), Abort> {
    let failed = |error: io::Error| Abort::write(&path.display().to_string(), &error);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    NewFile::create(path, false)?.fill(|out| out.write_all(text.as_bytes()).map_err(failed))
}

/// Returns a path as a word of a shell.
fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |sign: char| sign.is_alphanumeric() || "@%+=:,./_-".contains(sign);
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}
