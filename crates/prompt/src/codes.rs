//! The registry of the template engine's codes: one stable code per kind of fault.
//!
//! `PT1…` is the text of a template, `PT2…` blocks and partials as a whole, `PT3…` rendering,
//! `PT4…` what is around templates. A code is never given a new meaning.
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
    /// What it says about a template.
    pub summary: &'static str,
    /// Why it is so, and how it is mended.
    pub explanation: &'static str,
    /// The shortest template that shows it; empty where a single text can't.
    pub example: &'static str,
}

/// The kind that a code names.
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
        /// All kinds, by code.
        pub const ALL: &[Code] = &[$($constant),*];
    };
}

registry! {
    UNREADABLE "PT1000" "unreadable"
        "The text of a template, or of its variables, can't be read."
        "It is no UTF-8, no JSON, nested too deep, or has a fault of syntax; the message says which, and where. `contexture prompt check FILE` tells every fault of a template with a code of its own."
        ""
    UNCLOSED_TAG "PT1001" "unclosed-tag"
        "A tag is not closed with `}}`."
        "Every `{{` opens a tag, which ends at the next `}}` and holds no further `{{`. Close it, or write `\\{{` where the braces are meant as text."
        "Dear {{name"
    UNCLOSED_COMMENT "PT1002" "unclosed-comment"
        "A comment is not closed with `--}}`."
        "A comment that begins with `{{!--` ends only at `--}}`, so that it may hold tags."
        "{{!-- a note }}"
    UNCLOSED_BLOCK "PT1003" "unclosed-block"
        "A block is not closed."
        "`{{#if}}`, `{{#unless}}`, `{{#each}}` and `{{#raw}}` each need an end tag of their own name."
        "{{#if a}}yes"
    WRONG_CLOSE "PT1004" "wrong-close"
        "An end tag stands where another block is open."
        "Blocks are closed in the reverse order of their opening. Put the tags in order, or mend the name in the end tag."
        "{{#if a}}yes{{/each}}{{/if}}"
    CLOSE_WITHOUT_OPEN "PT1005" "close-without-open"
        "An end tag stands where no block is open."
        "Remove it, or open the block before it."
        "yes{{/if}}"
    STRAY_ELSE "PT1006" "stray-else"
        "`{{else}}` stands in no block."
        "`{{else}}` belongs into `{{#if}}`, `{{#unless}}` or `{{#each}}`, before the end tag."
        "a{{else}}b"
    SECOND_ELSE "PT1007" "second-else"
        "A block has a second `{{else}}`."
        "A block has one `{{else}}` at most, and it comes last. Conditions before it are written `{{else if name}}`."
        "{{#if a}}1{{else}}2{{else}}3{{/if}}"
    UNKNOWN_BLOCK "PT1008" "unknown-block"
        "A tag opens or closes a block that does not exist."
        "The blocks are `if`, `unless`, `each` and `raw`. There are no helpers: what needs computing is computed before, and given as a variable."
        "{{#with a}}b"
    BAD_NAME "PT1009" "bad-name"
        "What stands in a tag can't be a name."
        "A name is made of letters, digits, `_` and `-`, with dots between the steps of a path. A tag takes one name, no arguments and no operators."
        "{{a b}}"
    EMPTY_TAG "PT1010" "empty-tag"
        "A tag holds no name."
        "Write a name between the braces, or `\\{{` where they are meant as text."
        "{{ }}"
    TOO_LARGE "PT1011" "too-large"
        "The text of the template is larger than the limit."
        "Give the large text as a variable; the template holds what is around it."
        ""
    BAD_REFERENCE "PT1012" "bad-reference"
        "What a tag includes begins with `@` and can't be a reference."
        "`{{> @file://parts/tone.md }}` includes what a reference names: `@`, `@!` or `@?`, a protocol and a path, as fixed text without tags in it. A partial is included by its name, without `@`."
        "{{> @tone}}"
    TOO_DEEP "PT2001" "too-deep"
        "Blocks and partials stand more than 16 deep in each other."
        "Blocks and partials count together. Move the inner blocks to where they are not nested, or prepare the values so that fewer conditions are needed."
        ""
    UNKNOWN_PARTIAL "PT2002" "unknown-partial"
        "A partial is not there."
        "`{{> name}}` includes a template that is registered under that name. On the command line these are the files of `--partials DIR`, by their names without extension; in a program the other `import template` bindings of the file, then the files beside the template."
        "{{> signature}}"
    PARTIAL_CYCLE "PT2003" "partial-cycle"
        "Partials include each other in a circle."
        "Rendering would never end. Let the partial be included from one side only."
        ""
    BROKEN_PARTIAL "PT2004" "broken-partial"
        "A partial does not compile."
        "The template itself may be right. Mend the partial first; the message says where."
        ""
    VARIABLE_NOT_FOUND "PT3001" "variable-not-found"
        "A variable that a template needs has no value."
        "`{{ name }}` and `{{#each name}}` need the variable to be there; `null` counts as there, and prints nothing. Give it a value, or test it with `{{#if name}}` first: a test may miss it."
        "Dear {{name}}"
    NOT_AN_ARRAY "PT3002" "not-an-array"
        "`{{#each}}` goes over something that is no array."
        "Text, numbers, objects and `null` have no items. Give an array; an empty one takes the way of `{{else}}`."
        "{{#each name}}{{this}}{{/each}}"
    RENDER_LIMIT "PT3003" "render-failed"
        "Rendering failed: a limit was reached, or the text was refused where it went."
        "The text grows larger than its limit, takes more steps than it may, or partials include each other in a circle. The message says which."
        ""
    REFERENCE_FAILED "PT3004" "reference-failed"
        "What `{{> @…}}` includes has no text."
        "The reference could not be loaded, or nothing loads references where the template is rendered. The message names the reference and the cause. A reference in a branch that is not taken is not asked for."
        "{{> @file://tone.md}}"
    MESSAGE_SEQUENCE "PT4001" "message-sequence"
        "Messages stand in an order that providers refuse."
        "The first message is there; a tool's message follows the assistant message that called it, every call is answered before the next other message, and no two messages of one role follow each other, system and developer messages aside. The message names the index and the rule."
        ""
    FILE_ERROR "PT4002" "file-error"
        "A template's file can't be read."
        "It is not there, is not to be read by this user, or two files would have the same name. The message names the file."
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
    fn pt_2_every_example_shows_its_code() {
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
