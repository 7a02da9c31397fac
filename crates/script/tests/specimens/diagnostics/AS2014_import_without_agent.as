import agent A from "./two.as"
import agent One from "./two.as"
main func(input) { A(One(input)) }
//// file: two.as
agent One { func f(x) { x } }
agent Two { func g(x) { missing } }
