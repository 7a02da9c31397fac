main func(input) {
  a = 1 +
  b = * 2
  c = f(1 2)
  d = input.
  e = [1, , 2]
  f = { a = 1, b }
  g = { ok boolean }
  h = +1
  generate({ input: "a" } { })
}

func f(a, b) { a ] b }

func no_body()

import tool from "sh://find"
import tool T "sh://find"

func g(a = 1) -> string { a }
