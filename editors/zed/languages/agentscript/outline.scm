(agent "agent" @context name: (identifier) @name) @item
(function "func" @context name: (identifier) @name) @item
(function "main" @name !name) @item
(agent "main" @name !name) @item
(shape "shape" @context name: (identifier) @name) @item
