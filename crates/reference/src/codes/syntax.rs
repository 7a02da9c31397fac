//! `REF1…`: the text of a reference (REF-1 to REF-5).

contexture_diagnostic::codes! {
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
}
