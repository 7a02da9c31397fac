function old(x) { x }
fnc also(x) { x }
main func(input) {
  let a = 1
  while a < 3 { a += 1 }
  foreach x in input { a = x }
  if a { none } elif input { none }
  break
  print "hello"
}
