//! The generated files: what each holds, and how it is kept fresh.

use crate::{coverage, lints, vocabulary};
use contexture_context::{manifest, trace};
use std::fs;
use std::path::{Path, PathBuf};

/// A generated file: its path from the root of the repository, and what it should hold.
struct Generated {
    path: &'static str,
    content: Vec<u8>,
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

fn all() -> Result<Vec<Generated>, String> {
    let schema = |value: &serde_json::Value| {
        let text = serde_json::to_string_pretty(value).map_err(|e| e.to_string())?;
        Ok::<_, String>((text + "\n").into_bytes())
    };
    Ok(vec![
        Generated {
            path: "docs/spec-coverage.md",
            content: coverage::document(&root())?.into_bytes(),
        },
        Generated {
            path: "docs/library.md",
            content: contexture_script::library::document().into_bytes(),
        },
        Generated {
            path: "docs/protocol.md",
            content: contexture_protocol::reference::document().into_bytes(),
        },
        Generated { path: "docs/lints.md", content: lints::document().into_bytes() },
        Generated {
            path: "schemas/manifest.schema.json",
            content: schema(&manifest::manifest_schema())?,
        },
        Generated { path: "schemas/trace.schema.json", content: schema(&trace::trace_schema())? },
        Generated {
            path: "crates/context/src/tokens/o200k_base.vocabulary",
            content: vocabulary::o200k_base()?,
        },
        Generated {
            path: "crates/context/src/tokens/cl100k_base.vocabulary",
            content: vocabulary::cl100k_base()?,
        },
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

fn read(path: &str) -> Vec<u8> {
    fs::read(root().join(path)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #[test]
    fn generated_files_are_fresh() {
        super::check().unwrap();
    }
}
