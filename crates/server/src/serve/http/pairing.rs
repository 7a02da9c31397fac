//! `POST /v1/pair`: a page of another origin is let in by the code that the start printed (GU-11).
//!
//! Decision: a server without tokens answers pages of its own origin. Another page is named under
//! `serve.origins`, or its visitor types the code: it holds for ten minutes and for one page. That page
//! gets a token, which is good for its origin alone and until the server ends. A guess counts as a
//! failed login whether it is right or not, so that guessing does not pay.

use super::answer;
use super::guard::address;
use super::messages;
use super::refused::{Answer, Refused};
use super::shared::Shared;
use crate::fault::Fault;
use crate::serve::codes;
use crate::serve::tokens::Secret;
use crate::web::{self, is_json};
use axum::extract::{Request, State};
use contexture::context::Digest;
use contexture_protocol::{ErrorCode, Refusal, parse_value};
use parking_lot::Mutex;
use ring::rand::{SecureRandom as _, SystemRandom};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use subtle::ConstantTimeEq as _;

/// The path of pairing.
pub(super) const PATH: &str = "/v1/pair";
/// The time for which a code holds.
pub(super) const VALID: Duration = Duration::from_secs(10 * 60);
/// The characters of codes, without those that look alike.
const LETTERS: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
/// The length of a code, of 5 bits a character.
const LENGTH: usize = 8;

/// The pairing of a page with the server.
#[derive(Debug)]
pub(super) struct Pairing(Mutex<Stage>);

#[derive(Debug)]
enum Stage {
    /// The code waits for a page.
    Open { code: String, until: Instant },
    /// A page used the code.
    Paired { origin: String, token: Digest },
}

impl Pairing {
    /// Creates a code that holds from `now` on.
    ///
    /// # Errors
    /// A [`Fault`] when the system provides no random bytes.
    pub(super) fn begin(now: Instant) -> Result<Self, Fault> {
        let mut bytes = [0; LENGTH];
        let failed = |_| Fault::of(codes::BAD_TOKENS, "the system gives no random bytes");
        SystemRandom::new().fill(&mut bytes).map_err(failed)?;
        let letter = |byte: &u8| LETTERS.get(usize::from(*byte % 32)).copied().map(char::from);
        let code = bytes.iter().filter_map(letter).collect();
        Ok(Self(Mutex::new(Stage::Open { code, until: now + VALID })))
    }

    /// Returns the code as people read it, while no page has used it.
    pub(super) fn code(&self) -> Option<String> {
        match &*self.0.lock() {
            Stage::Open { code, .. } => {
                let (first, second) = code.split_at_checked(LENGTH / 2)?;
                Some(format!("{first}-{second}"))
            }
            Stage::Paired { .. } => None,
        }
    }

    /// Pairs the pages of an origin; `None` when the code is wrong, used or too old.
    pub(super) fn pair(
        &self,
        origin: &str,
        told: &str,
        now: Instant,
    ) -> Result<Option<Secret>, Fault> {
        let mut stage = self.0.lock();
        let Stage::Open { code, until } = &*stage else { return Ok(None) };
        let is_sign = |sign: &char| !sign.is_whitespace() && *sign != '-';
        let told: String = told.chars().filter(is_sign).collect::<String>().to_ascii_uppercase();
        let is_right: bool = told.as_bytes().ct_eq(code.as_bytes()).into();
        if !is_right || now >= *until {
            return Ok(None);
        }
        let secret = Secret::new()?;
        let token = Digest::of_text(secret.expose());
        *stage = Stage::Paired { origin: origin.to_ascii_lowercase(), token };
        Ok(Some(secret))
    }

    /// Reports whether the pages of an origin were paired.
    pub(super) fn has(&self, page: &str) -> bool {
        matches!(&*self.0.lock(), Stage::Paired { origin, .. } if origin.eq_ignore_ascii_case(page))
    }

    /// Reports whether a token is that of the paired origin.
    pub(super) fn admits(&self, page: &str, token: &str) -> bool {
        let told = Digest::of_text(token);
        match &*self.0.lock() {
            Stage::Paired { origin, token } if origin.eq_ignore_ascii_case(page) => {
                token.hex().as_bytes().ct_eq(told.hex().as_bytes()).into()
            }
            _ => false,
        }
    }
}

/// Handles `POST /v1/pair` with `{code}`.
pub(super) async fn post(State(shared): State<Shared>, request: Request) -> Answer {
    if !is_json(request.headers()) {
        return Err(Refused::media_type("application/json"));
    }
    let address = address(request.extensions());
    let Ok(Some(origin)) = web::origin(request.headers()).map(|one| one.map(str::to_owned)) else {
        let text = "only a web page is paired, and the request has no origin of one";
        let refused = Refusal::new(ErrorCode::ValidationFailed, text)
            .suggest("Programs call without pairing.");
        return Err(refused.into());
    };
    let body = messages::body(&shared.app, request).await?;
    let read = parse_value(&body, &shared.app.limits)?;
    let Some(code) = read.get("code").and_then(Value::as_str) else {
        let text = "the body has no code";
        let refused = Refusal::new(ErrorCode::ValidationFailed, text);
        return Err(refused
            .violation("/code", "the code that the start of the server printed", "nothing")
            .into());
    };
    let secret = shared.guard.pair(&origin, code, address)?;
    Ok(answer::value(&json!({ "token": secret.expose(), "origin": origin })))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "http://127.0.0.1:8000";

    #[test]
    fn gu_11_code_pairs_one_page_once_and_token_is_bound_to_origin() {
        let now = Instant::now();
        let pairing = Pairing::begin(now).unwrap();
        let code = pairing.code().unwrap();
        assert_eq!(code.len(), LENGTH + 1);
        for wrong in ["", "AAAA-AAAA", &format!("{code}A")] {
            assert!(pairing.pair(PAGE, wrong, now).unwrap().is_none(), "{wrong}");
        }
        let typed = format!(" {} ", code.to_lowercase());
        let secret = pairing.pair(PAGE, &typed, now).unwrap().unwrap();
        assert!(pairing.has(PAGE) && pairing.admits(PAGE, secret.expose()));
        assert!(!pairing.admits("http://127.0.0.1:8001", secret.expose()));
        assert!(!pairing.admits(PAGE, "ctx_tok_other") && !pairing.admits(PAGE, ""));
        assert!(pairing.pair(PAGE, &code, now).unwrap().is_none(), "it was used");
        assert_eq!(pairing.code(), None);
    }

    #[test]
    fn gu_11_code_that_is_too_old_pairs_nobody() {
        let now = Instant::now();
        let pairing = Pairing::begin(now).unwrap();
        let code = pairing.code().unwrap();
        assert!(pairing.pair(PAGE, &code, now + VALID).unwrap().is_none());
        assert!(!pairing.has(PAGE));
        assert_ne!(Pairing::begin(now).unwrap().code().unwrap(), code);
    }
}
