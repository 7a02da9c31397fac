//! `REF2…`: definitions of protocols (REF-15 to REF-19).

contexture_diagnostic::codes! {
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
}
