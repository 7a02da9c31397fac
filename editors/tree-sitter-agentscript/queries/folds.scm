[
  (agent_body)
  (block)
  (object_type)
  (object)
  (list)
  (options)
  (parameters)
  (arguments)
  (one_of)
  (block_string)
] @fold
(import)+ @fold
(comment)+ @fold
(doc_comment)+ @fold
