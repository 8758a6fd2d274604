/**
 * A minimal chat server as the SDK's own guide shows it: no credentials, no limits, no accounting. Runs
 * on Node and on Deno.
 *
 *     node server.mjs <base URL of the provider>
 */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { serve } from "@hono/node-server";
import { streamText } from "ai";
import { Hono } from "hono";
import process from "node:process";

const baseURL = process.argv[2];
const provider = createOpenAICompatible({
  name: "mock",
  baseURL,
  apiKey: "bench",
  includeUsage: true,
});
const app = new Hono();

app.post("/chat", async (context) => {
  const { model, messages } = await context.req.json();
  const result = streamText({ model: provider(model), messages });
  // The cheaper of the SDK's two response formats: only the text, without message frames.
  return result.toTextStreamResponse();
});

const onListen = (port) => console.log(`listening on http://127.0.0.1:${port}`);
if ("Deno" in globalThis) {
  const { Deno } = globalThis;
  const options = { port: 0, hostname: "127.0.0.1", onListen: ({ port }) => onListen(port) };
  Deno.serve(options, app.fetch);
} else {
  const options = { fetch: app.fetch, port: 0, hostname: "127.0.0.1" };
  serve(options, ({ port }) => onListen(port));
}
