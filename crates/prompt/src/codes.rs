//! The registry of the template engine's codes: one stable code per kind of fault.
//!
//! `PT1…` is the text of a template, `PT2…` blocks and partials as a whole, `PT3…` rendering,
//! `PT4…` files and messages around templates. A code never changes its meaning.
//!
//! ```
//! use contexture_prompt::{PromptTemplate, TemplateContext, check, codes};
//!
//! let fault = &check("{{#if a}}").diagnostics[0];
//! let code = codes::find(fault.code).ok_or("every code is known")?;
//! assert_eq!((code.code, code.name), ("PT1003", "unclosed-block"));
//!
//! let error = PromptTemplate::compile("Hi {{name}}")?.render(&TemplateContext::new()).unwrap_err();
//! assert_eq!(error.code(), codes::VARIABLE_NOT_FOUND.code);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

/// A kind of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    /// The stable code.
    pub code: &'static str,
    /// The name of the fault.
    pub name: &'static str,
    /// The meaning of the fault.
    pub summary: &'static str,
    /// The reason and the fix.
    pub explanation: &'static str,
    /// The shortest template that shows it; empty if a single text can't.
    pub example: &'static str,
}

/// Finds the entry of a code.
#[must_use]
pub fn find(code: &str) -> Option<&'static Code> {
    ALL.iter().find(|known| known.code == code)
}

macro_rules! registry {
    ($($constant:ident $code:literal $name:literal $summary:literal
        $explanation:literal $example:literal)*) => {
        $(
            #[doc = $summary]
            pub const $constant: Code = Code {
                code: $code,
                name: $name,
                summary: $summary,
                explanation: $explanation,
                example: $example,
            };
        )*
        /// All entries, ordered by code.
        pub const ALL: &[Code] = &[$($constant),*];
    };
}

registry! {
    UNREADABLE "PT1000" "unreadable"
        "Text of a template, or of its variables, that can't be parsed."
        "It is not UTF-8, not JSON, nested too deeply, or has a syntax error; the message names the fault and its place. `contexture prompt check FILE` reports every fault of a template with a code of its own."
        ""
    UNCLOSED_TAG "PT1001" "unclosed-tag"
        "Unclosed tag."
        "Every `{{` opens a tag, which ends at the next `}}` and contains no further `{{`. Close it, or write `\\{{` for literal braces."
        "Dear {{name"
    UNCLOSED_COMMENT "PT1002" "unclosed-comment"
        "Unclosed comment."
        "A comment that begins with `{{!--` ends only at `--}}`, so that it may contain tags."
        "{{!-- a note }}"
    UNCLOSED_BLOCK "PT1003" "unclosed-block"
        "Unclosed block."
        "`{{#if}}`, `{{#unless}}`, `{{#each}}` and `{{#raw}}` each need an end tag of their own name."
        "{{#if a}}yes"
    WRONG_CLOSE "PT1004" "wrong-close"
        "End tag of another block than the open one."
        "Blocks are closed in the reverse order of their opening. Put the tags in order, or fix the name in the end tag."
        "{{#if a}}yes{{/each}}{{/if}}"
    CLOSE_WITHOUT_OPEN "PT1005" "close-without-open"
        "End tag without an open block."
        "Remove it, or open the block before it."
        "yes{{/if}}"
    STRAY_ELSE "PT1006" "stray-else"
        "`{{else}}` outside a block."
        "`{{else}}` belongs inside `{{#if}}`, `{{#unless}}` or `{{#each}}`, before the end tag."
        "a{{else}}b"
    SECOND_ELSE "PT1007" "second-else"
        "Second `{{else}}` in a block."
        "A block has at most one `{{else}}`, which comes last. Write conditions before it as `{{else if name}}`."
        "{{#if a}}1{{else}}2{{else}}3{{/if}}"
    UNKNOWN_BLOCK "PT1008" "unknown-block"
        "Unknown block."
        "The blocks are `if`, `unless`, `each` and `raw`. There are no helpers: compute a value beforehand, and pass it as a variable."
        "{{#with a}}b"
    BAD_NAME "PT1009" "bad-name"
        "Invalid name in a tag."
        "A name is made of letters, digits, `_` and `-`, with dots between the steps of a path. A tag takes one name, no arguments and no operators."
        "{{a b}}"
    EMPTY_TAG "PT1010" "empty-tag"
        "Tag without a name."
        "Write a name between the braces, or `\\{{` for literal braces."
        "{{ }}"
    TOO_LARGE "PT1011" "too-large"
        "Template text larger than the limit."
        "Pass the large text as a variable; keep only the surrounding text in the template."
        ""
    BAD_REFERENCE "PT1012" "bad-reference"
        "Invalid reference after `{{> @`."
        "`{{> @file://parts/tone.md }}` includes the text of a reference: `@`, `@!` or `@?`, a protocol and a path, as fixed text without tags in it. A partial is included by its name, without `@`."
        "{{> @tone}}"
    TOO_DEEP "PT2001" "too-deep"
        "Blocks and partials nested more than 16 deep."
        "Blocks and partials count together. Move the inner blocks out of the outer ones, or prepare the values so that fewer conditions are needed."
        ""
    UNKNOWN_PARTIAL "PT2002" "unknown-partial"
        "Unknown partial."
        "`{{> name}}` includes a template that is registered under that name. On the command line these are the files of `--partials DIR`, by their names without extension; in a program the other `import template` bindings of the file, then the files beside the template."
        "{{> signature}}"
    PARTIAL_CYCLE "PT2003" "partial-cycle"
        "Cycle of partials."
        "Rendering would never end. Include the partial from one side only."
        ""
    BROKEN_PARTIAL "PT2004" "broken-partial"
        "Partial that does not compile."
        "The template itself may be valid. Fix the partial first; the message names the place."
        ""
    VARIABLE_NOT_FOUND "PT3001" "variable-not-found"
        "Missing variable."
        "`{{ name }}` and `{{#each name}}` need the variable to be present; `null` counts as present, and prints nothing. Pass a value, or test it with `{{#if name}}` first: a test accepts a missing variable."
        "Dear {{name}}"
    NOT_AN_ARRAY "PT3002" "not-an-array"
        "`{{#each}}` over something that is not an array."
        "Text, numbers, objects and `null` have no items. Pass an array; an empty one takes `{{else}}`."
        "{{#each name}}{{this}}{{/each}}"
    RENDER_LIMIT "PT3003" "render-failed"
        "Failed rendering: a limit was reached, or the sink refused the text."
        "The text grows larger than its limit, takes more steps than allowed, or partials form a cycle. The message names the cause."
        ""
    REFERENCE_FAILED "PT3004" "reference-failed"
        "Reference without a text in `{{> @…}}`."
        "The reference could not be loaded, or the rendering has no loader for references. The message names the reference and the cause. A reference in a branch that is not taken is not loaded."
        "{{> @file://tone.md}}"
    MESSAGE_SEQUENCE "PT4001" "message-sequence"
        "Messages in an order that providers refuse."
        "There is at least one message; a tool's message follows the assistant message that called it, every call is answered before the next other message, and no two messages of one role follow each other, except system and developer messages. The message names the index and the rule."
        ""
    FILE_ERROR "PT4002" "file-error"
        "Template file that can't be read."
        "It does not exist, this user may not read it, or two files would have the same name. The message names the file."
        ""
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PromptTemplate, TemplateContext, check_with};

    #[test]
    fn pt_14_codes_are_unique_sorted_and_explained() {
        let codes: Vec<_> = ALL.iter().map(|known| known.code).collect();
        let mut sorted = codes.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(codes, sorted);
        for known in ALL {
            assert!(known.summary.ends_with('.') && known.explanation.ends_with('.'), "{known:?}");
            assert!(known.name.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{known:?}");
            assert_eq!(find(known.code), Some(known));
        }
        assert_eq!(find("PT9999"), None);
    }

    #[test]
    fn pt_2_every_example_shows_code() {
        let library = crate::PromptTemplateRegistry::new();
        for known in ALL.iter().filter(|known| !known.example.is_empty()) {
            let report = check_with(known.example, &library);
            let told: Vec<_> = report.diagnostics.iter().map(|fault| fault.code).collect();
            if known.code.starts_with("PT3") {
                assert!(told.is_empty(), "{told:?}");
                let mut ctx = TemplateContext::new();
                if *known == NOT_AN_ARRAY {
                    ctx.insert("name", "Ada");
                }
                let template = PromptTemplate::compile(known.example).unwrap();
                assert_eq!(template.render(&ctx).unwrap_err().code(), known.code);
            } else {
                assert_eq!(told, [known.code], "{}", known.example);
            }
        }
    }
}
