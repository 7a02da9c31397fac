// The Node work of openai_doors.sh: OpenAI's package, and the AI SDK by each of its doors.
import assert from "node:assert/strict";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createOpenResponses } from "@ai-sdk/open-responses";
import { generateObject, generateText, stepCountIs, streamObject, streamText, tool } from "ai";
import OpenAI from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import { z } from "zod";

const baseURL = process.argv[2];
const City = z.object({
  title: z.string(),
  parts: z.array(z.object({ name: z.string(), size: z.number().nullable() })),
  kind: z.enum(["town", "city"]),
});
const ok = (what) => console.log(`ok: ${what}`);

const ai = new OpenAI({ baseURL, apiKey: "x", maxRetries: 0 });
const messages = [{ role: "user", content: "Weather in Rome and Oslo" }];
const parsed = await ai.chat.completions.parse({ model: "Helper", messages, response_format: zodResponseFormat(City, "city") });
assert.equal(parsed.choices[0].message.parsed.kind, "town");
const run = ai.chat.completions.runTools({
  model: "Helper",
  messages,
  tools: [{
    type: "function",
    function: {
      name: "weather",
      parameters: { type: "object", properties: { city: { type: "string" } } },
      parse: JSON.parse,
      function: ({ city }) => `sunny in ${city}`,
    },
  }],
});
assert.match(await run.finalContent(), /sunny in Rome[^]*sunny in Oslo/);
const stream = await ai.responses.create({ model: "Helper", input: "repeat <<one two>>", stream: true });
let text = "";
for await (const event of stream) if (event.type === "response.output_text.delta") text += event.delta;
assert.equal(text, "one two");
ok("OpenAI's package for Node: forms, tools, streams of responses");

const weather = tool({ description: "The weather.", inputSchema: z.object({ city: z.string() }), execute: ({ city }) => ({ city, is: "sunny" }) });
const models = {
  chat: createOpenAI({ baseURL, apiKey: "x" }).chat("Helper"),
  responses: createOpenAI({ baseURL, apiKey: "x" })("Helper"),
  compatible: createOpenAICompatible({ name: "contexture", baseURL, apiKey: "x", supportsStructuredOutputs: true })("Helper"),
  open: createOpenResponses({ name: "contexture", url: `${baseURL}/responses`, apiKey: "x" })("Helper"),
};
for (const [name, model] of Object.entries(models)) {
  const { object } = await generateObject({ model, schema: City, prompt: "Describe it.", maxRetries: 0 });
  assert.equal(object.parts.length, 2, name);
  const growing = streamObject({ model, schema: City, prompt: "Describe it.", maxRetries: 0 });
  let count = 0;
  for await (const _ of growing.partialObjectStream) count += 1;
  assert.ok(count > 2, `${name}: ${count}`);
  assert.deepEqual(await growing.object, object, name);
  const asked = { model, tools: { weather }, stopWhen: stepCountIs(3), prompt: "Weather in Rome and Oslo", maxRetries: 0 };
  const told = await generateText(asked);
  assert.equal(told.steps.length, 2, name);
  assert.match(told.text, /Rome[^]*sunny[^]*Oslo/, name);
  const streamed = streamText(asked);
  let said = "";
  for await (const piece of streamed.textStream) said += piece;
  assert.match(said, /Let me look\.[^]*Rome[^]*sunny/, name);
  ok(`AI SDK, ${name}: objects and tools, whole and streamed`);
}
