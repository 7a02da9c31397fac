//! The consent that a server needs before it is started, or sent a token (AS-25, KN-8).
//!
//! Decision: `contexture.toml` and `contexture.lock` both come with a project, so neither shows
//! that anybody here looked at them. A person approves what the settings would start or send, by
//! digest and for the folder that the project lies in; the approval is kept in the user's home
//! beside those of packs. A server over HTTP that gets no token needs none: a program may connect
//! to any address itself.

use crate::config::McpServer;
use crate::permission::origin_of_server;
use crate::project::Project;
use crate::secrets::Secrets;
use crate::servers::secrets;
use contexture_context::Digest;
use contexture_knowledge::Allowance;
use contexture_knowledge::approval::Approvals;
use contexture_mcp::port::{BoxFuture, Connection, Connector};
use contexture_mcp::{Connect, McpError, Secret, ServerSpec, Transport};
use contexture_store::masker::Masker;
use contexture_tools::environment;
use serde_json::json;
use std::sync::Arc;

/// The servers of a project that may be used, besides those that a person allowed earlier.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Consent {
    /// The allowances of `--allow-server`, each for the state that its digest names.
    pub allow: Vec<Allowance>,
    /// Servers that a person named for this one command.
    pub named: Vec<String>,
    /// True if a person named the project for this command, as with `contexture mcp --root`.
    pub approve_project: bool,
}

/// The connector to those servers that may be used.
pub(super) struct Asked {
    connect: Connect,
    /// Learns the secrets that servers get.
    masker: Arc<Masker>,
    secrets: Secrets,
    consent: Consent,
    approvals: Option<Approvals>,
    project: Project,
}

impl Asked {
    pub(super) fn new(
        project: &Project,
        (connect, masker): (Connect, Arc<Masker>),
        consent: Consent,
    ) -> Self {
        let (secrets, approvals) = (Secrets::of(project), approvals(project));
        Self { connect, masker, secrets, consent, approvals, project: project.clone() }
    }

    /// Returns a server with the values of its secrets, which may go to it alone.
    fn with_secrets(&self, server: &ServerSpec) -> Result<ServerSpec, McpError> {
        let mut server = server.clone();
        let sink = origin_of_server(&server.name);
        let described = self.project.config.mcp.servers.get(&server.name);
        let value = |name: &String| {
            let value =
                self.secrets.value(name, &sink).map_err(|reason| McpError::Unreachable {
                    server: server.name.clone(),
                    reason: format!("the secret `{name}` is not used: {reason}"),
                    stderr: String::new(),
                })?;
            Ok::<_, McpError>(value.inspect(|value| {
                let is_secret = self.secrets.is_declared(name);
                let known = environment::secrets_in(name, value);
                self.masker.add(if is_secret { vec![value.clone()] } else { known });
            }))
        };
        let names = described.map_or(&[][..], |described| &described.env);
        let mut given = Vec::new();
        for name in names {
            given.extend(value(name)?.map(|value| (name.clone(), Secret::new(value))));
        }
        let bearer = described.and_then(|described| described.token_env.as_ref());
        let bearer = bearer.map(value).transpose()?.flatten();
        self.masker.add(bearer.clone());
        match &mut server.transport {
            Transport::Process { env, .. } => *env = given,
            Transport::Http { token, .. } => *token = bearer.map(Secret::new),
            _ => {}
        }
        Ok(server)
    }

    fn refusal(&self, name: &str) -> Option<McpError> {
        let what = deed(&self.project, name)?;
        let digest = digest(&self.project, name)?;
        if self.consent.approve_project || self.consent.named.iter().any(|named| named == name) {
            return None;
        }
        if self.consent.allow.iter().any(|given| given.covers(name, &digest)) {
            // As with a pack, a failure to save it is not a reason to refuse it now.
            let _ = self.approvals.as_ref().map(|record| record.add(&kept_as(name), &digest));
            return None;
        }
        let known = self.approvals.as_ref().map(|record| record.has(&kept_as(name), &digest));
        let reason = match known {
            Some(Ok(true)) => return None,
            Some(Err(error)) => error.to_string(),
            Some(Ok(false)) | None => "nobody here has allowed that".to_owned(),
        };
        let allowance = format!("{name}@{digest}");
        Some(McpError::NotAllowed { server: name.to_owned(), what, reason, allowance })
    }
}

impl Connector for Asked {
    fn connect<'a>(
        &'a self,
        server: &'a ServerSpec,
    ) -> BoxFuture<'a, Result<Arc<dyn Connection>, McpError>> {
        match self.refusal(&server.name) {
            Some(refusal) => Box::pin(std::future::ready(Err(refusal))),
            None => {
                Box::pin(async move { self.connect.connect(&self.with_secrets(server)?).await })
            }
        }
    }
}

/// Remembers that a person allowed the use of a server, as the settings describe it now.
///
/// # Errors
/// The reason why it can't be saved.
pub fn allow(project: &Project, server: &str) -> Result<(), String> {
    let Some(digest) = deed(project, server).and_then(|_| digest(project, server)) else {
        return Ok(());
    };
    let record = approvals(project).ok_or("there is no home folder to keep it in")?;
    record.add(&kept_as(server), &digest).map_err(|error| error.to_string())
}

/// Returns what the use of a server would do that needs consent, as a clause about it: the program
/// that it starts, or where it sends a token. Secrets in it are masked. `None` for a server that
/// needs no consent.
#[must_use]
pub fn deed(project: &Project, server: &str) -> Option<String> {
    let masker = Masker::new(secrets(project));
    deed_in_clear(project, server).map(|deed| masker.text(&deed).into_owned())
}

fn deed_in_clear(project: &Project, server: &str) -> Option<String> {
    let described = project.config.mcp.servers.get(server)?;
    let McpServer { command, args, env, url, token_env, .. } = described;
    if let Some(command) = command {
        let words = std::iter::once(command).chain(args).map(|word| shown(word));
        let line = words.collect::<Vec<_>>().join(" ");
        let names = env.iter().map(|name| shown(name)).collect::<Vec<_>>().join(", ");
        let given = if names.is_empty() { names } else { format!(" and gives it {names}") };
        return Some(format!("which starts `{line}`{given}"));
    }
    let (url, token) = (url.as_ref()?, token_env.as_ref()?);
    Some(format!("which sends the variable {} to {}", shown(token), shown(url)))
}

fn approvals(project: &Project) -> Option<Approvals> {
    Approvals::of_home(project.home())
}

/// Returns the server's name in the record, which no pack has.
fn kept_as(server: &str) -> String {
    format!("mcp://{server}")
}

/// Returns a word as it may be shown: signs that could hide or forge a part of it are escaped.
fn shown(word: &str) -> String {
    let is_plain = |sign: char| sign.is_alphanumeric() || "@%+=:,./_-".contains(sign);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("{word:?}")
}

/// Returns the digest of a server's settings and of the project's folder: a path leads to something
/// else in another folder.
fn digest(project: &Project, server: &str) -> Option<Digest> {
    let described = project.config.mcp.servers.get(server)?;
    let McpServer { command, args, env, url, token_env, .. } = described;
    let mut settings = json!({
        "command": command,
        "args": args,
        "env": env,
        "url": url,
        "token_env": token_env,
        "folder": project.root.to_string_lossy(),
    });
    // Where a variable is taken from is a part of what was allowed.
    let names = env.iter().chain(token_env);
    let taken = names.filter_map(|name| Some((name, project.config.secrets.get(name)?)));
    let taken: Vec<String> =
        taken.map(|(name, source)| format!("{name}: {:?}", source.source)).collect();
    if !taken.is_empty()
        && let Some(fields) = settings.as_object_mut()
    {
        fields.insert("secrets".to_owned(), taken.into());
    }
    Some(Digest::of_json(&settings))
}
