use crate::support::{Net, answer, keeps_contract, loopback, ok, request, serve, serve_with};
use contexture_context::Trust;
use contexture_core::contract::ProtocolExample;
use contexture_reference::protocols::{Http, HttpSettings, Timeouts};
use std::io::Write;
use std::time::Duration;

#[test]
fn ref_20_http_gives_what_server_has() {
    let (at, told) = serve(vec![ok("Content-Type: Text/Markdown; charset=utf-8\r\n", "# 你好\n")]);
    let loaded = Net::new().load(&format!("@http://{at}/a%20b?x=1&line=1&y=%2F&flag")).unwrap();
    let resource = &loaded.resources[0];
    assert_eq!((resource.text(), &*resource.media_type), (Some("# 你好\n"), "text/markdown"));
    assert_eq!(resource.trust, Trust::Web);
    let asked = told.recv().unwrap().to_lowercase();
    assert!(asked.starts_with("get /a%20b?x=1&y=%2f&flag http/1.1\r\n"), "{asked}");
    assert!(asked.contains("accept-encoding: identity\r\n"), "{asked}");
    assert!(!asked.contains("authorization") && !asked.contains("cookie"));
}

#[test]
fn ref_24_http_keeps_contract() {
    let (at, _told) = serve_with(|_, listener| {
        for mut stream in listener.incoming().flatten() {
            let found = request(&mut stream).starts_with("GET /here ");
            let said = if found { ok("", "here") } else { answer("404 Not Found", "", "gone") };
            stream.write_all(&said).ok();
        }
    });
    let example = ProtocolExample {
        secrets: vec!["pass99".to_owned()],
        ..ProtocolExample::source(format!("ann:pass99@{at}/here"), format!("ann:pass99@{at}/gone"))
    };
    let settings = HttpSettings { network: loopback(), ..HttpSettings::default() };
    for protocol in Http::protocols(settings).iter().filter(|one| one.name() == "http") {
        keeps_contract(&**protocol, &example);
    }
}

#[test]
fn ref_22_charset_of_answer_decides_unless_reference_does() {
    let gbk = [0xd6, 0xd0, 0xce, 0xc4];
    let named = "Content-Type: text/plain; charset=GBK\r\n";
    let wrong = "Content-Type: text/plain; charset=utf-8\r\n";
    let (at, _told) = serve(vec![ok(named, gbk), ok(wrong, gbk), ok("", gbk), ok(wrong, gbk)]);
    let net = Net::new();
    assert_eq!(net.text(&format!("@http://{at}/")), "中文");
    assert_eq!(net.text(&format!("@http://{at}/?encoding=gbk")), "中文");
    assert_eq!(net.text(&format!("@http://{at}/?encoding=gbk")), "中文");
    let (code, said) = net.refused(&format!("@http://{at}/"));
    assert!(code == "REF3010" && said.contains("?encoding=gbk"), "{said}");
    let (at, _told) = serve(vec![ok(named, gbk), ok("Content-Type: nonsense\r\n", "x")]);
    assert_eq!(net.text(&format!("@base64:http://{at}/")), "1tDOxA==");
    let loaded = net.load(&format!("@http://{at}/")).unwrap();
    assert_eq!(loaded.resources[0].media_type, "application/octet-stream");
}

#[test]
fn ref_14_format_is_what_server_is_asked_for() {
    let json = ok("Content-Type: text/html\r\n", "{\"a\":1}");
    let (at, told) = serve(vec![json.clone(), json, ok("", "<html>"), ok("", "x")]);
    let net = Net::new();
    let loaded = net.load(&format!("@http://{at}/?format=json")).unwrap();
    assert_eq!(loaded.resources[0].media_type, "application/json");
    assert!(told.recv().unwrap().contains("accept: application/json\r\n"));
    let loaded = net.load(&format!("@http://{at}/?format=text")).unwrap();
    assert_eq!(loaded.resources[0].media_type, "text/plain");
    assert!(told.recv().unwrap().contains("accept: text/plain, "));
    assert_eq!(net.refused(&format!("@http://{at}/?format=json")).0, "REF4016");
    assert_eq!(net.text(&format!("@http://{at}/?cx.format=text&format=xml")), "x");
    assert!(told.iter().nth(1).unwrap().starts_with("GET /?format=xml HTTP"));
    assert_eq!(net.refused(&format!("@http://{at}/?format=xml")).0, "REF3003");
}

#[test]
fn ref_22_statuses_that_give_nothing_are_errors() {
    let expected = [
        ("401 Unauthorized", "REF4007"),
        ("403 Forbidden", "REF4010"),
        ("404 Not Found", "REF4008"),
        ("410 Gone", "REF4008"),
        ("418 I'm a teapot", "REF4011"),
        ("429 Too Many Requests", "REF4011"),
        ("500 Internal Server Error", "REF4011"),
        ("304 Not Modified", "REF4014"),
        ("302 Found", "REF4013"),
    ];
    let answers = expected.iter().map(|(status, _)| answer(status, "", "secretbody")).collect();
    let (at, _told) = serve(answers);
    let net = Net::new();
    for (status, code) in expected {
        let (found, said) = net.refused(&format!("@http://{at}/x"));
        assert_eq!(found, code, "{status}: {said}");
        assert!(code == "REF4013" || said.contains(status.split_once(' ').unwrap().0), "{said}");
        assert!(!said.contains("secretbody"));
    }
}

#[test]
fn ref_22_private_addresses_are_refused_where_they_are_connected_to() {
    let net = Net::with(&["127.0.0.1:1"], None);
    for host in [
        "127.0.0.1:9",
        "localhost:9",
        "2130706433:9",
        "0x7f.1:9",
        "[::1]:9",
        "[::ffff:127.0.0.1]",
        "10.0.0.1",
        "169.254.169.254",
        "192.168.1.1",
        "[fd00::1]",
        "[fe80::1]",
        "0.0.0.0",
        "[64:ff9b::7f00:1]",
    ] {
        for protocol in ["http", "https", "ftp", "sftp", "ssh"] {
            let (code, said) = net.refused(&format!("@{protocol}://ann:pass99@{host}/latest"));
            assert_eq!(code, "REF4002", "{protocol} {host}: {said}");
            assert!(!said.contains("pass99") && !said.contains("ann"), "{said}");
        }
    }
}

#[test]
fn ref_22_redirects_are_followed_by_rules_of_addresses() {
    let to = |place: &str| answer("302 Found", &format!("Location: {place}\r\n"), "");
    let net = Net::with(&["127.0.0.1"], None);
    let (at, told) = serve(vec![to("/there?b=2"), ok("", "here")]);
    let loaded = net.load(&format!("@http://{at}/?a=1")).unwrap();
    assert_eq!(loaded.resources[0].reference, format!("@http://{at}/?a=1"));
    assert_eq!(loaded.resources[0].text(), Some("here"));
    assert!(told.iter().nth(1).unwrap().starts_with("GET /there?b=2 "));
    for place in ["http://169.254.169.254/latest", "http://localhost:9/", "//10.0.0.1/x"] {
        let (at, _told) = serve(vec![to(place)]);
        let (code, said) = net.refused(&format!("@http://{at}/"));
        assert_eq!(code, "REF4002", "{place}: {said}");
    }
    for place in ["ftp://127.0.0.1/x", "file:///etc/passwd", "http://", "gopher:x"] {
        let (at, _told) = serve(vec![to(place)]);
        assert_eq!(net.refused(&format!("@http://{at}/")).0, "REF4013", "{place}");
    }
}

#[test]
fn ref_22_redirects_in_loop_end() {
    let (at, told) = serve(vec![answer("301 Moved", "Location: /\r\n", ""); 30]);
    let (code, said) = Net::new().refused(&format!("@http://{at}/"));
    assert!(code == "REF4012" && said.contains("10 times"), "{said}");
    assert_eq!(told.try_iter().count(), 11);
}

#[test]
fn ref_23_credentials_go_to_their_origin_alone_and_are_never_shown() {
    let (other, other_told) = serve(vec![ok("", "taken")]);
    let away = answer("307 Temporary", &format!("Location: http://{other}/\r\n"), "");
    let near = answer("307 Temporary", "Location: /near\r\n", "");
    let (at, told) = serve(vec![near, away, answer("401 Unauthorized", "", "")]);
    let net = Net::new();
    let reference = format!("@http://ann:s%40cret9@{at}/");
    let loaded = net.load(&reference).unwrap();
    assert!(!format!("{loaded:?}").contains("cret9"));
    for _ in 0..2 {
        let asked = told.recv().unwrap();
        assert!(asked.contains("authorization: Basic YW5uOnNAY3JldDk=\r\n"), "{asked}");
    }
    assert!(!other_told.recv().unwrap().to_lowercase().contains("authorization"));
    let (code, said) = net.refused(&reference);
    assert!(code == "REF4007" && !said.contains("cret9") && !said.contains("ann"), "{said}");
}

#[test]
fn ref_22_answers_are_limited_while_they_are_read() {
    let long = vec![b'x'; 20_000];
    let chunked = |body: &[u8]| {
        let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
        let length = format!("{:x}\r\n", body.len());
        [head.as_bytes(), length.as_bytes(), body, b"\r\n0\r\n\r\n"].concat()
    };
    let endless = [b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n".as_slice(), &long].concat();
    let exact = ok("", vec![b'x'; 10_000]);
    let (at, _told) = serve(vec![ok("", &long), chunked(&long), endless, exact, chunked(b"ab")]);
    let net = Net::new();
    for _ in 0..3 {
        assert_eq!(net.refused(&format!("@http://{at}/")).0, "REF3013");
    }
    assert_eq!(net.text(&format!("@http://{at}/")).len(), 10_000);
    assert_eq!(net.text(&format!("@http://{at}/")), "ab");
    let (at, _told) = serve_with(|_, listener| {
        let (mut stream, _) = listener.accept().unwrap();
        request(&mut stream);
        let mut sent = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        while sent.is_ok() {
            sent = stream.write_all(&[b'y'; 4096]);
        }
    });
    assert_eq!(net.refused(&format!("@http://{at}/")).0, "REF3013");
}

#[test]
fn ref_22_answers_that_break_off_are_errors() {
    let lie = b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc".to_vec();
    let cut = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n64\r\nabc".to_vec();
    let (at, _told) = serve(vec![lie, cut, Vec::new(), b"SSH-2.0-OpenSSH\r\n\r\n".to_vec()]);
    let net = Net::new();
    for expected in ["REF4006", "REF4006", "REF4006", "REF4014"] {
        let (code, said) = net.refused(&format!("@http://{at}/"));
        assert_eq!(code, expected, "{said}");
    }
    // Nobody listens any more.
    let (at, told) = serve(Vec::new());
    assert!(told.recv().is_err());
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(net.refused(&format!("@http://{at}/")).0, "REF4004");
}

#[test]
fn ref_22_compressed_answers_are_refused() {
    let bomb = ok("Content-Encoding: gzip\r\n", [0x1f, 0x8b, 8, 0]);
    let (at, _told) = serve(vec![bomb, ok("Content-Encoding: identity\r\n", "x")]);
    let (code, said) = Net::new().refused(&format!("@http://{at}/"));
    assert!(code == "REF4015" && said.contains("gzip"), "{said}");
    assert_eq!(Net::new().text(&format!("@http://{at}/")), "x");
}

#[test]
fn ref_22_slow_servers_time_out() {
    let (at, _told) = serve_with(|asked, listener| {
        let mut held = Vec::new();
        for stream in listener.incoming().take(2) {
            let mut stream = stream.unwrap();
            asked.send(request(&mut stream)).ok();
            if held.len() == 1 {
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab").unwrap();
            }
            held.push(stream);
        }
        std::thread::sleep(Duration::from_secs(5));
    });
    let net = Net::new();
    for _ in 0..2 {
        let (code, said) = net.refused(&format!("@http://{at}/"));
        assert!(code == "REF4005" && said.contains("sent nothing within 700 ms"), "{said}");
    }
    // Each piece comes in time, and the whole never ends.
    let (at, _told) = serve_with(|_, listener| {
        let (mut stream, _) = listener.accept().unwrap();
        request(&mut stream);
        let mut sent = stream.write_all(b"HTTP/1.1 200 OK\r\nx-");
        while sent.is_ok() {
            std::thread::sleep(Duration::from_millis(50));
            sent = stream.write_all(b"y");
        }
    });
    let timeouts = Timeouts { total: Duration::from_millis(400), ..Timeouts::default() };
    let net = Net::timed(&["127.0.0.1"], None, timeouts);
    let (code, said) = net.refused(&format!("@http://{at}/"));
    assert!(code == "REF4005" && said.contains("within 400 ms"), "{said}");
}

#[test]
fn ref_22_host_that_nobody_knows_is_reported() {
    for protocol in ["http", "https", "ftp", "sftp"] {
        let reference = format!("@{protocol}://ann:pass99@no-such-host.invalid/x");
        let (code, said) = Net::new().refused(&reference);
        assert!(code == "REF4003" && said.contains("no-such-host.invalid"), "{said}");
        assert!(!said.contains("pass99"));
    }
}

#[test]
fn ref_22_https_is_spoken_with_who_speaks_it() {
    let (at, _told) = serve_with(|_, listener| {
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").ok();
    });
    let (code, said) = Net::new().refused(&format!("@https://{at}/"));
    // Without the system's certificates there is no client that could ask.
    assert!(["REF4004", "REF4017"].contains(&code), "{said}");
}

#[test]
fn ref_22_server_that_speaks_first_is_not_web_server() {
    let (at, _told) = serve_with(|_, listener| {
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(b"220 an FTP server\r\n").ok();
        std::thread::sleep(Duration::from_millis(100));
    });
    let (code, said) = Net::new().refused(&format!("@http://{at}/"));
    assert_eq!(code, "REF4014", "{said}");
}
