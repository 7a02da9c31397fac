use super::parsed;
use crate::syntax::{Reference, ReferenceBuf, redact};

#[test]
fn ref_5_public_form_has_no_user_info() {
    let cases = [
        ("@ftp://user:pass@host/path", "@ftp://host/path"),
        ("@ssh://user@host/path", "@ssh://host/path"),
        ("@SFTP://u:p@h:22/a@b", "@sftp://h:22/a@b"),
        ("@https://u:p@h", "@https://h"),
        ("@http://u%40x:p@h/?a=1", "@http://h/?a=1"),
        ("@http://a@b:c@h/", "@http://h/"),
        ("@http://u:p@[::1]:8080/", "@http://[::1]:8080/"),
        ("@http://[::1]:80/a@b", "@http://[::1]:80/a@b"),
        ("@http://h:80/~a@b", "@http://h:80/~a@b"),
        ("@http://u:p\\w@h/", "@http://h/"),
        ("@ftp://u:p/w@h/", "@ftp://h/"),
        ("@ftp://u:p#w@h/", "@ftp://h/"),
        ("@ftp://u:p?w=1@h/", "@ftp://h/"),
        ("@http://u:?w@h/?a", "@http://h/?a"),
        ("@ftp://u:p@", "@ftp://…"),
        ("@https:///u:p@h/x", "@https://h/x"),
        ("@https://\\\\u:p@h/x", "@https://h/x"),
        ("@https:///h/x", "@https:///h/x"),
        ("@!text:@?ftp://u:p@h/a", "@!text:@?ftp://h/a"),
        ("@a:b:ftp://u:p@h/a?z=1&line=2", "@a:@b:@ftp://h/a?line=2&z=1"),
        ("@http://proxy/http://u:p@h/", "@http://proxy/http://h/"),
        ("@http://h/?u=ftp://u:p@h/", "@http://h/?u=ftp://h/"),
        ("@file://a@b.md", "@file://a@b.md"),
        ("@memory://a:b@c", "@memory://a:b@c"),
        ("@db://u:p@h/table", "@db://h/table"),
        ("@https://u:p@h/a?x=1&sig=ab%2Fc", "@https://h/a?sig=•••&x=1"),
        ("@http://h/?u=http://g/?token=abc", "@http://h/?u=http://g/?token=•••"),
        ("@thought://who@home", "@thought://who@home"),
        ("@e://@://:?e=@", "@e://@://"),
    ];
    for (text, public) in cases {
        assert_eq!(parsed(text).public(), public, "{text}");
        assert_eq!(parsed(public).public(), public, "{text}");
    }
}

#[test]
fn ref_23_nothing_but_text_itself_shows_password() {
    let text = "@text:ftp://ann:secret@host/a";
    let reference = parsed(text);
    let owned = reference.to_owned();
    assert_eq!(owned.as_str(), "@text:ftp://ann:secret@host/a");
    assert_eq!(reference.path(), "ann:secret@host/a");
    for shown in [format!("{reference:?}"), format!("{owned:?}"), reference.public()] {
        assert!(!shown.contains("secret") && !shown.contains("ann"), "{shown}");
    }
}

#[test]
fn ref_23_errors_show_no_password() {
    let texts = [
        "ftp://ann:secret@host/a",
        "[@]ftp://ann:secret@host/a",
        "@ftp:ann:secret@host/a",
        "@ftp:/ann:secret@host/a",
        "@ftp://ann:secret@host/a?b",
        "@ftp://ann:se?secret@host/a",
        "@ftp://ann:se\u{1}secret@host/a",
        "@ftp://ann:x?a=%zzsecret@host/",
        "@ftp://ann:x?a=1?secret@host/",
        "@1:ftp://ann:secret@host/a",
        "@text:1:@ftp://ann:secret@host/a",
    ];
    for text in texts {
        let error = Reference::parse(text).expect_err(text);
        let shown = format!("{error} {error:?} {:?}", error.diagnostic(0));
        assert!(!shown.contains("secret"), "{text}: {shown}");
        let owned = ReferenceBuf::parse(text).expect_err(text);
        assert_eq!(owned, error);
    }
}

#[test]
fn ref_23_addresses_in_any_text_are_redacted() {
    let cases = [
        ("no address", "no address"),
        ("get https://u:p@h/a: timed out", "get https://h/a: timed out"),
        ("(ftp://u@h) and sftp://a:b@c:22/d!", "(ftp://h) and sftp://c:22/d!"),
        ("连接ftp://u:密码@主机/失败", "连接ftp://主机/失败"),
        ("\"http://u:p@h\"", "\"http://h\""),
        ("http://h/ mail a@b", "http://h/ mail a@b"),
        ("http://h/?to=a@b", "http://h/?to=a@b"),
        ("postgres://u:p@h/db", "postgres://h/db"),
        ("get https://u:p@h/a?sig=abc: 403", "get https://h/a?sig=•••: 403"),
        ("sent Authorization: Bearer abc", "sent Authorization: Bearer •••"),
        ("file://a:b@c", "file://a:b@c"),
        ("http://http://u:p@h/", "http://h/"),
    ];
    for (text, public) in cases {
        assert_eq!(redact(text), public);
        assert_eq!(redact(public), public);
    }
}

#[test]
fn ref_23_what_is_not_reference_is_shown_without_user_info() {
    for (text, public) in [
        ("@ftp:ann:s3cret@h/x", "@ftp:ann:…@h/x"),
        ("@ftp://ann:s3cret@h/x?line", "@ftp://h/x?line"),
        ("@http://ann:s3\u{1}cret@h/x", "@http://…@h/x"),
        ("@file:a@b.md", "@file:a@b.md"),
        ("@text:@1x:ann:s3cret@h", "@text:@…@h"),
    ] {
        let error = Reference::parse(text).unwrap_err();
        assert_eq!(error.public(text), public);
    }
}
