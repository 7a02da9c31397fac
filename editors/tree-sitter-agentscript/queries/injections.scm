; What models read is Markdown: roles, descriptions and instructions.

(role value: (block_string (string_content) @injection.content)
  (#set! injection.language "markdown"))
(description value: (block_string (string_content) @injection.content)
  (#set! injection.language "markdown"))
((option
  key: (identifier) @_key
  value: (block_string (string_content) @injection.content))
  (#any-of? @_key "input" "role" "description")
  (#set! injection.language "markdown"))

; The text that `json.parse` reads is JSON.
((call_expression
  function: (field_expression
    value: (identifier) @_json
    field: (identifier) @_parse)
  arguments: (arguments [
    (string (string_content) @injection.content)
    (block_string (string_content) @injection.content)
  ]))
  (#eq? @_json "json")
  (#eq? @_parse "parse")
  (#set! injection.language "json"))

((comment) @injection.content
  (#set! injection.language "comment"))
