//! The registry of the codes of references: one stable code per kind of fault.
//!
//! `REF1…` is the text of a reference, `REF2…` definitions of protocols, `REF3…` loading, `REF4…`
//! networks. A code is never given a new meaning.
//!
//! ```
//! use contexture_reference::{codes, syntax::Reference};
//!
//! let error = Reference::parse("@file:a.md").unwrap_err();
//! let code = codes::ALL.find(error.code).ok_or("every code is known")?;
//! assert_eq!((code.code, code.name), ("REF1004", "missing-slashes"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use contexture_diagnostic::{Code, Codes};

/// All kinds.
pub const ALL: Codes = Codes::new(&[TABLE]);

contexture_diagnostic::codes! {
    // `REF1…`: the text of a reference (REF-1 to REF-5).
    MISSING_AT "REF1001" "missing-at" Error
        "A reference does not begin with `@`."
        "A reference begins with `@` (the model or a policy decides when it is loaded), `@!` (loaded at once) or `@?` (loaded when asked for). The `[@]` of grammars means a plain `@`. Only the inner references of a nested one may leave it out: `@outer:inner://path`."
    BAD_PROTOCOL_NAME "REF1002" "bad-protocol-name" Error
        "No protocol name stands where one is needed."
        "The name follows `@`, `@!` or `@?` directly. It begins with an ASCII letter; ASCII letters, digits, `_` and `-` may follow: `@file://a.md`, `@my-notes://today`."
    MISSING_COLON "REF1003" "missing-colon" Error
        "The protocol name is not followed by a colon."
        "After the name comes `:`, then either `//` and a path, or an inner reference: `@file://a.md`, `@markdown:@file://a.md`. A query stands once, at the very end."
    MISSING_SLASHES "REF1004" "missing-slashes" Error
        "After the colon comes neither `//` nor an inner reference."
        "The innermost reference has `//` before its path, whatever its protocol: `@file://a.md`, `@memory://user`, `@text:@file://a.md`."
    EMPTY_PATH "REF1005" "empty-path" Error
        "A reference has no path."
        "Something must stand between `//` and the query or the end: `@file://a.md?line=5`."
    TOO_DEEP "REF1006" "reference-too-deep" Error
        "References are nested deeper than the limit."
        "A nested reference has 16 levels unless the program set another limit. Load an inner part first, or leave out processors."
    CONTROL_CHARACTER "REF1007" "control-character" Error
        "A control character stands in a reference."
        "Line ends, tabs and other control characters are not part of a reference. In the value of a parameter a line end is written `%0A` and a tab `%09`."
    TOO_LONG "REF1008" "reference-too-long" Error
        "A reference is longer than the limit."
        "A reference has 65,536 bytes at most. Long values belong into a file or a memory that the reference names."
    EMPTY_NAME "REF1009" "empty-parameter-name" Error
        "A parameter of the query has no name."
        "The query is `?name=value`, further parameters follow after `&`: `@file://a.md?line=5-10&max=2k`. Remove a `?` or `&` that nothing follows; a question mark in a path is written `%3F`."
    MISSING_EQUALS "REF1010" "missing-equals" Error
        "A parameter of the query has no `=`."
        "Each parameter is `name=value`; the value may be empty: `?name=`. Only http and https pass a query of another form on to their server."
    REPEATED_PARAMETER "REF1011" "repeated-parameter" Error
        "A parameter stands twice in the query."
        "Write each parameter once. Over http and https this holds for the parameters that are not passed on to the server (line, max, encoding, cache, format and `cx.NAME`); with `cx.NAME` the plain NAME is the server's and may be repeated."
    BAD_PERCENT "REF1012" "bad-percent" Error
        "A percent sign is not followed by two hexadecimal digits."
        "`%` begins a byte in hexadecimal: `%20` is a space. The sign itself is written `%25`."
    NOT_UTF8 "REF1013" "percent-not-utf8" Error
        "Percent-encoded bytes are not UTF-8 text."
        "Values are text: percent-encode the UTF-8 bytes of each character (`%E4%BD%A0`), or write the characters themselves."
    SECOND_QUERY "REF1014" "second-query" Error
        "A second `?` stands in the query."
        "The query stands once, at the end; parameters are joined with `&`. A question mark in a value is written `%3F`."
    ENCODED_CONTROL "REF1015" "encoded-control-character" Error
        "A percent-encoded control character stands in a parameter."
        "Values may hold `%09` (tab), `%0A` and `%0D` (line ends), no other control characters; names may hold none."

    // `REF2…`: definitions of protocols (REF-15 to REF-19).
    DEFINITION_FILE_TOO_LARGE "REF2001" "definition-file-too-large" Error
        "A file of definitions is larger than the limit."
        "Definitions are short texts. A long list of resources belongs into several files, one protocol each."
    MALFORMED_RESOURCE "REF2002" "malformed-resource-tag" Warning
        "A line begins like a resource element but is none."
        "The start tag stands at the beginning of a line, complete and on one line: `<resource protocol=\"name\">`. In prose, write it in backticks."
    MISSING_PROTOCOL "REF2003" "missing-protocol" Error
        "A resource element names no protocol."
        "Write `<resource protocol=\"name\">`."
    UNKNOWN_ATTRIBUTE "REF2004" "unknown-attribute" Error
        "A tag has an attribute that does not exist."
        "`protocol` is the only attribute of `<resource>`, and it is given once; `<location>`, `<params>` and `<registry>` have none."
    BAD_DEFINED_NAME "REF2005" "bad-defined-name" Error
        "A resource element defines a protocol whose name can't stand in a reference."
        "A protocol name begins with an ASCII letter; ASCII letters, digits, `_` and `-` follow."
    UNCLOSED_RESOURCE "REF2006" "unclosed-resource" Error
        "A resource element is never closed."
        "Every `<resource …>` ends with `</resource>`. A closing tag inside a code fence does not count, and a fence that is not closed goes on to the end."
    UNCLOSED_PART "REF2007" "unclosed-part" Error
        "A part of a resource element is never closed."
        "`<location>`, `<params>` and `<registry>` each end with their own closing tag before the next part begins."
    NESTED_RESOURCE "REF2008" "nested-resource" Error
        "A resource element begins inside another."
        "Close the first with `</resource>` before the next begins. An example belongs into a code fence."
    STRAY_CLOSING_TAG "REF2009" "stray-closing-tag" Error
        "A closing tag inside a resource element closes nothing."
        "Start tags of parts stand at the beginning of a line or behind another tag; elsewhere they are prose. Put tags that are only mentioned in backticks."
    STRAY_RESOURCE_END "REF2010" "stray-resource-end" Warning
        "A `</resource>` closes nothing."
        "Its start tag is missing or not well formed. In prose, write it in backticks."
    EMPTY_RESOURCE "REF2011" "empty-resource" Error
        "A resource element is empty."
        "It holds prose or at least one of `<location>`, `<params>` and `<registry>`."
    EMPTY_PART "REF2012" "empty-part" Warning
        "A part of a resource element is empty."
        "Every part may be left out; an empty one says nothing."
    DUPLICATE_PART "REF2013" "duplicate-part" Error
        "A resource element has a part twice."
        "Join the two: each of `<location>`, `<params>` and `<registry>` is given once."
    PART_ORDER "REF2014" "part-order" Warning
        "The parts of a resource element are out of order."
        "The order is `<location>`, `<params>`, `<registry>`: the registry relies on the two before it."
    UNKNOWN_PART "REF2015" "unknown-part" Warning
        "A tag in a resource element looks like a misspelt part."
        "The parts are called `location`, `params` and `registry`; everything else is prose."
    DUPLICATE_PROTOCOL "REF2016" "duplicate-protocol" Error
        "Two resource elements of one layer define the same protocol."
        "The first one stands. Remove or rename the other, or join the two; upper and lower case do not distinguish names."
    RESERVED_PROTOCOL "REF2017" "reserved-protocol" Error
        "A resource element defines a protocol that is built in."
        "The built-in protocols and processors mean the same everywhere. Take another name."
    SHADOWED_PROTOCOL "REF2018" "shadowed-protocol" Hint
        "A definition takes the place of another."
        "Built-in definitions give way to those of the user, these to those of the workspace, and these to those named explicitly. If that is not meant, rename one of the two."
    TOO_MANY_RESOURCES "REF2019" "too-many-resources" Error
        "There are more definitions than the limit."
        "The rest is not read. Remove what is not needed, or raise the limit."
    TOO_MANY_FAULTS "REF2020" "too-many-faults" Error
        "A file has more faults than are shown."
        "Fix the ones shown first; many of the rest often go with them."
    UNREADABLE_DEFINITIONS "REF2021" "unreadable-definitions" Error
        "A file or folder of definitions can't be read."
        "Definitions are UTF-8 texts: files `*.resource.md`, `*.protocol.md` or `*.tag.md` in `.contexture/resources/` of the workspace or of the home folder, and those that the settings or `--definitions` name."
    BAD_REGISTRY_FILE "REF2022" "bad-registry-file" Error
        "A registry file can't be used."
        "A registry in JSON is `{\"resources\": [{\"id\": \"nuwa\", \"protocol\": \"role\", \"reference\": \"@file://roles/nuwa.role.md\"}]}`; other fields are left alone. A protocol of Contexture can't be registered, except `knowledge` and `memory`, which are asked first."
    REPEATED_REGISTRY_ID "REF2023" "repeated-registry-id" Warning
        "Registry files register an id twice."
        "The first one stands, in the order of `[references] registries`. Remove the other, or give it another id."
    BAD_RULE "REF2030" "bad-location-rule" Error
        "A rule of a location can't be read."
        "A rule is `name ::= …`, made of names of rules, literal text, `[a-z]`, `( | )`, `{ … }`, `[ … ]` and `*`, `+`, `?`. Brackets and quotes are closed in the same rule."
    UNDEFINED_RULE "REF2031" "undefined-rule" Error
        "A location names a rule that does not exist."
        "Write the rule, or put literal text in quotes."
    DUPLICATE_RULE "REF2032" "duplicate-rule" Error
        "A location gives a rule twice."
        "Join the two with `|`."
    MISSING_START_RULE "REF2033" "missing-start-rule" Error
        "No rule of a location is called `location`."
        "Matching begins with the rule `location`; without it the others would check nothing."
    ENDLESS_RULE "REF2034" "endless-rule" Error
        "Nothing can ever fit a rule, since it always needs itself."
        "Give it an alternative that ends: `path ::= segment | path '/' segment`."
    BACKWARD_RANGE "REF2035" "backward-range" Warning
        "A range in a character class runs backwards."
        "`[_-.]` is read as the three characters. Write a `-` that means itself as `\\-` or at the end: `[_.-]`."
    LOCATION_TOO_LARGE "REF2036" "location-too-large" Error
        "The rules of a location are larger than the limit."
        "A path is checked on every use; shorten the rules, or describe the rest in prose."
    TABLE_WITHOUT_SEPARATOR "REF2040" "table-without-separator" Error
        "A table has no row of dashes below its header."
        "Below the header stands a row such as `|---|---|` with as many cells."
    SEPARATOR_WIDTH "REF2041" "separator-width" Error
        "The row of dashes has another number of cells than the header."
        "Without as many cells as the header has, Markdown sees no table."
    SHORT_ROW "REF2042" "short-row" Warning
        "A row of a table has fewer cells than the header."
        "The missing cells count as empty."
    LONG_ROW "REF2043" "long-row" Error
        "A row of a table has more cells than the header."
        "The row is not used. A `|` inside a cell is written `\\|`, in backticks too."
    TOO_MANY_ROWS "REF2044" "too-many-rows" Error
        "A table has more rows than the limit."
        "The rest is not read. Split the resource into several protocols, or raise the limit."
    FURTHER_TABLE "REF2045" "further-table" Warning
        "A part has a second table, which is not read."
        "The first table counts. Join the two, or put an example into a code fence."
    FEW_COLUMNS "REF2046" "few-columns" Error
        "A table has too few columns."
        "A registry has an id and a reference, parameters have a name, a type and a description."
    BAD_PARAMETER_NAME "REF2050" "bad-parameter-name" Error
        "A row of parameters has no name that a query could hold."
        "A name begins with a letter or `_`; letters, digits, `_`, `-` and `.` follow. The row is not used."
    DUPLICATE_PARAMETER "REF2051" "duplicate-declared-parameter" Error
        "A parameter is declared twice."
        "The first row stands."
    UNKNOWN_PARAMETER_TYPE "REF2052" "unknown-parameter-type" Warning
        "A parameter has a type that does not exist."
        "The types are string, number, integer, boolean, range and a choice of words: `a\\|b`. Anything else is taken as string."
    BAD_DEFAULT "REF2053" "bad-default" Warning
        "The default of a parameter is not a value of its type."
        "The default is not used."
    BAD_REQUIRED "REF2054" "bad-required" Warning
        "The column `required` says neither yes nor no."
        "Write yes or no, 是 or 否, or leave the cell empty for no."
    REGISTRY_WITHOUT_TABLE "REF2060" "registry-without-table" Warning
        "A registry has no table and registers nothing."
        "The first column holds the id, the second the reference."
    BAD_REGISTRY_ID "REF2061" "bad-registry-id" Error
        "A row of a registry has no id that a reference could hold."
        "The id is the whole path behind `//`: it is not empty and holds neither white space nor `?`. The row is not used."
    DUPLICATE_REGISTRY_ID "REF2062" "duplicate-registry-id" Error
        "An id is registered twice."
        "The first row stands."
    BAD_REGISTERED_REFERENCE "REF2063" "bad-registered-reference" Error
        "A registered reference can't be read."
        "The second column holds a whole reference, such as `@file://notes/a.md`. The row is not used, and its id says so."
    ID_OUTSIDE_LOCATION "REF2064" "id-outside-location" Warning
        "A registered id does not follow the rules of the location."
        "No reference can name it. Widen the rules or rename the id."
    UNBOUND_VARIABLE "REF2065" "unbound-variable" Error
        "The target of a registry takes up a variable that its id does not have."
        "A row whose id has variables passes their values on: `| docs/{path} | @file://handbook/{path} |`. `{name}` stands for text within one segment of the path, and at its end for all that follows, as `*name` does. Each variable of the reference stands in the id too."
    BROKEN_DEFINITION "REF2070" "broken-definition" Error
        "The definition of a protocol has errors."
        "The diagnostics of its file show them; until they are fixed the protocol can't be used."
    LOCATION_MISMATCH "REF2071" "location-mismatch" Error
        "A path does not follow the rules of its protocol."
        "The message shows how far the path is right and what was expected there; the rules stand in the `<location>` of the definition."
    UNKNOWN_ID "REF2072" "unknown-id" Error
        "An id is not registered."
        "An id is the whole path. Register it in the `<registry>` of the definition."
    REGISTRY_CYCLE "REF2073" "registry-cycle" Error
        "A registered reference leads back to itself."
        "The message shows the way round; let one of the entries name something else."
    NO_REGISTRY "REF2074" "no-registry" Error
        "A protocol without a registry is used as a source."
        "A definition without a registry wraps what another reference gives: `@name:@file://a.md`."
    REGISTRY_DEPTH "REF2075" "registry-depth" Error
        "A registered reference leads further than the limit, or nests too deeply."
        "Register what the chain ends in directly."
    PARAMETER_VALUE "REF2076" "parameter-value" Error
        "A parameter has a value that is not of its type."
        "The type stands in the `<params>` of the definition."
    PARAMETER_MISSING "REF2077" "parameter-missing" Error
        "A required parameter is not given."
        "Add it to the query."
    PARAMETER_UNKNOWN "REF2078" "parameter-unknown" Error
        "A parameter is declared nowhere along the reference."
        "Each level takes the parameters it declares; the message names those that are allowed."
    LOCATION_TOO_COMPLEX "REF2079" "location-too-complex" Error
        "Comparing a path with the rules of its protocol takes too many steps."
        "Shorten the path or make the rules simpler."
    BROKEN_ROW "REF2080" "broken-registry-row" Error
        "The row that registers an id has an error."
        "The diagnostics of the definition's file show it."

    // `REF3…`: loading (REF-7 to REF-14, REF-20, REF-21).
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
    AMBIGUOUS_ID "REF3042" "ambiguous-id" Error
        "Several files match the glob of an id."
        "`[references] globs` lets an id name one file: `thought = \"**/{id}.thought.md\"`. Files of the same name in other folders can't be told apart: rename them, narrow the glob, or register the id, which is looked up first."
    TARGET_MISSING "REF3043" "registered-target-missing" Warning
        "Nothing is at the target that an id is registered with, so another source of ids was asked."
        "Correct the row of the registry, or remove it when the glob of `[references] globs` is enough."
    EXPANSION_LIMIT "REF3044" "expansion-limit" Error
        "An expansion goes beyond one of its limits."
        "A document that is expanded may hold others, 16 inside one another, 1,000 references and 200,000 tokens together. Documents that name each other many times grow without end; make some of the references lazy, `@?`, or expand a part."
    NOT_EXPANDED "REF3045" "references-not-expanded" Warning
        "A loaded text holds references that are not loaded."
        "What is loaded is not searched for further references, unless it is asked for: `@expand:file://role.md`, or `contexture ref expand`. Only documents of the workspace are expanded; texts of packs, memories, tools and the network are data, whose references nobody follows."
    NO_REFERENCE_GIVEN "REF3050" "no-reference-given" Error
        "A model called `load_resource` without a reference."
        "The tool takes one argument, `reference`, a string."
    NOT_OFFERED "REF3051" "not-offered" Error
        "A model asked for a resource that it was not offered."
        "A model may load what the prompt offers: the same reference, with other lines or another budget, or a match of an offered pattern."

    // `REF4…`: networks (REF-22, REF-23).
    BAD_ADDRESS "REF4001" "bad-address" Error
        "The path of a reference is not an address of a server."
        "An address is `host/path` or `user:password@host:port/path`. In user and password `/` is written %2F, `@` %40, `:` %3A and `%` %25; an IPv6 address stands in brackets."
    ADDRESS_REFUSED "REF4002" "address-refused" Error
        "A host leads to an address that may not be reached."
        "Private, loopback, link-local and other addresses that are not public are refused, at first and after every redirect: what answers there trusts its callers for being inside. If it is meant, list the host, as `host` or `host:port`, in `network.allow_private` of contexture.toml."
    UNKNOWN_HOST "REF4003" "unknown-host" Error
        "The name of a host could not be resolved."
        "No name server knows the host, or none could be asked. See whether it is spelt right and whether there is a network."
    UNREACHABLE "REF4004" "unreachable" Error
        "A server could not be reached."
        "Nothing answers at the address, or its certificate is not valid. See whether the server runs and can be reached from here."
    NETWORK_TIMEOUT "REF4005" "network-timeout" Error
        "A server did not answer in time."
        "There are limits for connecting, for the next piece of an answer, and for the whole of a load. Try again later."
    BROKEN_OFF "REF4006" "broken-off" Error
        "An answer ended before it was complete."
        "The connection was closed or reset, or the server announced more than it sent. What came is not used; try again."
    LOGIN_REFUSED "REF4007" "login-refused" Error
        "A server does not let in who asks."
        "No credentials were given where some are needed, or the server refuses them. They stand in the address, `user:password@host`, are never shown, and are sent to that server alone; sftp and ssh also offer the keys of the user."
    NOT_THERE "REF4008" "not-on-server" Error
        "The server has nothing at the path."
        "See whether the path is spelt right. Over ftp it begins in the folder of the login (`//` or %2F begins at the root), over sftp and ssh at the root (`/~/` in the home folder). A `*` is an ordinary character on servers."
    NO_REMOTE_FILE "REF4009" "no-remote-file" Error
        "The path names a folder of the server, or something else that is not a file."
        "Name a file in it: folders on servers are not listed."
    NO_PERMISSION "REF4010" "no-remote-permission" Error
        "The server does not give the resource to who asks."
        "The login may not read it. Ask as somebody who may, or have it permitted."
    SERVER_FAULT "REF4011" "server-fault" Error
        "The server answers with an error."
        "The status is named. Statuses from 500 on are faults of the server: try again later."
    TOO_MANY_REDIRECTS "REF4012" "too-many-redirects" Error
        "A server redirects more often than is followed."
        "Redirects may form a loop. Ask for the address that they lead to."
    BAD_REDIRECT "REF4013" "bad-redirect" Error
        "A redirect leads where it must not."
        "A redirect from https to http would lose the protection of the address that was written, and one to another protocol, or to nowhere, is none. Ask for the address that it leads to, if it is meant."
    STRANGE_ANSWER "REF4014" "strange-answer" Error
        "An answer is not of the protocol."
        "Something else may answer at that address or port."
    COMPRESSED "REF4015" "compressed-answer" Error
        "A server compresses its answer although it was asked not to."
        "Answers are asked for as they are, so that their size is known while they are read. Save the resource, decompress it and refer to the file."
    NOT_JSON "REF4016" "answer-not-json" Error
        "An answer is not the JSON that `format=json` asks for."
        "Leave out `format=json` to see what the server sends, or ask for the address that gives JSON."
    NO_CLIENT "REF4017" "no-http-client" Error
        "No HTTP client could be made."
        "For https the certificates of the system are needed: see whether they are installed."
    UNKNOWN_HOST_KEY "REF4020" "unknown-host-key" Error
        "The key of an SSH server is not known."
        "Only servers whose key stands in ~/.ssh/known_hosts are asked. Get the key (`ssh-keyscan -p PORT HOST`), compare it with what the server's owner says, and add the line to that file."
    CHANGED_HOST_KEY "REF4021" "changed-host-key" Error
        "The key of an SSH server is not the one that is known, or is revoked."
        "Somebody else may answer in its place. If the server's owner confirms the change, remove the old line (`ssh-keygen -R HOST`) and add the new key."
    NO_KEY "REF4022" "no-ssh-key" Error
        "There is nothing to log in to an SSH server with."
        "Write a password in the address, or have an unencrypted key in ~/.ssh (id_ed25519, id_ecdsa, id_rsa); keys with a passphrase are offered by an agent alone."
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ref_4_codes_are_unique_ordered_and_explained() {
        assert_eq!(ALL.faults(), [""; 0]);
        assert!(ALL.find("REF9999").is_none());
    }
}
