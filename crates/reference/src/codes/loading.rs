//! `REF3…`: loading (REF-7 to REF-14, REF-20, REF-21).

contexture_diagnostic::codes! {
    UNKNOWN_PROTOCOL "REF3001" "unknown-protocol" Error
        "No protocol has this name."
        "Built in are file, http, https, ftp, sftp, ssh, memory, knowledge, context and env, and the processors text, json, yaml, markdown, lines, template and base64. A resource element in a definition file adds others; `contexture ref list` shows all that can be used."
    MISPLACED_PROTOCOL "REF3002" "misplaced-protocol" Error
        "A protocol stands at a level where it can't work."
        "The innermost level has the path, so it must be a protocol that reads one. The levels around it work on what it gave, so they must be processors or defined protocols: `@markdown:@file://a.md?section=Use`."
    REFUSED_PARAMETER "REF3003" "refused-parameter" Error
        "A parameter is taken by no level, is missing, or has a value that is not of its type."
        "From the inside out each level takes the parameters it declares; `line`, `max` and `encoding` may stand with any text. The message names those that could be taken. With http and https, what is not ours goes to the server; `cx.NAME` is always ours."
    BAD_LINES "REF3004" "bad-line-range" Error
        "The lines that are asked for are not a range."
        "Lines count from 1, both ends are included: `line=5-10`, `line=5-` to the end, `line=-10` for the first ten, `line=5` for one."
    BAD_BUDGET "REF3005" "bad-token-budget" Error
        "The value of `max` is not a number of tokens."
        "Write a positive number of tokens: `max=500`, `max=2k`, `max=1.5k`."
    LEFT_OUT_PROTOCOL "REF3006" "left-out-protocol" Error
        "A protocol is left out of this build."
        "The features `references-net` (http and https), `references-ssh` (sftp and ssh) and `references-ftp` of contexture add protocols of networks. The message names the one that is needed."
    NOT_TEXT "REF3010" "not-text" Error
        "What was loaded is not text in the encoding that it should have."
        "Text is UTF-8 unless `encoding=` names another encoding, such as `encoding=gbk`. Binary content is shown by `@base64:…`."
    NOT_LOADED_AS_TEXT "REF3011" "listed-binary" Warning
        "A match of a pattern is not text, so it is listed and not loaded."
        "Name an encoding with `encoding=`, or write a pattern that does not match it."
    LINES_PAST_END "REF3012" "lines-past-end" Warning
        "The lines that are asked for reach past the end."
        "The lines that are there are given. Leave the end open with `line=5-`."
    TOO_MANY_BYTES "REF3013" "too-many-bytes" Error
        "A reference gives more bytes than the limit."
        "Nothing is cut silently: take a part of it with `line=`, write a narrower pattern, or raise `file_bytes` in the settings."
    CUT_TO_BUDGET "REF3014" "cut-to-budget" Warning
        "What was loaded was cut to the budget of `max=`."
        "The text says in its place what was left out. Raise the budget, or take a part with `line=`."
    PROCESSOR_NEEDS_TEXT "REF3020" "processor-needs-text" Error
        "A processor that works on text was given something else."
        "`@base64:…` shows bytes as text."
    PROCESSED_NO_JSON "REF3021" "processed-no-json" Error
        "The `json` processor was given no JSON."
        "The message shows line and column. Fix it there."
    PROCESSED_NO_YAML "REF3022" "processed-no-yaml" Error
        "The `yaml` processor was given no YAML."
        "The message shows the place. Fix it there."
    BAD_POINTER "REF3023" "bad-json-pointer" Error
        "The value of `pointer` is not a JSON Pointer."
        "A pointer begins with a slash and names one step behind each: `pointer=/items/0/name`. `~1` is a slash in a name, `~0` a tilde."
    POINTER_LEADS_NOWHERE "REF3024" "pointer-leads-nowhere" Error
        "Nothing is where a JSON Pointer leads."
        "The message shows how far it leads and what is there."
    TEMPLATE_FAILED "REF3025" "template-failed" Error
        "The `template` processor could not render what it was given."
        "The parameters of the query are the variables of the template: `@template:@file://a.md?name=Ada`."
    NO_SUCH_SECTION "REF3026" "no-such-section" Error
        "A Markdown text has no section of this name."
        "`section` is the text of a heading; the section goes on to the next heading of its level or above."
    NOT_FOUND "REF3030" "resource-not-found" Error
        "Nothing is where a reference leads."
        "A relative path begins in the folder of the document that holds the reference, then in the workspace. `contexture ref explain` shows where it leads."
    OUTSIDE_ROOTS "REF3031" "outside-allowed-roots" Error
        "A path leads out of the folders that may be read."
        "Files are confined to the workspace, and those of a registry to the folder of its definition file, too. `..`, absolute paths and symbolic links do not lead out."
    NOT_READABLE "REF3032" "not-readable" Error
        "What is there can't be read as a file."
        "It is a folder, a device, a pipe, a link that leads nowhere, or the system does not permit it; the message shows which. All files of a folder are named by `@file://folder/*`."
    UP_BEHIND_WILDCARD "REF3033" "up-behind-wildcard" Error
        "A pattern goes up with `..` behind a wildcard."
        "Write the folder that is meant before the first wildcard: `../docs/*.md`."
    VARIABLE_REFUSED "REF3034" "variable-refused" Error
        "A variable of the environment may not be read, or is not set."
        "Variables may hold secrets, so only those that the settings name are read: `[references] env = [\"LANG\"]` in contexture.toml."
    NOT_REMEMBERED "REF3035" "not-remembered" Error
        "The memory has nothing under a key, or can't be read."
        "`@memory://key` is the newest record whose `key`, else whose `id`, is the path. Which memory is read stands in the settings: `[references] memory`."
    TOO_MANY_MATCHES "REF3036" "too-many-matches" Error
        "A pattern matches more files than the limit."
        "Nothing is left out silently: write a narrower pattern."
    NO_MATCH "REF3037" "no-match" Warning
        "A pattern matches nothing; for a hot reference this is an error."
        "`*` stays within one part of a path, `**` goes across parts; names with a leading dot and what .gitignore names are matched only when written, or with `ignore=false`."
    MATCH_NOT_READ "REF3038" "match-not-read" Warning
        "A match of a pattern, or a folder in its way, could not be read, so it is left out."
        "The message shows why."
    NOTHING_STORED "REF3039" "nothing-stored" Error
        "A protocol is known, but this workspace keeps nothing that it could read."
        "`context` reads conversation contexts and `knowledge` reads knowledge packs that a workspace keeps; this one has none."
    TOO_MANY_REFERENCES "REF3040" "too-many-references" Error
        "A text holds more references than the limit."
        "Split the text."
    TOO_MANY_ALTERNATIVES "REF3041" "too-many-alternatives" Error
        "A group of braces in a pattern has more alternatives than the limit."
        "Write several references, or a `*` in place of the group."
    NO_REFERENCE_GIVEN "REF3050" "no-reference-given" Error
        "A model called `load_resource` without a reference."
        "The tool takes one argument, `reference`, a string."
    NOT_OFFERED "REF3051" "not-offered" Error
        "A model asked for a resource that it was not offered."
        "A model may load what the prompt offers: the same reference, with other lines or another budget, or a match of an offered pattern."
}
