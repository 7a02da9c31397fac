//! The arguments of `contexture serve`.

use contexture::config::listen_address;
use contexture::knowledge::approval::Allowance;
use std::net::SocketAddr;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  contexture serve examples/ask_docs.as
  contexture serve examples/ask_docs.as examples/hello.as --listen 127.0.0.1:9000

Apps speak with the server over a WebSocket at /v1/ws or over HTTP:
  curl http://127.0.0.1:7878/v1/messages -H 'Content-Type: application/json' -d '{
    \"messageId\": \"msg_1\", \"timestamp\": \"2026-01-01T00:00:00Z\", \"type\": \"USER_INPUT\",
    \"sender\": {\"id\": \"me\", \"type\": \"USER\"}, \"content\": {\"text\": \"Hello\"}}'

What there is to say goes to stderr. Ctrl-C lets what is under way end; a second one ends at once.";

/// Serves agents to apps over the context protocol.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The programs whose agents take part; the first one's main agent is asked by default.
    #[arg(required = true, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(super) programs: Vec<PathBuf>,
    /// The address to listen on; port 0 takes any free one. [default: 127.0.0.1:7878]
    #[arg(long, value_name = "ADDR", value_parser = listen_address, help_heading = "Server")]
    pub(super) listen: Option<SocketAddr>,
    /// The folder of contexts and tokens. [default: .contexture/data in the project]
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, help_heading = "Server")]
    pub(super) data: Option<PathBuf>,
    /// Listen on an address that other machines can reach without TLS, as behind a TLS proxy.
    #[arg(long, help_heading = "Server")]
    pub(super) allow_remote: bool,
    /// The server's certificate, in PEM, then those that lead to one that clients trust: TLS is
    /// spoken.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, requires = "tls_key", help_heading = "Server")]
    pub(super) tls_cert: Option<PathBuf>,
    /// The private key of the certificate, in PEM.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, requires = "tls_cert", help_heading = "Server")]
    pub(super) tls_key: Option<PathBuf>,
    /// Begin on an address that other machines reach although there is no token: nobody gets in
    /// before `contexture token add` makes one.
    #[arg(long, help_heading = "Server")]
    pub(super) allow_no_token: bool,
    /// How much is said on stderr: nothing, a line for each request, turn and error, or for each
    /// message too.
    #[arg(long, value_name = "LEVEL", default_value = "info", value_parser = ["off", "info", "debug"], help_heading = "Server")]
    pub(super) log: String,
    /// How a line of the log looks.
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = ["text", "json"], help_heading = "Server")]
    pub(super) log_format: String,
    /// The project; by default the program's. Naming it approves its packs while the server runs,
    /// but for drafts and disputed ones.
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, help_heading = "Server")]
    pub(super) root: Option<PathBuf>,
    /// The model that `default` stands for in programs.
    #[arg(long, value_name = "URI", help_heading = "Model")]
    pub(super) model: Option<String>,
    /// Keep all answers of the model in a file, for --replay.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, conflicts_with = "replay", help_heading = "Model")]
    pub(super) record: Option<PathBuf>,
    /// Answer from a recorded file; a request that is not in it is an error.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, help_heading = "Model")]
    pub(super) replay: Option<PathBuf>,
    /// Allow a pack that is a draft, disputed or not approved, in this very state; may be repeated.
    #[arg(long, value_name = "NAME@DIGEST", help_heading = "Knowledge")]
    pub(super) allow_pack: Vec<Allowance>,
}
