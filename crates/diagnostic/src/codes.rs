use crate::Code;
use std::collections::HashSet;

/// The codes of a crate: tables, each in the order of its codes. [`codes!`](crate::codes!) declares
/// such a table.
///
/// ```
/// use contexture_diagnostic::Codes;
///
/// mod names {
///     contexture_diagnostic::codes! {
///         EMPTY "XX1001" "empty-name" Error
///             "A name is empty."
///             "Write a letter."
///     }
///     pub const ALL: contexture_diagnostic::Codes = contexture_diagnostic::Codes::new(&[TABLE]);
/// }
///
/// assert_eq!(names::ALL.find("XX1001"), Some(&names::EMPTY));
/// assert_eq!(names::ALL.faults(), [""; 0]);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Codes(&'static [&'static [Code]]);

impl Codes {
    /// Creates the codes of these tables.
    #[must_use]
    pub const fn new(tables: &'static [&'static [Code]]) -> Self {
        Self(tables)
    }

    /// Returns all codes, table by table.
    pub fn iter(self) -> impl Iterator<Item = &'static Code> {
        self.0.iter().copied().flatten()
    }

    /// Finds the entry of a code.
    #[must_use]
    pub fn find(self, code: &str) -> Option<&'static Code> {
        self.iter().find(|known| known.code == code)
    }

    /// Returns the faults of the tables, for tests: codes out of order or given twice, names given
    /// twice, and texts that are not sentences.
    #[must_use]
    pub fn faults(self) -> Vec<String> {
        let mut faults = Vec::new();
        for table in self.0 {
            let pairs = table.iter().zip(table.iter().skip(1));
            let wrong = pairs.filter(|(left, right)| left.code >= right.code);
            faults.extend(wrong.map(|(_, code)| format!("{} is out of order", code.code)));
        }
        let mut seen = HashSet::new();
        for code in self.iter() {
            for word in [code.code, code.name].into_iter().filter(|word| !seen.insert(*word)) {
                faults.push(format!("`{word}` is given twice"));
            }
            if !code.summary.ends_with('.') || !code.explanation.ends_with('.') {
                faults.push(format!("{} has a text that is not a sentence", code.code));
            }
        }
        faults
    }
}

/// Declares a table of codes: a constant for each, and `TABLE` with all of them. An entry is the
/// constant, the code, the name, the severity, the summary and the explanation.
#[macro_export]
macro_rules! codes {
    ($($constant:ident $code:literal $name:literal $severity:ident $summary:literal
        $explanation:literal)*) => {
        $(
            #[doc = $summary]
            pub const $constant: $crate::Code =
                $crate::Code::new($code, $name, $crate::Severity::$severity, $summary)
                    .explained($explanation);
        )*
        /// All codes of this table.
        pub(super) const TABLE: &[$crate::Code] = &[$($constant),*];
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Severity;

    const fn code(code: &'static str, name: &'static str, explanation: &'static str) -> Code {
        Code::new(code, name, Severity::Error, "It is.").explained(explanation)
    }

    #[test]
    fn codes_are_found_in_every_table() {
        const ALL: Codes =
            Codes::new(&[&[code("A2", "two", "Yes.")], &[code("A1", "one", "Yes.")]]);
        assert_eq!(ALL.find("A1").map(|code| code.name), Some("one"));
        assert_eq!(ALL.find("A3"), None);
        assert_eq!(ALL.iter().count(), 2);
        assert_eq!(ALL.faults(), [""; 0]);
    }

    #[test]
    fn faults_of_a_table_are_reported() {
        const TABLE: &[Code] =
            &[code("A2", "two", "Yes."), code("A1", "one", ""), code("A1", "two", "Yes.")];
        assert_eq!(
            Codes::new(&[TABLE]).faults(),
            [
                "A1 is out of order",
                "A1 is out of order",
                "A1 has a text that is not a sentence",
                "`A1` is given twice",
                "`two` is given twice",
            ]
        );
    }
}
