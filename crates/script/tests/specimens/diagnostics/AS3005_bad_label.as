main func(input) {
  use input as
  use input as ""
  use input as "two\nlines"
  use input as user x = 1
  use input as (evidence)
  use input as evidence // a comment
  use input as what's retrieved -- another
  if input { use input as last }
  use input as "quoted" use input as 检索 证据
}
