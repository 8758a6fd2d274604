import { assertEquals } from "@std/assert";
import { readModelFacts } from "./model_facts.ts";

Deno.test("readModelFacts: knows the list prices and context of well-known models", async () => {
  const openai = await readModelFacts(["gpt-5-mini", "gpt-nothing"], "https://api.openai.com/v1");
  assertEquals(openai.get("gpt-5-mini"), {
    inputUsdPerMTok: 0.25,
    outputUsdPerMTok: 2,
    cacheReadUsdPerMTok: 0.025,
    contextTokens: 400_000,
  });
  assertEquals(openai.get("gpt-nothing"), {});
  const anthropic = await readModelFacts(["claude-sonnet-4-5"], "https://api.anthropic.com/v1");
  const sonnet = anthropic.get("claude-sonnet-4-5");
  assertEquals(sonnet?.outputUsdPerMTok, 15);
  assertEquals([sonnet?.cacheReadUsdPerMTok, sonnet?.cacheWriteUsdPerMTok], [0.3, 3.75]);
});

Deno.test("readModelFacts: a server of one's own has no prices", async () => {
  assertEquals((await readModelFacts(["llama3"], "http://127.0.0.1:11434/v1")).size, 0);
});
