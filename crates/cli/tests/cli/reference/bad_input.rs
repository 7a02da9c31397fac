//! Whatever can be wrong with what a reference names: a typed error that names it and the cause.

use super::failure;
use crate::support::Sandbox;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::Command;

/// A workspace with all that should not be there, and a secret beside it.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("docs/guide.md", "a guide\n").write("docs/empty.md", "");
    sandbox.write("docs/binary.bin", b"\x7fELF\0\0\x01").write("docs/latin.txt", b"caf\xe9\n");
    sandbox.write("docs/closed.md", "closed").write("../secret.md", "s3cret");
    let closed = std::fs::Permissions::from_mode(0o000);
    std::fs::set_permissions(sandbox.path("docs/closed.md"), closed).unwrap();
    let huge = std::fs::File::create(sandbox.path("docs/huge.md")).unwrap();
    huge.set_len(2 << 30).unwrap();
    symlink("../../secret.md", sandbox.path("docs/out.md")).unwrap();
    symlink("/etc", sandbox.path("docs/etc")).unwrap();
    symlink("nowhere", sandbox.path("docs/dangling.md")).unwrap();
    symlink("loop.md", sandbox.path("docs/loop.md")).unwrap();
    let fifo = Command::new("mkfifo").arg(sandbox.path("docs/pipe")).status().unwrap();
    assert!(fifo.success());
    sandbox
}

#[test]
fn ref_21_unreadable_files_are_typed_errors() {
    let sandbox = sandbox();
    // The superuser may read everything.
    let closed = std::fs::read(sandbox.path("docs/closed.md")).is_err();
    let cases = [
        ("@file://docs/none.md", "REF3030", "there is no"),
        ("@file://docs", "REF3032", "is a folder"),
        ("@file://docs/closed.md", if closed { "REF3032" } else { "" }, "permission"),
        ("@file://docs/binary.bin", "REF3010", ""),
        ("@file://docs/latin.txt", "REF3010", ""),
        ("@file://docs/latin.txt?encoding=nope", "REF3010", "nope"),
        ("@file://docs/huge.md", "REF3013", "2147483648"),
        ("@file://docs/huge.md?line=1-2", "REF3013", ""),
        ("@file://docs/pipe", "REF3032", "a pipe"),
        ("@file:///dev/zero", "REF3031", "outside"),
        ("@file://docs/dangling.md", "REF3032", "symlink"),
        ("@file://docs/loop.md", "REF3032", "symlinks"),
        ("@file://docs/out.md", "REF3031", "symlink"),
        ("@file://docs/etc/passwd", "REF3031", "symlink"),
        ("@file://docs/guide.md/x", "REF3032", ""),
    ];
    for (reference, code, cause) in cases.into_iter().filter(|case| !case.1.is_empty()) {
        let (found, message) = failure(sandbox.run(["ref", "load", reference, "--json"]));
        assert_eq!(found, code, "{reference}: {message}");
        assert!(message.contains(cause), "{reference}: {message}");
        assert!(message.contains(reference), "{reference}: {message}");
    }
    let empty = sandbox.run(["ref", "load", "@file://docs/empty.md", "--json"]).exits(0).json();
    assert_eq!((&empty["items"][0]["bytes"], &empty["items"][0]["text"]), (&0.into(), &"".into()));
    let read = ["ref", "load", "@file://docs/latin.txt?encoding=latin1"];
    assert_eq!(sandbox.run(read).exits(0).stdout, "café\n");
}

#[test]
fn ref_21_no_path_leaves_workspace() {
    let sandbox = sandbox();
    for path in [
        "../secret.md",
        "docs/../../secret.md",
        "docs/./../../secret.md",
        "./../secret.md",
        "docs//../../secret.md",
        "%2e%2e/secret.md",
        "..%2fsecret.md",
        "..%2Fsecret.md",
        "%2e%2e%2fsecret.md",
        "..%252fsecret.md",
        "..\\secret.md",
        "..%5csecret.md",
        "..%c0%afsecret.md",
        "．．/secret.md",
        "../*.md",
        "docs/*/../../../*.md",
        "../**/secret.md",
        "/etc/passwd",
        "//etc/passwd",
        "~/../secret.md",
        "docs/etc/*",
        "docs/etc/**/passwd",
    ] {
        let reference = format!("@file://{path}");
        let done = sandbox.run(["ref", "load", &reference, "--json"]);
        assert!(!done.stdout.contains("s3cret") && !done.stdout.contains("root:"), "{done:?}");
        let report = done.json();
        let nothing = report["items"].as_array().is_some_and(Vec::is_empty);
        assert!(matches!(done.code, Some(0..=2)) && (done.code == Some(2) || nothing), "{done:?}");
    }
}

#[test]
fn ref_13_patterns_skip_unreadable_files_with_note() {
    let sandbox = sandbox();
    std::fs::remove_file(sandbox.path("docs/huge.md")).unwrap();
    let done = sandbox.run(["ref", "load", "@file://docs/*", "--json"]).exits(0).json();
    let names: Vec<_> = done["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|item| !item["text"].is_null())
        .map(|item| item["reference"].as_str().unwrap())
        .filter(|name| !name.contains("closed"))
        .collect();
    assert_eq!(names, ["@file://docs/empty.md", "@file://docs/guide.md"]);
    let told = done["diagnostics"].to_string();
    assert!(told.contains("REF3011") && told.contains("binary.bin"), "{told}");
}

#[test]
fn ref_13_pattern_explosion_is_bounded() {
    let sandbox = Sandbox::new();
    sandbox.write("contexture.toml", "[limits]\nfile_bytes = 1000\n");
    sandbox.write("a.md", "x".repeat(600)).write("b.md", "x".repeat(600));
    assert_eq!(failure(sandbox.run(["ref", "load", "@file://*.md", "--json"])).0, "REF3013");
    let stars = format!("@file://{}", "**/*".repeat(200));
    let done = sandbox.run(["ref", "load", &stars, "--json"]);
    assert!(matches!(done.code, Some(0 | 1)), "{done:?}");
    let braces = format!("@file://*.{{{}}}", vec!["md"; 5_000].join(","));
    let done = sandbox.run(["ref", "load", &braces, "--json"]);
    assert!(matches!(done.code, Some(0 | 1)), "{done:?}");
}

#[test]
fn ref_2_excessive_nesting_is_refused() {
    let sandbox = Sandbox::new();
    let deep = |levels: usize| format!("@{}file://a", "text:".repeat(levels));
    for levels in [16, 5_000] {
        let done = sandbox.run(["ref", "load", &deep(levels), "--json"]).exits(2).json();
        assert_eq!(done["error"]["code"], "REF1006");
    }
    assert_eq!(failure(sandbox.run(["ref", "load", &deep(15), "--json"])).0, "REF3030");
    let long = format!("@file://{}", "a".repeat(70_000));
    let done = sandbox.run(["ref", "parse", &long, "--json"]).exits(2).json();
    assert_eq!(done["error"]["code"], "REF1008");
    let text = format!("{} {}", deep(5_000), "@!text:".repeat(20_000));
    let done = sandbox.run_with(["ref", "plan", "-", "--json"], &text);
    assert!(matches!(done.code, Some(0 | 1)), "{}", done.stderr);
}

#[test]
fn ref_18_registry_cycle_is_shown() {
    let sandbox = Sandbox::new();
    let registry = |name: &str, to: &str| {
        format!(
            "<resource protocol=\"{name}\">\n<registry>\n| id | to |\n|--|--|\n| x | {to} |\n</registry>\n</resource>\n"
        )
    };
    let text = registry("a", "@b://x") + &registry("b", "@text:@a://x") + &registry("c", "@c://x");
    sandbox.write(".contexture/resources/circle.resource.md", text);
    let (code, message) = failure(sandbox.run(["ref", "load", "@a://x", "--json"]));
    assert_eq!(code, "REF2073");
    assert!(message.contains("@a://x → @b://x → @a://x"), "{message}");
    assert_eq!(failure(sandbox.run(["ref", "load", "@c://x", "--json"])).0, "REF2073");
    let plan = sandbox.run_with(["ref", "plan", "-", "--json"], "@!a://x").exits(1).json();
    assert_eq!(plan["entries"][0]["state"], "failed");
    assert_eq!(plan["entries"][0]["error"]["code"], "REF2073");
}

#[test]
fn ref_14_unknown_parameters_are_refused() {
    let sandbox = sandbox();
    for (query, code, part) in [
        ("line=10-5", "REF3003", "line"),
        ("line=0", "", "line"),
        ("line=x", "REF3003", "line"),
        ("lien=1", "REF3003", "line"),
        ("max=lots", "REF3005", "max"),
        ("section=A", "REF3003", "section"),
        ("ignore=perhaps", "REF3003", "ignore"),
    ] {
        let reference = format!("@file://docs/guide.md?{query}");
        let report = sandbox.run(["ref", "load", &reference, "--json"]).exits(1).json();
        let error = &report["error"];
        assert!(code.is_empty() || error["code"] == code, "{query}: {error}");
        assert!(error.to_string().contains(part), "{query}: {error}");
    }
    let done = sandbox.run(["ref", "load", "@file://docs/guide.md?line=1-99", "--json"]).exits(0);
    assert_eq!(done.json()["diagnostics"][0]["code"], "REF3012");
}

#[test]
fn ref_4_arguments_of_any_bytes_never_panic() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let sandbox = Sandbox::new();
    for bytes in
        [&b"\xff"[..], b"@file://\xff", b"@\xe4\xbd", b"@file://a\x1b[31m", b"@file://a\nb"]
    {
        for command in ["parse", "load", "explain", "scan", "plan"] {
            let done =
                sandbox.run([OsStr::new("ref"), OsStr::new(command), OsStr::from_bytes(bytes)]);
            let done = done.exits(2);
            assert!(!done.stderr.contains("panicked"), "{}", done.stderr);
            assert!(!done.stderr.contains('\u{1b}'), "{}", done.stderr);
        }
    }
}

#[test]
fn ref_23_network_error_has_cause_and_no_password() {
    let sandbox = Sandbox::new();
    let place = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let load = |reference: &str| {
        let done = sandbox.run(["ref", "load", reference, "--json"]);
        assert!(!format!("{done:?}").contains("s3cret"), "{done:?}");
        failure(done)
    };
    for protocol in ["http", "https", "ftp", "sftp", "ssh"] {
        let reference = format!("@{protocol}://ann:s3cret@{place}/a.md");
        let (code, message) = load(&reference);
        assert_eq!(code, "REF4002", "{message}");
        assert!(message.contains(&format!("@{protocol}://{place}/a.md")), "{message}");
    }
    sandbox.write("contexture.toml", "[network]\nallow_private = [\"127.0.0.1\"]\n");
    for protocol in ["http", "ftp", "sftp"] {
        assert_eq!(load(&format!("@{protocol}://ann:s3cret@{place}/a.md")).0, "REF4004");
    }
    assert_eq!(load("@http://ann:s3cret@no-such-host.invalid/a.md").0, "REF4003");
    let text = format!("@!http://ann:s3cret@{place}/a @?ftp://ann:s3cret@{place}/b");
    let plan = sandbox.run_with(["ref", "plan", "-", "--json"], text).exits(1);
    assert!(!format!("{plan:?}").contains("s3cret"), "{plan:?}");
    assert_eq!(plan.json()["entries"][1]["state"], "pending");
}

#[test]
fn gu_1_reference_to_records_and_secrets_is_refused() {
    let sandbox = Sandbox::new();
    let _ =
        sandbox.write("p.as", "main func(input) { 1 }\n").run(["run", "p.as", "--quiet"]).exits(0);
    sandbox.write(".contexture/data/tokens.json", "{\"digest\": 1}").write(".env", "KEY=1\n");
    sandbox.write(".contexture/data/audit.jsonl", "{}\n");
    symlink(".contexture", sandbox.path("open")).unwrap();
    for path in [
        ".contexture/data/tokens.json",
        ".contexture/data/audit.jsonl",
        ".CONTEXTURE/data/tokens.json",
        "open/data/tokens.json",
        ".env",
    ] {
        let asked = format!("@file://{path}");
        let (code, message) = failure(sandbox.run(["ref", "load", &asked, "--json"]));
        assert_eq!(code, "PATH_PROTECTED", "{message}");
        assert!(message.contains("programs may not read it"), "{message}");
    }
    let shown = sandbox.run(["ref", "load", "@file://.env"]).exits(1);
    let _ = shown.says("files = [{ path = \".env\", allow = [\"read\"] }]");
    let _ = sandbox.run(["explain", "PATH_PROTECTED"]).exits(0);
    // A person's own word: what is typed on the command line.
    sandbox.write(".env.json", "{\"a\": 7}").write("q.as", "main func(input) { input.a }\n");
    let done = sandbox.run(["run", "q.as", "--input-file", ".env.json", "--quiet"]).exits(0);
    assert_eq!(done.stdout.trim(), "7");
    sandbox.write(".contexture/t.md", "Hello.\n");
    let done = sandbox.run(["prompt", "render", ".contexture/t.md"]).exits(0);
    assert_eq!(done.stdout, "Hello.\n");
    sandbox.write(".github/check.as", "main func(input) { 8 }\n");
    assert_eq!(sandbox.run(["run", ".github/check.as", "--quiet"]).exits(0).stdout.trim(), "8");
}
