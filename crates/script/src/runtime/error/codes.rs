//! The codes of run-time failures. A code never changes its meaning.

/// A code with what it means and a program that shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    /// The code.
    pub code: &'static str,
    /// What went wrong, and what to do.
    pub meaning: &'static str,
    /// The shortest program that fails so (some under lowered limits or with a failing host).
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
    UNKNOWN_NAME = "AS9001", "A name stands for nothing here. Assign it before, or mend its spelling.",
        "main func(input) { missing }";
    NOT_CALLABLE = "AS9002", "Something is called that is no function, agent, tool or method.",
        "main func(input) { x = 1 x(2) }";
    ARGUMENTS = "AS9003", "A call has too few or too many arguments.",
        "func one(a) { a } main func(input) { one(1, 2) }";
    MISSING_PROPERTY = "AS9004", "An object has no such field. `has` asks, `get` takes a default.",
        "main func(input) { { a: 1 }.b }";
    NONE_PROPERTY = "AS9005", "A field or item of none is read. Compare with none first.",
        "main func(input) { x = none x.a }";
    WRONG_TYPE = "AS9006", "A value is of a type that the operation does not take.",
        "main func(input) { [1] + 1 }";
    OUT_OF_RANGE = "AS9007", "A list has no item at this index. Indexes count from 0; `.last()` is the end.",
        "main func(input) { [1, 2][2] }";
    BAD_INDEX = "AS9008", "A list's index must be a whole number that is not negative.",
        "main func(input) { [1, 2][0 - 1] }";
    NO_METHOD = "AS9009", "The value has no such method.",
        "main func(input) { [1].push(2) }";
    OVERFLOW = "AS9010", "A whole number left the range of 64 bits.",
        "main func(input) { 9223372036854775807 + 1 }";
    ZERO_DIVISION = "AS9011", "Something is divided by zero.",
        "main func(input) { 1 / 0 }";
    NOT_FINITE = "AS9012", "A number left the range of floating-point numbers.",
        "main func(input) { x = 1e308 x * 10 }";
    READ_ONLY = "AS9013", "Something read-only is written: an item by index, or an imported file's value.",
        "main func(input) { l = [1] l[0] = 2 }";
    RING = "AS9014", "A list or object would come to contain itself.",
        "main func(input) { l = [] l.add(l) }";
    OUTER_WRITE = "AS9015", "A `parallel for` writes what belongs to the outside. Return a value per item (AS-10).",
        "main func(input) { l = [] parallel for x in [1] max 1 { l.add(x) } }";
    PARALLEL_FAILED = "AS9016", "Items of a `parallel for` failed; `details` lists each with its cause (AS-10).",
        "main func(input) { parallel for x in [0] max 1 { 1 / x } }";
    SHAPE = "AS9017", "An argument does not have the declared shape; `details` lists each path (AS-28).",
        "main func(input { n integer }) { input.n }";
    OPTION = "AS9018", "An option of `generate` is missing, unknown or of the wrong type (AS-19).",
        "main func(input) { generate({ input: 1 }) }";
    LOOP_BOUND = "AS9019", "The bound of a loop is not a whole number, or is negative; `max` is at least 1 (AS-6).",
        "main func(input) { n = 0 for x in [1] max n { } }";
    NOT_A_VALUE = "AS9020", "A function, agent, tool, memory or model stands where a value must (AS-15).",
        "func f() { } main func(input) { x = f }";
    NOT_A_LIST = "AS9021", "A loop goes over something that is no list.",
        "main func(input) { for x in 3 max 1 { } }";
    PARALLEL_RETURN = "AS9022", "A `return` stands in a `parallel for`; its last expression is the item's value.",
        "main func(input) { parallel for x in [1] max 1 { return x } }";
    PARALLEL_EFFECT = "AS9023", "A `parallel for` calls something that changes the outside (AS-10).",
        "import memory M from \"file://m.jsonl\" main func(input) { parallel for x in [1] max 1 { M.add({ a: x }) } }";
    NOT_READABLE = "AS9024", "This part of the program could not be read; `check` says why.",
        "main func(input) { x = ) }";
    NO_ENTRY = "AS9025", "There is no such agent or function to start with.",
        "func helper() { 1 }";
    UNKNOWN_CANDIDATE = "AS9026", "A choice for `use one of` names no candidate (AS-17).",
        "main func(input) { use one of { a: input b: empty } generate({ input: \"x\" }) }";
    TOO_LARGE = "AS9027", "A function has more variables at once, or more code, than a run can hold; split it.",
        "";
    EFFECT = "AS9030", "A model, tool, memory or file failed; the failure's own code says how.",
        "import tool T from \"env://process\" main func(input) { T.get({ name: \"A\" }) }";
    CALL_DEPTH = "AS9050", "Too many calls are open at once: a recursion without an end, most likely.",
        "func f(n) { f(n + 1) + 1 } main func(input) { f(0) }";
    STEPS = "AS9051", "The run executed more instructions than it may.",
        "main func(input) { repeat * 1000000 { } }";
    STRING_BYTES = "AS9052", "A string grew longer than it may.",
        "main func(input) { s = \"x\" repeat * 30 { s += s } }";
    COLLECTION_ITEMS = "AS9053", "A list or object has more items than it may.",
        "main func(input) { l = [] repeat * 100 { l.add(1) } }";
    HEAP_BYTES = "AS9054", "The run made more strings, lists and objects than it may.",
        "main func(input) { repeat * 100000 { x = [1, 2, 3] } }";
    VALUE_DEPTH = "AS9055", "A value is nested deeper than may become JSON, be compared or be passed on.",
        "main func(input) { l = [] repeat * 1000 { l = [l] } l }";
    MODEL_CALLS = "AS9056", "The run called models more often than it may.",
        "main func(input) { repeat * 100 { generate({ input: \"x\" }) } }";
    TOOL_CALLS = "AS9057", "The run called tools and memories more often than it may.",
        "import tool T from \"env://process\" main func(input) { repeat * 100 { T.get({ name: \"A\" }) } }";
    NESTED_PARALLEL = "AS9058", "`parallel for` is nested too deep.",
        "func f(n) { parallel for x in [n] max 1 { f(x + 1) } } main func(input) { f(0) }";
    CANCELLED = "AS9059", "The run was cancelled.",
        "main func(input) { repeat * 1000000 { } }";
}

/// The entry of a code.
#[must_use]
pub fn find(code: &str) -> Option<&'static Code> {
    CODES.iter().find(|known| known.code == code)
}
