; What models read is Markdown: roles, descriptions, instructions and the documentation of fields.

(role value: (block_string (string_content) @injection.content)
  (#set! injection.language "markdown")
  (#set! injection.combined))
(description value: (block_string (string_content) @injection.content)
  (#set! injection.language "markdown")
  (#set! injection.combined))
((option
  key: (identifier) @_key
  value: (block_string (string_content) @injection.content))
  (#any-of? @_key "input" "role" "description")
  (#set! injection.language "markdown")
  (#set! injection.combined))
((doc_comment) @injection.content
  (#offset! @injection.content 0 3 0 0)
  (#set! injection.language "markdown_inline"))

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
