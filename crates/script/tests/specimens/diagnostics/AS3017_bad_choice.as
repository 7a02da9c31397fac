import knowledge Acme from "knowledge://acme"

main func(input) {
  use input.a max 6k..1k
  use input.b max 2k..2k as same
  use input.c max 1k..6k selected 8k
  use input.d max 1k..6k selected tail
  use input.e max 2k selected 2k
  use input.f max 1k..6k keep head | tail selected 2k
  use input.g keep head | tail selected middle
  use input.h keep head | head
  use input.i max 100..1000000 keep head | tail | middle
  use best 3 of input.j
  use best 0 of input.k for input.q
  use best 2..5 of input.l for input.q selected best 6
  use best 3 of Acme for input.q
  use input.m max 1k..2k selected as m
  use input.n max 1k..2k chars selected 2k chars
  use best 4..0 of input.o for input.q
  use one of {
    a: input max 1k..2k
    b: input keep head | tail
  }
  generate({ input: "x" }) -> { answer string }
}
