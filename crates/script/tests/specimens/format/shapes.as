import shape  Address from "address.as"
/// What a customer reports.
shape Issue { /// A line.
 title string length 1 to 80
   severity "low"|"high"
 tags list[string]?   // any
 code: string pattern "^[A-Z]+$" ?
 temperature number min -3 max 5.5, next Issue? }
shape Words "a" | "b"

func triage(issue Issue,  all list[Issue]) ->   Issue { issue }
main func(input { issue Issue? }) -> list[ Issue ] { [] }
agent Judge   ->Issue {
  main func(input) { input.issue }
}
main agent -> list[Issue] { func run(input) -> list[Issue] { [] } }
