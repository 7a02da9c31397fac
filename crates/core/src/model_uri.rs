//! Model URIs (AS-24): which model, served where.

use contexture_context::secrets::MASK;
use contexture_diagnostic::nearest;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// A model and where it is served (AS-24).
///
/// ```
/// use contexture_core::ModelUri;
/// let uri: ModelUri = "openai+https://api.example.com/v1/org/model".parse().unwrap();
/// assert_eq!(
///     uri,
///     ModelUri::Compatible {
///         base: "https://api.example.com/v1".into(),
///         model: "org/model".into()
///     }
/// );
/// assert_eq!(uri.to_string(), "openai+https://api.example.com/v1/org/model");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ModelUri {
    /// `openai://model`: OpenAI, or the server at `OPENAI_BASE_URL`.
    OpenAi {
        /// The model's name.
        model: String,
    },
    /// `anthropic://model`: Anthropic, or the server at `ANTHROPIC_BASE_URL`.
    Anthropic {
        /// The model's name.
        model: String,
    },
    /// `ollama://host:port/model`, or `ollama://model` at `OLLAMA_BASE_URL`.
    Ollama {
        /// `host:port` when the URI names it.
        host: Option<String>,
        /// The model's name with its tag.
        model: String,
    },
    /// `openai+https://host/v1/model`: any server that speaks OpenAI's protocol.
    Compatible {
        /// The base URL, version included, without a slash at the end.
        base: String,
        /// The model's name; it may hold slashes.
        model: String,
    },
    /// `builtin://extractive`.
    Extractive,
    /// `mock`: placeholders of the right type.
    Mock,
    /// `replay:file`: recorded answers.
    Replay {
        /// The recording.
        path: String,
    },
    /// `default`: chosen by the caller from its options and configuration.
    Default,
    /// `scheme://model` of a provider that the application adds (HO-2); read by
    /// [`ModelUri::parse_with`] alone.
    Added {
        /// The scheme of the provider.
        scheme: String,
        /// Everything behind `://`; the provider defines its meaning.
        model: String,
    },
}

/// The reason why a URI names no model.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum UriError {
    /// Nothing stands before `://`, or nothing that is known.
    #[error("`{uri}` names no kind of model: unknown scheme `{scheme}`")]
    UnknownScheme {
        /// The URI as written.
        uri: String,
        /// The text before `:`.
        scheme: String,
        /// A known spelling that may be meant.
        suggestion: Option<String>,
    },
    /// A model's name without a scheme.
    #[error("`{uri}` has no scheme that says who serves the model")]
    NoScheme {
        /// The URI as written.
        uri: String,
        /// The URI that may be meant.
        suggestion: Option<String>,
    },
    /// The scheme is known, and the rest is wrong.
    #[error("`{uri}`: {problem}")]
    Malformed {
        /// The URI, without user and password.
        uri: String,
        /// The faults.
        problem: &'static str,
        /// The right form.
        form: &'static str,
    },
}

impl UriError {
    /// Returns how to fix it.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        match self {
            Self::UnknownScheme { suggestion: Some(found), .. }
            | Self::NoScheme { suggestion: Some(found), .. } => {
                Some(format!("did you mean `{found}`?"))
            }
            Self::UnknownScheme { .. } | Self::NoScheme { .. } => Some(format!("write {FORMS}")),
            Self::Malformed { form, .. } => Some(format!("write `{form}`")),
        }
    }
}

const FORMS: &str = "`openai://model`, `anthropic://model`, `ollama://host:port/model`, \
                     `openai+https://host/v1/model`, `builtin://extractive`, `mock`, \
                     `replay:file` or `default`";
/// The schemes of the providers that are built in.
pub const SCHEMES: [&str; 8] =
    ["openai", "anthropic", "ollama", "openai+https", "openai+http", "builtin", "replay", "mock"];
const COMPATIBLE_FORM: &str = "openai+https://host[:port]/v1/model";

impl ModelUri {
    /// Returns the model's name at its provider; for the built-in ones the URI itself.
    #[must_use]
    pub fn model(&self) -> &str {
        match self {
            Self::OpenAi { model }
            | Self::Anthropic { model }
            | Self::Ollama { model, .. }
            | Self::Compatible { model, .. }
            | Self::Added { model, .. } => model,
            Self::Extractive => "builtin://extractive",
            Self::Mock => "mock",
            Self::Replay { .. } => "replay",
            Self::Default => "default",
        }
    }

    /// Reads a URI where the application adds providers for `schemes`.
    ///
    /// # Errors
    /// [`UriError`] when it names no model.
    pub fn parse_with<'s>(
        text: &str,
        schemes: impl IntoIterator<Item = &'s str>,
    ) -> Result<Self, UriError> {
        let uri = text.trim();
        let Some((scheme, rest)) = uri.split_once("://") else { return uri.parse() };
        if !schemes.into_iter().any(|known| known == scheme) {
            return uri.parse();
        }
        let form = "scheme://model";
        let model = model(uri, rest, form)?;
        Ok(Self::Added { scheme: scheme.to_owned(), model })
    }

    /// Reports whether a call goes over the network.
    #[must_use]
    pub const fn is_remote(&self) -> bool {
        matches!(
            self,
            Self::OpenAi { .. }
                | Self::Anthropic { .. }
                | Self::Ollama { .. }
                | Self::Compatible { .. }
        )
    }
}

impl fmt::Display for ModelUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OpenAi { model } => write!(f, "openai://{model}"),
            Self::Anthropic { model } => write!(f, "anthropic://{model}"),
            Self::Ollama { host: None, model } => write!(f, "ollama://{model}"),
            Self::Ollama { host: Some(host), model } => write!(f, "ollama://{host}/{model}"),
            Self::Compatible { base, model } => write!(f, "openai+{base}/{model}"),
            // Two slashes at the beginning are read as those of a URI.
            Self::Replay { path } if path.starts_with("//") => write!(f, "replay://{path}"),
            Self::Replay { path } => write!(f, "replay:{path}"),
            Self::Added { scheme, model } => write!(f, "{scheme}://{model}"),
            Self::Extractive | Self::Mock | Self::Default => f.write_str(self.model()),
        }
    }
}

impl FromStr for ModelUri {
    type Err = UriError;

    fn from_str(text: &str) -> Result<Self, UriError> {
        let uri = text.trim();
        match uri {
            "default" => return Ok(Self::Default),
            "mock" => return Ok(Self::Mock),
            _ => {}
        }
        if let Some(path) = uri.strip_prefix("replay:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            return named(uri, path, "replay:file").map(|path| Self::Replay { path });
        }
        let Some((scheme, rest)) = uri.split_once("://") else { return Err(no_scheme(uri)) };
        match scheme {
            "openai" => model(uri, rest, "openai://model").map(|model| Self::OpenAi { model }),
            "anthropic" => {
                model(uri, rest, "anthropic://model").map(|model| Self::Anthropic { model })
            }
            "ollama" => ollama(uri, rest),
            "openai+http" | "openai+https" => compatible(uri, rest),
            "builtin" if rest == "extractive" => Ok(Self::Extractive),
            "builtin" => Err(UriError::UnknownScheme {
                uri: uri.to_owned(),
                scheme: uri.to_owned(),
                suggestion: Some("builtin://extractive".to_owned()),
            }),
            _ => Err(unknown_scheme(uri, scheme, rest)),
        }
    }
}

fn no_scheme(uri: &str) -> UriError {
    let suggestion = nearest(uri, ["default", "mock", "builtin://extractive"])
        .map(str::to_owned)
        .or_else(|| guess_by_name(uri));
    UriError::NoScheme { uri: uri.to_owned(), suggestion }
}

/// Returns the provider that models of such a name are known to come from.
fn guess_by_name(name: &str) -> Option<String> {
    let lower = name.to_ascii_lowercase();
    let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| lower.starts_with(prefix));
    if begins(&["gpt-", "o1", "o3", "o4", "chatgpt-"]) {
        return Some(format!("openai://{name}"));
    }
    if begins(&["claude-"]) {
        return Some(format!("anthropic://{name}"));
    }
    if lower == "extractive" {
        return Some("builtin://extractive".to_owned());
    }
    begins(&["llama", "qwen", "mistral", "gemma", "phi", "deepseek"])
        .then(|| format!("ollama://{name}"))
}

fn unknown_scheme(uri: &str, scheme: &str, rest: &str) -> UriError {
    let suggestion = match scheme {
        "http" | "https" => Some(format!("openai+{scheme}://{rest}")),
        _ => nearest(scheme, SCHEMES).map(|found| match found {
            "mock" => found.to_owned(),
            "replay" => format!("replay:{rest}"),
            _ => format!("{found}://{rest}"),
        }),
    };
    UriError::UnknownScheme { uri: without_user(uri), scheme: scheme.to_owned(), suggestion }
}

/// Returns the URI without what stands before `@` in its host part: it may be a password.
fn without_user(uri: &str) -> String {
    let Some((scheme, rest)) = uri.split_once("://") else { return uri.to_owned() };
    let host = rest.split('/').next().unwrap_or_default();
    match host.rsplit_once('@') {
        Some((user, _)) => {
            format!("{scheme}://{MASK}{}", rest.strip_prefix(user).unwrap_or_default())
        }
        None => uri.to_owned(),
    }
}

fn malformed(uri: &str, problem: &'static str, form: &'static str) -> UriError {
    UriError::Malformed { uri: without_user(uri), problem, form }
}

fn named(uri: &str, name: &str, form: &'static str) -> Result<String, UriError> {
    if name.is_empty() {
        return Err(malformed(uri, "a name is missing", form));
    }
    if name.chars().any(char::is_control) {
        return Err(malformed(uri, "it holds control characters", form));
    }
    Ok(name.to_owned())
}

fn model(uri: &str, name: &str, form: &'static str) -> Result<String, UriError> {
    let name = name.trim_matches('/');
    if name.chars().any(char::is_whitespace) {
        return Err(malformed(uri, "a model's name holds no white space", form));
    }
    if name.contains(['?', '#']) {
        return Err(malformed(uri, "a query or fragment has no meaning here", form));
    }
    named(uri, name, form)
}

fn ollama(uri: &str, rest: &str) -> Result<ModelUri, UriError> {
    const FORM: &str = "ollama://host:port/model";
    let split = rest.split_once('/').filter(|(host, _)| host.is_empty() || is_host(host));
    let (host, name) = match split {
        Some((host, name)) => (Some(host).filter(|host| !host.is_empty()), name),
        None if is_host(rest) && !rest.contains(':') => {
            return Err(malformed(uri, "a model is missing after the host", FORM));
        }
        None => (None, rest),
    };
    let model = model(uri, name, FORM)?;
    Ok(ModelUri::Ollama { host: host.map(str::to_owned), model })
}

/// Reports whether the first segment is a host and not the namespace of a model: it has a port,
/// or is an IP address or `localhost`.
fn is_host(text: &str) -> bool {
    let has_port = text
        .rsplit_once(':')
        .is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok());
    let bare = text.trim_start_matches('[').trim_end_matches(']');
    has_port || text == "localhost" || bare.parse::<std::net::IpAddr>().is_ok()
}

fn compatible(uri: &str, rest: &str) -> Result<ModelUri, UriError> {
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    if host.contains('@') {
        return Err(malformed(
            uri,
            "a key does not belong into a URI: set OPENAI_API_KEY",
            COMPATIBLE_FORM,
        ));
    }
    if host.is_empty() || host.chars().any(|c| c.is_whitespace() || "?#\\".contains(c)) {
        return Err(malformed(uri, "a host is missing", COMPATIBLE_FORM));
    }
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    let at = base_length(&segments);
    let (base, name) = segments.split_at_checked(at).unwrap_or((&[], &[]));
    let model = model(uri, &name.join("/"), COMPATIBLE_FORM)
        .map_err(|_| malformed(uri, "a model is missing at the end", COMPATIBLE_FORM))?;
    let scheme = uri.split_once("://").map_or("https", |(scheme, _)| scheme);
    let scheme = scheme.strip_prefix("openai+").unwrap_or(scheme);
    let base = std::iter::once(host).chain(base.iter().copied()).collect::<Vec<_>>().join("/");
    Ok(ModelUri::Compatible { base: format!("{scheme}://{base}"), model })
}

/// Returns the number of segments of the base URL: up to the version (`v1`, `v1beta`), with an
/// `openai` right after it; without a version all but the last.
fn base_length(segments: &[&str]) -> usize {
    let Some(version) = segments.iter().position(|segment| is_version(segment)) else {
        return segments.len().saturating_sub(1);
    };
    let openai = segments.get(version + 1) == Some(&"openai") && segments.len() > version + 2;
    version + 1 + usize::from(openai)
}

fn is_version(segment: &str) -> bool {
    let mut rest = segment.chars();
    rest.next() == Some('v')
        && rest.next().is_some_and(|c| c.is_ascii_digit())
        && rest.all(|c| c.is_ascii_alphanumeric())
}

/// Reports whether a `host:port` names this machine.
#[must_use]
pub fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests;
