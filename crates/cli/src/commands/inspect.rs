//! `contexture inspect`: the kept runs of a project in a browser (IN-1).

use crate::prelude::*;
use crate::support::project;
use crate::support::runtime::multi_threaded;
use crate::support::signals::asked_to_end;
use contexture::config::listen_address;
use contexture::store::runs::select;
use contexture_server::inspect::Inspector;
use std::net::SocketAddr;
use std::process::{Command, Stdio};

const EXAMPLES: &str = "\
Examples:
  contexture inspect
  contexture inspect latest --open
  contexture inspect --listen 127.0.0.1:0

The address of the page is the first line of stdout; its API is under /v1/. Ctrl-C ends it.
RUN is an id, the beginning or end of one, `latest`, or `latest~1` for the run before.";

/// The address by default.
const ADDRESS: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 7880);

/// What opens an address in the browser of a person.
const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

/// Shows the kept runs of a project in a browser: what each model saw, and why.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The run to show first; all runs by default.
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// The address of this machine to listen on; port 0 selects a free port [default:
    /// 127.0.0.1:7880].
    #[arg(long, value_name = "ADDR", value_parser = listen_address)]
    listen: Option<SocketAddr>,
    /// Open the page in the browser.
    #[arg(long)]
    open: bool,
    /// The project folder [default: the nearest folder with a contexture.toml, else the current
    /// one].
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    workspace: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let project = project::here_or(args.workspace.as_deref())?;
    let store = contexture::runs(&project);
    let first = args.run.as_deref().map(|run| select(&*store, run)).transpose()?;
    let runtime = multi_threaded()?;
    let served = runtime.block_on(async {
        let stop = asked_to_end();
        let inspector = Inspector::bind(store, args.listen.unwrap_or(ADDRESS)).await?;
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
