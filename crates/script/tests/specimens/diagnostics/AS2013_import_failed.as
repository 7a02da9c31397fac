import agent A from "./nowhere.as"
main func(input) { A(input) }
