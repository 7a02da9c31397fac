//! Protocols of networks against real servers: nginx, OpenSSH, pure-ftpd (REF-20, REF-22, REF-23).
//!
//! `.ci/checks/reference_servers.sh` installs and starts them and runs these tests; without it they
//! are passed over.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "tests"
)]

use contexture_context::tokens::tokenizer_for;
use contexture_reference::protocols::{
    CacheSettings, Ftp, Http, HttpSettings, NetworkSettings, Sftp, SshSettings, Timeouts,
};
use contexture_reference::syntax::Reference;
use contexture_reference::{Content, LoadError, LoadLimits, Loaded, Loader, Place};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

fn setting(name: &str) -> String {
    std::env::var(format!("CONTEXTURE_{name}")).unwrap()
}

fn folder() -> PathBuf {
    PathBuf::from(setting("SERVERS"))
}

/// A user and a password as they stand in an address.
fn credentials(user: &str, password: &str) -> String {
    let encoded: String = password.bytes().map(|byte| format!("%{byte:02X}")).collect();
    format!("{user}:{encoded}")
}

struct Net(Loader);

impl Net {
    fn new() -> Self {
        Self::with(|_, _| {})
    }

    fn with(change: impl FnOnce(&mut HttpSettings, &mut SshSettings)) -> Self {
        // pure-ftpd thinks about a refused login for up to ten seconds.
        let timeouts = Timeouts { idle: Duration::from_secs(30), ..Timeouts::default() };
        let network = NetworkSettings { allow_private: vec!["127.0.0.1".to_owned()], timeouts };
        let mut http = HttpSettings { network: network.clone(), ..HttpSettings::default() };
        let mut ssh = SshSettings::in_home(&folder().join("home"), network.clone());
        change(&mut http, &mut ssh);
        let limits = LoadLimits { max_bytes: 1_000_000, ..LoadLimits::default() };
        let loader = Loader::new(tokenizer_for("gpt-4o")).with_limits(limits);
        let loader = Http::protocols(http).into_iter().fold(loader, Loader::with);
        let loader = Sftp::protocols(ssh).into_iter().fold(loader, Loader::with);
        Self(loader.with(Arc::new(Ftp::new(network))))
    }

    fn load(&self, reference: &str) -> Result<Loaded, LoadError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let reference = Reference::parse(reference).unwrap();
        runtime.block_on(self.0.load(&reference, &Place::workspace()))
    }

    fn text(&self, reference: &str) -> String {
        let loaded = self.load(reference).unwrap();
        loaded.resources[0].text().unwrap().to_owned()
    }

    /// The code of a failure, which shows neither passwords nor names.
    fn refused(&self, reference: &str) -> &'static str {
        let error = self.load(reference).unwrap_err();
        let said = format!("{error} {error:?}");
        for secret in [&*credentials("", &setting("PASSWORD")), &setting("PASSWORD"), "wrong99"] {
            assert!(secret.len() < 3 || !said.contains(secret), "{said}");
        }
        assert!(!said.contains(&setting("LOGIN")), "{said}");
        error.code
    }
}

const HELLO: &str = "# 你好\n\nThe second line.\n";

/// What holds over every protocol, below an address that leads to the files.
fn files(net: &Net, base: &str) {
    let hello = format!("{base}/hello%20%E4%B8%96.md");
    let loaded = net.load(&hello).unwrap();
    assert_eq!(loaded.resources[0].text(), Some(HELLO));
    assert_eq!(loaded.resources[0].media_type, "text/markdown");
    let shown = &loaded.resources[0].reference;
    assert_eq!(shown.rfind('@'), Some(0), "{shown}");
    assert_eq!(
        net.text(&format!("{base}/hello 世.md?line=3").replace(' ', "%20")),
        "The second line.\n"
    );
    assert_eq!(net.text(&format!("{base}/*.txt")), "a star\n");
    assert_eq!(net.text(&format!("{base}/gbk.txt?encoding=gbk")), "中文\n");
    let random = std::fs::read(folder().join("files/random.bin")).unwrap();
    let loaded =
        net.load(&format!("@base64:{}", base.trim_start_matches('@').to_owned() + "/random.bin"));
    let Content::Bytes(encoded) = &loaded.unwrap().resources[0].content else { panic!() };
    assert_eq!(encoded.len(), random.len().div_ceil(3) * 4);
    assert_eq!(net.refused(&format!("{base}/random.bin")), "REF3010");
    assert_eq!(net.refused(&format!("{base}/big.txt")), "REF3013");
    assert_eq!(net.refused(&format!("{base}/missing.md")), "REF4008");
}

#[test]
#[ignore = "needs servers"]
fn ref_22_nginx_gives_files() {
    let net = Net::new();
    let base = format!("@http://127.0.0.1:{}", setting("WEB"));
    files(&net, &base);
    assert_eq!(net.text(&format!("{base}/gbk.txt")), "中文\n");
    assert_eq!(net.refused(&format!("{base}/wrong.txt")), "REF3010");
    assert_eq!(net.text(&format!("{base}/moved")), "{\"a\": [1, 2]}\n");
    assert_eq!(
        net.text(&format!("@json:http://127.0.0.1:{}/moved?cx.pointer=/a/1", setting("WEB")))
            .trim(),
        "2"
    );
    assert_eq!(net.text(&format!("{base}/echo?b=%20x&line=1&a&b=2")), "b=%20x&a&b=2");
    for (path, code) in [
        ("loop", "REF4012"),
        ("inside", "REF4002"),
        ("broken", "REF4011"),
        ("reset", "REF4006"),
        ("folder/", "REF4010"),
    ] {
        assert_eq!(net.refused(&format!("{base}/{path}")), code, "{path}");
    }
    let net = Net::with(|http, _| http.network.allow_private.clear());
    assert_eq!(net.refused(&format!("{base}/data.json")), "REF4002");
}

#[test]
#[ignore = "needs servers"]
fn ref_22_nginx_answers_slowly() {
    let net = Net::with(|http, _| http.network.timeouts.total = Duration::from_secs(2));
    let slow = format!("@http://127.0.0.1:{}/slow.txt", setting("WEB"));
    assert_eq!(net.refused(&slow), "REF3013");
    let limits = LoadLimits { max_bytes: 9_000_000, ..LoadLimits::default() };
    assert_eq!(Net(net.0.with_limits(limits)).refused(&slow), "REF4005");
}

#[test]
#[ignore = "needs servers"]
fn ref_23_nginx_asks_for_password() {
    let net = Net::new();
    let at = format!("127.0.0.1:{}/private/note.txt", setting("WEB"));
    assert_eq!(net.refused(&format!("@http://{at}")), "REF4007");
    assert_eq!(net.refused(&format!("@http://ann:wrong99@{at}")), "REF4007");
    if !setting("PASSWORD").is_empty() {
        let ann = credentials("ann", &setting("PASSWORD"));
        assert_eq!(net.text(&format!("@http://{ann}@{at}")), "for ann alone\n");
    }
}

#[test]
#[ignore = "needs servers"]
fn ref_22_nginx_is_asked_whether_something_changed() {
    let kept = tempfile::tempdir().unwrap();
    let net = || {
        let cache = CacheSettings::in_folder(kept.path());
        Net::with(|http, _| http.cache = Some(cache))
    };
    let data = format!("@http://127.0.0.1:{}/data.json", setting("WEB"));
    for _ in 0..3 {
        assert_eq!(net().text(&data), "{\"a\": [1, 2]}\n");
    }
    for _ in 0..3 {
        let path = format!("@http://127.0.0.1:{}/kept.txt?encoding=gbk", setting("WEB"));
        assert_eq!(net().text(&path), "中文\n");
    }
    // nginx notes a request after its answer has left, and requests in their order: once this last
    // one is noted, all before it are.
    assert_eq!(net().refused(&format!("@http://127.0.0.1:{}/last", setting("WEB"))), "REF4008");
    let seen = |path: &str| {
        let log = std::fs::read_to_string(folder().join("nginx-access.log")).unwrap();
        log.lines().filter(|line| line.starts_with(&format!("GET {path} "))).count()
    };
    for _ in 0..200 {
        if seen("/last") == 1 {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!((seen("/last"), seen("/kept.txt")), (1, 1));
}

fn secure(path: &str) -> String {
    format!("@https://127.0.0.1:{}/{path}", setting("TLS"))
}

#[test]
#[ignore = "needs servers"]
fn ref_22_unknown_certificate_is_refused() {
    let code = Net::new().refused(&secure("data.json"));
    // On a machine without any certificates nothing can be checked, and nothing is asked.
    assert!(["REF4004", "REF4017"].contains(&code), "{code}");
}

#[test]
#[ignore = "needs servers"]
fn ref_22_trusted_certificate_is_taken_and_https_is_not_left() {
    assert_eq!(Net::new().text(&secure("data.json")), "{\"a\": [1, 2]}\n");
    assert_eq!(Net::new().refused(&secure("plain")), "REF4013");
}

fn ssh_at(protocol: &str, user: &str) -> String {
    format!("@{protocol}://{user}@127.0.0.1:{}", setting("SSH"))
}

#[test]
#[ignore = "needs servers"]
fn ref_23_openssh_gives_files_to_who_has_key() {
    let net = Net::new();
    for protocol in ["sftp", "ssh"] {
        let base = ssh_at(protocol, &setting("LOGIN"));
        files(&net, &format!("{base}{}/files", folder().display()));
        for (path, code) in [
            (format!("{}/files", folder().display()), "REF4009"),
            ("/~".to_owned(), "REF4009"),
            ("/dev/zero".to_owned(), "REF4009"),
            ("/~/missing".to_owned(), "REF4008"),
        ] {
            assert_eq!(net.refused(&format!("{base}{path}")), code, "{path}");
        }
        if !setting("PASSWORD").is_empty() {
            assert_eq!(net.text(&format!("{base}/~/note.md")), "at home\n");
            let path = format!("{base}{}/files/unreadable.txt", folder().display());
            assert_eq!(net.refused(&path), "REF4010");
        }
        // What files of the system have no size.
        assert!(net.text(&format!("{base}/proc/version")).contains("Linux"));
    }
    let base = format!("@sftp://127.0.0.1:{}", setting("SSH"));
    let named = Net::with(|_, ssh| ssh.user = Some(setting("LOGIN")));
    let path = format!("{base}{}/files/data.json", folder().display());
    assert_eq!(named.text(&path), "{\"a\": [1, 2]}\n");
    assert_eq!(net.refused(&path), "REF4007");
}

#[test]
#[ignore = "needs servers"]
fn ref_23_openssh_lets_in_by_password_and_by_right_key() {
    let path = format!("{}/files/data.json", folder().display());
    let of_key = format!("{}{path}", ssh_at("sftp", &setting("LOGIN")));
    let by = |name: &str| {
        let key = folder().join(name);
        Net::with(|_, ssh| ssh.keys = vec![key])
    };
    assert_eq!(by("home/.ssh/id_rsa").text(&of_key), "{\"a\": [1, 2]}\n");
    assert_eq!(by("stranger").refused(&of_key), "REF4007");
    assert_eq!(by("locked").refused(&of_key), "REF4022");
    assert_eq!(by("nothing").refused(&of_key), "REF4022");
    if !setting("PASSWORD").is_empty() {
        let right = ssh_at("ssh", &credentials(&setting("LOGIN"), &setting("PASSWORD")));
        assert_eq!(by("nothing").text(&format!("{right}{path}")), "{\"a\": [1, 2]}\n");
    }
    let agent = Net::with(|_, ssh| {
        (ssh.keys, ssh.agent) = (Vec::new(), Some(folder().join("agent")));
    });
    assert_eq!(agent.text(&of_key), "{\"a\": [1, 2]}\n");
    let wrong = ssh_at("sftp", &credentials(&setting("LOGIN"), "wrong99"));
    assert_eq!(Net::new().refused(&format!("{wrong}{path}")), "REF4007");
}

#[test]
#[ignore = "needs servers"]
fn ref_20_openssh_server_is_verified_by_key() {
    let path =
        format!("{}{}/files/data.json", ssh_at("sftp", &setting("LOGIN")), folder().display());
    let knowing = |name: &str| {
        let file = folder().join(name);
        Net::with(|_, ssh| ssh.known_hosts = Some(file))
    };
    for known in ["hashed_hosts", "rsa_hosts"] {
        assert_eq!(knowing(known).text(&path), "{\"a\": [1, 2]}\n", "{known}");
    }
    assert_eq!(knowing("nothing").refused(&path), "REF4020");
    assert_eq!(knowing("changed_hosts").refused(&path), "REF4021");
    let nothing = Net::with(|_, ssh| ssh.known_hosts = None);
    assert_eq!(nothing.refused(&path), "REF4020");
}

#[test]
#[ignore = "needs servers"]
fn ref_23_pure_ftpd_gives_files() {
    if setting("FTP").is_empty() {
        return;
    }
    let net = Net::new();
    let at = format!("127.0.0.1:{}", setting("FTP"));
    let ann = credentials("ann", &setting("PASSWORD"));
    files(&net, &format!("@ftp://{ann}@{at}"));
    assert_eq!(net.text(&format!("@ftp://{ann}@{at}//private/note.txt")), "for ann alone\n");
    assert_eq!(net.refused(&format!("@ftp://{ann}@{at}/folder")), "REF4009");
    assert_eq!(net.refused(&format!("@ftp://{ann}@{at}/unreadable.txt")), "REF4008");
    assert_eq!(net.refused(&format!("@ftp://ann:wrong99@{at}/data.json")), "REF4007");
    assert_eq!(net.refused(&format!("@ftp://{at}/data.json")), "REF4007");
    let net = Net::with(|_, _| {});
    let other = format!("@ftp://{ann}@localhost:{}/data.json", setting("FTP"));
    assert_eq!(net.refused(&other), "REF4002");
}
