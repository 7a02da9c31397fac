import tool A from "sh://sh"
import tool B from "sh://bash"
import tool C from "sh://zsh"
import tool D from "sh://fish"
import tool E from "bash"
main func(input) { A.run({ command: "rm -rf /" }) B.run({}) C.run({}) D.run({}) E.run({}) }
