//! `contexture answer`: how a raw model answer is read (AS-21), for people who debug shapes.

mod parse;

use super::family::family;

const EXAMPLES: &str = r#"Examples:
  echo 'Sure! {"ok": "yes", items: [1,]}' | contexture answer parse --json
  echo '{ok: "true", n: "3",}' | contexture answer parse --shape '{ok boolean, n integer}'"#;

family! {
    /// Reads a raw model answer.
    Parse(parse),
}
