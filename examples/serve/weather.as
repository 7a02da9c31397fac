// A conversation about the weather. The model decides when to call the weather service, which is a
// real tool: tools/weather_api.as, served by the MCP server of contexture.toml.
//
//   contexture mcp-servers accept weather        (once: lets this folder start its server)
//   contexture serve weather.as --model openai://gpt-4o-mini
//
// Without a model, a recording answers 北京今天天气怎么样?:
//
//   contexture serve weather.as --model replay:weather.replay.jsonl

import tool Weather from "mcp://weather/weather_api"

main agent {
  role "an assistant who tells people the weather"
  description "Ask the weather service, say what it told, in the language of the question, and what to wear."

  main func(input { text string, messages list }) {
    use input.messages max 2k keep tail as earlier
    generate({ input: input.text, tools: [Weather] })
  }
}
