//! The arguments of `contexture mcp`.

use contexture::config::listen_address;
use contexture::knowledge::approval::Allowance;
use std::net::SocketAddr;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  contexture mcp --root . --programs examples
  contexture mcp --root examples/knowledge --pack acme-product-brief

Over stdio a client starts the command and speaks with it through stdin and stdout; it ends with
stdin. With `--http 127.0.0.1:7879`, and a token in CONTEXTURE_MCP_TOKEN, clients call
http://ADDR/mcp with the header `Authorization: Bearer TOKEN`. What there is to say goes to stderr.";

/// Serves knowledge packs, references and programs over the Model Context Protocol.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The project; by default the nearest folder with a contexture.toml, else the current one.
    /// Naming it approves its packs and MCP servers while this server runs, but for packs that are
    /// drafts or disputed.
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, help_heading = "What to serve")]
    pub(super) root: Option<PathBuf>,
    /// A folder of programs in the project: each with a `main agent` becomes a tool.
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, help_heading = "What to serve")]
    pub(super) programs: Option<PathBuf>,
    /// Serve this pack alone, by its name or path; may be repeated.
    #[arg(long, value_name = "NAME", help_heading = "What to serve")]
    pub(super) pack: Vec<String>,
    /// Allow a pack that is a draft, disputed or not approved, in this very state; may be repeated.
    #[arg(long, value_name = "NAME@DIGEST", help_heading = "What to serve")]
    pub(super) allow_pack: Vec<Allowance>,
    /// Let programs use this MCP server of the project, as contexture.toml describes it now; may be
    /// repeated.
    #[arg(long, value_name = "NAME@DIGEST", help_heading = "What to serve")]
    pub(super) allow_server: Vec<Allowance>,
    /// Let load_resource load this reference, or what matches this pattern, besides what the
    /// workspace holds, such as '@https://docs.example.com/**'; may be repeated.
    #[arg(long, value_name = "REF", help_heading = "What to serve")]
    pub(super) offer: Vec<String>,
    /// The model that `default` stands for in programs.
    #[arg(long, value_name = "URI", help_heading = "What to serve")]
    pub(super) model: Option<String>,

    /// Listen on this address with HTTP instead of stdio, such as 127.0.0.1:7879; port 0 takes any
    /// free one.
    #[arg(long, value_name = "ADDR", value_parser = listen_address, help_heading = "HTTP")]
    pub(super) http: Option<SocketAddr>,
    /// The file with the bearer token; else it is in CONTEXTURE_MCP_TOKEN.
    #[arg(long, value_name = "FILE", requires = "http", value_hint = clap::ValueHint::FilePath, help_heading = "HTTP")]
    pub(super) token_file: Option<PathBuf>,
    /// Listen on an address that other machines can reach. The token then crosses the network in
    /// plain text, unless a TLS proxy stands before the server.
    #[arg(long, requires = "http", help_heading = "HTTP")]
    pub(super) allow_remote: bool,
    /// A name that clients call the server by, besides localhost and IP addresses; may be repeated.
    #[arg(long, value_name = "HOST", requires = "http", help_heading = "HTTP")]
    pub(super) allow_host: Vec<String>,
    /// The origin of a web page that may call, such as https://app.example.com; may be repeated.
    #[arg(long, value_name = "ORIGIN", requires = "http", help_heading = "HTTP")]
    pub(super) allow_origin: Vec<String>,
}
