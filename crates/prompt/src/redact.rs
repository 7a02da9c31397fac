//! References in messages, without the user info of their addresses and without secrets (GU-9).

use contexture_context::secrets;

/// Protocols whose paths are our own names: an `@` in one is part of it.
const WITHOUT_AUTHORITY: [&str; 5] = ["file", "memory", "knowledge", "context", "env"];

/// Removes the part before the `@` of a reference's address, and secret parameters.
pub(crate) fn reference(text: &str) -> String {
    let mut text = without_user(text);
    for found in secrets::find(&text).iter().rev() {
        text.replace_range(found.hidden(), secrets::MASK);
    }
    text
}

fn without_user(text: &str) -> String {
    let Some((head, address)) = text.split_once("://") else { return text.to_owned() };
    let protocol = head.rsplit([':', '@', '!', '?']).next().unwrap_or_default();
    let local = WITHOUT_AUTHORITY.iter().any(|known| protocol.eq_ignore_ascii_case(known));
    let authority = address.split(['/', '?', '#']).next().unwrap_or_default();
    // A password may contain an unencoded `/`; a host has a `:` only before its port.
    let broken = authority.split_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_err());
    let signs = if broken { address } else { authority };
    match signs.rfind('@').and_then(|at| address.get(at + 1..)) {
        Some(public) if !local => format!("{head}://{public}"),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::reference;

    #[test]
    fn ref_23_errors_show_no_user_info() {
        for (text, shown) in [
            ("@https://h/p@2x.png", "@https://h/p@2x.png"),
            ("@ftp://ann:secret@h/a", "@ftp://h/a"),
            ("@!markdown:@?SFTP://ann:se@cret@h:22/a?line=1", "@!markdown:@?SFTP://h:22/a?line=1"),
            ("@https://ann:se/cret@h/a", "@https://h/a"),
            ("@file://a@b/c:d@e.md", "@file://a@b/c:d@e.md"),
            ("@lines:file:memory://a@b", "@lines:file:memory://a@b"),
            ("@x:", "@x:"),
            ("@ftp://ann:secret@", "@ftp://"),
            ("@https://ann@h/a?sig=abc&x=1&token=d", "@https://h/a?sig=•••&x=1&token=•••"),
        ] {
            assert_eq!(reference(text), shown);
        }
    }
}
