//! `contexture serve`: agents that people's apps talk to (CP-5, CP-6).

mod args;

pub(crate) use args::Args;

use super::Outcome;
use crate::complaint::{Complaint, Exit, Stop};
use crate::terminal::Terminal;
use crate::workspace;
use contexture::models::StandIn;
use contexture::turn::TurnRequest;
use contexture_server::Fault;
use contexture_server::serve::door::{Listening, Options, TlsFiles};
use contexture_server::serve::{Format, Level, LogSettings, Serve, Settings, data_folder};
use std::net::SocketAddr;

/// Where is listened when nothing else is said.
const ADDRESS: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 7878);

/// Runs `contexture serve`.
pub(crate) fn run(args: &Args, terminal: &Terminal) -> Outcome {
    let project = match (&args.root, args.programs.first()) {
        (Some(_), _) | (None, None) => workspace::here_or(args.root.as_deref())?,
        (None, Some(program)) => workspace::of_program(None, program)?,
    };
    let address = args.listen.or(project.config.serve.listen).unwrap_or(ADDRESS);
    let options = Options {
        allow_remote: args.allow_remote,
        allow_no_token: args.allow_no_token,
        tls: tls(args),
        ..Options::new(address)
    };
    let settings = Settings {
        data: data_folder(&project, args.data.clone()),
        turns: turns(args),
        log: log(args),
        ..Settings::new(project, args.programs.clone())
    };
    let runtime = runtime()?;
    let served = runtime.block_on(async {
        let stop = super::mcp::asked_to_end();
        let serve = Serve::open(settings)?;
        let what = serve.agents().join(", ");
        for warning in serve.warnings() {
            terminal.warn(&warning);
        }
        let listening = Listening::begin(serve, &options).await?;
        terminal.note(&format!("serving {what} at {}", listening.url()));
        listening.serve(stop).await
    });
    runtime.shutdown_background();
    served.map(|()| Exit::Done).map_err(complaint)
}

fn tls(args: &Args) -> Option<TlsFiles> {
    let (certificates, key) = (args.tls_cert.clone()?, args.tls_key.clone()?);
    Some(TlsFiles { certificates, key })
}

/// What is said, on stderr.
fn log(args: &Args) -> LogSettings {
    LogSettings {
        level: Level::parse(&args.log).unwrap_or_default(),
        format: Format::parse(&args.log_format).unwrap_or_default(),
        out: None,
    }
}

/// What all turns have in common.
fn turns(args: &Args) -> TurnRequest {
    TurnRequest {
        model: args.model.clone(),
        stand_in: args.replay.clone().map_or(StandIn::None, StandIn::Replay),
        record: args.record.clone(),
        allow_packs: args.allow_pack.clone(),
        approve_packs: args.root.is_some(),
        ..TurnRequest::default()
    }
}

fn complaint(fault: Fault) -> Stop {
    let complaint = Complaint::refused(&fault.code, fault.message);
    Complaint { help: fault.help, ..complaint }.into()
}

/// Threads for connections; what blocks has its own.
fn runtime() -> Result<tokio::runtime::Runtime, Stop> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| {
        Complaint::failed("no_runtime", format!("no runtime can be started: {error}")).into()
    })
}
