import { assertEquals } from "@std/assert";
import { OpenaiDialects } from "./openai_dialect.ts";

for (
  const [baseUrl, field] of [
    ["https://api.openai.com/v1", "max_completion_tokens"],
    ["https://our.openai.azure.com/openai/v1", "max_completion_tokens"],
    ["https://api.mistral.example/v1", "max_tokens"],
    ["https://notopenai.com/v1", "max_tokens"],
    ["https://openai.com.example/v1", "max_tokens"],
    ["http://127.0.0.1:11434/v1", "max_tokens"],
  ] as const
) {
  Deno.test(`OpenaiDialects: ${baseUrl} starts with ${field}`, () => {
    assertEquals(new OpenaiDialects(baseUrl).get("m").limitField, field);
  });
}
