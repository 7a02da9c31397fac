//! The vocabularies of `contexture-context`, as it searches them: a trie of all tokens in a double
//! array, and where byte-pair encoding joined each token.
//!
//! `crates/context/src/tokens/vocabulary.rs` reads what this module writes.

mod trie;

use bpe_openai::byte_pair_encoding::BytePairEncoding;
use std::collections::HashMap;

/// The first line, padded, and the number of tokens.
const HEADER: usize = 128;

type Ranks<'t> = HashMap<&'t [u8], usize>;

/// Returns the file of `o200k_base`.
pub(crate) fn o200k_base() -> Result<Vec<u8>, String> {
    file("o200k_base", &tokens(&bpe_openai::o200k_base().bpe)?)
}

/// Returns the file of `cl100k_base`.
pub(crate) fn cl100k_base() -> Result<Vec<u8>, String> {
    file("cl100k_base", &tokens(&bpe_openai::cl100k_base().bpe)?)
}

/// Returns the tokens by their ranks.
fn tokens(bpe: &BytePairEncoding) -> Result<Vec<&[u8]>, String> {
    let count = u32::try_from(bpe.num_tokens()).map_err(|e| e.to_string())?;
    Ok((0..count).map(|id| bpe.token_bytes(id)).collect())
}

fn file(name: &str, tokens: &[&[u8]]) -> Result<Vec<u8>, String> {
    let count = u32::try_from(tokens.len()).map_err(|e| e.to_string())?;
    let line = format!("{name} of OpenAI's tiktoken (MIT), written by `cargo dev generate`");
    let mut file = format!("{line:width$}\n", width = HEADER - 5).into_bytes();
    file.extend(count.to_le_bytes());
    file.extend(splits(tokens)?);
    file.extend(trie::double_array(tokens).iter().flat_map(|slot| slot.to_le_bytes()));
    Ok(file)
}

/// Returns the length of the first of the two parts that each token is joined from; 0 for a
/// single byte.
fn splits(tokens: &[&[u8]]) -> Result<Vec<u8>, String> {
    let ranks: Ranks<'_> = tokens.iter().enumerate().map(|(id, token)| (*token, id)).collect();
    tokens
        .iter()
        .map(|token| split(token, &ranks).ok_or_else(|| format!("{token:?} has no two parts")))
        .collect()
}

/// Joins the bytes of `token` pair by pair, the lowest rank first, until two parts are left.
fn split(token: &[u8], ranks: &Ranks<'_>) -> Option<u8> {
    let mut starts: Vec<usize> = (0..=token.len()).collect();
    while starts.len() > 3 {
        let lowest = starts.windows(3).enumerate().filter_map(|(part, bounds)| {
            let [start, _, end] = bounds else { return None };
            let joined = token.get(*start..*end)?;
            Some((*ranks.get(joined)?, part + 1))
        });
        starts.remove(lowest.min()?.1);
    }
    match starts.as_slice() {
        [_, middle, _] => u8::try_from(*middle).ok(),
        _ => Some(0),
    }
}
