//! The URIs of `import knowledge`, and the budgets that methods of packs accept.

use super::uri::UriFault;

const SCHEME: &str = "knowledge://";

/// The longest name of a pack, in bytes.
const NAME_BYTES: usize = 200;

/// The pack that a URI names.
///
/// # Errors
/// [`UriFault`] with the way to fix it.
pub fn pack(uri: &str) -> Result<&str, UriFault> {
    let malformed = |help: String| Err(UriFault::Malformed(help));
    let Some(name) = uri.strip_prefix(SCHEME) else { return malformed(without_scheme(uri)) };
    if let Some((name, rest)) = name.split_once(['/', '?', '#']).filter(|(name, _)| is_name(name)) {
        return malformed(match rest.is_empty() {
            true => format!("write `{SCHEME}{name}`"),
            false => format!(
                "`{SCHEME}{name}` names the whole pack; a file of it is a resource: `import resource … from \"@{uri}\"`"
            ),
        });
    }
    if is_name(name) {
        return Ok(name);
    }
    malformed(
        "name a pack as its folder is called: one word, without spaces, slashes or any of `\\ ? # % @ : < > \"`"
            .to_owned(),
    )
}

/// Returns the tokens that a text such as `500`, `3k` or `1.5k` means; `None` when it means none.
#[must_use]
pub fn tokens(text: &str) -> Option<u64> {
    let (number, thousands) = match text.trim().strip_suffix(['k', 'K']) {
        Some(number) => (number.trim_end(), true),
        None => (text.trim(), false),
    };
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(part) || number.ends_with('.') {
        return None;
    }
    let part = part.trim_end_matches('0');
    if part.len() > if thousands { 3 } else { 0 } {
        return None;
    }
    let unit = if thousands { 1000 } else { 1 };
    let behind = format!("{part:0<3}").parse::<u64>().ok()? * u64::from(thousands);
    let all = whole.parse::<u64>().ok()?.checked_mul(unit)?.checked_add(behind)?;
    (all > 0).then_some(all)
}

fn without_scheme(uri: &str) -> String {
    let bare = uri.strip_prefix('@').unwrap_or(uri);
    if bare.starts_with(SCHEME) {
        return format!("a pack is imported without the sign of a reference: `{bare}`");
    }
    let last = uri.trim_end_matches('/').rsplit(['/', '\\']).next().unwrap_or_default();
    let last = last.strip_prefix("knowledge:").unwrap_or(last);
    if is_name(last) {
        return format!("did you mean `{SCHEME}{last}`? A pack is found by its name");
    }
    format!("write `{SCHEME}name`; `contexture knowledge list` shows the packs there are")
}

fn is_name(name: &str) -> bool {
    let bad =
        |sign: char| sign.is_whitespace() || sign.is_control() || "/\\?#%@:<>\"'`{}".contains(sign);
    (1..=NAME_BYTES).contains(&name.len()) && !name.starts_with('.') && !name.contains(bad)
}
