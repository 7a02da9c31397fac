use super::*;
use proptest::prelude::*;

const ONE: &str =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJdD7y3aLq454yWBdwLWbieU1ebz9/cu7/QEXn9OIeZJ";
const TWO: &str =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILIG2T/B0l0gaqj3puu510tu9N1OkQ4znY3LYuEm5zCF";

fn key(text: &str) -> PublicKey {
    PublicKey::from_openssh(text).unwrap()
}

fn check(file: &str, address: &str, shown: &str) -> Result<(), &'static str> {
    let endpoint = Endpoint::parse(address, 22).unwrap();
    let known = KnownHosts::parse(file, name_of(&endpoint));
    known.check(&key(shown)).map_err(|fault| fault.code)
}

#[test]
fn ref_20_a_server_is_known_by_its_key() {
    let file = format!("# a comment\n\nother {TWO}\nfiles.example,10.0.0.1 {ONE} ann@home\n");
    assert_eq!(check(&file, "files.example/p", ONE), Ok(()));
    assert_eq!(check(&file, "FILES.example/p", ONE), Ok(()));
    assert_eq!(check(&file, "10.0.0.1/p", ONE), Ok(()));
    assert_eq!(check(&file, "files.example/p", TWO), Err("REF4021"));
    assert_eq!(check(&file, "files.example:2222/p", ONE), Err("REF4020"));
    assert_eq!(check(&file, "new.example/p", ONE), Err("REF4020"));
    assert_eq!(check("", "files.example/p", ONE), Err("REF4020"));
}

#[test]
fn ref_20_known_hosts_are_read_as_openssh_writes_them() {
    let port = format!("[files.example]:2222\t{ONE}");
    assert_eq!(check(&port, "files.example:2222/p", ONE), Ok(()));
    assert_eq!(check(&port, "files.example/p", ONE), Err("REF4020"));
    let six = format!("[::1]:2222,::1 {ONE}");
    assert_eq!(check(&six, "[::1]:2222/p", ONE), Ok(()));
    assert_eq!(check(&six, "[::1]/p", ONE), Ok(()));
    let hashed = format!("|1|O33ESRMWPVkMYIwJ1Uw+n877jTo=|nuuC5vEqXlEZ/8BXQR7m619W6Ak= {TWO}");
    assert_eq!(check(&hashed, "example.com/p", TWO), Ok(()));
    assert_eq!(check(&hashed, "example.org/p", TWO), Err("REF4020"));
    let pattern = format!("*.example,!bad.example {ONE}");
    assert_eq!(check(&pattern, "a.example/p", ONE), Ok(()));
    assert_eq!(check(&pattern, "bad.example/p", ONE), Err("REF4020"));
}

#[test]
fn ref_20_a_revoked_key_is_refused_wherever_it_stands() {
    let file = format!("a.example {ONE}\n@revoked * {ONE}\n@cert-authority b.example {TWO}\n");
    assert_eq!(check(&file, "a.example/p", ONE), Err("REF4021"));
    assert_eq!(check(&file, "b.example/p", TWO), Err("REF4020"));
}

#[test]
fn ref_20_a_refusal_says_how_the_key_is_added() {
    let endpoint = Endpoint::parse("ann:secret@files.example:2222/p", 22).unwrap();
    let known = KnownHosts::parse("", name_of(&endpoint));
    let error = known.check(&key(ONE)).unwrap_err().at("@sftp://files.example:2222/p");
    let help = error.help.clone().unwrap();
    assert!(help.contains("ssh-keyscan -p 2222 files.example >> ~/.ssh/known_hosts"), "{help}");
    assert!(error.message.contains("SHA256:") && !format!("{error:?}").contains("secret"));
}

#[test]
fn ref_20_the_algorithms_of_known_keys_are_asked_for_first() {
    let known = KnownHosts::parse(&format!("h {ONE}"), "h".to_owned());
    let rsa = Algorithm::Rsa { hash: Some(HashAlg::Sha512) };
    let first = known.algorithms_first(&[rsa.clone(), Algorithm::Ed25519]);
    assert_eq!(first, [Algorithm::Ed25519, rsa]);
}

proptest! {
    #[test]
    fn ref_20_any_file_is_read(text in "\\PC{0,80}", line in "[a-z@!*?|,\\[\\]1 ]{0,30}") {
        let _ = KnownHosts::parse(&format!("{text}\n{line} {ONE}"), "h".to_owned());
    }

    #[test]
    fn ref_20_patterns_match_as_they_are_meant(name in "[ab.]{0,8}", pattern in "[ab.*?]{0,8}") {
        let expected = try_all(pattern.as_bytes(), name.as_bytes());
        prop_assert_eq!(matches(pattern.as_bytes(), name.as_bytes()), expected);
    }
}

/// The same question, answered by trying everything.
fn try_all(pattern: &[u8], name: &[u8]) -> bool {
    match pattern.split_first() {
        None => name.is_empty(),
        Some((b'*', rest)) => (0..=name.len()).any(|taken| try_all(rest, &name[taken..])),
        Some((b'?', rest)) => !name.is_empty() && try_all(rest, &name[1..]),
        Some((one, rest)) => name.first() == Some(one) && try_all(rest, &name[1..]),
    }
}
