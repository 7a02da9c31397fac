//! Colour: which streams get it, and the few styles in use.

use std::ffi::OsStr;
use std::io::IsTerminal;

/// When to colour, as `--color` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum ColorWhen {
    /// On a terminal, unless NO_COLOR is set; with CLICOLOR_FORCE everywhere
    #[default]
    Auto,
    /// Also into files and pipes
    Always,
    /// Not at all
    Never,
}

impl ColorWhen {
    /// Whether a stream gets colour.
    pub(crate) fn applies_to(self, stream: &impl IsTerminal) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => (stream.is_terminal() && welcome()) || forced(),
        }
    }

    /// The choice as clap knows it, for help and usage errors.
    pub(crate) const fn for_clap(self) -> clap::ColorChoice {
        match self {
            Self::Auto => clap::ColorChoice::Auto,
            Self::Always => clap::ColorChoice::Always,
            Self::Never => clap::ColorChoice::Never,
        }
    }
}

/// Whether the environment lets a terminal have colour (<https://no-color.org>).
fn welcome() -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == OsStr::new("dumb"));
    !refused && !dumb
}

/// Whether the environment asks for colour everywhere (<https://bixense.com/clicolors>).
fn forced() -> bool {
    let value = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    value("CLICOLOR_FORCE").is_some_and(|value| value != "0") && value("NO_COLOR").is_none()
}

/// Styles text, or leaves it as it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Paint {
    on: bool,
}

impl Paint {
    /// Styles when `on`.
    pub(crate) const fn new(on: bool) -> Self {
        Self { on }
    }

    /// Whether it styles at all.
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

/// A text without anything that a terminal would take for a command; lines stay lines.
pub(crate) fn harmless(text: &str) -> String {
    let turns = |sign: char| matches!(sign, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let harms = |sign: char| (sign.is_control() && sign != '\n' && sign != '\t') || turns(sign);
    text.chars().map(|sign| if harms(sign) { '\u{fffd}' } else { sign }).collect()
}

/// The same on one line.
pub(crate) fn one_line(text: &str) -> String {
    harmless(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_31_talk_holds_no_command_for_the_terminal() {
        assert_eq!(harmless("a\u{1b}[31mb\nc\u{202e}"), "a\u{fffd}[31mb\nc\u{fffd}");
    }

    #[test]
    fn as_31_without_colour_text_is_left_alone() {
        assert_eq!(Paint::new(false).red("x"), "x");
        assert_eq!(Paint::new(true).red("x"), "\u{1b}[31mx\u{1b}[0m");
    }
}
