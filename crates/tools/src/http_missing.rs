//! In place of `http(s)://origin` in a build without the feature `http`.

use crate::arguments::Arguments;
use crate::error::ToolError;
use crate::output::ToolOutput;
use crate::settings::Settings;
use contexture_core::signature::Method;
use contexture_diagnostic::MissingFeature;

const MISSING: MissingFeature = MissingFeature { part: "HTTP tool", feature: "http" };

/// The origin of an HTTP tool, of which this build has none.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Origin {}

impl Origin {
    /// Refuses the URI of an import.
    ///
    /// # Errors
    /// [`ToolError`] (`missing_feature`).
    pub fn parse(_uri: &str) -> Result<Self, ToolError> {
        Err(ToolError::new(MissingFeature::CODE, MISSING.to_string()).with_help(MISSING.help()))
    }
}

#[derive(Debug, Default)]
pub(crate) struct Clients;

pub(crate) async fn call(
    _clients: &Clients,
    _settings: &Settings,
    origin: &Origin,
    _method: &Method,
    _arguments: &Arguments,
) -> Result<ToolOutput, ToolError> {
    match *origin {}
}

#[cfg(test)]
mod tests {
    use crate::Tools;
    use crate::support::Bench;
    use contexture_core::signature::Effect;
    use serde_json::json;

    #[test]
    fn as_25_http_tool_left_out_of_build_names_feature_and_masks_secrets() {
        let argument = json!({"url": "/", "headers": {"Authorization": "Bearer s3cret"}});
        let uri = "https://api.example.com";
        let error = Bench::new().call(uri, "get", argument.clone()).unwrap_err();
        assert_eq!(error.code, "missing_feature");
        assert_eq!(error.message, "this build of contexture has no HTTP tool");
        assert_eq!(error.help.as_deref(), Some("build contexture with the feature `http`"));
        assert_eq!(Tools::effect(uri, "get"), Err(error));
        assert_eq!(Tools::secrets_in(uri, &argument), ["s3cret"]);
        assert_eq!(Tools::effect("file://workspace", "read"), Ok(Effect::Read));
    }
}
