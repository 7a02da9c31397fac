//! The validity of a certificate (RFC 5280, 4.1).
//!
//! Decision: only the two times are read, which are a few values into the certificate; a library
//! that reads all of it would be larger than the rest of TLS here.

const SEQUENCE: u8 = 0x30;
const VERSION: u8 = 0xa0;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;

/// Returns the first and the last moment of a certificate in DER, as `YYYYMMDDHHMMSS`; `None` for
/// other data.
pub(super) fn validity(certificate: &[u8]) -> Option<(String, String)> {
    let (whole, _) = of(SEQUENCE, certificate)?;
    let (mut rest, _) = of(SEQUENCE, whole)?;
    if let Some((_, after)) = of(VERSION, rest) {
        rest = after;
    }
    // The serial number, the signature algorithm and the issuer.
    for _ in 0..3 {
        rest = value(rest)?.2;
    }
    let (times, _) = of(SEQUENCE, rest)?;
    let (from, times) = time(times)?;
    let (until, _) = time(times)?;
    Some((from, until))
}

/// Returns the tag and the content of the first value, and the rest.
fn value(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (tag, bytes) = bytes.split_first()?;
    let (first, bytes) = bytes.split_first()?;
    let (length, bytes) = if *first < 0x80 {
        (usize::from(*first), bytes)
    } else {
        let (digits, bytes) = bytes.split_at_checked(usize::from(*first & 0x7f))?;
        if !(1..=4).contains(&digits.len()) {
            return None;
        }
        (digits.iter().fold(0, |sum, digit| sum << 8 | usize::from(*digit)), bytes)
    };
    let (content, rest) = bytes.split_at_checked(length)?;
    Some((*tag, content, rest))
}

/// Returns the content of the first value, if it has this tag, and the rest.
fn of(tag: u8, bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (found, content, rest) = value(bytes)?;
    (found == tag).then_some((content, rest))
}

fn time(bytes: &[u8]) -> Option<(String, &[u8])> {
    let (tag, content, rest) = value(bytes)?;
    let digits = std::str::from_utf8(content).ok()?.strip_suffix('Z')?;
    let century = match (tag, digits.len()) {
        (UTC_TIME, 12) if digits < "50" => "20",
        (UTC_TIME, 12) => "19",
        (GENERALIZED_TIME, 14) => "",
        _ => return None,
    };
    let is_time = digits.bytes().all(|digit| digit.is_ascii_digit());
    is_time.then(|| (format!("{century}{digits}"), rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio_rustls::rustls::pki_types::CertificateDer;
    use tokio_rustls::rustls::pki_types::pem::PemObject as _;

    #[test]
    fn cp_19_certificate_validity_is_read() {
        let pem = include_bytes!("../../../tests/suite/serve/tls/server.cert.pem");
        let certificate = CertificateDer::from_pem_slice(pem).unwrap();
        let times = validity(&certificate).unwrap();
        assert_eq!(times, ("20200101000000".to_owned(), "21200101000000".to_owned()));
        for end in 0..certificate.len() {
            let cut = certificate.get(..end).unwrap();
            assert_eq!(validity(cut), None, "{end}");
        }
        let mut changed = certificate.to_vec();
        for place in 0..changed.len() {
            changed[place] ^= 0xff;
            let _ = validity(&changed);
            changed[place] ^= 0xff;
        }
    }

    #[test]
    fn cp_19_certificate_time_is_of_this_or_last_century() {
        let utc = |text: &str| {
            let bytes = [&[UTC_TIME, 13], text.as_bytes()].concat();
            time(&bytes).map(|(time, _)| time)
        };
        assert_eq!(utc("491231235959Z").as_deref(), Some("20491231235959"));
        assert_eq!(utc("500101000000Z").as_deref(), Some("19500101000000"));
        assert_eq!(utc("50010100000aZ"), None);
    }
}
