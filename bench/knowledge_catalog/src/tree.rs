//! A project with packs and decoys.

use std::path::Path;
use std::time::{Duration, SystemTime};

const PARENTS: usize = 100;
const PACKS_EACH: usize = 100;

/// How many packs there are.
pub const PACKS: usize = PARENTS * PACKS_EACH;

/// Makes the tree, unless it is there.
pub fn make(root: &Path) {
    let location = root.join(".agents/knowledge");
    if location.is_dir() {
        return;
    }
    for parent in 0..PARENTS {
        let parent = location.join(format!("team-{parent:02}"));
        for pack in 0..PACKS_EACH {
            let name = format!("{}-pack-{pack:02}", parent.file_name().unwrap().display());
            write(&parent.join(&name).join("KNOWLEDGE.md"), &manifest(&name));
        }
        // 36 decoys: folders that are skipped, some with guides in them, and folders without one.
        for decoy in 0..20 {
            let folder = parent.join(format!("node_modules/module-{decoy}"));
            write(&folder.join("KNOWLEDGE.md"), &manifest("decoy"));
        }
        for folder in
            [".git/objects/00", ".git/refs", ".cache/a", ".cache/b", "indexes/a", "target/a"]
        {
            write(&parent.join(folder).join("KNOWLEDGE.md"), &manifest("decoy"));
        }
        for decoy in 0..10 {
            write(&parent.join(format!("notes-{decoy}/README.md")), "# Notes\n");
        }
    }
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
    // What was written just now is not kept in the cache.
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(3_600)).unwrap();
}

/// 2.4 KB, of which the frontmatter is about 370 bytes.
fn manifest(name: &str) -> String {
    let head = format!(
        "---\nname: {name}\ndescription: Product facts, approved positioning and price limits of \
         {name}, with sources for each claim.\ntype: brand-product\nstatus: ready\ntrust: \
         user-confirmed\nprofile: document-first\nruntime:\n  mode: data\nmetadata:\n  \
         primaryDocument: documents/brief.md\nversion: 1.2.0\nlanguage: en\ngrounding: \
         recommended\nmaintainers:\n  - Ada\n  - Bo\n---\n"
    );
    let body = "# Guide\n\nHow the documents of this pack are made and read.\n\n".repeat(34);
    head + &body
}
