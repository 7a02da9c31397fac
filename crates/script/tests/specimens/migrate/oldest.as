-- A program as it was written for the first versions.
import llm Q from "ollama://localhost:11434/qwen"
import tool File from "file://workspace"

main agent Judge {
    model Q

    main func(input {
        path string
    }) {
        text = File.read({
            path: input.path
        })
        use text < 4k

        verdict = generate({ input: "Is it good?", limit: 200 }) {
            return {
                good boolean
                // why it is not
                why string
            }
        }

        return explain(text, verdict)
    }

    func explain(text, verdict) {
        use text < 4k
        use verdict

        return generate({
            input: "Explain the verdict"
            limit: 400
        }) {
            return { text string }
        }
    }
}
