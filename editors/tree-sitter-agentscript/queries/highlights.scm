; What comes later has precedence over what comes before it.

(identifier) @variable

; --- values

(number) @number
[(true) (false)] @boolean
(none) @constant.builtin
[(string) (block_string)] @string
(escape_sequence) @string.escape
(interpolation
  "\\(" @punctuation.special
  ")" @punctuation.special)
(interpolation (expression) @none)
[(comment) (doc_comment)] @comment
(doc_comment) @comment.documentation

; --- names

(pair key: (identifier) @property)
(option key: (identifier) @property)
(field name: (identifier) @property)
(field_expression field: (identifier) @property)
(candidate name: (identifier) @property)
(parameter name: (identifier) @variable.parameter)
(question (identifier) @variable)
(model name: (identifier) @module)
(policy class: (identifier) @constant)
(label) @label
(use_statement label: (string) @label)

(call_expression function: (identifier) @function.call)
(call_expression function: (field_expression field: (identifier) @function.method.call))
((call_expression function: (identifier) @function.builtin)
  (#any-of? @function.builtin "secret" "trust" "progress" "range" "to_number" "to_integer" "to_text"))
((identifier) @module
  (#match? @module "^[A-Z]"))
(call_expression function: (identifier) @type
  (#match? @type "^[A-Z]"))

(function name: (identifier) @function)
(agent name: (identifier) @type)
(shape name: (identifier) @type)
(import name: (identifier) @module)

(builtin_type) @type.builtin
(list_type "list" @type.builtin)
(named_type (identifier) @type)

; --- words

(import_kind) @keyword.modifier
["import" "from" "or" "and" "not" "in" "of" "to" "code" "until"] @keyword
["import" "from"] @keyword.import
["or" "and" "not" "in"] @keyword.operator
["agent" "main" "shape"] @keyword
"func" @keyword.function
["if" "else"] @keyword.conditional
["loop" "repeat" "for" "parallel"] @keyword.repeat
["return"] @keyword.return
["try" "fail"] @keyword.exception
["use" "generate" "progress" "model" "role" "description" "policy" "one"] @keyword
["max" "keep" "priority" "as" "best" "selected" "min" "length" "pattern"] @keyword
(question "for" @keyword)
[(unit) (part) (empty)] @constant.builtin

; --- signs

["=" "+=" "-=" "==" "!=" "<" "<=" ">" ">=" "+" "-" "*" "/" "%" "->" "|" "?"] @operator
["." "," ":"] @punctuation.delimiter
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
