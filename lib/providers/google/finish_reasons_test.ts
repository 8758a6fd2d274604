/** What each of the documented reasons to finish comes to. */
import { assertEquals } from "@std/assert";
import { onlyEvent, ProviderConnections } from "@/tests/support/provider_connections.ts";
import type { Script } from "@/tests/support/mock_providers/script.ts";

const usageMetadata = { promptTokenCount: 4, candidatesTokenCount: 2, totalTokenCount: 6 };

/** An answer that ends for `finishReason`, with `text` before it where there is some. */
function ending(finishReason: string, text = ""): Script {
  const parts = text === "" ? [] : [{ text }];
  const candidates = [{ content: { role: "model", parts }, finishReason, index: 0 }];
  return { body: `data: ${JSON.stringify({ candidates, usageMetadata })}\r\n\r\n` };
}

const FILTERS = [
  ...["SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR"],
  ...["IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"],
];

for (const reason of FILTERS) {
  Deno.test(`google: ${reason} is a content filter and not a failure`, async () => {
    await using vendors = await ProviderConnections.start();
    for (const text of ["", "Once upon"]) {
      const { events, error } = await vendors.ask("google", ending(reason, text));
      assertEquals([error, onlyEvent(events, "end").reason], [undefined, "content_filter"]);
    }
    assertEquals(vendors.reports, []);
  });
}

for (const reason of ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MALFORMED_RESPONSE"]) {
  Deno.test(`google: ${reason} before any text is retried and charged`, async () => {
    await using vendors = await ProviderConnections.start();
    const billed: number[] = [];
    const again = () => Promise.resolve(700);
    const change = { onUsage: (usage: { inputTokens: number }) => billed.push(usage.inputTokens) };
    const { text } = await vendors.ask("google", [ending(reason), {}], {
      ...change,
      authorizeRetry: again,
    });
    assertEquals([text, billed, vendors.pauses.length], ["Hello there.", [4], 1]);
    const limits = vendors.mock.requests.map(({ body }) => body.generationConfig.maxOutputTokens);
    assertEquals(limits, [1000, 700], "what the first took is no longer there for the second");
  });

  Deno.test(`google: ${reason} three times or after text is a failure`, async () => {
    await using vendors = await ProviderConnections.start();
    const thrice = Array.from({ length: 3 }, () => ending(reason));
    assertEquals((await vendors.ask("google", thrice)).error.code, "provider_error");
    assertEquals(vendors.mock.requests.length, 3);
    const late = await vendors.ask("google", ending(reason, "Once upon"));
    assertEquals([late.text, late.error.code], ["Once upon", "provider_error"]);
    assertEquals(vendors.mock.requests.length, 4);
    // The same event contains the model's output, which must not be logged.
    assertEquals(vendors.reports.at(-1)?.words, reason);
  });
}

const OTHERS = [
  ...["OTHER", "TOO_MANY_TOOL_CALLS", "MISSING_THOUGHT_SIGNATURE", "NO_IMAGE", "IMAGE_OTHER"],
  "ONE_THAT_IS_STILL_TO_COME",
];

for (const reason of OTHERS) {
  Deno.test(`google: ${reason} is a failure that is not retried`, async () => {
    await using vendors = await ProviderConnections.start();
    assertEquals((await vendors.ask("google", ending(reason))).error.code, "provider_error");
    assertEquals(vendors.mock.requests.length, 1);
  });
}

Deno.test("google: an unspecified reason is ignored", async () => {
  await using vendors = await ProviderConnections.start();
  const [first, last] = [ending("FINISH_REASON_UNSPECIFIED", "Hello "), ending("STOP", "there.")];
  const { text, error } = await vendors.ask("google", { body: `${first.body}${last.body}` });
  assertEquals([text, error], ["Hello there.", undefined]);
});
