//! `contexture serve`: agents that people's apps talk to (CP-5, CP-6).

use crate::prelude::*;
use crate::support::options::{Models, Recorded};
use crate::support::project;
use crate::support::runtime::multi_threaded;
use crate::support::signals::asked_to_end;
use contexture::config::listen_address;
use contexture::knowledge::approval::Allowance;
use contexture::run::RunRequest;
use contexture_server::serve::http::{Listening, Options, TlsFiles};
use contexture_server::serve::{Format, Level, LogSettings, Place, Serve, Settings};
use std::net::SocketAddr;

const EXAMPLES: &str = "\
Examples:
  contexture serve examples/ask_docs.as
  contexture serve examples/ask_docs.as examples/hello.as --listen 127.0.0.1:9000

Apps speak with the server over a WebSocket at /v1/ws or over HTTP:
  curl http://127.0.0.1:7878/v1/messages -H 'Content-Type: application/json' -d '{
    \"messageId\": \"msg_1\", \"timestamp\": \"2026-01-01T00:00:00Z\", \"type\": \"USER_INPUT\",
    \"sender\": {\"id\": \"me\", \"type\": \"USER\"}, \"content\": {\"text\": \"Hello\"}}'

Messages go to stderr. Ctrl-C stops the server after its running requests, a second one at once.";

/// Serves agents to apps over the context protocol.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The programs with the agents; the main agent of the first one answers by default.
    #[arg(required = true, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    programs: Vec<PathBuf>,
    /// The address to listen on; port 0 selects a free port [default: 127.0.0.1:7878].
    #[arg(long, value_name = "ADDR", value_parser = listen_address, help_heading = "Server")]
    listen: Option<SocketAddr>,
    /// The folder of contexts and tokens, also sqlite:DIR, or the database of contexts, postgres://…
    /// [default: .contexture/data in the project].
    #[arg(long, value_name = "DIR|URL", value_hint = clap::ValueHint::DirPath, help_heading = "Server")]
    data: Option<PathBuf>,
    /// What drives tool calls and instruction sets: this server, `local`, or the durable engine Restate at
    /// the address of its ingress, `restate=http://…` [default: local].
    #[arg(long, value_name = "ENGINE", help_heading = "Server")]
    engine: Option<String>,
    /// Go on without acknowledged updates of contexts that are missing: what is lost is written into the
    /// audit log.
    #[arg(long, help_heading = "Server")]
    accept_loss: bool,
    /// Listen without TLS on an address that other machines can reach, such as behind a TLS proxy.
    #[arg(long, help_heading = "Server")]
    allow_remote: bool,
    /// The certificate of the server and its chain in PEM; enables TLS.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, requires = "tls_key", help_heading = "Server")]
    tls_cert: Option<PathBuf>,
    /// The private key of the certificate, in PEM.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, requires = "tls_cert", help_heading = "Server")]
    tls_key: Option<PathBuf>,
    /// Listen on an address that other machines can reach before a token exists: no request is
    /// accepted until `contexture token add` creates one.
    #[arg(long, help_heading = "Server")]
    allow_no_token: bool,
    /// The log on stderr: nothing, a line per request, turn and error, or also per message.
    #[arg(long, value_name = "LEVEL", default_value = "info", value_parser = ["off", "info", "debug"], help_heading = "Server")]
    log: String,
    /// The format of log lines.
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = ["text", "json"], help_heading = "Server")]
    log_format: String,
    /// The project folder [default: the project of the first program]. Naming it approves its packs
    /// for this server, except drafts and disputed packs.
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, help_heading = "Server")]
    root: Option<PathBuf>,
    #[command(flatten)]
    models: Models,
    #[command(flatten)]
    recorded: Recorded,
    /// Allow a pack that is a draft, disputed or not approved, in this state. May be repeated.
    #[arg(long, value_name = "NAME@DIGEST", help_heading = "Knowledge")]
    allow_pack: Vec<Allowance>,
}

const ADDRESS: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 7878);

pub(crate) fn run(args: &Args, terminal: &Terminal) -> CommandResult {
    let project = match (&args.root, args.programs.first()) {
        (Some(_), _) | (None, None) => project::here_or(args.root.as_deref())?,
        (None, Some(program)) => project::of_program(None, program)?,
    };
    let address = args.listen.or(project.config.serve.listen).unwrap_or(ADDRESS);
    let options = Options {
        allow_remote: args.allow_remote,
        allow_no_token: args.allow_no_token,
        tls: tls(args),
        ..Options::new(address)
    };
    let Place { folder, database } = Place::of(&project, args.data.as_deref())?;
    let settings = Settings {
        data: folder,
        database,
        engine: args.engine.clone(),
        turns: turns(args)?,
        accept_loss: args.accept_loss,
        log: log(args),
        ..Settings::new(project, args.programs.clone())
    };
    let runtime = multi_threaded()?;
    let served = runtime.block_on(async {
        let stop = asked_to_end();
        let serve = Serve::open(settings)?;
        let what = serve.agents().join(", ");
        for warning in serve.warnings() {
            terminal.warn(&warning);
        }
        let listening = Listening::begin(serve, &options).await?;
        terminal.note(&format!("serving {what} at {}", listening.url()));
        if let Some(warning) = listening.warning() {
            terminal.warn(&warning);
        }
        if let Some(page) = listening.page() {
            terminal.note(&format!("its page is {page}"));
        }
        terminal.note(&format!("its runs are shown at {}", listening.inspector()));
        if let Some(code) = listening.pairing_code() {
            terminal.note(&format!(
                "the code {code} lets in one page of another origin, for ten minutes"
            ));
        }
        listening.serve(stop).await
    });
    runtime.shutdown_background();
    Ok(served.map(|()| Exit::Done)?)
}

fn tls(args: &Args) -> Option<TlsFiles> {
    let (certificates, key) = (args.tls_cert.clone()?, args.tls_key.clone()?);
    Some(TlsFiles { certificates, key })
}

fn log(args: &Args) -> LogSettings {
    LogSettings {
        level: Level::parse(&args.log).unwrap_or_default(),
        format: Format::parse(&args.log_format).unwrap_or_default(),
        out: None,
    }
}

fn turns(args: &Args) -> Result<RunRequest, Abort> {
    let (model, models) = args.models.chosen(true)?;
    Ok(RunRequest {
        model,
        models,
        stand_in: args.recorded.stand_in(),
        record: args.recorded.record.clone(),
        allow_packs: args.allow_pack.clone(),
        approve_packs: args.root.is_some(),
        ..RunRequest::default()
    })
}
