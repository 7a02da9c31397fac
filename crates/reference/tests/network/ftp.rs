use crate::support::{Net, keeps_contract, loopback, serve_with};
use contexture_core::contract::ProtocolExample;
use contexture_reference::protocols::Ftp;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender};

/// How a server behaves that has the file `a.txt`.
#[derive(Clone, Copy, Default)]
struct Manner {
    no_extended: bool,
    elsewhere: bool,
    breaks_off: bool,
    endless: bool,
}

const TEXT: &str = "one\r\ntwo\r\n";

fn server(manner: Manner) -> (SocketAddr, Receiver<String>) {
    serve_with(move |tell, listener| {
        for control in listener.incoming().flatten() {
            serve_one(manner, &tell, control);
        }
    })
}

fn serve_one(manner: Manner, tell: &Sender<String>, control: TcpStream) {
    let mut out = control.try_clone().unwrap();
    out.write_all(b"220-hello\r\n220 ready\r\n").ok();
    let mut data: Option<TcpListener> = None;
    for line in BufReader::new(control).lines() {
        let Ok(line) = line else { return };
        tell.send(line.clone()).ok();
        let reply = match line.split_once(' ').unwrap_or((&line, "")) {
            ("USER", _) => "331 password for ann, please".to_owned(),
            ("PASS", "s@cret 9") => "230 hello ann".to_owned(),
            ("PASS", wrong) => format!("530 `{wrong}` is wrong for ann"),
            ("EPSV", _) if manner.no_extended => "500 what?".to_owned(),
            (passive @ ("EPSV" | "PASV"), _) => {
                let bound = TcpListener::bind("127.0.0.1:0").unwrap();
                let port = bound.local_addr().unwrap().port();
                data = Some(bound);
                let host = if manner.elsewhere { "10,0,0,1" } else { "127,0,0,1" };
                match passive {
                    "EPSV" => format!("229 on (|||{port}|)"),
                    _ => format!("227 on ({host},{},{})", port / 256, port % 256),
                }
            }
            ("RETR", "a.txt") => {
                out.write_all(b"150 here\r\n").ok();
                let (mut stream, _) = data.take().unwrap().accept().unwrap();
                let mut sent = stream.write_all(TEXT.as_bytes());
                while manner.endless && sent.is_ok() {
                    sent = stream.write_all(&[b'x'; 4096]);
                }
                drop(stream);
                if manner.breaks_off { "426 broken" } else { "226 done" }.to_owned()
            }
            ("RETR", _) => "550 no such file".to_owned(),
            ("CWD", "folder") => "250 in it".to_owned(),
            ("CWD", _) => "550 no".to_owned(),
            ("SIZE", _) => "502 no sizes".to_owned(),
            ("QUIT", _) => "221 bye".to_owned(),
            _ => "200 ok".to_owned(),
        };
        if out.write_all(format!("{reply}\r\n").as_bytes()).is_err() {
            return;
        }
    }
}

fn load(manner: Manner, path: &str) -> Result<String, (&'static str, String)> {
    let (at, _told) = server(manner);
    let reference = format!("@ftp://ann:s%40cret%209@{at}/{path}");
    match Net::new().load(&reference) {
        Ok(loaded) => Ok(loaded.resources[0].text().unwrap().to_owned()),
        Err(_) => Err(Net::new().refused(&{
            let (at, _told) = server(manner);
            format!("@ftp://ann:s%40cret%209@{at}/{path}")
        })),
    }
}

#[test]
fn ref_23_ftp_gives_file_byte_for_byte() {
    let (at, told) = server(Manner::default());
    let net = Net::new();
    let loaded = net.load(&format!("@ftp://ann:s%40cret%209@{at}/a.txt")).unwrap();
    let resource = &loaded.resources[0];
    assert_eq!((resource.text(), &*resource.media_type), (Some(TEXT), "text/plain"));
    let told: Vec<_> = told.try_iter().collect();
    assert_eq!(told[..3], ["USER ann", "PASS s@cret 9", "TYPE I"]);
    assert_eq!(resource.reference, format!("@ftp://{at}/a.txt"));
}

#[test]
fn ref_24_ftp_keeps_contract() {
    let (at, _told) = server(Manner::default());
    let path = |name: &str| format!("ann:s%40cret%209@{at}/{name}");
    let secrets = vec!["cret".to_owned(), "ann".to_owned()];
    let example =
        ProtocolExample { secrets, ..ProtocolExample::source(path("a.txt"), path("b.txt")) };
    keeps_contract(&Ftp::new(loopback()), &example);
}

#[test]
fn ref_22_data_comes_from_server_that_was_checked() {
    let old = Manner { no_extended: true, ..Manner::default() };
    assert_eq!(load(old, "a.txt").as_deref(), Ok(TEXT));
    let elsewhere = Manner { elsewhere: true, ..old };
    assert_eq!(load(elsewhere, "a.txt").as_deref(), Ok(TEXT));
}

#[test]
fn ref_23_what_ftp_does_not_give_is_reported_without_login() {
    let calm = Manner::default();
    let bad = [
        (load(calm, "b.txt"), "REF4008"),
        (load(calm, "*"), "REF4008"),
        (load(calm, "folder"), "REF4009"),
        (load(calm, "folder/"), "REF4009"),
        (load(Manner { breaks_off: true, ..calm }, "a.txt"), "REF4006"),
        (load(Manner { endless: true, ..calm }, "a.txt"), "REF3013"),
    ];
    for (found, expected) in bad {
        let (code, said) = found.unwrap_err();
        assert_eq!(code, expected, "{said}");
        assert!(!said.contains("cret") && !said.contains("ann"), "{said}");
    }
    let (at, told) = server(calm);
    let (code, said) = Net::new().refused(&format!("@ftp://ann:wrong99@{at}/a.txt"));
    assert!(code == "REF4007" && !said.contains("wrong99") && !said.contains("ann"), "{said}");
    assert_eq!(told.try_iter().count(), 2);
    let (at, told) = server(calm);
    assert_eq!(Net::new().refused(&format!("@ftp://{at}/a.txt")).0, "REF4007");
    assert_eq!(told.try_iter().next().unwrap(), "USER anonymous");
}

#[test]
fn ref_23_what_answers_no_ftp_is_reported() {
    for (greeting, expected) in [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(), "REF4014"),
        (b"421 too many\r\n".to_vec(), "REF4011"),
        (Vec::new(), "REF4006"),
        ([b"220-".to_vec(), vec![b'x'; 600_000]].concat(), "REF4014"),
    ] {
        let (at, _told) = serve_with(move |_, listener| {
            let (mut stream, _) = listener.accept().unwrap();
            stream.write_all(&greeting).ok();
        });
        let (code, said) = Net::new().refused(&format!("@ftp://{at}/a.txt"));
        assert_eq!(code, expected, "{said}");
    }
    let (at, _told) = serve_with(|_, listener| {
        let held = listener.accept();
        std::thread::sleep(std::time::Duration::from_secs(3));
        drop(held);
    });
    assert_eq!(Net::new().refused(&format!("@ftp://{at}/a.txt")).0, "REF4005");
}
