main agent A { main func(input) { input } main func other(x) { x } }
main agent B { func f(x) { x } }
main func(input) { input }
