//! `contexture mcp`: what a project offers, over the Model Context Protocol (KN-16, REF-10).

mod args;

pub(crate) use args::Args;

use super::Outcome;
use super::run::runtime;
use crate::complaint::{Complaint, Exit, Stop};
use crate::terminal::Terminal;
use crate::workspace;
use contexture::packs::Options;
use contexture::{Environment, Project, servers};
use contexture_server::Fault;
use contexture_server::mcp::http::{self, Listening};
use contexture_server::mcp::token::{Token, VARIABLE};
use contexture_server::mcp::{Server, Settings, codes, stdio};
use std::path::Path;
use tokio::signal::unix::{SignalKind, signal};

/// Runs `contexture mcp`.
pub(crate) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    let chosen = args.root.as_deref();
    let project = match &args.programs {
        Some(folder) => workspace::of_program(chosen, &folder.join("program.as"))?,
        None => workspace::here_or(chosen)?,
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
    let runtime = runtime()?;
    let served = runtime.block_on(async {
        let stop = asked_to_end();
        let Some(options) = options else {
            terminal.note(&format!("serving {} over stdio", what(&server)));
            return stdio::serve(&server, stop).await;
        };
        let listening = Listening::begin(&options).await?;
        terminal.note(&format!("serving {} at {}", what(&server), listening.url()));
        listening.serve(&server, stop).await
    });
    // A read of stdin that is under way can't be called back.
    runtime.shutdown_background();
    served.map(|()| Exit::Done).map_err(complaint)
}

/// Waits for the signal that ends the server in order; a second one ends it at once.
///
/// It listens from the moment of the call, before anything is served: a client that is through with
/// a server it has just started may end it at once.
pub(super) fn asked_to_end() -> impl Future<Output = ()> {
    let signals = [SignalKind::interrupt(), SignalKind::terminate()].map(signal);
    async move {
        let [Ok(mut interrupts), Ok(mut ends)] = signals else {
            return std::future::pending().await;
        };
        tokio::select! {
            _ = interrupts.recv() => {}
            _ = ends.recv() => {}
        }
        tokio::spawn(async move {
            let code = tokio::select! {
                _ = interrupts.recv() => 130,
                _ = ends.recv() => 143,
            };
            std::process::exit(code);
        });
    }
}

fn server(args: &Args, project: Project) -> Result<Server, Stop> {
    let is_path = |pack: &&String| {
        pack.contains(std::path::is_separator) || Path::new(pack).join("KNOWLEDGE.md").is_file()
    };
    let (paths, named): (Vec<String>, Vec<String>) =
        args.pack.iter().cloned().partition(|pack| is_path(&pack));
    let absolute = |path: &String| {
        let path = Path::new(path);
        path.canonicalize().map_err(|error| Stop::read(path, error))
    };
    let packs = Options {
        explicit: paths.iter().map(absolute).collect::<Result<_, Stop>>()?,
        allow: args.allow_pack.clone(),
        named: named.clone(),
        approve_project: args.root.is_some(),
        model: args.model.clone(),
        ..Options::default()
    };
    let settings = Settings {
        programs: args.programs.clone(),
        model: args.model.clone(),
        offers: args.offer.clone(),
        selected: (!args.pack.is_empty()).then_some(named),
        packs,
        servers: servers::Consent {
            allow: args.allow_server.clone(),
            approve_project: args.root.is_some(),
            ..servers::Consent::default()
        },
        ..Settings::new(project)
    };
    Server::open(settings).map_err(complaint)
}

/// The token that clients need over HTTP.
fn token(args: &Args, project: &Project, terminal: &Terminal) -> Result<Token, Stop> {
    let token = match (&args.token_file, project.environment.get(VARIABLE)) {
        (Some(file), _) => Token::read(file),
        (None, Some(text)) => Token::new(text),
        (None, None) => {
            let message = "over HTTP the server needs a bearer token";
            let help = format!("set {VARIABLE}, or name a file with --token-file");
            Err(Fault::of(codes::NO_TOKEN, message).with_help(help))
        }
    };
    let token = token.map_err(complaint)?;
    if token.is_short() {
        terminal.warn("the bearer token is short enough to be guessed; `openssl rand -hex 32` makes a good one");
    }
    Ok(token)
}

/// The project without the token: programs and references have no use for it.
fn without_token(project: Project) -> Project {
    let vars = project.environment.vars().iter().filter(|(name, _)| *name != VARIABLE);
    let environment = Environment::of(vars.map(|(name, value)| (name.clone(), value.clone())));
    Project { environment, ..project }
}

/// `3 tools and 2 packs`
fn what(server: &Server) -> String {
    let tools = super::trace::plural(server.tools().len() as u64, "tool");
    match server.packs().len() as u64 {
        0 => tools,
        packs => format!("{tools} and {}", super::trace::plural(packs, "pack")),
    }
}

fn complaint(fault: Fault) -> Stop {
    let complaint = Complaint::refused(&fault.code, fault.message);
    Complaint { help: fault.help, ..complaint }.into()
}
