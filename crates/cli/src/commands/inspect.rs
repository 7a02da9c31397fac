//! `contexture inspect`: the kept runs of a project in a browser (IN-1).

use super::eval::report;
use super::flow::FlowLocation;
use crate::prelude::*;
use crate::support::project;
use crate::support::runtime::multi_threaded;
use crate::support::signals::asked_to_end;
use contexture::Project;
use contexture::config::listen_address;
use contexture::contexts::{self, CONTEXTS_FILE};
use contexture::inspect::import;
use contexture::packs;
use contexture::store::runs::{RunId, RunStore, select};
use contexture_server::inspect::{Access, Inspector, Sources};
use contexture_server::serve::Place;
use std::fs::File;
use std::io::BufReader;
use std::net::SocketAddr;
use std::process::{Command, Stdio};
use std::sync::Arc;

const EXAMPLES: &str = "\
Examples:
  contexture inspect
  contexture inspect latest --listen 127.0.0.1:7900
  contexture trace export latest > run.jsonl
  contexture inspect run.jsonl
  contexture test examples/use_one_of.test.yaml --json > base.json
  contexture inspect --eval base.json

The address of the page is the first line of stdout; its API is under /v1/. Ctrl-C ends it.
RUN is an id, the beginning or end of one, `latest`, or `latest~1` for the run before. FILE is what
`contexture trace export` printed, as somebody else sent it.";

/// The address by default.
const ADDRESS: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 7880);

/// What opens an address in the browser of a person.
const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

/// Shows the kept runs of a project in a browser: what each model saw, and why.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The run to show first, or a file with an exported run, which is shown alone; all runs of the
    /// project by default.
    #[arg(value_name = "RUN|FILE.jsonl", value_hint = clap::ValueHint::FilePath)]
    run: Option<String>,
    /// The address to listen on; port 0 selects a free port [default: 127.0.0.1:7880].
    #[arg(long, value_name = "ADDR", value_parser = listen_address)]
    listen: Option<SocketAddr>,
    /// Ask each request for a token with the permission `inspect`, over plain HTTP: other machines may
    /// reach the address then, or a TLS proxy stands before it.
    #[arg(long)]
    allow_remote: bool,
    /// A report that `contexture eval --json` or `contexture test --json` printed: the page shows its
    /// cases by variants, with the run of each. Can be given several times.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    eval: Vec<PathBuf>,
    /// Open the page in the browser.
    #[arg(long)]
    open: bool,
    /// The project folder [default: the nearest folder with a contexture.toml, else the current
    /// one].
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    workspace: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let (mut sources, first) = shown(args)?;
    let access = access(args)?;
    // A program that is tried reads files of the project: only for whoever may read them anyway.
    for file in &args.eval {
        sources.evals.push((file.display().to_string(), report(file, terminal)?));
    }
    sources.can_recheck = sources.packs.is_some() && matches!(access, Access::Local);
    let runtime = multi_threaded()?;
    let served = runtime.block_on(async {
        let stop = asked_to_end();
        let inspector = Inspector::bind(sources, args.listen.unwrap_or(ADDRESS), access).await?;
        let page = match &first {
            None => format!("{}/", inspector.url()),
            Some(run) => format!("{}/#/runs/{run}", inspector.url()),
        };
        terminal.print(&format!("{page}\n"))?;
        if args.open {
            open(&page, terminal);
        }
        inspector.serve(stop).await?;
        Ok::<(), Abort>(())
    });
    runtime.shutdown_background();
    served?;
    Ok(Exit::Done)
}

/// Returns what to show, and the run that is shown first.
fn shown(args: &Args) -> Result<(Sources, Option<RunId>), Abort> {
    if let Some(file) = args.run.as_deref().filter(|run| is_file(run)) {
        let opened = File::open(file).map_err(|error| {
            CommandError::refused("file_unreadable", format!("can't read {file}: {error}"))
        })?;
        let (store, run) = import(file, BufReader::new(opened)).map_err(|error| {
            CommandError::refused(error.code(), error.to_string())
                .help("name a file that `contexture trace export RUN` has printed")
        })?;
        return Ok((Sources::of_runs(store), Some(run)));
    }
    let project = project::here_or(args.workspace.as_deref())?;
    let store = contexture::runs(&project);
    let first = args.run.as_deref().map(|run| select(&*store, run)).transpose()?;
    Ok((sources(project, store)?, first))
}

/// Returns what a project keeps, as far as it keeps it. What can't be opened is not shown by halves.
fn sources(project: Project, runs: Arc<dyn RunStore>) -> Result<Sources, Abort> {
    let flows = FlowLocation::of(Some(&project.root)).open()?;
    let place = Place::of(&project, None)?;
    let contexts = match place.database {
        // A database is asked through its server.
        Some(_) => None,
        None => contexts::find(&project, &place.folder.join(CONTEXTS_FILE))?,
    };
    // Whoever starts the inspector in a project has named it, as with `knowledge search`.
    let options = packs::Options { approve_project: true, ..packs::Options::default() };
    let packs = Some((project, options));
    Ok(Sources { flows, contexts, packs, ..Sources::of_runs(runs) })
}

/// Returns who may read the runs.
fn access(args: &Args) -> Result<Access, Abort> {
    if !args.allow_remote {
        return Ok(Access::Local);
    }
    let project = project::here_or(args.workspace.as_deref())?;
    let tokens = Place::of(&project, None)?.tokens(&project)?;
    Ok(Access::Token { tokens, hosts: project.config.serve.hosts.clone() })
}

/// Reports whether a name is that of a file: ids of runs have no dot.
fn is_file(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|ending| ending == "jsonl" || ending == "json")
}

/// Opens a page; where that fails, the printed address is enough.
fn open(page: &str, terminal: &Terminal) {
    let opener = Command::new(OPENER)
        .arg(page)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if let Err(error) = opener {
        terminal.warn(&format!("can't open the browser with `{OPENER}`: {error}"));
    }
}
