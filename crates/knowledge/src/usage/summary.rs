//! How packs were used, from the lines of a log.

use super::UsageLine;
use serde::Serialize;
use std::collections::BTreeMap;

/// How a pack was used.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Summary {
    /// The pack.
    pub pack: String,
    /// How often.
    pub uses: u64,
    /// The versions used, in the order of their first use.
    pub versions: Vec<String>,
    /// When it was first used.
    pub first: String,
    /// When it was last used.
    pub last: String,
    /// The files taken from and how often, most often first, then by path.
    pub files: Vec<Counted>,
    /// Claims without a source, in all.
    pub citation_gaps: u64,
    /// The warnings and how often they were given, most often first.
    pub warnings: Vec<Counted>,
}

/// Something and how often it came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Counted {
    /// The thing.
    pub value: String,
    /// How often.
    pub count: u64,
}

#[derive(Default)]
struct Gathered<'l> {
    summary: Summary,
    files: BTreeMap<&'l str, u64>,
    warnings: BTreeMap<&'l str, u64>,
}

pub(super) fn of(lines: &[UsageLine]) -> Vec<Summary> {
    let mut packs: BTreeMap<&str, Gathered<'_>> = BTreeMap::new();
    for line in lines {
        packs.entry(&line.pack).or_default().add(line);
    }
    packs.into_values().map(Gathered::finish).collect()
}

impl<'l> Gathered<'l> {
    fn add(&mut self, line: &'l UsageLine) {
        let summary = &mut self.summary;
        summary.pack.clone_from(&line.pack);
        summary.uses += 1;
        if let Some(version) = line.version.as_ref().filter(|it| !summary.versions.contains(it)) {
            summary.versions.push(version.clone());
        }
        // Times in UTC of one form sort as texts; lines of several processes may be out of order.
        if summary.first.is_empty() || line.timestamp < summary.first {
            summary.first.clone_from(&line.timestamp);
        }
        if line.timestamp > summary.last {
            summary.last.clone_from(&line.timestamp);
        }
        summary.citation_gaps += u64::try_from(line.citation_gaps.len()).unwrap_or(u64::MAX);
        for file in &line.selected_files {
            *self.files.entry(file).or_default() += 1;
        }
        for warning in &line.warnings {
            *self.warnings.entry(warning).or_default() += 1;
        }
    }

    fn finish(self) -> Summary {
        Summary { files: counted(self.files), warnings: counted(self.warnings), ..self.summary }
    }
}

fn counted(counts: BTreeMap<&str, u64>) -> Vec<Counted> {
    let each = counts.into_iter().map(|(value, count)| Counted { value: value.to_owned(), count });
    let mut counted: Vec<_> = each.collect();
    counted.sort_by_key(|one| std::cmp::Reverse(one.count));
    counted
}
