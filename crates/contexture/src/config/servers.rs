//! `[mcp.servers.NAME]`: the MCP servers that programs may import tools from (AS-25).

use contexture_script::capability::{self, UriFault};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::path::Path;

/// MCP servers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, try_from = "Written")]
#[non_exhaustive]
pub struct Mcp {
    /// The servers by name, as in `mcp://name`.
    pub servers: BTreeMap<String, McpServer>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Written {
    servers: BTreeMap<String, McpServer>,
}

impl TryFrom<Written> for Mcp {
    type Error = String;

    fn try_from(Written { servers }: Written) -> Result<Self, String> {
        for (name, server) in &servers {
            if !matches!(capability::server(&format!("mcp://{name}")), Ok(Some((_, None)))) {
                return Err(format!(
                    "`{name}` is not a name of a server: use at most 64 letters, digits, `-`, `_` and `.`"
                ));
            }
            server.fits().map_err(|fault| format!("the MCP server `{name}`: {fault}"))?;
        }
        Ok(Self { servers })
    }
}

/// An MCP server: a process that is started, or an address.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct McpServer {
    /// The program: a name that is looked for in `PATH`, or a path from the workspace.
    pub command: Option<String>,
    /// Its arguments.
    pub args: Vec<String>,
    /// The names of the variables that it gets; it gets no others.
    pub env: Vec<String>,
    /// The address of a server over streamable HTTP.
    pub url: Option<String>,
    /// The variable that holds its bearer token.
    pub token_env: Option<String>,
    /// Milliseconds for connecting, for listing its tools, and for each call; 30 seconds when
    /// absent.
    pub timeout_ms: Option<NonZeroU64>,
}

impl McpServer {
    fn fits(&self) -> Result<(), String> {
        match (&self.command, &self.url) {
            (Some(_), Some(_)) => Err("give `command` or `url`, not both".to_owned()),
            (None, None) => Err("give `command`, or `url`".to_owned()),
            (None, Some(url)) => self.fits_address(url),
            (Some(command), None) => self.fits_process(command),
        }
    }

    fn fits_address(&self, url: &str) -> Result<(), String> {
        if !url.starts_with("https://") && !url.starts_with("http://") {
            return Err("`url` begins with `https://` or `http://`".to_owned());
        }
        if !self.args.is_empty() || !self.env.is_empty() {
            return Err("`args` and `env` go with `command`".to_owned());
        }
        Ok(())
    }

    fn fits_process(&self, command: &str) -> Result<(), String> {
        if command.trim().is_empty() {
            return Err("`command` is empty".to_owned());
        }
        if self.token_env.is_some() {
            return Err("`token_env` goes with `url`; a process gets variables by `env`".to_owned());
        }
        let name = Path::new(command).file_name().and_then(|name| name.to_str());
        let shell = format!("sh://{}", name.unwrap_or_default());
        if capability::tool(&shell) == Err(UriFault::Shell) {
            return Err(format!(
                "`{command}` is a shell, and shells are forbidden: name the program itself"
            ));
        }
        if let Some(name) =
            self.env.iter().find(|name| name.is_empty() || name.contains(['=', '\0']))
        {
            let bare = name.split('=').next().unwrap_or_default();
            return Err(format!(
                "`env` names variables, such as \"PATH\"; `{bare}=…` is not a name"
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Config, ConfigError};

    fn told(text: &str) -> (String, String) {
        let error = Config::parse("contexture.toml", text).unwrap_err();
        let ConfigError::Invalid { diagnostic, .. } = error else { panic!("{error}") };
        (diagnostic.message, diagnostic.help.unwrap_or_default())
    }

    #[test]
    fn as_25_servers_are_read() {
        let config = Config::parse(
            "contexture.toml",
            "[mcp.servers.fs]\ncommand = \"npx\"\nargs = [\"-y\", \".\"]\nenv = [\"PATH\"]\n\
             timeout_ms = 500\n[mcp.servers.web-2]\nurl = \"https://example.com/mcp\"\ntoken_env = \"T\"\n",
        );
        let servers = config.unwrap().mcp.servers;
        assert_eq!(servers.keys().collect::<Vec<_>>(), ["fs", "web-2"]);
        assert_eq!(servers["fs"].args, ["-y", "."]);
        assert_eq!(servers["fs"].timeout_ms.map(|ms| ms.get()), Some(500));
        assert_eq!(servers["web-2"].token_env.as_deref(), Some("T"));
        assert!(Config::parse("contexture.toml", "").unwrap().mcp.servers.is_empty());
    }

    #[test]
    fn as_25_servers_that_can_not_be_are_refused() {
        for (text, word) in [
            ("[mcp.servers.a]\n", "give `command`, or `url`"),
            ("[mcp.servers.a]\ncommand = \"x\"\nurl = \"https://h\"\n", "not both"),
            ("[mcp.servers.a]\nurl = \"h\"\n", "`url` begins with"),
            ("[mcp.servers.a]\nurl = \"https://h\"\nargs = [\"x\"]\n", "go with `command`"),
            ("[mcp.servers.a]\ncommand = \"x\"\ntoken_env = \"T\"\n", "goes with `url`"),
            (
                "[mcp.servers.a]\ncommand = \"/bin/bash\"\nargs = [\"-c\", \"x\"]\n",
                "shells are forbidden",
            ),
            ("[mcp.servers.a]\ncommand = \" \"\n", "is empty"),
            ("[mcp.servers.a]\ncommand = \"x\"\nenv = [\"A=secret\"]\n", "`A=…` is not a name"),
            ("[mcp.servers.\"a b\"]\ncommand = \"x\"\n", "not a name of a server"),
            ("[mcp.servers.a]\ncommand = \"x\"\ntimeout_ms = 0\n", "nonzero"),
            ("[mcp]\nserver = 1\n", "server"),
        ] {
            let (message, _) = told(text);
            assert!(message.contains(word), "{text}: {message}");
            assert!(!message.contains("secret"), "{message}");
        }
    }

    #[test]
    fn as_25_token_in_settings_is_refused_with_name_of_right_setting() {
        let (message, help) =
            told("[mcp.servers.a]\nurl = \"https://h\"\ntoken = \"abc-secret\"\n");
        assert!(!message.contains("abc-secret"), "{message}");
        assert!(help.contains("token_env"), "{help}");
    }
}
