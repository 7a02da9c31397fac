//! The generated files: what each holds, and how it is kept fresh.

use crate::coverage;
use contexture_context::{manifest, trace};
use std::fs;
use std::path::{Path, PathBuf};

/// A generated file: its path from the root of the repository, and what it should hold.
struct Generated {
    path: &'static str,
    content: String,
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

fn all() -> Result<Vec<Generated>, String> {
    let schema = |value: &serde_json::Value| {
        serde_json::to_string_pretty(value).map(|text| text + "\n").map_err(|e| e.to_string())
    };
    Ok(vec![
        Generated { path: "docs/spec-coverage.md", content: coverage::document(&root())? },
        Generated { path: "docs/protocol.md", content: contexture_protocol::reference::document() },
        Generated {
            path: "schemas/manifest.schema.json",
            content: schema(&manifest::manifest_schema())?,
        },
        Generated { path: "schemas/trace.schema.json", content: schema(&trace::trace_schema())? },
    ])
}

/// Writes each generated file that is not fresh, and says which.
pub(crate) fn write() -> Result<Vec<String>, String> {
    let mut lines = Vec::new();
    for file in all()? {
        if read(file.path) == file.content {
            continue;
        }
        let path = root().join(file.path);
        fs::write(&path, &file.content).map_err(|e| format!("{}: {e}", path.display()))?;
        lines.push(format!("wrote {}", file.path));
    }
    Ok(lines)
}

/// Names each generated file that is not fresh.
pub(crate) fn check() -> Result<Vec<String>, String> {
    let stale: Vec<&str> =
        all()?.iter().filter(|file| read(file.path) != file.content).map(|f| f.path).collect();
    if stale.is_empty() {
        return Ok(Vec::new());
    }
    Err(format!("stale: {}\nrun `cargo dev generate` and commit the result", stale.join(", ")))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #[test]
    fn generated_files_are_fresh() {
        super::check().unwrap();
    }
}
