; An assignment defines a name in its block unless one around it has it: the first definition counts.

[(source_file) (agent) (function) (block)] @local.scope

(import name: (identifier) @local.definition.import)
(agent name: (identifier) @local.definition.type)
(shape name: (identifier) @local.definition.type)
(function name: (identifier) @local.definition.function)
(parameter name: (identifier) @local.definition.parameter)
(assignment left: (identifier) @local.definition.var)
(for_statement variable: (identifier) @local.definition.var)
(parallel_expression variable: (identifier) @local.definition.var)
(try_expression error: (identifier) @local.definition.var)

(expression/identifier) @local.reference
(model name: (identifier) @local.reference)
(named_type (identifier) @local.reference)
