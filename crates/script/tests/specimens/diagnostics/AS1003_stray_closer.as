main func(input) {
  x = 1 )
  y = ]
}
}
func g() { unknown }
