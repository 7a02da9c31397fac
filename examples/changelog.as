// Turns the text of `git log` into release notes.
//
//   contexture run examples/changelog.as --input '{"log":"examples/data/git-log.txt","version":"1.4.0"}'

import tool File from "file://workspace"

main agent Chronicler {
  role "a release manager"

  main func(input { log string, version string }) {
    log = File.read({ path: input.log })
    use input.version as version
    use log max 4k as commit log

    notes = generate({
      input: "Write release notes from the commit log: what was added, what was fixed, and anything that breaks existing users.",
      max_output: 1k,
      attempts: 2
    }) -> {
      headline?: string
      /// New features.
      added list[string]
      /// Bugs that were fixed.
      fixed list[string]
      /// Breaking changes, if any.
      breaking?: list[string]
    }
    { version: input.version, notes: notes }
  }
}
