import memory Notes from "sqlite://.contexture/notes.db#notes"
import memory Lessons from "file://.contexture/lessons.jsonl"

main func(said string) {
  Notes.add({ kind: "said", text: said })
  Lessons.add({ text: said })
  "you said: " + said
}
