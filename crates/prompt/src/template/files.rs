//! Reading of templates from files: the only I/O of this crate.

use super::compiled::PromptTemplate;
use crate::error::PromptError;
use crate::limits::MAX_TEMPLATE_BYTES;
use std::io::{self, Read};
use std::path::Path;

/// Returns the text of a template file: UTF-8, without its byte order mark.
///
/// # Errors
/// [`PromptError::Parse`] with the place of the first byte that is not UTF-8.
///
/// ```
/// use contexture_prompt::decode_source;
///
/// assert_eq!(decode_source(b"\xef\xbb\xbfHi {{name}}")?, "Hi {{name}}");
/// assert_eq!(decode_source(b"ok\nno \xff").unwrap_err().position(), Some((2, 4)));
/// # Ok::<(), contexture_prompt::PromptError>(())
/// ```
pub fn decode_source(bytes: &[u8]) -> Result<&str, PromptError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let valid = String::from_utf8_lossy(valid);
        let line = valid.matches('\n').count() + 1;
        let column = valid.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        PromptError::Parse(format!(
            "line {line}, column {column}: the text is not UTF-8; save it as UTF-8"
        ))
    })
}

/// Reads and compiles one file; errors name it.
#[expect(clippy::disallowed_methods, reason = "register_file is this crate's only access to files")]
pub(super) fn load(path: &Path) -> Result<PromptTemplate, PromptError> {
    let named =
        |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    // Opening a pipe without a writer blocks, so this comes first.
    if !std::fs::metadata(path).map_err(named)?.is_file() {
        let message = "expected a regular file, found a folder, a pipe or a device";
        return Err(named(io::Error::new(io::ErrorKind::InvalidInput, message)).into());
    }
    let file = std::fs::File::open(path).map_err(named)?;
    let mut bytes = Vec::new();
    // One byte more than allowed, so that the compiler sees and refuses a file that is too large.
    let most = u64::try_from(MAX_TEMPLATE_BYTES + 1).unwrap_or(u64::MAX);
    file.take(most).read_to_end(&mut bytes).map_err(named)?;
    let compiled = decode_source(&bytes).and_then(PromptTemplate::compile);
    compiled.map_err(|error| match error {
        PromptError::Parse(message) => {
            PromptError::Parse(format!("in {}, {message}", path.display()))
        }
        other => other,
    })
}
