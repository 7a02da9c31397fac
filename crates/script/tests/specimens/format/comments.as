// a comment in every place


-- and another
import tool Find // after a name
  from "sh://find" // after an import
// before an agent
agent A { // behind the brace
  // first inside
  func f( // behind the parenthesis
    a, // behind a parameter
    // before b
    b // behind b
    // last parameter
  ) // before the body
  {
    // only comments
    // in this one
  } // behind a function
  // last inside
} // behind an agent

main func(input { // the shape
  a string // behind a field
  // before b
  b number, // behind a comma
  // last field
}) {
  x = // behind an equals sign
    1 // behind a value
    + // behind an operator
    2
  y = [ // a list
    // empty but for this
  ]
  z = { // an object

    // before the field

    a: // behind a colon
      1 // behind the value
    , b: 2 // before the end
    // last
  }
  if x // behind a condition
  { // behind the brace
    a = 1
  } // behind the block
  // before else
  else // behind else
  {
    b = 1 // behind b

    // last in the block
  }
  f( // arguments
    x, // one
    y // two
  )
  w = f(x) // before a dot
    // between
    .a // behind a field
    .b()
  v = generate({ // options
    input: "a" // the input
  }) // before the arrow
  -> { // the shape
    // a comment, not a description
    ok boolean
  }
  use one of { // candidates
    a: x // first
    // before none
    none: empty // last
  } as evidence // the label
  u = not // why not
    x
  t = - // minus
    x
  return x // the end
  // after the end
}
// last of all
