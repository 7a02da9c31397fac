//! Which actions of the server clients may have run (CP-19).

/// Actions that only compute, or wait: clients may always have them run.
const HARMLESS: &[&str] = &[
    "echo",
    "fail",
    "sleep",
    "calculator",
    "clock",
    "PROCESS_DATA",
    "ANALYZE_TREND",
    "GENERATE_REPORT",
];

/// The actions that the settings allow, besides the harmless ones.
#[derive(Debug, Clone, Default)]
pub(crate) struct Allowed {
    settings: Vec<String>,
}

impl Allowed {
    /// Names, or beginnings of names with `*` behind them.
    pub(crate) fn new(settings: &[String]) -> Self {
        Self { settings: settings.to_vec() }
    }

    /// All of them.
    pub(super) fn patterns(&self) -> Vec<String> {
        let harmless = HARMLESS.iter().map(|name| (*name).to_owned());
        harmless.chain(self.settings.iter().cloned()).collect()
    }

    /// Whether an action needs no leave and reads nothing.
    pub(super) fn is_harmless(action: &str) -> bool {
        HARMLESS.contains(&action)
    }
}

/// Whether a name is what a pattern says.
pub(super) fn fits(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => pattern == name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cp_19_only_harmless_actions_and_those_that_the_settings_name_are_allowed() {
        let allows = |allowed: &Allowed, name: &str| {
            allowed.patterns().iter().any(|pattern| fits(pattern, name))
        };
        let none = Allowed::default();
        assert!(allows(&none, "echo") && allows(&none, "GENERATE_REPORT"));
        for action in ["QUERY_DATA", "http", "file_write", "agent:Weather", "mcp:a/b", "Echo", ""] {
            assert!(!allows(&none, action), "{action}");
        }
        let some = Allowed::new(&["QUERY_DATA".to_owned(), "agent:*".to_owned()]);
        assert!(allows(&some, "QUERY_DATA") && allows(&some, "agent:Weather.now"));
        assert!(!allows(&some, "QUERY_DATA2") && !allows(&some, "myagent:Weather"));
    }
}
