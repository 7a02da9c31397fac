//! Sections of packs.

use super::product::{Product, project, write};
use super::programs::each;
use crate::weight::Measured;
use std::fmt::Write as _;
use std::path::Path;
use tempfile::TempDir;

const IN_FILE: usize = 50;
const GUIDE: &str = "\
---
name: figures
description: Words in sections.
type: domain-reference
status: ready
trust: official
profile: wiki-first
---

# Figures
";
/// Words of a text, and how many there are to choose from.
const WORDS: usize = 60;
const VOCABULARY: u64 = 20_000;

pub(super) fn sections(product: &Product, sizes: &[usize]) -> Measured<Vec<f64>> {
    each(sizes, |size| {
        let (one, pack) = (pack(1)?, pack(size)?);
        let begin = product.least(one.path(), &["knowledge", "index", "--rebuild"], 3)?;
        let all = product.least(pack.path(), &["knowledge", "index", "--rebuild"], 3)?;
        Ok((all - begin) / size as f64)
    })
}

pub(super) fn questions(product: &Product, sizes: &[usize]) -> Measured<Vec<f64>> {
    each(sizes, |size| {
        let pack = pack(size)?;
        product.run(pack.path(), &["knowledge", "index"])?;
        let ask = ["knowledge", "search", "w60 w300 w1200"];
        Ok(product.least(pack.path(), &ask, 9)? / 1e3)
    })
}

/// Makes a project with a pack.
fn pack(sections: usize) -> Measured<TempDir> {
    let project = project()?;
    let folder = Path::new(".agents/knowledge/figures");
    write(project.path(), &folder.join("KNOWLEDGE.md").to_string_lossy(), GUIDE)?;
    let mut numbers = fastrand::Rng::with_seed(5);
    for first in (0..sections).step_by(IN_FILE) {
        let mut text = format!("# Part {first}\n\n");
        for section in first..sections.min(first + IN_FILE) {
            let words: Vec<String> = (0..WORDS).map(|_| word(&mut numbers)).collect();
            let _ = write!(text, "## Section {section}\n\n{}.\n\n", words.join(" "));
        }
        let file = folder.join(format!("compiled/part-{first:06}.md"));
        write(project.path(), &file.to_string_lossy(), &text)?;
    }
    Ok(project)
}

/// Returns a word; those with a small number are frequent, as in texts.
fn word(numbers: &mut fastrand::Rng) -> String {
    let share = numbers.f64();
    format!("w{}", (VOCABULARY as f64).powf(share) as u64)
}
