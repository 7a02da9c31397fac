use super::*;

#[test]
fn cp_4_versions_of_same_major_understand_each_other() {
    for offered in ["1", "1.0", "1.0.0", " 1.0.0 ", "1.0.9", "1.5", "1.99.99"] {
        assert_eq!(Version::negotiate(offered), Ok(VERSION), "{offered}");
    }
}

#[test]
fn cp_4_another_major_is_refused_with_both_versions() {
    for (offered, told) in [("2.0.0", "2.0.0"), ("0.9", "0.9.0"), ("10", "10.0.0")] {
        let refusal = Version::negotiate(offered).unwrap_err();
        assert_eq!(refusal.code, ErrorCode::UnsupportedVersion);
        assert_eq!(refusal.details["clientVersion"], told);
        assert_eq!(refusal.details["serverVersion"], "1.0.0");
    }
}

#[test]
fn cp_4_invalid_version_is_refused() {
    for offered in
        ["", "one", "1.", ".1", "1.0.0.0", "1.0.0-beta", "-1", "+1", "99999999999", "1.x"]
    {
        let refusal = Version::negotiate(offered).unwrap_err();
        assert_eq!(refusal.code, ErrorCode::UnsupportedVersion, "{offered}");
        assert_eq!(refusal.details["clientVersion"], offered);
        assert!(refusal.message.contains(&format!("{offered:?}")), "{}", refusal.message);
    }
}

#[test]
fn cp_4_subprotocol_is_chosen_among_those_offered() {
    let choose = |offered: &[&str]| Version::choose_subprotocol(offered.iter().copied());
    assert_eq!(choose(&["bearer.abc", "mcp-cp.1"]), Ok(Some("mcp-cp.1")));
    assert_eq!(choose(&["mcp-cp.2", " mcp-cp.1"]), Ok(Some("mcp-cp.1")));
    assert_eq!(choose(&["graphql-ws"]), Ok(None));
    assert_eq!(choose(&[]), Ok(None));
    let refusal = choose(&["mcp-cp.2"]).unwrap_err();
    assert_eq!(refusal.code, ErrorCode::UnsupportedVersion);
    assert!(refusal.message.contains("mcp-cp.2"), "{}", refusal.message);
}

#[test]
fn cp_13_versions_of_tools_are_semantic() {
    for version in ["0.0.0", "1.2.3", "10.20.30", "1.0.0-beta.1", "1.0.0+build.5", "1.0.0-a-b+c"] {
        assert!(is_semantic(version), "{version}");
    }
    for version in [
        "", "1", "1.0", "1.0.0.0", "v1.0.0", "01.0.0", "1.0.x", "1.0.0-", "1.0.0+", "1.0.0 ",
        "-1.0.0",
    ] {
        assert!(!is_semantic(version), "{version}");
    }
}
