//! The paths that every door treats alike (GU-1): each door's test writes these files and uses them.

use crate::policy::paths::PathClass::{self, Open, Private, Protected, Secret};

/// A path from the workspace, and its class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathCase {
    /// The path as a program writes it.
    pub path: &'static str,
    /// The file behind it, which a test creates; it differs where a link leads there.
    pub file: &'static str,
    /// Its class.
    pub class: PathClass,
}

impl PathCase {
    /// Reports whether a program may read it.
    #[must_use]
    pub fn is_readable(&self) -> bool {
        self.class <= Protected
    }

    /// Reports whether a program may write it.
    #[must_use]
    pub fn is_writable(&self) -> bool {
        self.class == Open
    }
}

/// The links of a workspace: the name, and where it leads.
pub const LINKS: [(&str, &str); 3] =
    [("open", ".contexture"), ("settings", ".env"), ("hooks", ".git/hooks")];

const fn case(path: &'static str, class: PathClass) -> PathCase {
    PathCase { path, file: path, class }
}

const fn linked(path: &'static str, file: &'static str, class: PathClass) -> PathCase {
    PathCase { path, file, class }
}

/// The cases. The text of each file is the one word that [`text`] gives.
pub const CASES: [PathCase; 33] = [
    case("notes/today.md", Open),
    case(".gitignore", Open),
    case("docs/environment.md", Open),
    case("contexture.toml.bak", Open),
    case(".contexture/runs/run_1.jsonl", Private),
    case(".contexture/data/tokens.json", Private),
    case(".contexture/data/audit.jsonl", Private),
    case(".contexture/data/contexts.db", Private),
    case(".contexture/cache/http/a", Private),
    case(".Contexture/runs/run_2.jsonl", Private),
    case("sub/.contexture/runs/run_3.jsonl", Private),
    linked("open/runs/run_1.jsonl", ".contexture/runs/run_1.jsonl", Private),
    linked("notes/../.contexture/./runs/run_1.jsonl", ".contexture/runs/run_1.jsonl", Private),
    case(".env", Secret),
    case(".env.local", Secret),
    case("deploy/.ENV", Secret),
    case(".npmrc", Secret),
    case(".aws/credentials", Secret),
    case("tls/server.key", Secret),
    case(".ssh/id_ed25519", Secret),
    linked("settings", ".env", Secret),
    case("contexture.lock", Protected),
    case(".git/config", Protected),
    case(".git/hooks/pre-commit", Protected),
    linked("hooks/pre-commit", ".git/hooks/pre-commit", Protected),
    case(".github/workflows/x.yml", Protected),
    case(".vscode/tasks.json", Protected),
    case("CLAUDE.md", Protected),
    case("docs/Claude.MD", Protected),
    case("AGENTS.md", Protected),
    case(".husky/pre-push", Protected),
    case(".bashrc", Protected),
    case(".cargo/config.toml", Protected),
];

/// Returns the text of the file behind a case.
#[must_use]
pub fn text(case: &PathCase) -> String {
    format!("marker {}", case.file.replace(['/', '.'], "-").to_lowercase())
}
