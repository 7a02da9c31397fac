use super::*;
use crate::serve::LogSettings;
use crate::serve::caller::Scope;
use crate::serve::operations::log::Log;
use contexture::llm::SpendLimit;
use contexture::llm::ledger::{Amount, Spent};
use contexture::store::masker::Masker;
use contexture::store::stamp;
use contexture_protocol::SenderType;
use std::sync::Arc;

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn cp_19_token_is_stored_as_digest() {
    let folder = folder();
    let file = Tokens::in_folder(folder.path());
    let (entry, secret) = file.add(NewToken::new("phone")).unwrap();
    let text = std::fs::read_to_string(file.path().unwrap()).unwrap();
    assert!(
        !text.contains(secret.expose()) && !text.contains(secret.expose().split_at(8).1),
        "{text}"
    );
    assert_eq!(secret.expose().len(), 8 + 43, "256 bits");
    assert_eq!((entry.owner.as_str(), entry.name.as_str()), ("phone", "phone"));
    assert_eq!(file.list().unwrap(), [entry]);
    assert_eq!(format!("{secret:?}"), "Secret");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = file.path().unwrap().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let registry = Registry::open(Tokens::in_folder(folder.path())).unwrap();
    let grant = registry.find(secret.expose(), 0).unwrap();
    assert_eq!(&*grant.owner, "phone");
    let mut wrong = secret.expose().to_owned();
    wrong.pop();
    for wrong in [wrong.as_str(), "", "ctx_tok_", "phone", &format!("{}x", secret.expose())] {
        assert!(registry.find(wrong, 0).is_none(), "{wrong}");
    }
}

#[test]
fn cp_19_running_server_applies_added_revoked_and_expired_tokens() {
    let folder = folder();
    let file = Tokens::in_folder(folder.path());
    let registry = Registry::open(Tokens::in_folder(folder.path())).unwrap();
    assert!(!registry.lets_in(0, &[]));
    let changes = registry.changes();
    let (_, first) = file.add(NewToken::new("first")).unwrap();
    assert!(registry.find(first.expose(), 0).is_some(), "a token that was just made lets in");
    let (_, brief) = file.add(NewToken { expires: Some(1_000), ..NewToken::new("brief") }).unwrap();
    assert!(registry.find(brief.expose(), 999).is_some());
    let grant = registry.find(brief.expose(), 999).unwrap();
    assert!(registry.is_good(&grant, 999) && !registry.is_good(&grant, 1_000));
    assert!(registry.find(brief.expose(), 1_000).is_none());
    let before = *changes.borrow();
    assert!(!registry.refresh(1_000), "who was told of the expiry is not told again");
    let grant = registry.find(first.expose(), 0).unwrap();
    file.revoke("first").unwrap();
    assert!(registry.refresh(1_000) && *changes.borrow() > before);
    assert!(!registry.is_good(&grant, 0) && registry.find(first.expose(), 0).is_none());
}

#[test]
fn cp_19_damaged_token_file_refuses_everybody() {
    let folder = folder();
    let file = Tokens::in_folder(folder.path());
    let (_, secret) = file.add(NewToken::new("phone")).unwrap();
    let registry = Registry::open(Tokens::in_folder(folder.path())).unwrap();
    let text = std::fs::read_to_string(file.path().unwrap()).unwrap();
    for damaged in
        [text.split_at(text.len() / 2).0, "", "{}", "{\"version\":2,\"tokens\":[]}", "[]"]
    {
        std::fs::write(file.path().unwrap(), damaged).unwrap();
        registry.refresh(0);
        assert!(registry.find(secret.expose(), 0).is_none(), "{damaged}");
        assert!(registry.fault().is_some());
        assert!(
            Registry::open(Tokens::in_folder(folder.path())).is_err()
                && file.add(NewToken::new("x")).is_err()
        );
    }
    std::fs::write(file.path().unwrap(), &text).unwrap();
    assert!(registry.find(secret.expose(), 0).is_some() && registry.fault().is_none());
}

#[test]
fn cp_19_token_names_are_unique_until_revoked() {
    let folder = folder();
    let file = Tokens::in_folder(folder.path());
    let (first, _) = file.add(NewToken::new("phone")).unwrap();
    let taken = file.add(NewToken::new("phone")).unwrap_err();
    assert!(taken.message.contains("already"), "{}", taken.message);
    assert_eq!(file.revoke(&first.id).unwrap().name, "phone");
    assert!(file.revoke("phone").unwrap_err().message.contains("before"));
    let (second, _) = file.add(NewToken::new("phone")).unwrap();
    assert_ne!(first.id, second.id);
    assert_eq!(file.revoke("phone").unwrap().id, second.id);
    assert!(file.revoke("fone").unwrap_err().message.contains("no token `fone`"));
    for wrong in ["", "tok_1", "a b", "ä", &"x".repeat(65), "a\nb"] {
        assert!(file.add(NewToken::new(wrong)).is_err(), "{wrong:?}");
        let owner = Some(format!(" {wrong}"));
        assert!(file.add(NewToken { owner, ..NewToken::new("ok") }).is_err(), "{wrong:?}");
    }
}

#[test]
fn cp_19_concurrently_created_tokens_are_all_stored() {
    let folder = folder();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let file = Tokens::in_folder(folder.path());
            scope.spawn(move || {
                for number in 0..5 {
                    file.add(NewToken::new(format!("t{thread}-{number}"))).unwrap();
                }
            });
        }
    });
    assert_eq!(Tokens::in_folder(folder.path()).list().unwrap().len(), 20);
}

/// What another server writes for the calls of a token.
fn take_elsewhere(tokens: &Tokens, more: u64) {
    let add = |_: &str, spent: &mut Amount| {
        spent.tokens += more;
        true
    };
    tokens.settle(add).unwrap();
}

#[tokio::test]
async fn wa_11_calls_of_all_servers_count_against_limit_of_token() {
    let folder = folder();
    let tokens = Tokens::in_folder(folder.path());
    let spend = SpendLimit { tokens: Some(100), ..SpendLimit::default() };
    let (_, secret) = tokens.add(NewToken { spend, ..NewToken::new("phone") }).unwrap();
    take_elsewhere(&tokens, 10);
    let registry = Registry::open(tokens.clone()).unwrap();
    let log = Log::open(LogSettings::default(), Vec::new(), Arc::new(stamp::system()));
    let accounts = Accounts::of_tokens(tokens.clone(), Arc::new(log));
    let ledger = accounts.of(&registry.find(secret.expose(), 0).unwrap(), &registry).unwrap();
    let amount = |tokens| Amount { tokens, ..Amount::default() };
    let spent = || tokens.list().unwrap().first().unwrap().spent.tokens;

    ledger.reserve(amount(40)).unwrap();
    take_elsewhere(&tokens, 20);
    accounts.learn();
    assert_eq!((spent(), ledger.taken()), (70, amount(70)), "10 before, 40 here, 20 there");
    assert!(ledger.reserve(amount(31)).is_err());
    ledger.settle(amount(40), Spent::Known(amount(5), true));
    accounts.close().await;
    assert_eq!((spent(), ledger.taken()), (35, amount(35)));
    take_elsewhere(&tokens, 65);
    accounts.learn();
    assert!(ledger.reserve(amount(1)).is_err());
    accounts.learn();
    assert_eq!((spent(), ledger.taken()), (100, amount(100)), "nothing counts twice");
}

#[test]
fn cp_19_expiry_is_duration_or_time() {
    let now = 1_800_000_000_000;
    assert_eq!(expiry("30d", now), Ok(now + 30 * 86_400_000));
    assert_eq!(expiry(" 90s ", now), Ok(now + 90_000));
    assert_eq!(expiry("2w", 0), Ok(14 * 86_400_000));
    assert_eq!(expiry("2027-01-15T08:00:01Z", now), Ok(now + 1_000));
    assert_eq!(expiry("2027-01-15T09:00:01.5+01:00", now), Ok(now + 1_500));
    for wrong in
        ["", "d", "-1d", "1.5d", "30", "30y", "99999999999999999999d", "999999999w", "soon"]
    {
        assert!(expiry(wrong, now).is_err(), "{wrong}");
    }
    for over in ["0d", "2020-01-01T00:00:00Z"] {
        assert!(expiry(over, now).unwrap_err().contains("over already"), "{over}");
    }
}

#[test]
fn cp_1_senders_and_scopes_are_read_and_named() {
    assert_eq!(senders("USER").unwrap(), [SenderType::User]);
    let both = senders("user, TOOL").unwrap();
    assert_eq!(both, [SenderType::User, SenderType::Tool]);
    assert_eq!(scopes("read,run").unwrap(), [Scope::Read, Scope::Run]);
    assert!(!scopes("read").unwrap().contains(&Scope::Write));
    for wrong in ["", "USER,", "robot"] {
        assert!(senders(wrong).is_err(), "{wrong}");
        assert!(scopes(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn cp_19_tokens_are_masked_in_texts() {
    let secret = Secret::new().unwrap();
    let text = format!("/v1/x?token={} and {}.", secret.expose(), secret.expose());
    let masker = Masker::default();
    assert_eq!(masker.text(&text), "/v1/x?token=ctx_tok_••• and ctx_tok_•••.");
    assert_eq!(masker.text("ctx_01KZ"), "ctx_01KZ");
}
