import tool A from "sh://find"
import file A from "./a.md"
func b(x, x) { x }
func b(y) { y }
agent c { func d(x) { x } func d(x) { x } }
main func(input) { A.run({}) c.d(b(1)) }
