// A weather service that reads its data from a file. `contexture mcp --programs tools` offers it
// to every program and model as the tool `weather_api`.

import file Weather from "../data/weather.json"

main agent {
  description "Tells the weather of a city on a day. Without a day, that of the first day it knows."

  main func(input {
    /// The name of the city, as 北京 or Oslo
    city string
    /// The day, as 2025-12-01
    date?: string
  }) {
    for day in Weather max 1000 {
      same = input.date == none or input.date == "" or day.date == input.date
      if day.city.lower() == input.city.lower() and same {
        return day
      }
    }
    { city: input.city, unknown: "there is no weather for this city and day" }
  }
}
