//// limits: source_files=2
import agent A from "a.as"
import agent B from "b.as"
main func(input) { A(B(input)) }
//// file: a.as
agent A { func f(x) { x } }
//// file: b.as
agent B { func f(x) { x } }
