# The command line of tree-sitter that the grammar is generated with.
tree_sitter_version=0.27.1
