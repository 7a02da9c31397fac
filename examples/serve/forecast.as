// The same conversation without tool calls of a model: the program finds the city in the question
// and calls the weather service itself, so the built-in model is enough.
//
//   contexture mcp-servers accept weather        (once: lets this folder start its server)
//   contexture serve forecast.as

import tool Weather from "mcp://weather/weather_api"

main func(input { text string, state json }) {
  cities = ["北京", "Oslo", "Lisbon"]
  // A question without a city uses the city in the state of the conversation.
  city = input.state.get("city", "")
  for name in cities max 20 {
    if input.text.lower().contains(name.lower()) { city = name }
  }
  if city == "" {
    return "I know the weather of " + cities.join(", ") + ". Which city do you mean?"
  }
  day = Weather.run({ city: city })
  report = day.city + ", " + day.date + ": " + day.weather + ", " + day.temperature + ", wind " + day.wind + ", humidity " + day.humidity + "."
  use report as weather
  generate({ input: "Summarise the weather, for the question: " + input.text })
}
