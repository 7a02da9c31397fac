//! Tool URIs as a program imports them (AS-25).

use crate::error::{ToolError, shown};
use crate::http::Origin;
use contexture_core::signature::{Method, tables};
use contexture_diagnostic::nearest;

/// The URIs that name one tool each.
const NAMED: [(&str, ToolKind); 6] = [
    ("sh://find", ToolKind::Find),
    ("sh://grep", ToolKind::Grep),
    ("sh://sed", ToolKind::Lines),
    ("sh://read-range", ToolKind::Lines),
    ("file://workspace", ToolKind::File),
    ("env://process", ToolKind::Environment),
];

/// Shells: they would run anything, which no confinement survives.
const SHELLS: [&str; 9] = ["sh", "bash", "zsh", "fish", "dash", "ksh", "csh", "powershell", "cmd"];

/// The tool that a URI names.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolKind {
    /// `sh://find`
    Find,
    /// `sh://grep`
    Grep,
    /// `sh://sed` and `sh://read-range`
    Lines,
    /// `file://workspace`
    File,
    /// `env://process`
    Environment,
    /// `http://…` and `https://…`
    Http(Origin),
}

impl ToolKind {
    /// Reads a tool URI.
    ///
    /// # Errors
    /// [`ToolError`] for shells (`tool_forbidden`), for URIs that name no tool (`tool_unknown`),
    /// and for origins that are not valid (`http_origin`).
    pub fn parse(uri: &str) -> Result<Self, ToolError> {
        if let Some((_, tool)) = NAMED.iter().find(|(name, _)| *name == uri) {
            return Ok(tool.clone());
        }
        if is_http(uri) {
            return Ok(Self::Http(Origin::parse(uri)?));
        }
        let (scheme, rest) = uri.split_once("://").unwrap_or(("", uri));
        match scheme.to_ascii_lowercase().as_str() {
            "sh" if SHELLS.contains(&rest.to_ascii_lowercase().as_str()) => {
                let message = format!("`{}` is a shell, and shells are forbidden", shown(uri));
                let help = "use sh://find, sh://grep, sh://sed or file://workspace";
                Err(ToolError::new("tool_forbidden", message).with_help(help))
            }
            _ => Err(unknown(uri)),
        }
    }

    /// Returns the methods of the tool.
    #[must_use]
    pub fn methods(&self) -> &'static [Method] {
        match self {
            Self::Find => tables::FIND,
            Self::Grep => tables::GREP,
            Self::Lines => tables::SED,
            Self::File => tables::FILE,
            Self::Environment => tables::ENV,
            Self::Http(_) => tables::HTTP,
        }
        .methods
    }

    /// Returns the method of that name; `uri` stands in the error.
    pub(crate) fn method(&self, uri: &str, name: &str) -> Result<&'static Method, ToolError> {
        let methods = self.methods();
        methods.iter().find(|method| method.name == name).ok_or_else(|| {
            let names = || methods.iter().map(|method| method.name);
            let message = format!("{} has no method `{}`", shown(uri), shown(name));
            let list = names().collect::<Vec<_>>().join(", ");
            let help = match nearest(name, names()) {
                Some(near) => format!("did you mean `{near}`? It has {list}"),
                None => format!("it has {list}"),
            };
            ToolError::new("method_unknown", message).with_help(help)
        })
    }
}

/// Reports whether a URI begins with `http://` or `https://`.
pub(crate) fn is_http(uri: &str) -> bool {
    let scheme = uri.split_once("://").map_or("", |(scheme, _)| scheme);
    ["http", "https"].iter().any(|http| scheme.eq_ignore_ascii_case(http))
}

fn unknown(uri: &str) -> ToolError {
    let names = || NAMED.iter().map(|(name, _)| *name);
    let message = format!("`{}` names no tool", shown(uri));
    let list = names().collect::<Vec<_>>().join(", ");
    let help = match nearest(uri, names()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are {list}, and `https://` with a host"),
    };
    ToolError::new("tool_unknown", message).with_help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_25_uris_name_tools() {
        assert_eq!(ToolKind::parse("sh://find"), Ok(ToolKind::Find));
        assert_eq!(ToolKind::parse("sh://read-range"), ToolKind::parse("sh://sed"));
        let over_http = ToolKind::parse("https://api.example.com");
        #[cfg(feature = "http")]
        assert!(matches!(over_http, Ok(ToolKind::Http(_))));
        #[cfg(not(feature = "http"))]
        assert_eq!(over_http.unwrap_err().code, "missing_feature");
    }

    #[test]
    fn as_25_shells_are_forbidden() {
        for shell in ["sh://sh", "sh://bash", "sh://zsh", "sh://fish", "sh://BASH"] {
            assert_eq!(ToolKind::parse(shell).unwrap_err().code, "tool_forbidden", "{shell}");
        }
    }

    #[test]
    fn as_25_unknown_uri_error_suggests_nearest_name() {
        let error = ToolKind::parse("sh://gerp").unwrap_err();
        assert_eq!(error.code, "tool_unknown");
        assert_eq!(error.help.as_deref(), Some("did you mean `sh://grep`?"));
        for uri in ["", "://", "ftp://x", "file:///etc", "workspace", "sh://"] {
            assert_eq!(ToolKind::parse(uri).unwrap_err().code, "tool_unknown", "{uri}");
        }
    }

    #[test]
    fn as_25_unknown_method_error_suggests_nearest_name() {
        let error = ToolKind::File.method("file://workspace", "raed").err().unwrap();
        assert_eq!(error.code, "method_unknown");
        assert_eq!(
            error.help.as_deref(),
            Some("did you mean `read`? It has read, list, write, patch, undo")
        );
    }
}
