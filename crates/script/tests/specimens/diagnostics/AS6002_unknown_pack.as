//// pack: gone KN1001
//// pack: old KN1002
import knowledge A from "knowledge://acme/../other"
import knowledge B from "./acme"
import knowledge C from "acme"
import knowledge D from "@knowledge://acme"
import knowledge E from "knowledge://"
import knowledge F from "knowledge://ac me"
import knowledge G from "knowledge://acme/compiled/briefing.md"
import knowledge H from "knowledge://acme?query=price"
import knowledge I from "https://example.com/acme"
import knowledge J from "knowledge://acme/"
import knowledge K from ""
import knowledge L from "knowledge://.git"
import knowledge Gone from "knowledge://gone"
import knowledge Old from "knowledge://old"
import knowledge Good from "knowledge://产品简介"
main func(input) {
  use Gone max 1k
  use Old max 1k
  use Good max 1k as "product facts"
  use A use B use C use D use E use F use G use H use I use J use K use L
  generate({ input: "Say it." }) -> { a string }
}
