[(comment) (doc_comment)] @comment.inclusive
[(string) (block_string)] @string
