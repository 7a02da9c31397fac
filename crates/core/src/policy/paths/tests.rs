use super::*;
use PathClass::{Open, Private, Protected, Secret};
use proptest::prelude::*;

#[test]
fn gu_1_classes_follow_from_names() {
    let policy = PathPolicy::default();
    for (class, paths) in [
        (
            Open,
            vec![
                "README.md",
                "src/main.rs",
                "environment.md",
                "key.txt",
                "docs/git",
                "github",
                "id_rsa.pub",
                "a.environment",
                ".gitignore",
                "package.json",
                "contexture.toml.md",
                "monkey",
                "~1",
                "git~x",
                "claude-md",
            ],
        ),
        (
            Protected,
            vec![
                ".git",
                ".git/config",
                "sub/.git/hooks/pre-commit",
                "contexture.toml",
                "a/contexture.lock",
                ".github/workflows/x.yml",
                ".vscode/tasks.json",
                "CLAUDE.md",
                "sub/AGENTS.md",
                ".idea/a",
                ".husky/pre-push",
                ".bashrc",
                ".zshrc",
                ".yarnrc.yml",
                ".cargo/config.toml",
                "Jenkinsfile",
                ".cursor/rules/a",
            ],
        ),
        (
            Secret,
            vec![
                ".env",
                ".env.local",
                ".envrc",
                "prod.env",
                "a/b/.env",
                ".npmrc",
                ".netrc",
                ".aws/credentials",
                ".ssh/id_rsa",
                "server.pem",
                "tls/server.key",
                "id_ed25519",
                ".cargo/credentials.toml",
                ".docker/config.json",
                ".config/gh/hosts.yml",
                ".git-credentials",
                "terraform.tfstate.backup",
            ],
        ),
        (
            Private,
            vec![".contexture", ".contexture/runs/a.jsonl", "sub/.contexture/data/tokens.json"],
        ),
    ] {
        for path in paths {
            assert_eq!(policy.class(path), class, "{path}");
        }
    }
}

#[test]
fn gu_1_spelling_tricks_do_not_change_class() {
    let policy = PathPolicy::default();
    for (path, class) in [
        (".CONTEXTURE/runs", Private),
        (".Contexture./runs", Private),
        (".contexture /runs", Private),
        (".contexture::$INDEX_ALLOCATION/x", Private),
        (".conte\u{200c}xture/x", Private),
        ("\u{ff0e}contexture/x", Private),
        (".conte\u{fe0f}xture", Private),
        ("CONTEX~1/runs", Private),
        (".env\u{301}", Secret),
        (".ENV", Secret),
        (".env ", Secret),
        (".env:stream", Secret),
        ("ENV~1", Secret),
        ("\u{ff0e}env", Secret),
        ("GIT~1/hooks/x", Protected),
        (".g\u{200d}it/config", Protected),
        ("claude.md.", Protected),
        ("\u{212a}ey.\u{212a}ey", Secret),
        ("a\\.git\\config", Protected),
        ("./.git/./config", Protected),
        ("a/../.git/config", Protected),
        ("CLAUDE.MD", Protected),
        ("contexture.to\u{ad}ml", Protected),
    ] {
        assert_eq!(policy.class(path), class, "{path:?}");
    }
}

fn permitted(path: &str, allow: &[Access]) -> PathPolicy {
    PathPolicy::new(&[PathPermission { path: path.to_owned(), allow: allow.to_vec() }]).unwrap()
}

#[test]
fn gu_1_permissions_open_what_they_name_and_nothing_else() {
    let allows =
        |policy: &PathPolicy, path, access| policy.check(path, access, Door::Program).is_ok();
    let plain = PathPolicy::default();
    assert!(
        allows(&plain, ".github/a.yml", Access::Read)
            && !allows(&plain, ".github/a.yml", Access::Write)
    );
    assert!(!allows(&plain, ".env", Access::Read) && !allows(&plain, ".env", Access::Write));

    let one = permitted(".env", &[Access::Read]);
    assert!(allows(&one, ".env", Access::Read) && !allows(&one, ".env", Access::Write));
    assert!(!allows(&one, "sub/.env", Access::Read) && !allows(&one, ".env.local", Access::Read));
    let all = permitted("**", &[Access::Read, Access::Write]);
    assert!(allows(&all, ".env", Access::Read) && allows(&all, ".git/config", Access::Write));
    assert!(!allows(&all, ".contexture/runs/a", Access::Read));
}

#[test]
fn gu_1_permission_that_can_not_hold_is_refused() {
    for (path, allow, reason) in [
        ("", vec![Access::Read], "empty"),
        ("/etc/passwd", vec![Access::Read], "absolute"),
        ("C:\\x", vec![Access::Read], "absolute"),
        ("../.env", vec![Access::Read], "`..`"),
        (".Contexture/runs/**", vec![Access::Read], "private"),
        (".env", vec![], "neither"),
    ] {
        let fault =
            PathPolicy::new(&[PathPermission { path: path.to_owned(), allow }]).unwrap_err();
        assert!(fault.to_string().contains(reason), "{fault}");
    }
}

#[test]
fn gu_1_each_caller_reaches_only_own_part_of_state_folder() {
    let policy = PathPolicy::default();
    let reaches = |path, access, door| policy.check(path, access, door).is_ok();
    for (path, door) in [
        (".contexture/memory.jsonl", Door::Memory),
        (".contexture/research.db", Door::Memory),
        (".contexture/resources/a.resource.md", Door::Resources),
        (".contexture/knowledge/p/KNOWLEDGE.md", Door::Resources),
        (".contexture/runs/a.jsonl", Door::Person),
    ] {
        assert!(reaches(path, Access::Read, door), "{path}");
        assert!(!reaches(path, Access::Read, Door::Program), "{path}");
    }
    for path in [
        ".contexture/runs/a.jsonl",
        ".contexture/data/m.db",
        ".contexture/usage.jsonl",
        ".contexture/Flows.DB",
    ] {
        assert!(!reaches(path, Access::Read, Door::Memory), "{path}");
        assert!(!reaches(path, Access::Write, Door::Memory), "{path}");
        assert!(!reaches(path, Access::Read, Door::Resources), "{path}");
    }
    assert!(!reaches(".contexture/resources/a.md", Access::Write, Door::Resources));
    assert!(!reaches(".contexture/x", Access::Write, Door::Person));
    assert!(!reaches(".contexture", Access::Read, Door::Program));
    assert!(!reaches(".contexture", Access::Write, Door::Resources));
}

#[test]
fn gu_1_data_folder_is_private_with_everything_in_it() {
    let mut policy = permitted("**", &[Access::Read]);
    policy.close("var/Data");
    policy.close(".contexture");
    for path in ["var/data", "VAR/DATA/contexts.db", "var\\data\\tokens.json"] {
        assert_eq!(policy.class(path), Private, "{path}");
        assert!(policy.check(path, Access::Read, Door::Program).is_err());
        assert!(policy.check(path, Access::Read, Door::Memory).is_err());
    }
    assert_eq!(policy.class("var"), Open);
    assert!(policy.check(".contexture/memory.jsonl", Access::Write, Door::Memory).is_ok());
}

#[test]
fn gu_1_refusal_names_class_path_and_setting() {
    let refused = PathPolicy::default().check(".env", Access::Read, Door::Program).unwrap_err();
    assert_eq!(refused.to_string(), "`.env` is secret: programs may not read it");
    assert!(
        refused.help().contains("files = [{ path = \".env\", allow = [\"read\"] }]"),
        "{}",
        refused.help()
    );
    let linked = refused.asked_as("settings");
    assert_eq!(
        linked.to_string(),
        "`settings` leads to `.env`, which is secret: programs may not read it"
    );
    let private = PathPolicy::default().check(".contexture/runs/x", Access::Read, Door::Program);
    assert!(private.unwrap_err().help().starts_with("no setting opens it"));
}

proptest! {
    #[test]
    fn gu_1_any_path_has_class_and_case_does_not_matter(path in "\\PC{0,40}|[./\\\\a-z~: ]{0,40}") {
        let policy = permitted("**/x*?", &[Access::Read]);
        let class = policy.class(&path);
        let _ = policy.check(&path, Access::Write, Door::Memory);
        if path.is_ascii() {
            prop_assert_eq!(policy.class(&path.to_ascii_uppercase()), class);
        }
    }
}

#[test]
fn gu_1_files_that_newer_agents_editors_and_shells_start_from_are_protected() {
    let policy = PathPolicy::default();
    for name in [
        "QWEN.md",
        ".qwen/settings.json",
        "CRUSH.md",
        ".crush.json",
        "WARP.md",
        ".trae/rules/x.md",
        ".kilocode/mcp.json",
        ".rules",
        "team.code-workspace",
        ".pam_environment",
        ".config/direnv/direnvrc",
    ] {
        assert_eq!(policy.class(name), Protected, "{name}");
    }
    assert_eq!(policy.class("#.env#"), Secret);
    assert_eq!(policy.class("rules.md"), Open);
}
