//! A defined protocol around what another reference gives (REF-12).

use super::Definition;
use contexture_context::Trust;
use contexture_context::fence::Fence;
use contexture_core::reference::Parameters;

/// The attribute that names what is wrapped.
const SOURCE: &str = "source";

impl Definition {
    /// Returns the text between `<name source="…">` and `</name>`. Nothing in it can close the tag;
    /// what looks like it gets a backslash.
    #[must_use]
    pub fn wrap(&self, source: &str, text: &str) -> String {
        self.wrap_with(source, &Parameters::default(), text)
    }

    /// As [`Definition::wrap`], with the parameters as further attributes.
    #[must_use]
    pub fn wrap_with(&self, source: &str, parameters: &Parameters, text: &str) -> String {
        let taken: Vec<(String, &str)> = parameters
            .taken
            .iter()
            .map(|(name, value)| match name.as_str() {
                SOURCE => (format!("parameter-{SOURCE}"), value.as_str()),
                name => (name.to_owned(), value.as_str()),
            })
            .collect();
        let mut attributes = vec![(SOURCE, source)];
        attributes.extend(taken.iter().map(|(name, value)| (name.as_str(), *value)));
        // Names are checked where they are declared, so the first fence is the one that is made.
        Fence::new(&self.name, &attributes)
            .or_else(|_| Fence::new(&self.name, &[(SOURCE, source)]))
            .unwrap_or_else(|_| Fence::data(Trust::Web))
            .enclose(text)
    }
}
