//! A run in one file: the page of the inspector with what its API would answer (IN-14).
//!
//! Decision: no script or style runs but the own ones, which the policy names by their digests, and
//! nothing is fetched. The answers stand in a block of data, in which no text can end the block.

use super::page::FILES;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use contexture::inspect::{InspectError, alone};
use contexture::store::runs::{RunId, RunStore};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// Writes a run as one page that needs no server.
///
/// # Errors
/// [`InspectError`] when the record can't be read, or is too large for one file.
pub fn run_file(store: &dyn RunStore, id: &RunId) -> Result<String, InspectError> {
    let answers = Value::Object(alone(store, id)?).to_string().replace('<', "\\u003c");
    let (script, style) = (asset("page.js"), asset("page.css"));
    let icon = BASE64_STANDARD.encode(asset("icon.svg"));
    let policy = format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; img-src data: blob:; base-uri 'none'; \
         form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
        digest(script),
        digest(style),
    );
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>Contexture inspector</title>\n\
         <link rel=\"icon\" href=\"data:image/svg+xml;base64,{icon}\">\n<style>{style}</style>\n\
         </head>\n<body>\n<div id=\"page\"></div>\n<noscript>This page needs JavaScript.</noscript>\n\
         <script type=\"application/json\" id=\"answers\">{answers}</script>\n\
         <script type=\"text/plain\">{}</script>\n<script type=\"module\">{script}</script>\n\
         </body>\n</html>\n",
        asset("preact.LICENSE.txt"),
    ))
}

/// Returns a file of the page; a test says that it is there.
fn asset(name: &str) -> &'static str {
    FILES.iter().find(|(own, ..)| *own == name).map_or("", |(.., text)| text)
}

/// Returns the digest of a text as a policy names it.
fn digest(text: &str) -> String {
    format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_14_files_of_page_can_stand_in_one_file() {
        for (name, end) in
            [("page.js", "</script"), ("preact.LICENSE.txt", "</script"), ("page.css", "</style")]
        {
            let text = asset(name).to_ascii_lowercase();
            assert!(!text.is_empty(), "{name}");
            for odd in [end, "<!--", "<script"] {
                assert!(!text.contains(odd), "{name} has {odd}");
            }
        }
        assert!(asset("icon.svg").starts_with("<svg"));
        // The digest of nothing, as FIPS 180-4 gives it.
        assert_eq!(digest(""), "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    }
}
