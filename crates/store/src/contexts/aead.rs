//! Sealing with an authenticated cipher.
//!
//! Decision: ChaCha20-Poly1305 of ring, which the tree has through TLS. A sealed text is
//! `v1.KEYID.BASE64(nonce, ciphertext, tag)`; the nonce is random, so a key should be replaced
//! before it has sealed 2^32 values. Place and key id are bound to the text.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use contexture_core::store::contexts::{SealError, Sealer};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom as _, SystemRandom};
use std::fmt;

const KEY_BYTES: usize = 32;
const VERSION: &str = "v1";

/// Seals with one key, opens with that and earlier ones.
pub struct AeadSealer {
    /// The first seals.
    keys: Vec<(String, LessSafeKey)>,
    random: SystemRandom,
}

impl fmt::Debug for AeadSealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids: Vec<&str> = self.keys.iter().map(|(id, _)| id.as_str()).collect();
        f.debug_struct("AeadSealer").field("keys", &ids).finish_non_exhaustive()
    }
}

impl AeadSealer {
    /// Seals with the key `id` of 32 bytes. An id has 1 to 64 letters, digits, `-` and `_`.
    ///
    /// # Errors
    /// [`SealError::KeyLength`], [`SealError::KeyId`].
    pub fn new(id: &str, key: &[u8]) -> Result<Self, SealError> {
        let none = Self { keys: Vec::new(), random: SystemRandom::new() };
        none.and_opens(id, key)
    }

    /// Opens with an earlier key too: what it sealed stays readable after a new one took its place.
    ///
    /// # Errors
    /// [`SealError::KeyLength`], [`SealError::KeyId`], [`SealError::KeyTwice`].
    pub fn and_opens(mut self, id: &str, key: &[u8]) -> Result<Self, SealError> {
        let good = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if id.is_empty() || id.len() > 64 || !id.bytes().all(good) {
            return Err(SealError::KeyId(id.to_owned()));
        }
        if self.key(id).is_some() {
            return Err(SealError::KeyTwice(id.to_owned()));
        }
        let wrong = |_| SealError::KeyLength { expected: KEY_BYTES, found: key.len() };
        let key = UnboundKey::new(&CHACHA20_POLY1305, key).map_err(wrong)?;
        self.keys.push((id.to_owned(), LessSafeKey::new(key)));
        Ok(self)
    }

    fn key(&self, id: &str) -> Option<&LessSafeKey> {
        self.keys.iter().find(|(other, _)| other == id).map(|(_, key)| key)
    }
}

fn bound(id: &str, place: &str) -> Aad<Vec<u8>> {
    Aad::from(format!("contexture.contexts\0{id}\0{place}").into_bytes())
}

impl Sealer for AeadSealer {
    fn seal(&self, place: &str, plain: &[u8]) -> Result<String, SealError> {
        let (id, key) = self.keys.first().ok_or(SealError::NoKey)?;
        let mut nonce = [0; NONCE_LEN];
        self.random.fill(&mut nonce).map_err(|_| SealError::Random)?;
        let mut text = plain.to_vec();
        key.seal_in_place_append_tag(
            Nonce::assume_unique_for_key(nonce),
            bound(id, place),
            &mut text,
        )
        .map_err(|_| SealError::Random)?;
        let mut out = nonce.to_vec();
        out.append(&mut text);
        Ok(format!("{VERSION}.{id}.{}", BASE64.encode(out)))
    }

    fn open(&self, place: &str, sealed: &str) -> Result<Vec<u8>, SealError> {
        let mut parts = sealed.splitn(3, '.');
        let (Some(VERSION), Some(id), Some(text)) = (parts.next(), parts.next(), parts.next())
        else {
            return Err(SealError::Format);
        };
        let key = self.key(id).ok_or_else(|| SealError::KeyMissing(id.to_owned()))?;
        let bytes = BASE64.decode(text).map_err(|_| SealError::Format)?;
        let (nonce, text) = bytes.split_at_checked(NONCE_LEN).ok_or(SealError::Format)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| SealError::Format)?;
        let mut text = text.to_vec();
        let plain = key
            .open_in_place(nonce, bound(id, place), &mut text)
            .map_err(|_| SealError::Wrong(id.to_owned()))?;
        Ok(plain.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cp_19_sealed_value_opens_with_own_key_at_own_place() {
        let sealer = AeadSealer::new("k1", &[1; 32]).unwrap();
        let sealed = sealer.seal("state.a", "密码".as_bytes()).unwrap();
        assert!(sealed.starts_with("v1.k1.") && !sealed.contains("密码"), "{sealed}");
        assert_eq!(sealer.open("state.a", &sealed).unwrap(), "密码".as_bytes());
        assert_eq!(sealer.open("state.b", &sealed), Err(SealError::Wrong("k1".to_owned())));
        assert_ne!(sealer.seal("state.a", "密码".as_bytes()).unwrap(), sealed);
    }

    #[test]
    fn cp_19_keys_are_replaced_one_by_one() {
        let old = AeadSealer::new("k1", &[1; 32]).unwrap();
        let sealed = old.seal("p", b"x").unwrap();
        let new = AeadSealer::new("k2", &[2; 32]).unwrap();
        assert_eq!(new.open("p", &sealed), Err(SealError::KeyMissing("k1".to_owned())));
        let both = new.and_opens("k1", &[1; 32]).unwrap();
        assert_eq!(both.open("p", &sealed).unwrap(), b"x");
        assert!(both.seal("p", b"x").unwrap().starts_with("v1.k2."));
    }

    #[test]
    fn cp_19_wrong_keys_and_changed_texts_are_told() {
        let sealer = AeadSealer::new("k1", &[1; 32]).unwrap();
        let sealed = sealer.seal("p", b"x").unwrap();
        let other = AeadSealer::new("k1", &[9; 32]).unwrap();
        assert_eq!(other.open("p", &sealed), Err(SealError::Wrong("k1".to_owned())));
        for text in ["", "v1", "v1.k1", "v2.k1.AA", "v1.k1.AA", "v1.k1.%%"] {
            assert_eq!(sealer.open("p", text), Err(SealError::Format), "{text}");
        }
        let short = AeadSealer::new("k1", &[1; 31]).unwrap_err();
        assert_eq!(short, SealError::KeyLength { expected: 32, found: 31 });
        assert_eq!(AeadSealer::new("a.b", &[1; 32]).unwrap_err(), SealError::KeyId("a.b".into()));
        let twice = sealer.and_opens("k1", &[2; 32]).unwrap_err();
        assert_eq!(twice, SealError::KeyTwice("k1".to_owned()));
    }
}
