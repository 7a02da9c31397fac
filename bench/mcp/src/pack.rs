//! A pack of 200 files with ten sections each, and questions about it.

use std::fmt::Write as _;
use std::path::Path;

const WORDS: [&str; 24] = [
    "widget", "price", "colour", "engine", "valve", "battery", "warranty", "delivery", "pressure",
    "sensor", "module", "voltage", "thread", "coating", "filter", "rotor", "manual", "invoice",
    "customer", "contract", "storage", "humidity", "signal", "antenna",
];

pub fn write(folder: &Path) -> std::io::Result<()> {
    let pack = folder.join(".agents/knowledge/bench");
    std::fs::create_dir_all(pack.join("compiled"))?;
    std::fs::write(
        pack.join("KNOWLEDGE.md"),
        "---\nname: bench\ndescription: Two thousand sections.\ntype: domain-reference\n\
         status: ready\ntrust: official\nprofile: wiki-first\n---\nRead `compiled/`.\n",
    )?;
    let mut seed = 1_u64;
    for file in 0..200 {
        let mut text = String::new();
        for section in 0..10 {
            let _ = writeln!(text, "# Part {file}-{section} {}\n", word(&mut seed));
            for _ in 0..40 {
                let _ = write!(text, "{} ", word(&mut seed));
            }
            let _ = writeln!(text, "costs {} crowns.\n", next(&mut seed) % 1000);
        }
        std::fs::write(pack.join(format!("compiled/part-{file:03}.md")), text)?;
    }
    Ok(())
}

/// A question of three words.
pub fn question(turn: usize) -> String {
    let mut seed = turn as u64 + 17;
    format!("{} {} {}", word(&mut seed), word(&mut seed), word(&mut seed))
}

fn word(seed: &mut u64) -> &'static str {
    WORDS[next(seed) as usize % WORDS.len()]
}

fn next(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *seed >> 33
}
