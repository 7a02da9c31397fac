//! `contexture mcp`: a project as a server of the Model Context Protocol (KN-16, REF-10).

use crate::output::text::plural;
use crate::prelude::*;
use crate::support::options::{Models, Permissions};
use crate::support::signals::asked_to_end;
use crate::support::{project, runtime};
use contexture::config::listen_address;
use contexture::packs::Options;
use contexture::{Environment, Project, servers};
use contexture_server::Fault;
use contexture_server::mcp::http::{self, Listening};
use contexture_server::mcp::token::{Token, VARIABLE};
use contexture_server::mcp::{Server, Settings, codes, stdio};
use std::net::SocketAddr;

const EXAMPLES: &str = "\
Examples:
  contexture mcp --root . --programs examples
  contexture mcp --root examples/knowledge --pack acme-product-brief
  contexture mcp --root examples --prompts prompts

Over stdio a client starts the command and talks to it through stdin and stdout; it ends when stdin
ends. With `--http 127.0.0.1:7879` and a token in CONTEXTURE_MCP_TOKEN, clients call
http://ADDR/mcp with the header `Authorization: Bearer TOKEN`. Messages go to stderr.";

/// Serves knowledge packs, references, programs and prompts over the Model Context Protocol.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The project folder [default: the nearest folder with a contexture.toml, else the current
    /// one]. Naming it approves its packs and MCP servers for this server, except packs that are
    /// drafts or disputed.
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, help_heading = "What to serve")]
    root: Option<PathBuf>,
    /// A folder of programs in the project; each program with a `main agent` becomes a tool. With
    /// `--root`, paths of folders and packs are relative to it.
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, help_heading = "What to serve")]
    programs: Option<PathBuf>,
    /// A folder of prompt templates in the project; each becomes a prompt.
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, help_heading = "What to serve")]
    prompts: Option<PathBuf>,
    /// Serve only this pack, by its name or path. May be repeated.
    #[arg(long, value_name = "NAME", help_heading = "What to serve")]
    pack: Vec<String>,
    #[command(flatten)]
    permissions: Permissions,
    /// Allow load_resource to load this reference or pattern besides the files of the workspace,
    /// such as '@https://docs.example.com/**'. May be repeated.
    #[arg(long, value_name = "REF", help_heading = "What to serve")]
    offer: Vec<String>,
    #[command(flatten)]
    models: Models,

    /// Listen with HTTP on this address instead of stdio, such as 127.0.0.1:7879; port 0 selects a
    /// free port.
    #[arg(long, value_name = "ADDR", value_parser = listen_address, help_heading = "HTTP")]
    http: Option<SocketAddr>,
    /// The file with the bearer token [default: the variable CONTEXTURE_MCP_TOKEN].
    #[arg(long, value_name = "FILE", requires = "http", value_hint = clap::ValueHint::FilePath, help_heading = "HTTP")]
    token_file: Option<PathBuf>,
    /// Listen on an address that other machines can reach. Without a TLS proxy the token crosses the
    /// network in plain text.
    #[arg(long, requires = "http", help_heading = "HTTP")]
    allow_remote: bool,
    /// A host name of the server besides localhost and IP addresses. May be repeated.
    #[arg(long, value_name = "HOST", requires = "http", help_heading = "HTTP")]
    allow_host: Vec<String>,
    /// The origin of a web page that may call, such as https://app.example.com. May be repeated.
    #[arg(long, value_name = "ORIGIN", requires = "http", help_heading = "HTTP")]
    allow_origin: Vec<String>,
}

impl Args {
    /// Returns a path that an option names: clients start the command in any folder, so it is
    /// relative to the project that they name (WA-9).
    fn path(&self, path: &Path) -> PathBuf {
        self.root.as_ref().map_or_else(|| path.to_owned(), |root| root.join(path))
    }
}

pub(crate) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let chosen = args.root.as_deref();
    let project = match &args.programs {
        Some(folder) => project::of_program(chosen, &args.path(folder).join("program.as"))?,
        None => project::here_or(chosen)?,
    };
    let options = match args.http {
        Some(address) => Some(http::Options {
            address,
            token: token(args, &project, terminal)?,
            allow_remote: args.allow_remote,
            hosts: args.allow_host.clone(),
            origins: args.allow_origin.clone(),
        }),
        None => None,
    };
    let server = server(args, without_token(project))?;
    for notice in server.notices() {
        terminal.warn(&notice.to_string());
    }
    let runtime = runtime::single_threaded()?;
    let served = runtime.block_on(async {
        let stop = asked_to_end();
        let Some(options) = options else {
            terminal.note(&format!("serving {} over stdio", offer(&server)));
            return stdio::serve(&server, stop).await;
        };
        let listening = Listening::begin(&options).await?;
        terminal.note(&format!("serving {} at {}", offer(&server), listening.url()));
        let terminal = *terminal;
        listening.serve(&server, move |line| terminal.warn(line), stop).await
    });
    // A pending read of stdin can't be cancelled.
    runtime.shutdown_background();
    Ok(served.map(|()| Exit::Done)?)
}

fn server(args: &Args, project: Project) -> Result<Server, Abort> {
    let is_path = |pack: &&String| {
        pack.contains(std::path::is_separator)
            || args.path(Path::new(pack)).join("KNOWLEDGE.md").is_file()
    };
    let (paths, named): (Vec<String>, Vec<String>) =
        args.pack.iter().cloned().partition(|pack| is_path(&pack));
    let absolute = |path: &String| {
        let path = args.path(Path::new(path));
        path.canonicalize().map_err(|error| Abort::read(&path, error))
    };
    let (model, models) = args.models.chosen(true)?;
    let packs = Options {
        explicit: paths.iter().map(absolute).collect::<Result<_, Abort>>()?,
        allow: args.permissions.allow_pack.clone(),
        named: named.clone(),
        approve_project: args.root.is_some(),
        model: model.clone(),
        ..Options::default()
    };
    let settings = Settings {
        programs: args.programs.as_deref().map(|folder| args.path(folder)),
        prompts: args.prompts.as_deref().map(|folder| args.path(folder)),
        model,
        models,
        offers: args.offer.clone(),
        selected: (!args.pack.is_empty()).then_some(named),
        packs,
        servers: servers::Consent {
            approve_project: args.root.is_some(),
            ..args.permissions.servers()
        },
        yes_to: args.permissions.yes_to.clone(),
        ..Settings::new(project)
    };
    Ok(Server::open(settings)?)
}

/// Returns the token that clients need over HTTP.
fn token(args: &Args, project: &Project, terminal: &Terminal) -> Result<Token, Abort> {
    let token = match (&args.token_file, project.environment.get(VARIABLE)) {
        (Some(file), _) => Token::read(file),
        (None, Some(text)) => Token::new(text),
        (None, None) => {
            let message = "HTTP needs a bearer token";
            let help = format!("set {VARIABLE} or use --token-file");
            Err(Fault::of(codes::NO_TOKEN, message).with_help(help))
        }
    };
    let token = token?;
    if token.is_short() {
        terminal.warn("the bearer token is short enough to be guessed; `openssl rand -hex 32` generates a safe one");
    }
    Ok(token)
}

/// Removes the token from the environment of programs and references.
fn without_token(project: Project) -> Project {
    let vars = project.environment.vars().iter().filter(|(name, _)| *name != VARIABLE);
    let environment = Environment::of(vars.map(|(name, value)| (name.clone(), value.clone())));
    Project { environment, ..project }
}

/// Describes what is served: `3 tools, 2 packs and 1 prompt`.
fn offer(server: &Server) -> String {
    let mut parts = vec![plural(server.tools().len() as u64, "tool")];
    let more = [(server.packs().len(), "pack"), (server.prompts().len(), "prompt")];
    let more = more.iter().filter(|(number, _)| *number > 0);
    parts.extend(more.map(|(number, word)| plural(*number as u64, word)));
    let last = parts.pop().unwrap_or_default();
    if parts.is_empty() { last } else { format!("{} and {last}", parts.join(", ")) }
}
