import tool Search from "sh://grep"
// <- keyword.import
//     ^ keyword.modifier
//          ^ module
//                 ^ keyword.import
//                      ^ string
shape Issue { title string length 1 to 80 }
// <- keyword
//    ^ type
//            ^ property
//                  ^ type.builtin
//                         ^ keyword
//                                ^ number
main func(issue Issue) {
  loop = Search.run({ path: "a\n" })
// ^ variable
//       ^ module
//              ^ function.method.call
//                    ^ property
//                            ^ string.escape
  use loop max 2k chars as what was found
// ^ keyword
//         ^ keyword
//             ^ number
//                ^ constant.builtin
//                      ^ keyword
//                         ^ label
  "Hello \(issue.title)"
//       ^ punctuation.special
//         ^ variable
//               ^ property
  none and not true
// ^ constant.builtin
//     ^ keyword.operator
//             ^ boolean
}
