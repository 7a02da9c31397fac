use crate::support::{Net, serve_with};
use std::io::Write;

#[test]
fn ref_23_what_answers_no_ssh_is_reported_without_login() {
    for (greeting, expected) in [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(), &["REF4006", "REF4014"][..]),
        (b"SSH-2.0-x\r\nnonsense, and more nonsense\r\n\r\n".to_vec(), &["REF4006", "REF4014"]),
        (Vec::new(), &["REF4006"]),
    ] {
        let (at, _told) = serve_with(move |_, listener| {
            let (mut stream, _) = listener.accept().unwrap();
            stream.write_all(&greeting).ok();
        });
        let (code, said) = Net::new().refused(&format!("@sftp://ann:pass99@{at}/a.txt"));
        assert!(expected.contains(&code), "{code}: {said}");
        assert!(!said.contains("pass99") && !said.contains("ann"), "{said}");
    }
    let (at, _told) = serve_with(|_, listener| {
        let held = listener.accept();
        std::thread::sleep(std::time::Duration::from_secs(3));
        drop(held);
    });
    assert_eq!(Net::new().refused(&format!("@ssh://ann@{at}/a.txt")).0, "REF4005");
}

#[test]
fn ref_20_somebody_is_named_who_logs_in() {
    let (code, said) = Net::new().refused("@sftp://127.0.0.1:1/a.txt");
    assert!(code == "REF4007" && said.contains("write user@"), "{said}");
    assert_eq!(Net::new().refused("@sftp://ann@127.0.0.1:1/a.txt").0, "REF4004");
    assert_eq!(Net::new().refused("@ssh:http://x").0, "REF3002");
}
