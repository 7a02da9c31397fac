/**
 * AgentScript for tree-sitter (TY-11).
 *
 * The language separates statements neither by signs nor by line ends, and most of its keywords are
 * names elsewhere. What only the tokens behind a word or a bracket decide is decided in
 * `src/scanner.c`, by the rules of the compiler's own parser; all else stands here.
 */

const PREC = {
  // An expression goes on as far as it can: `-` on the next line subtracts.
  statement: -1,
  or: 1,
  and: 2,
  not: 3,
  compare: 4,
  add: 5,
  multiply: 6,
  negate: 7,
  postfix: 8,
};

const RESERVED = ["and", "else", "false", "for", "generate", "if", "none", "not", "or", "return", "true", "use"];
const TYPES = ["string", "number", "integer", "boolean", "json"];

/** One or more, separated by commas; a last comma is allowed. */
const commaSep1 = (rule) => seq(rule, repeat(seq(",", rule)), optional(","));
const commaSep = (rule) => optional(commaSep1(rule));

/** The inside of a string: its text takes precedence over a comment that it seems to hold. */
const content = ($, text, parts) =>
  repeat(choice(alias(token.immediate(prec(1, text)), $.string_content), $.escape_sequence, ...parts));

const string = ($, ...parts) =>
  choice(
    seq('"', content($, /[^"\\\r\n]+/, parts), token.immediate('"')),
    seq("'", content($, /[^'\\\r\n]+/, parts), token.immediate("'")),
  );

/** A block in triple quotes; one or two quotes within it are text. */
const blockString = ($, ...parts) => {
  const quotes = (pattern) => alias(token.immediate(pattern), $.string_content);
  return choice(
    seq('"""', content($, /[^"\\]+/, [quotes(/""?/), ...parts]), token.immediate('"""')),
    seq("'''", content($, /[^'\\]+/, [quotes(/''?/), ...parts]), token.immediate("'''")),
  );
};

module.exports = grammar({
  name: "agentscript",

  extras: ($) => [/[\p{White_Space}\u{FEFF}]/u, $.comment, $.doc_comment],

  // In the order of the scanner's `TokenType`.
  externals: ($) => [
    $._call_open,
    $._index_open,
    $._same_line,
    $._new_line,
    $.label,
    $._loop,
    $._repeat,
    $._progress,
    $._fail,
    $._model,
    $._role,
    $._description,
    $._policy,
    $._parallel,
    $._try,
    $._use_max,
    $._use_keep,
    $._use_priority,
    $._use_for,
    $._use_as,
    $._unit,
    $._candidate_max,
    $._candidate_keep,
    $._candidate_selected,
    $._empty,
    $._one,
    $._best,
    $._use_selected,
    $._selected_part,
    $._code,
    $._min,
    $._max,
    $._length,
    $._pattern,
    $._error,
  ],

  word: ($) => $.identifier,

  reserved: {
    global: (_) => RESERVED,
    // Keys and fields may have any name.
    none: (_) => [],
    shapes: (_) => [...RESERVED, ...TYPES, "list"],
  },

  supertypes: ($) => [$.expression],

  rules: {
    // Settings and uses before the first statement of a file are items.
    source_file: ($) => seq(repeat($._item), optional(seq($._first_statement, repeat($._statement)))),

    _item: ($) =>
      choice($.import, $.agent, $.function, $.shape, $.use_statement, $._setting),

    comment: (_) =>
      token(choice(/--[^\r\n]*/, /\/\/([^\/\r\n][^\r\n]*)?/, /\/\/\/\/[^\r\n]*/)),
    doc_comment: (_) => token(/\/\/\/([^\/\r\n][^\r\n]*)?/),

    identifier: (_) => /[_\p{Alphabetic}][_\p{Alphabetic}\p{N}\p{XID_Continue}]*/u,

    // --- items ------------------------------------------------------------------------------

    import: ($) =>
      seq(
        "import",
        choice(
          seq(
            field("kind", alias("llm", $.import_kind)),
            field("name", $.identifier),
            "from",
            $._models,
            repeat(seq("or", $._models)),
          ),
          seq(
            field("kind", alias($._import_kind, $.import_kind)),
            field("name", $.identifier),
            "from",
            field("source", $._text),
          ),
        ),
      ),
    _import_kind: (_) =>
      choice("tool", "memory", "file", "agent", "knowledge", "resource", "template", "shape", "func"),
    _models: ($) => choice(field("source", $._text), seq("[", commaSep1(field("source", $._text)), "]")),

    agent: ($) =>
      seq(
        choice(seq("main", "agent", optional(field("name", $.identifier))), seq("agent", field("name", $.identifier))),
        optional($._result),
        field("body", $.agent_body),
      ),
    agent_body: ($) => seq("{", repeat(choice($.function, $.use_statement, $._setting)), "}"),

    function: ($) =>
      seq(
        choice(seq("main", "func", optional(field("name", $.identifier))), seq("func", field("name", $.identifier))),
        field("parameters", $.parameters),
        optional($._result),
        field("body", $.block),
      ),
    _result: ($) => seq("->", $._type),
    parameters: ($) => seq("(", commaSep($.parameter), ")"),
    parameter: ($) =>
      seq(field("name", $.identifier), optional(choice(seq(":", $._type), seq($._same_line, $._type)))),

    shape: ($) => seq("shape", field("name", reserved("shapes", $.identifier)), $._type),

    _setting: ($) => choice($.model, $.role, $.description, $.policy),
    model: ($) => seq(alias($._model, "model"), field("name", $.identifier)),
    role: ($) => prec(PREC.statement, seq(alias($._role, "role"), field("value", $.expression))),
    description: ($) =>
      prec(PREC.statement, seq(alias($._description, "description"), field("value", $.expression))),
    policy: ($) => seq(alias($._policy, "policy"), field("class", $.identifier), field("verdict", $._text)),

    // --- statements -------------------------------------------------------------------------

    block: ($) => seq("{", repeat($._statement), "}"),

    _statement: ($) => choice($._first_statement, $.use_statement, $._setting),
    _first_statement: ($) =>
      choice(
        $.assignment,
        $.return_statement,
        $.if_statement,
        $.loop_statement,
        $.repeat_statement,
        $.for_statement,
        $.progress_statement,
        $.fail_statement,
        $.expression_statement,
      ),

    expression_statement: ($) => prec(PREC.statement, $.expression),
    assignment: ($) =>
      prec(
        PREC.statement,
        seq(
          field("left", choice($.identifier, $.field_expression, $.index_expression)),
          field("operator", choice("=", "+=", "-=")),
          field("right", $.expression),
        ),
      ),
    return_statement: ($) =>
      prec(PREC.statement, seq("return", optional(seq($._same_line, field("value", $.expression))))),
    progress_statement: ($) => prec(PREC.statement, seq(alias($._progress, "progress"), field("text", $.expression))),
    fail_statement: ($) =>
      prec(
        PREC.statement,
        seq(alias($._fail, "fail"), field("reason", $.expression), optional(seq(alias($._code, "code"), field("code", $.expression)))),
      ),

    if_statement: ($) =>
      seq(
        "if",
        field("condition", $.expression),
        field("consequence", $.block),
        optional(seq("else", field("alternative", choice($.block, $.if_statement)))),
      ),
    loop_statement: ($) =>
      seq(
        alias($._loop, "loop"),
        "until",
        field("condition", $.expression),
        "max",
        field("max", $.expression),
        field("body", $.block),
      ),
    repeat_statement: ($) =>
      seq(alias($._repeat, "repeat"), "*", field("count", $.expression), field("body", $.block)),
    for_statement: ($) => $._for,
    _for: ($) =>
      seq(
        "for",
        field("variable", $.identifier),
        "in",
        field("list", $.expression),
        "max",
        field("max", $.expression),
        field("body", $.block),
      ),

    // --- use --------------------------------------------------------------------------------

    use_statement: ($) =>
      prec(
        PREC.statement,
        seq(
          "use",
          choice(field("source", $.one_of), seq(optional($.best), field("source", $.expression))),
          repeat(choice($.budget, $.keep, $.priority, $.question, $.selection)),
          optional(seq(alias($._use_as, "as"), field("label", choice($.label, $._text)))),
        ),
      ),
    best: ($) => seq(alias($._best, "best"), $._numbers, "of"),
    budget: ($) => seq(alias($._use_max, "max"), optional(seq(field("least", $.number), "..")), $._budget),
    _budget: ($) => seq(field("amount", $.number), optional(field("unit", alias($._unit, $.unit)))),
    _numbers: ($) => seq($.number, optional(seq("..", $.number))),
    keep: ($) => seq(alias($._use_keep, "keep"), $._part, repeat(seq("|", $._part))),
    _part: ($) => field("part", alias(choice("head", "tail", "middle"), $.part)),
    priority: ($) => seq(alias($._use_priority, "priority"), optional("-"), $.number),
    selection: ($) =>
      prec.right(
        seq(
          alias($._use_selected, "selected"),
          choice(
            seq("best", $.number, optional($.number), optional(alias($._selected_part, $.part))),
            seq($.number, optional(alias($._selected_part, $.part))),
            alias($._selected_part, $.part),
          ),
        ),
      ),
    question: ($) => prec(PREC.statement, seq(alias($._use_for, "for"), $.expression)),

    one_of: ($) => seq(alias($._one, "one"), "of", "{", repeat(seq($.candidate, optional(","))), "}"),
    candidate: ($) =>
      prec(
        PREC.statement,
        seq(
          field("name", reserved("none", $.identifier)),
          ":",
          field("source", choice(alias($._empty, $.empty), $.expression)),
          repeat(
            choice(
              alias($._candidate_budget, $.budget),
              alias($._candidate_part, $.keep),
              alias($._candidate_selected, "selected"),
            ),
          ),
        ),
      ),
    _candidate_budget: ($) => seq(alias($._candidate_max, "max"), $._budget),
    _candidate_part: ($) => seq(alias($._candidate_keep, "keep"), $._part),

    // --- types ------------------------------------------------------------------------------

    builtin_type: (_) => choice(...TYPES),
    named_type: ($) => $.identifier,
    list_type: ($) => prec.right(seq("list", optional(seq($._index_open, $._type, "]")))),
    enum_type: ($) => seq($._text, repeat(seq("|", $._text))),
    object_type: ($) =>
      seq("{", optional(seq($.field, repeat(seq(choice(",", $._new_line), $.field)), optional(","))), "}"),
    field: ($) =>
      seq(
        field("name", choice(reserved("none", $.identifier), $._text)),
        choice(
          seq("?", optional(choice(seq(":", $._type), seq($._same_line, $._type)))),
          optional(seq(choice(seq(":", $._type), seq($._same_line, $._type)), optional("?"))),
        ),
      ),
    // A list has bounds of its length alone, so that the `max` of a loop may follow one.
    _type: ($) =>
      choice(
        seq(field("type", $.builtin_type), repeat($.bound)),
        seq(field("type", $.list_type), repeat(alias($._length_bound, $.bound))),
        field("type", choice($.object_type, $.enum_type, $.named_type)),
      ),
    bound: ($) =>
      choice(
        seq(choice(alias($._min, "min"), alias($._max, "max")), $._signed),
        $._length_bound,
        seq(alias($._pattern, "pattern"), $._text),
      ),
    _length_bound: ($) => prec.right(seq(alias($._length, "length"), $._signed, optional(seq("to", $._signed)))),
    _signed: ($) => seq(optional("-"), $.number),

    // --- expressions ------------------------------------------------------------------------

    expression: ($) =>
      choice(
        $.identifier,
        $.number,
        $._string,
        $.true,
        $.false,
        $.none,
        $.list,
        $.object,
        $.parenthesized_expression,
        $.unary_expression,
        $.binary_expression,
        $.field_expression,
        $.index_expression,
        $.call_expression,
        $.generate_expression,
        $.parallel_expression,
        $.try_expression,
      ),

    true: (_) => "true",
    false: (_) => "false",
    none: (_) => "none",

    // Letters behind the digits belong to the number, and `k` alone is right.
    number: (_) => /\d+(\.\d+)?([eE][+-]?\d+)?[_\p{Alphabetic}\p{N}\p{XID_Continue}]*/u,

    list: ($) => seq("[", commaSep($.expression), "]"),
    object: ($) => seq("{", commaSep($.pair), "}"),
    pair: ($) => seq($._key, ":", field("value", $.expression)),
    _key: ($) => field("key", choice(reserved("none", $.identifier), $._text)),
    parenthesized_expression: ($) => seq("(", $.expression, ")"),

    unary_expression: ($) =>
      choice(
        prec(PREC.not, seq(field("operator", "not"), field("operand", $.expression))),
        prec(PREC.negate, seq(field("operator", "-"), field("operand", $.expression))),
      ),
    binary_expression: ($) =>
      choice(
        ...[
          [PREC.or, "or"],
          [PREC.and, "and"],
          [PREC.compare, choice("==", "!=", "<", "<=", ">", ">=")],
          [PREC.add, choice("+", "-")],
          [PREC.multiply, choice("*", "/", "%")],
        ].map(([precedence, operator]) =>
          prec.left(
            precedence,
            seq(field("left", $.expression), field("operator", operator), field("right", $.expression)),
          ),
        ),
      ),

    field_expression: ($) =>
      prec(PREC.postfix, seq(field("value", $.expression), ".", field("field", reserved("none", $.identifier)))),
    index_expression: ($) =>
      prec(PREC.postfix, seq(field("value", $.expression), $._index_open, field("index", $.expression), "]")),
    call_expression: ($) =>
      prec(PREC.postfix, seq(field("function", $.expression), field("arguments", $.arguments))),
    arguments: ($) => seq($._call_open, commaSep($.expression), ")"),

    generate_expression: ($) =>
      prec(
        PREC.postfix,
        seq(
          "generate",
          $._call_open,
          field("options", $.options),
          optional(","),
          ")",
          optional(seq("->", $._type)),
        ),
      ),
    options: ($) => seq("{", commaSep($.option), "}"),
    option: ($) => seq($._key, ":", field("value", $.expression), optional(seq("to", field("to", $.expression)))),

    parallel_expression: ($) => seq(alias($._parallel, "parallel"), $._for),
    try_expression: ($) =>
      seq(
        alias($._try, "try"),
        field("body", $.block),
        "else",
        optional(field("error", $.identifier)),
        field("handler", $.block),
      ),

    // --- strings ----------------------------------------------------------------------------

    _string: ($) => choice($.string, $.block_string),
    string: ($) => string($, $.interpolation),
    block_string: ($) => blockString($, $.interpolation),
    // Names, sources and words of enums hold no values.
    _text: ($) => choice(alias($._plain_string, $.string), alias($._plain_block, $.block_string)),
    _plain_string: ($) => string($),
    _plain_block: ($) => blockString($),
    escape_sequence: (_) =>
      token.immediate(/\\([ntrbf0\\"'\/]|u\{[0-9a-fA-F]{1,6}\}|u[0-9a-fA-F]{4})/),
    interpolation: ($) => seq(token.immediate("\\("), $.expression, ")"),
  },
});
