//! `sh://find` and `sh://grep`, in this process: nothing is started.
//!
//! Decision: results are in the order of their paths, so that a `max` always keeps the same ones.
//! What `.gitignore` files of the workspace name is passed over, and so are `.git`, its like and
//! `.contexture`, unless the call names a path inside them.

mod filter;
mod find;
mod grep;
mod ignored;
mod pattern;
#[cfg(test)]
mod tests;
mod walk;

pub(crate) use find::find;
pub(crate) use grep::grep;

const DEFAULT_MOST: u64 = 1_000;

<<<<<<< HEAD
/// How many results a call may give.
=======
pub(crate) const FIND: &[Method] = &[Method {
    name: "run",
    effect: Effect::Read,
    description: "Finds files and folders below a folder: objects {path, name, type}, by path. What .gitignore names is passed over.",
    parameters: &[
        takes("path", Kind::Text, "the folder to look in; the workspace by default"),
        takes(
            "name",
            Kind::Text,
            "a glob for the name, such as \"*.ts\" or \"*.{js,ts}\"; with a slash, for the path below `path`, such as \"src/**/*.ts\"",
        ),
        takes("type", Kind::Choice(&["file", "dir"]), "only files, or only folders"),
        takes("max", Kind::Count(MOST), "how many at most; 1000 by default"),
    ],
}];

pub(crate) const GREP: &[Method] = &[Method {
    name: "run",
    effect: Effect::Read,
    description: "Finds lines in text files: objects {path, line, text}, by path and line. What .gitignore names and binary files are passed over.",
    parameters: &[
        takes("path", Kind::Text, "the folder or file to search; the workspace by default"),
        needs("pattern", Kind::Text, "a regular expression, or a text with `literal: true`"),
        takes(
            "include",
            Kind::Text,
            "a glob for the names of files, such as \"*.ts\"; with a slash, for the path below `path`",
        ),
        takes("max", Kind::Count(MOST), "how many lines at most; 1000 by default"),
        takes("regex", Kind::Flag, "whether the pattern is a regular expression; true by default"),
        takes("literal", Kind::Flag, "whether the pattern is a text to be found as it is"),
        takes("ignore_case", Kind::Flag, "whether upper and lower case are the same"),
    ],
}];

/// Returns how many results a call may give.
>>>>>>> b73acfa (actions, tools, knowledge, reference, mcp: plain English (HO-7, HO-8))
fn most(asked: Option<u64>) -> usize {
    usize::try_from(asked.unwrap_or(DEFAULT_MOST)).unwrap_or(usize::MAX)
}
