//! The codes of run-time failures. A code never changes its meaning.

/// A code with its meaning and a program that shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    /// The code.
    pub code: &'static str,
    /// The fault and its fix.
    pub meaning: &'static str,
    /// The shortest program that fails with it (some under lowered limits or with a failing host).
    pub example: &'static str,
}

macro_rules! codes {
    ($($name:ident = $code:literal, $meaning:literal, $example:literal;)*) => {
        $(pub(crate) const $name: &str = $code;)*

        /// Every code, in order.
        pub static CODES: &[Code] = &[
            $(Code { code: $code, meaning: $meaning, example: $example },)*
        ];
    };
}

codes! {
    UNKNOWN_NAME = "AS9001", "Use of an undefined name. Assign it first, or fix its spelling.",
        "main func(input) { missing }";
    NOT_CALLABLE = "AS9002", "Call of something that is not a function, agent, tool or method.",
        "main func(input) { x = 1 x(2) }";
    ARGUMENTS = "AS9003", "Wrong number of arguments in a call.",
        "func one(a) { a } main func(input) { one(1, 2) }";
    MISSING_PROPERTY = "AS9004", "Read of a missing field. Test with `has`, or use `get` with a default.",
        "main func(input) { { a: 1 }.b }";
    NONE_PROPERTY = "AS9005", "Read of a field or item of none. Compare with none first.",
        "main func(input) { x = none x.a }";
    WRONG_TYPE = "AS9006", "Value of a type that the operation does not accept.",
        "main func(input) { [1] + 1 }";
    OUT_OF_RANGE = "AS9007", "List index out of range. Indexes start at 0; `.last()` gives the last item.",
        "main func(input) { [1, 2][2] }";
    BAD_INDEX = "AS9008", "List index that is not a whole number from 0.",
        "main func(input) { [1, 2][0 - 1] }";
    NO_METHOD = "AS9009", "Unknown method of a value.",
        "main func(input) { [1].push(2) }";
    OVERFLOW = "AS9010", "Integer overflow: the result does not fit into 64 bits.",
        "main func(input) { 9223372036854775807 + 1 }";
    ZERO_DIVISION = "AS9011", "Division by zero.",
        "main func(input) { 1 / 0 }";
    NOT_FINITE = "AS9012", "Floating-point overflow: the result is not finite.",
        "main func(input) { x = 1e308 x * 10 }";
    READ_ONLY = "AS9013", "Write to something read-only: an item of a list, or the value of an imported file.",
        "main func(input) { l = [1] l[0] = 2 }";
    RING = "AS9014", "Cycle: a list or object would contain itself.",
        "main func(input) { l = [] l.add(l) }";
    OUTER_WRITE = "AS9015", "Change of an outer value in a `parallel for`. Return a value per item (AS-10).",
        "main func(input) { l = [] parallel for x in [1] max 1 { l.add(x) } }";
    PARALLEL_FAILED = "AS9016", "Failed items of a `parallel for`; `details` lists each with its cause (AS-10).",
        "main func(input) { parallel for x in [0] max 1 { 1 / x } }";
    SHAPE = "AS9017", "Argument that does not match the declared shape; `details` lists each path (AS-28).",
        "main func(input { n integer }) { input.n }";
    OPTION = "AS9018", "Missing, unknown or mistyped option of `generate` (AS-19).",
        "main func(input) { generate({ input: 1 }) }";
    LOOP_BOUND = "AS9019", "Bound of a loop that is negative or not a whole number; `max` is at least 1 (AS-6).",
        "main func(input) { n = 0 for x in [1] max n { } }";
    NOT_A_VALUE = "AS9020", "Function, agent, tool, memory or model used as a value (AS-15).",
        "func f() { } main func(input) { x = f }";
    NOT_A_LIST = "AS9021", "Loop over something that is not a list.",
        "main func(input) { for x in 3 max 1 { } }";
    PARALLEL_RETURN = "AS9022", "`return` in a `parallel for`; the last expression is the item's value.",
        "main func(input) { parallel for x in [1] max 1 { return x } }";
    PARALLEL_EFFECT = "AS9023", "Effect in a `parallel for` (AS-10).",
        "import memory M from \"file://m.jsonl\" main func(input) { parallel for x in [1] max 1 { M.add({ a: x }) } }";
    NOT_READABLE = "AS9024", "Part of the program that could not be parsed; `check` shows why.",
        "main func(input) { x = ) }";
    NO_ENTRY = "AS9025", "Unknown agent or function to start with.",
        "func helper() { 1 }";
    UNKNOWN_CANDIDATE = "AS9026", "Unknown candidate chosen for `use one of` (AS-17).",
        "main func(input) { use one of { a: input b: empty } generate({ input: \"x\" }) }";
    TOO_LARGE = "AS9027", "Function with more variables or more code than a run can hold; split it.",
        "";
    NOT_A_NUMBER = "AS9028", "Text that is not a number. Catch it with `try … else`.",
        "main func(input) { to_number(\"x\") }";
    BAD_JSON = "AS9029", "Text that is not JSON. Catch it with `try … else`.",
        "main func(input) { json.parse(\"{\") }";
    EFFECT = "AS9030", "Failure of a model, tool, memory or file; its own code names the cause.",
        "import tool T from \"env://process\" main func(input) { T.get({ name: \"A\" }) }";
    BAD_PATTERN = "AS9031", "Regular expression that is invalid or too large.",
        "main func(input) { \"a\".match(\"(\") }";
    FAILED = "AS9032", "The program failed by `fail`; the message is its reason.",
        "main func(input) { fail \"no orders\" }";
    BAD_TIME = "AS9033", "Text that is not a date or time of ISO 8601, or a time beyond the years 0 to 9999. Catch it with `try … else`.",
        "main func(input) { date.parts(\"tomorrow\") }";
    CALL_DEPTH = "AS9050", "Too many open calls: most likely endless recursion.",
        "func f(n) { f(n + 1) + 1 } main func(input) { f(0) }";
    STEPS = "AS9051", "More instructions executed than allowed.",
        "main func(input) { repeat * 1000000 { } }";
    STRING_BYTES = "AS9052", "String larger than allowed.",
        "main func(input) { s = \"x\" repeat * 30 { s += s } }";
    COLLECTION_ITEMS = "AS9053", "List or object with more items than allowed.",
        "main func(input) { l = [] repeat * 100 { l.add(1) } }";
    HEAP_BYTES = "AS9054", "More strings, lists and objects held than allowed.",
        "main func(input) { l = [] repeat * 100000 { l.add([1, 2, 3]) } }";
    VALUE_DEPTH = "AS9055", "Value nested too deeply to become JSON, be compared or be passed on.",
        "main func(input) { l = [] repeat * 1000 { l = [l] } l }";
    MODEL_CALLS = "AS9056", "More model calls than allowed.",
        "main func(input) { repeat * 100 { generate({ input: \"x\" }) } }";
    TOOL_CALLS = "AS9057", "More calls of tools and memories than allowed.",
        "import tool T from \"env://process\" main func(input) { repeat * 100 { T.get({ name: \"A\" }) } }";
    NESTED_PARALLEL = "AS9058", "`parallel for` nested too deeply.",
        "func f(n) { parallel for x in [n] max 1 { f(x + 1) } } main func(input) { f(0) }";
    CANCELLED = "AS9059", "The run was cancelled.",
        "main func(input) { repeat * 1000000 { } }";
}

/// Returns the entry of a code.
#[must_use]
pub fn find(code: &str) -> Option<&'static Code> {
    CODES.iter().find(|known| known.code == code)
}
