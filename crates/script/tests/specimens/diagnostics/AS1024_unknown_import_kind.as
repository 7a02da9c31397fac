import tol Find from "sh://find"
import model Q from "mock"
import thing X from "x"
main func(input) { Find.run({}) }
