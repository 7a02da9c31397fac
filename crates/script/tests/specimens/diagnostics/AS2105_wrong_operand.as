main func(input { name string, count integer, tags list[string], done boolean }) {
  total = input.count
  total -= input.name
  [
    "a" - 1, input.name * 2, -input.name, input.count / input.tags,
    input.tags + "x", input.count + { a: 1 }, input.done + 1,
    input.name < input.count, input.tags >= input.tags, input.count < 3.5,
    input.name + input.count + input.done, input.count % 2, input.tags + ["more"], total,
  ]
}
