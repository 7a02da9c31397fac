//! The checker accepts the URIs of tools and memories that the crates which do the work accept.

use contexture_script::capability;
use contexture_store::memory::MemoryUri;
use contexture_tools::ToolKind;

const TOOLS: [&str; 7] = [
    "sh://find",
    "sh://grep",
    "sh://sed",
    "sh://read-range",
    "file://workspace",
    "env://process",
    "https://api.example.com",
];

#[test]
fn as_25_checker_and_tools_accept_same_uris() {
    let mut uris: Vec<String> = TOOLS.iter().map(|uri| (*uri).to_owned()).collect();
    for scheme in
        ["http", "https", "HTTP", "sh", "SH", "file", "env", "mcp", "frontend", "rust", "ftp", ""]
    {
        for rest in [
            "",
            "/",
            "host",
            "host/",
            "host:80",
            "host:",
            "host:0",
            "host:99999",
            "host:80x",
            ":80",
            "host/path",
            "host?q",
            "host#f",
            "user@host",
            "user:pw@host",
            "ho st",
            "127.0.0.1:8080",
            "[::1]:8080",
            "[::1]",
            "[::1",
            "例え.jp",
            "-host",
            "host..com",
            "a_b.com",
            "bash",
            "sh",
            "ZSH",
            "find",
            "Find",
            "process",
            "workspace",
            "workspace/",
        ] {
            uris.push(format!("{scheme}://{rest}"));
            uris.push(rest.to_owned());
        }
    }
    for uri in uris {
        let (checked, real) = (capability::tool(&uri), ToolKind::parse(&uri));
        // Servers have a crate of their own, and settings that name them; clients run the others.
        let of_others = capability::server(&uri) != Ok(None)
            || capability::frontend(&uri) != Ok(None)
            || capability::native(&uri) != Ok(None);
        if of_others {
            assert!(real.is_err(), "{uri}");
            continue;
        }
        // The tools take a path to start from; a program imports an origin (AS-25).
        if uri.ends_with("host/path") {
            assert!(checked.is_err(), "{uri}");
            continue;
        }
        assert_eq!(checked.is_ok(), real.is_ok(), "{uri}: {checked:?} {real:?}");
    }
}

#[test]
fn as_26_checker_and_memories_accept_same_uris() {
    for scheme in ["file", "sqlite", "FILE", "SQLite", "redis", ""] {
        for rest in [
            "",
            "a.jsonl",
            "a.JSONL",
            "./data/a.jsonl",
            ".jsonl",
            "a/.jsonl",
            "a.json",
            "a.jsonl#x",
            "a.db",
            "a.db#x",
            "a.db#",
            "#x",
            "a.db#x#y",
            "a b.db#x y",
            "a.db#团队",
            "/abs/a.jsonl",
        ] {
            for uri in [format!("{scheme}://{rest}"), rest.to_owned()] {
                let (checked, real) = (capability::memory(&uri), MemoryUri::parse(&uri));
                // A program names the part of the database that it means (AS-26).
                if uri.starts_with("sqlite://") && !uri.contains('#') {
                    assert!(checked.is_err(), "{uri}");
                    continue;
                }
                assert_eq!(checked.is_ok(), real.is_ok(), "{uri}: {checked:?} {real:?}");
            }
        }
    }
}
