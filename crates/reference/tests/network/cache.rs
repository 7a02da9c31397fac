use crate::support::{Net, answer, ok, serve};
use tempfile::tempdir;

fn not_modified(headers: &str) -> Vec<u8> {
    format!("HTTP/1.1 304 Not Modified\r\nconnection: close\r\n{headers}\r\n").into_bytes()
}

#[test]
fn ref_22_cached_response_is_requested_with_validators() {
    let folder = tempdir().unwrap();
    let date = "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
    let first = ok(
        &format!("ETag: \"v1\"\r\n{date}Content-Type: text/plain; charset=gbk\r\n"),
        [0xd6, 0xd0],
    );
    let second = ok("ETag: \"v2\"\r\n", "new");
    let (at, told) = serve(vec![first, not_modified("ETag: \"v1\"\r\n"), second, not_modified("")]);
    // Another run of the program, each time.
    let text = || Net::cached(folder.path()).text(&format!("@http://{at}/a?b=1"));
    assert_eq!(text(), "中");
    assert!(!told.recv().unwrap().contains("if-none-match"));
    assert_eq!(text(), "中");
    let asked = told.recv().unwrap();
    assert!(asked.contains("if-none-match: \"v1\"\r\n"), "{asked}");
    assert!(asked.contains("if-modified-since: Sun, 06 Nov 1994 08:49:37 GMT\r\n"), "{asked}");
    assert_eq!((text(), text()), ("new".to_owned(), "new".to_owned()));
    assert!(told.iter().nth(1).unwrap().contains("if-none-match: \"v2\"\r\n"));
}

#[test]
fn ref_22_what_holds_is_not_asked_for() {
    let folder = tempdir().unwrap();
    let (at, told) = serve(vec![ok("Cache-Control: max-age=60\r\n", "one"), ok("", "two")]);
    let net = Net::cached(folder.path());
    for _ in 0..3 {
        assert_eq!(net.text(&format!("@http://{at}/?token=hush")), "one");
    }
    assert_eq!(told.try_iter().count(), 1);
    assert_eq!(net.text(&format!("@http://{at}/?token=hush&cache=false")), "two");
    assert!(told.recv().unwrap().contains("cache-control: no-cache\r\n"));
    assert_eq!(net.text(&format!("@http://{at}/?token=hush")), "one");
}

#[test]
fn ref_22_what_is_not_to_be_kept_is_not() {
    let fresh = "Cache-Control: max-age=60\r\n";
    let to = answer("302 Found", &format!("{fresh}Location: /x\r\n"), "");
    for first in [
        ok("Cache-Control: max-age=60, no-store\r\nETag: \"a\"\r\n", "1"),
        ok("Cache-Control: private, max-age=60\r\n", "1"),
        ok(&format!("{fresh}Vary: *\r\n"), "1"),
        answer("206 Partial Content", fresh, "1"),
    ] {
        let folder = tempdir().unwrap();
        let (at, told) = serve(vec![first, ok("", "2")]);
        let net = Net::cached(folder.path());
        let texts = [0, 1].map(|_| net.text(&format!("@http://{at}/")));
        assert_eq!(texts, ["1", "2"]);
        assert!(!told.iter().nth(1).unwrap().contains("if-"));
    }
    let folder = tempdir().unwrap();
    let (at, _told) = serve(vec![to.clone(), ok("", "1"), to, ok("", "2")]);
    let net = Net::cached(folder.path());
    let texts = [0, 1].map(|_| net.text(&format!("@http://{at}/")));
    assert_eq!(texts, ["1", "2"]);
}

#[test]
fn ref_23_what_credentials_give_is_neither_kept_nor_taken_from_what_is_kept() {
    let folder = tempdir().unwrap();
    let fresh = "Cache-Control: max-age=60, public\r\nSet-Cookie: s=hush\r\n";
    let (at, _told) = serve(vec![ok(fresh, "ann's"), ok(fresh, "all's"), ok(fresh, "ann's")]);
    let net = Net::cached(folder.path());
    assert_eq!(net.text(&format!("@http://ann:pw99@{at}/")), "ann's");
    assert_eq!(net.text(&format!("@http://{at}/")), "all's");
    assert_eq!(net.text(&format!("@http://{at}/")), "all's");
    assert_eq!(net.text(&format!("@http://ann:pw99@{at}/")), "ann's");
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let file = file.unwrap();
        let text = String::from_utf8(std::fs::read(file.path()).unwrap()).unwrap();
        for secret in ["pw99", "hush", "127.0.0.1"] {
            assert!(!text.contains(secret) && !format!("{file:?}").contains(secret), "{text}");
        }
    }
}

#[test]
fn ref_22_not_modified_of_another_version_is_asked_for_again() {
    let folder = tempdir().unwrap();
    let (at, told) =
        serve(vec![ok("ETag: \"v1\"\r\n", "one"), not_modified("ETag: \"v9\"\r\n"), ok("", "two")]);
    let net = Net::cached(folder.path());
    assert_eq!(net.text(&format!("@http://{at}/")), "one");
    assert_eq!(net.text(&format!("@http://{at}/")), "two");
    assert!(!told.iter().nth(2).unwrap().contains("if-none-match"));
}

#[test]
fn ref_22_cache_that_can_t_be_written_fails_no_load() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "x").unwrap();
    let (at, _told) = serve(vec![ok("ETag: \"v1\"\r\n", "one")]);
    assert_eq!(Net::cached(&file.join("below")).text(&format!("@http://{at}/")), "one");
}
