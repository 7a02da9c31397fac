//! Colour: which streams get it, and the few styles in use.

use std::ffi::OsStr;
use std::io::IsTerminal;

/// The value of `--color`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum ColorWhen {
    /// On a terminal, unless NO_COLOR is set; with CLICOLOR_FORCE everywhere
    #[default]
    Auto,
    /// Also in files and pipes
    Always,
    /// Nowhere
    Never,
}

impl ColorWhen {
    /// Reports whether a stream gets colour.
    pub(crate) fn applies_to(self, stream: &impl IsTerminal) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => (stream.is_terminal() && is_permitted()) || is_forced(),
        }
    }

    /// Returns the choice as clap knows it, for help and usage errors.
    pub(crate) const fn for_clap(self) -> clap::ColorChoice {
        match self {
            Self::Auto => clap::ColorChoice::Auto,
            Self::Always => clap::ColorChoice::Always,
            Self::Never => clap::ColorChoice::Never,
        }
    }
}

/// Reports whether the environment permits colour on a terminal (<https://no-color.org>).
fn is_permitted() -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == OsStr::new("dumb"));
    !refused && !dumb
}

/// Reports whether the environment asks for colour everywhere (<https://bixense.com/clicolors>).
fn is_forced() -> bool {
    let value = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    value("CLICOLOR_FORCE").is_some_and(|value| value != "0") && value("NO_COLOR").is_none()
}

/// Styles text, or returns it unchanged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Paint {
    on: bool,
}

impl Paint {
    /// Creates a painter that styles when `on`.
    pub(crate) const fn new(on: bool) -> Self {
        Self { on }
    }

    /// Reports whether it styles at all.
    pub(crate) const fn is_on(self) -> bool {
        self.on
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.wrap("1", text)
    }

    pub(crate) fn dim(self, text: &str) -> String {
        self.wrap("2", text)
    }

    pub(crate) fn red(self, text: &str) -> String {
        self.wrap("31", text)
    }

    pub(crate) fn green(self, text: &str) -> String {
        self.wrap("32", text)
    }

    pub(crate) fn yellow(self, text: &str) -> String {
        self.wrap("33", text)
    }

    pub(crate) fn cyan(self, text: &str) -> String {
        self.wrap("36", text)
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.on && !text.is_empty() {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_31_text_without_colour_is_unchanged() {
        assert_eq!(Paint::new(false).red("x"), "x");
        assert_eq!(Paint::new(true).red("x"), "\u{1b}[31mx\u{1b}[0m");
    }
}
