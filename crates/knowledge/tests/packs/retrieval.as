// Where the section with the answer stands among those that a pack gives, by score.
//
//   contexture test retrieval.test.yaml

import knowledge Tea from "knowledge://qinghe-tea-machine"
import knowledge Bikes from "knowledge://harbor-bikes-operations"
import knowledge Monitor from "knowledge://breeze-one-monitor"

shape Place {
  path string
  heading string
}

func resolve(pack string, task string) {
  if pack == "qinghe-tea-machine" {
    return Tea.resolve({ task: task, budget: 2000 })
  }
  if pack == "harbor-bikes-operations" {
    return Bikes.resolve({ task: task, budget: 2000 })
  }
  Monitor.resolve({ task: task, budget: 2000 })
}

func minus_score(section) {
  0 - section.score
}

main func(input { pack string, query string, places list[Place] }) {
  found = resolve(input.pack, input.query)
  rank = 0
  at = 0
  for section in found.sections.sort(minus_score) max 200 {
    at = at + 1
    heading = section.heading.split(" > ").last()
    for place in input.places max 10 {
      if rank == 0 and section.path == place.path and heading == place.heading {
        rank = at
      }
    }
  }
  reciprocal = 0
  if rank > 0 {
    reciprocal = 1 / rank
  }
  {
    first: rank == 1,
    first_three: rank > 0 and rank < 4,
    selected: rank > 0,
    reciprocal: reciprocal,
    silent: found.sections.length == 0,
    sections: found.sections.length,
    tokens: found.tokens
  }
}
