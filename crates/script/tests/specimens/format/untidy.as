

import   llm Q   from "mock"
import tool Find from 'sh://find' // finds
role "a"   description "b"
policy    write   "deny"   policy send "ask"
use Notes   max 2k   as   the notes


import file Notes from "./n.md"
agent Small {} agent   Worker{model Q func run(x){x} func other(a,b{c string}){
// nothing but a comment
}}
// The main one.

main agent{
  use one of {a:input.question max 500 chars selected,b: [1,2]   max 1.5k keep middle none:empty} as "what there is"
  use one of {
    a: input.question
    none: empty
  } priority -2 as evidence
  /// not a description here
  main func(input{question string,hints:list[string],kind "a"|"b"|'c'}){


    scratch=[]   scratch.add({fact:"A",})


    use scratch.summary   max 2k for   input . question keep tail as   observations   // seen later
    x = input.question . trim ( ) . upper()
    long = f("a long argument number one", "a long argument number two", "a long argument number three", x)
    y=parallel for item in scratch max 10{item.fact}
    z = parallel for item in scratch max 10 { w = item w }
    v=try{f(x)}else err{err.message}
    v = try {
      f(x)
    } else { none }
    if x=="a"and not(y or z){return}else if v{return - 1}else{repeat*3{count-=1}}
    loop until done max 3{done=true} for a in b max 3{a}
    o.a["b"] . c = { deep: { deeper: { deepest: "a rather long text that makes the line too long", and: "another one" } } }
    f({
      a: 1, b: { c: 2 }
    }, [1,
      2
    ])
    f(x, {
      a: 1 })
    answer=generate({input:"Say "+x,max_output:2k  to 4k,on_cut:"keep",
      debug:true})->{
      /// Whether it went well.
      ok boolean

      /// Two lines
      /// of text.
      text?: string
      nested {a number,b list[{c json}]} // behind
    }
    text = """
        kept
          as it is
        """
    total = 1 +
      2 * 3
      - 4
    chained = answer
      .text
      .trim()
    return answer   }
}
func f(x, y){x}
-- the end
