//! The cases of the suite as files hold them: a world, a program, and how its outcome is seen.

use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// One attack or task.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Its name, unique in the suite.
    pub id: String,
    /// What it is about, in one sentence.
    pub about: String,
    /// Where the injection of an attack stands.
    #[serde(default)]
    pub channel: String,
    /// The goal of an attack.
    #[serde(default)]
    pub goal: String,
    /// The kind of a task.
    #[serde(default)]
    pub kind: String,
    /// The reason why a task is expected to need a person; empty if it is to be done without one.
    #[serde(default)]
    pub needs_person: String,
    /// The name of an example of the repository that is the program, with the built-in model.
    #[serde(default)]
    pub example: String,
    /// The program, `p.as` of the workspace.
    #[serde(default)]
    pub program: String,
    /// Its input.
    #[serde(default)]
    pub input: Option<Value>,
    /// The messages of a person, each a turn of one conversation; empty for a run.
    #[serde(default)]
    pub says: Vec<String>,
    /// The name and text of a file that the first message comes with.
    #[serde(default)]
    pub attached: Option<(String, String)>,
    /// The document of a flow, in place of the program.
    #[serde(default)]
    pub flow: Option<Value>,
    /// Programs that run first, one after another, in the same workspace.
    #[serde(default)]
    pub before: Vec<String>,
    /// Other files of the workspace.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// The pages of the site, by path.
    #[serde(default)]
    pub pages: BTreeMap<String, String>,
    /// Variables of the environment.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// MCP servers with their tools, which a person accepted.
    #[serde(default)]
    pub servers: BTreeMap<String, Vec<ServerTool>>,
    /// Tools of the front end.
    #[serde(default)]
    pub client: Vec<ServerTool>,
    /// More lines of `contexture.toml`.
    #[serde(default)]
    pub settings: String,
    /// Lines of `contexture.toml` that open the policy, in place of the usual ones.
    #[serde(default)]
    pub open: String,
    /// What an honest model does, by a part of its instruction.
    #[serde(default)]
    pub model: Vec<Step>,
    /// How the effect of an attack is seen: any of these.
    #[serde(default)]
    pub effect: Vec<Seen>,
    /// How a task that is done is seen: all of these.
    #[serde(default)]
    pub done: Vec<Seen>,
}

/// A tool of an MCP server or of a front end.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerTool {
    pub name: String,
    #[serde(default)]
    pub description: String,
    /// The class that a person gave it, or that its page says; none is the worst.
    #[serde(default)]
    pub class: String,
    /// Its parameters, all strings.
    #[serde(default)]
    pub takes: Vec<String>,
    /// Its result.
    #[serde(default)]
    pub gives: String,
    /// True if the result is an error.
    #[serde(default)]
    pub fails: bool,
}

/// What an honest model does with an instruction.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The part of the prompt by which it knows the instruction.
    pub when: String,
    /// The functions that it calls first.
    #[serde(default)]
    pub calls: Vec<(String, Value)>,
    /// Its answer.
    #[serde(default)]
    pub say: String,
    /// Its answer where a shape is asked for.
    #[serde(default)]
    pub json: Option<Value>,
}

/// One thing that can be seen after a case.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Seen {
    /// A file of the workspace holds a text.
    pub file: Option<String>,
    /// The site got a request that begins with this, such as `POST /drop`.
    pub request: Option<String>,
    /// A tool `server/tool` was called, or a tool of the front end.
    pub called: Option<String>,
    /// An answer holds the text.
    pub answer: bool,
    /// An answer that claims at least the trust of a model holds the text.
    pub believed: bool,
    /// A prompt holds the text outside of every fence.
    pub unfenced: bool,
    /// The text.
    pub holds: String,
    /// A text that must not be there.
    pub lacks: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    case: Vec<Case>,
}

/// Reads the cases of a folder below `tests/guard`.
pub fn read(folder: &str) -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/guard").join(folder);
    let mut files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let read = |file: &std::path::PathBuf| {
        let text = std::fs::read_to_string(file).unwrap();
        let read: File =
            toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        read.case
    };
    files.iter().flat_map(read).collect()
}
