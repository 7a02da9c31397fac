//! Packs of an organization: folders, archives and a registry, over a real server (KN-2, KN-16).

use crate::common::Place;
use contexture::context::Digest;
use contexture::knowledge::Scope;
use contexture::packs::{NOT_ALLOWED, Options, Packs};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const GUIDE: &str = "---\nname: wiki\ndescription: What the company knows.\n\
                     type: organization-knowhow\nstatus: ready\nprofile: wiki-first\n\
                     version: 2.0.0\n---\n# Wiki\n";

/// An archive with the pack `wiki`.
fn archive() -> Vec<u8> {
    let mut tar = tar::Builder::new(flate2::write::GzEncoder::new(
        Vec::new(),
        flate2::Compression::default(),
    ));
    for (path, text) in
        [("wiki/KNOWLEDGE.md", GUIDE), ("wiki/compiled/a.md", "# A\n\nThe desk is on floor 3.\n")]
    {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        tar.append_data(&mut header, path, text.as_bytes()).unwrap();
    }
    tar.into_inner().unwrap().finish().unwrap()
}

fn found(place: &Place, options: Options) -> (Vec<(String, Scope)>, Vec<&'static str>, Packs) {
    let packs = Packs::open(&place.project(), options);
    let names = packs.discovery().packs.iter();
    let names = names
        .filter(|found| found.scope != Scope::BuiltIn)
        .map(|found| (found.item.name.clone(), found.scope))
        .collect();
    let codes = packs.discovery().findings.iter().map(|finding| finding.code).collect();
    (names, codes, packs)
}

#[test]
fn kn_2_organization_packs_are_found_and_need_permission() {
    for settings in ["organization = [\"shared\"]", "organization = [\"shared/wiki.tar.gz\"]"] {
        let place = Place::new(&[("contexture.toml", &format!("[knowledge]\n{settings}\n"))]);
        place.write("shared/wiki/KNOWLEDGE.md", GUIDE);
        std::fs::write(place.path("shared/wiki.tar.gz"), archive()).unwrap();
        let (names, codes, packs) = found(&place, Options::default());
        assert_eq!(names, [("wiki".to_owned(), Scope::Organization)], "{settings}: {codes:?}");
        let refused = packs.activate("wiki").unwrap_err();
        assert_eq!(refused.code, NOT_ALLOWED);
        assert!(refused.message.contains("comes from the organization"), "{refused}");
        packs.allow(refused.question.as_ref().unwrap()).unwrap();
        assert!(packs.activate("wiki").unwrap().text.contains("# Wiki"));
    }
}

#[test]
fn kn_2_file_that_is_not_archive_is_finding() {
    let place = Place::new(&[
        ("contexture.toml", "[knowledge]\norganization = [\"bad.zip\", \"gone\"]\n"),
        ("bad.zip", "no archive"),
    ]);
    let (names, codes, _) = found(&place, Options::default());
    assert!(names.is_empty());
    assert!(codes.contains(&"KN3001") && codes.contains(&"KN1001"), "{codes:?}");
}

/// A server of one page per path; counts what it is asked.
fn serve(pages: Vec<(String, Vec<u8>)>) -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            counter.fetch_add(1, Ordering::SeqCst);
            let mut buffer = [0; 4096];
            let read = stream.read(&mut buffer).unwrap_or_default();
            let request = String::from_utf8_lossy(&buffer[..read]).into_owned();
            let path = request.split(' ').nth(1).unwrap_or_default();
            let page = pages.iter().find(|(known, _)| known == path);
            let (status, body) =
                page.map_or(("404 Not Found", &[][..]), |(_, body)| ("200 OK", body));
            let head = format!(
                "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
        }
    });
    (port, asked)
}

#[test]
fn kn_16_archives_of_registry_are_fetched_once_and_kept() {
    let archive = archive();
    let digest = Digest::of_bytes(&archive);
    let index = format!(
        "{{\"packs\": [{{\"name\": \"wiki\", \"version\": \"2.0.0\", \"url\": \"wiki.tar.gz\", \
         \"sha256\": \"{digest}\"}}]}}"
    );
    let pages = vec![
        ("/packs/index.json".to_owned(), index.into_bytes()),
        ("/packs/wiki.tar.gz".to_owned(), archive),
    ];
    let (port, asked) = serve(pages);
    let settings = |more: &str| {
        format!("[knowledge]\nregistry = \"http://127.0.0.1:{port}/packs/index.json\"\n{more}")
    };
    let place = Place::new(&[("contexture.toml", &settings(""))]);
    let (names, codes, _) = found(&place, Options::default());
    assert!(names.is_empty() && !codes.is_empty(), "a private address is refused: {codes:?}");
    assert_eq!(asked.load(Ordering::SeqCst), 0);

    place.write(
        "contexture.toml",
        &settings(&format!("[network]\nallow_private = [\"127.0.0.1:{port}\"]\n")),
    );
    let wiki = [("wiki".to_owned(), Scope::Organization)];
    let (names, codes, packs) = found(&place, Options::default());
    assert_eq!(names, wiki, "{codes:?}");
    assert_eq!(asked.load(Ordering::SeqCst), 2);
    assert_eq!(packs.activate("wiki").unwrap_err().code, NOT_ALLOWED);

    let (names, ..) = found(&place, Options::default());
    assert_eq!((names.as_slice(), asked.load(Ordering::SeqCst)), (&wiki[..], 3), "the index alone");
    let offline = Options { offline: true, ..Options::default() };
    let (names, ..) = found(&place, offline);
    assert_eq!((names.as_slice(), asked.load(Ordering::SeqCst)), (&wiki[..], 3), "nobody is asked");
}
