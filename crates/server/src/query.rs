//! The checked query of a URL.

use contexture_protocol::{ErrorCode, Refusal};

pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    /// Parses a query; only `known` names are accepted.
    pub(crate) fn parse(query: Option<&str>, known: &[&str]) -> Result<Self, Refusal> {
        let parts = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
        let parts: Vec<(String, String)> = parts.into_owned().collect();
        if let Some((name, _)) = parts.iter().find(|(name, _)| !known.contains(&name.as_str())) {
            let expected = match known {
                [] => "nothing".to_owned(),
                known => format!("one of {}", known.join(", ")),
            };
            return Err(wrong(name, &expected, "this name"));
        }
        for name in known {
            if parts.iter().filter(|(own, _)| own == name).count() > 1 {
                return Err(wrong(name, "it once", "it more than once"));
            }
        }
        Ok(Self(parts))
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn number(&self, name: &str) -> Result<Option<u64>, Refusal> {
        let number = |text: &str| text.parse().map_err(|_| wrong(name, "a whole number", text));
        self.text(name).map(number).transpose()
    }

    /// Reads a place before which a page ends; without a value it is the end.
    pub(crate) fn place(&self, name: &str) -> Result<Option<u64>, Refusal> {
        if self.text(name) == Some("") { Ok(Some(u64::MAX)) } else { self.number(name) }
    }

    /// Reads `true` or `false`, the default.
    pub(crate) fn flag(&self, name: &str) -> Result<bool, Refusal> {
        match self.text(name) {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(other) => Err(wrong(name, "true or false", other)),
        }
    }

    /// Reads a number from 0.
    pub(crate) fn count(&self, name: &str, most: usize) -> Result<Option<usize>, Refusal> {
        let Some(count) = self.number(name)? else { return Ok(None) };
        match usize::try_from(count) {
            Ok(count) if count <= most => Ok(Some(count)),
            _ => Err(wrong(name, &format!("a number from 0 to {most}"), &count.to_string())),
        }
    }

    /// Reads the size of a page.
    pub(crate) fn limit(&self, most: usize) -> Result<usize, Refusal> {
        let Some(limit) = self.number("limit")? else { return Ok(most.min(100)) };
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        if (1..=most).contains(&limit) {
            Ok(limit)
        } else {
            Err(wrong("limit", &format!("a number from 1 to {most}"), &limit.to_string()))
        }
    }
}

/// Creates the refusal of an `after` that no page gives.
pub(crate) fn unknown_place(after: &str) -> Refusal {
    wrong("after", "the `next` of a page", after)
}

pub(crate) fn wrong(name: &str, expected: &str, found: &str) -> Refusal {
    let message = format!("the query's `{name}`: expected {expected}, found {found}");
    Refusal::new(ErrorCode::ValidationFailed, message).violation(
        format!("?{name}"),
        expected,
        found,
    )
}
