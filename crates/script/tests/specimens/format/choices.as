main func(input) {
  use   best   0 .. 4   of input.examples max 1k..6k   keep head|tail   for input.question   selected best 2   4k tail   as   examples
  use input.notes max 1.5k..8k chars selected 2k
  use input.text keep tail|middle|head max 300
  use best 3 of input.examples for input.question as shots
  selected = 2
  best = 3
  use best max 100
  generate({ input: "x" }) -> { answer string }
}
