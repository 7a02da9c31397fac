//! The index of a registry.

use contexture_context::Digest;
use serde_json::Value;
use std::cmp::Ordering;

/// The packs that an index names.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// The highest version of each pack, in the order of their first mention.
    pub(super) entries: Vec<Entry>,
    /// The faults in other entries.
    pub(super) faults: Vec<String>,
}

/// A pack of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) url: String,
    pub(super) digest: Digest,
    pub(super) size: Option<u64>,
}

pub(super) fn read(bytes: &[u8], most: usize) -> Result<Index, String> {
    let value: Value =
        serde_json::from_slice(bytes).map_err(|error| format!("its index is not JSON: {error}"))?;
    let packs = value.get("packs").and_then(Value::as_array);
    let packs = packs.ok_or("its index has no list `packs`")?;
    if packs.len() > most {
        return Err(format!("its index names {} packs; at most {most} are read", packs.len()));
    }
    let mut index = Index::default();
    for (number, pack) in (1..).zip(packs) {
        match entry(pack) {
            Err(problem) => index.faults.push(format!("entry {number} of the index {problem}")),
            Ok(entry) => index.take(entry),
        }
    }
    Ok(index)
}

impl Index {
    fn take(&mut self, entry: Entry) {
        match self.entries.iter_mut().find(|known| known.name == entry.name) {
            None => self.entries.push(entry),
            Some(known) if compare(&entry.version, &known.version) == Ordering::Greater => {
                *known = entry;
            }
            Some(_) => {}
        }
    }
}

fn entry(pack: &Value) -> Result<Entry, String> {
    let text = |field: &str| {
        let value = pack.get(field).and_then(Value::as_str);
        let value = value.filter(|text| !text.trim().is_empty()).map(str::to_owned);
        value.ok_or_else(|| format!("has no text `{field}`"))
    };
    let (name, version, url) = (text("name")?, text("version")?, text("url")?);
    let about = |problem: &str| format!("(`{}`) {problem}", name.escape_debug());
    let sha256 = text("sha256").map_err(|problem| about(&problem))?.to_lowercase();
    let hex = sha256.strip_prefix("sha256:").unwrap_or(&sha256);
    let digest = format!("sha256:{hex}").parse();
    let digest = digest.map_err(|_| about("has a `sha256` that is not 64 hex digits"))?;
    let size = match pack.get("size") {
        None | Some(Value::Null) => None,
        Some(size) => {
            Some(size.as_u64().ok_or_else(|| about("has a `size` that is not a number"))?)
        }
    };
    Ok(Entry { name, version, url, digest, size })
}

/// Versions by their numbers; with equal ones, what has a suffix (`1.0.0-rc1`) comes before what
/// has none.
fn compare(left: &str, right: &str) -> Ordering {
    let parts = |version: &str| -> (Vec<u64>, Option<String>) {
        let version = version.trim_start_matches('v');
        let version = version.split_once('+').map_or(version, |(version, _)| version);
        let (numbers, suffix) = match version.split_once('-') {
            Some((numbers, suffix)) => (numbers, Some(suffix.to_owned())),
            None => (version, None),
        };
        let mut numbers: Vec<u64> =
            numbers.split('.').map(|part| part.parse().unwrap_or(0)).collect();
        while numbers.last() == Some(&0) {
            numbers.pop();
        }
        (numbers, suffix)
    };
    let ((left, left_suffix), (right, right_suffix)) = (parts(left), parts(right));
    left.cmp(&right).then_with(|| match (left_suffix, right_suffix) {
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (left, right) => left.cmp(&right),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kn_16_versions_are_compared_by_their_numbers() {
        for (higher, lower) in
            [("1.10.0", "1.9.9"), ("2", "1.99"), ("1.0.0", "1.0.0-rc1"), ("1.0.1", "v1.0")]
        {
            assert_eq!(compare(higher, lower), Ordering::Greater, "{higher} {lower}");
            assert_eq!(compare(lower, higher), Ordering::Less, "{higher} {lower}");
        }
        assert_eq!(compare("1.0", "1.0.0+build"), Ordering::Equal);
    }
}
