//! The table of packs: a line of properties and a line of description each (KN-6).

use crate::output::text::{padded, shortened, width};
use crate::prelude::*;
use contexture::knowledge::Found;
use contexture::knowledge::item::{PackTrust, Status};

/// The widest cell that columns align with.
const WIDEST: usize = 40;
/// The columns of a description.
const DESCRIPTION: usize = 96;

/// The cells of a row before padding.
struct Row<'f> {
    found: &'f Found,
    cells: [String; 6],
    location: String,
}

const HEAD: [&str; 6] = ["name", "type", "status", "trust", "profile", "mode"];

/// Renders the table, empty without packs; locations are relative to `root`.
pub(super) fn packs(found: &[&Found], root: &Path, paint: Paint) -> String {
    let rows: Vec<Row<'_>> = found.iter().map(|one| row(one, root)).collect();
    let mut wide = HEAD.map(str::len);
    for (at, wide) in wide.iter_mut().enumerate() {
        let cells = rows.iter().filter_map(|row| row.cells.get(at)).map(String::as_str);
        *wide = width(cells, WIDEST).max(*wide);
    }
    let mut text = String::new();
    if rows.is_empty() {
        return text;
    }
    let head: Vec<String> = HEAD.iter().zip(wide).map(|(name, wide)| padded(name, wide)).collect();
    // Writing to a string can't fail.
    let _ = writeln!(text, "{}", paint.dim(&format!("{}  where", head.join("  "))));
    for row in &rows {
        let cells = row.cells.iter().zip(wide).enumerate().map(|(at, (cell, wide))| {
            let cell = padded(cell, wide);
            match at {
                0 => paint.bold(&cell),
                2 => status(row.found.item.status, &cell, paint),
                3 => trust(row.found.item.trust, &cell, paint),
                _ => cell,
            }
        });
        let cells = cells.collect::<Vec<_>>().join("  ");
        let _ = writeln!(text, "{cells}  {}", paint.dim(&row.location));
        let about = shortened(&one_line(&row.found.item.description), DESCRIPTION);
        let _ = writeln!(text, "  {}", paint.dim(&about));
    }
    text
}

fn row<'f>(found: &'f Found, root: &Path) -> Row<'f> {
    let item = &found.item;
    let trust = item.trust.map_or_else(|| "·".to_owned(), |trust| trust.to_string());
    let cells = [
        item.name.clone(),
        item.kind.clone(),
        item.status.to_string(),
        trust,
        item.profile.to_string(),
        item.runtime.mode.to_string(),
    ];
    let shown = item.pack_root.strip_prefix(root).unwrap_or(&item.pack_root);
    let location = format!("{} ({})", one_line(&shown.display().to_string()), found.scope);
    Row { found, cells: cells.map(|cell| one_line(&cell)), location }
}

/// Colours a status: usable, usable with a caveat, or needing permission.
fn status(status: Status, text: &str, paint: Paint) -> String {
    match status {
        Status::Ready => paint.green(text),
        Status::NeedsReview | Status::Stale => paint.yellow(text),
        Status::Draft | Status::Disputed => paint.red(text),
        Status::Archived => paint.dim(text),
    }
}

fn trust(trust: Option<PackTrust>, text: &str, paint: Paint) -> String {
    match trust {
        Some(PackTrust::UserConfirmed | PackTrust::Official) => text.to_owned(),
        Some(PackTrust::Unreviewed | PackTrust::External) => paint.yellow(text),
        None => paint.dim(text),
    }
}
