x = 1
if x { y = 2 }
main agent A {
  z = 3
  main func(input) { z }
}
