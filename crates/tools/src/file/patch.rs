//! `patch`: a literal replacement that must be meant as it is.
//!
//! Decision: the text must occur exactly once, unless `all` is set. Replacing the first of several
//! places would change the wrong one without a word.

use super::effect;
use crate::arguments::Arguments;
use crate::error::ToolError;
use crate::output::ToolOutput;
use crate::settings::Shared;

/// The number of places that an error names.
const PLACES: usize = 5;

pub(super) fn patch(shared: &Shared, arguments: &Arguments) -> Result<ToolOutput, ToolError> {
    let (path, text) = super::text_of(shared, arguments)?;
    let search = arguments.text("search");
    let replace = arguments.text("replace");
    if search.is_empty() {
        let message = format!("patch of `{path}`: `search` is empty");
        let help = "give the text to replace; to set the whole content use write";
        return Err(ToolError::new("patch_empty", message).with_help(help));
    }
    let count = text.matches(search).count();
    if count == 0 {
        let message = format!("patch of `{path}`: the text of `search` does not occur");
        return Err(ToolError::new("patch_not_found", message).with_help(why(&text, search)));
    }
    if count > 1 && arguments.flag("all") != Some(true) {
        let message = format!(
            "patch of `{path}`: the text of `search` occurs {count} times, at lines {}",
            lines_of(&text, search)
        );
        let help = "take more of the text around it into `search`, or set `all: true`";
        return Err(ToolError::new("patch_ambiguous", message).with_help(help));
    }
    let removed = count.saturating_mul(search.len());
    let added = count.saturating_mul(replace.len());
    let bytes = text.len().saturating_sub(removed).saturating_add(added);
    let limit = shared.settings.limits.file_bytes;
    if bytes as u64 > limit {
        let message = format!("patch of `{path}` would give {bytes} bytes, the limit is {limit}");
        let help = "use a shorter `replace`, or a `search` that occurs less often";
        return Err(ToolError::new("file_too_large", message).with_help(help));
    }
    let patched = text.replace(search, replace);
    Ok(effect::write(shared, &path, patched.as_bytes())?.into_output())
}

/// Returns the lines of the first places, such as `3, 17, …`.
fn lines_of(text: &str, search: &str) -> String {
    let mut places = text.match_indices(search);
    let mut lines = Vec::new();
    let mut line = 1;
    let mut at = 0;
    for (offset, _) in places.by_ref().take(PLACES) {
        line += text.get(at..offset).unwrap_or_default().matches('\n').count();
        at = offset;
        lines.push(line.to_string());
    }
    if places.next().is_some() {
        lines.push("…".to_owned());
    }
    lines.join(", ")
}

/// Returns the reason why a text that someone thinks is there is not found.
fn why(text: &str, search: &str) -> &'static str {
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.contains("\r\n") && text.replace("\r\n", "\n").contains(&search.replace("\r\n", "\n")) {
        "the lines of the file end with CRLF and those of `search` with LF, or the other way round"
    } else if squeezed(text).contains(&squeezed(search)) {
        "it occurs with other white space: copy it from the file as it is"
    } else if text.to_lowercase().contains(&search.to_lowercase()) {
        "it occurs in other case: copy it from the file as it is"
    } else {
        "read the file first and copy the text to replace from it"
    }
}
