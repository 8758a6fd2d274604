import { assert, assertEquals } from "@std/assert";
import { PROTOCOLS } from "../schemas/connection_config.ts";
import { type ImageFacts, imageRejection, maxImageTokens } from "./image_rules.ts";

function facts(width: number, height: number, change: Partial<ImageFacts> = {}): ImageFacts {
  return { mediaType: "image/png", bytes: 1_000, width, height, ...change };
}

Deno.test("maxImageTokens: is at least what each provider documents", () => {
  const bound = (protocol: typeof PROTOCOLS[number], model: string, w: number, h: number) =>
    maxImageTokens(facts(w, h), { protocol, model });
  // Examples of the providers' documentation.
  assert(bound("openai", "gpt-4o", 1_024, 1_024) >= 765);
  assert(bound("openai", "gpt-4o", 2_048, 4_096) >= 1_105);
  assert(bound("openai", "gpt-4o-mini", 1_024, 1_024) >= 25_501);
  assert(bound("openai", "gpt-4.1-nano", 1_800, 2_400) >= 3_573);
  assert(bound("anthropic", "claude", 1_092, 1_092) >= 1_590);
  assert(bound("anthropic", "claude", 3_840, 2_160) >= 4_784);
  assert(bound("google", "gemini-2.5", 960, 540) >= 1_548);
  assert(bound("google", "gemini-3", 100, 100) >= 1_120);
});

Deno.test("maxImageTokens: no image reserves more than 50,000 tokens, and a larger one never fewer", () => {
  for (const protocol of PROTOCOLS) {
    const of = (w: number, h: number) => maxImageTokens(facts(w, h), { protocol, model: "m" });
    for (const [w, h] of [[8_000, 5_000], [8_000, 1], [1, 8_000], [1, 1]] as const) {
      const tokens = of(w, h);
      assert(
        Number.isSafeInteger(tokens) && tokens > 0 && tokens <= 50_000,
        `${protocol} ${tokens}`,
      );
    }
    assert(of(2_000, 2_000) >= of(500, 500));
  }
});

Deno.test("imageRejection: names the type or size that a provider does not read", () => {
  const gif = facts(10, 10, { mediaType: "image/gif" });
  assertEquals(imageRejection(gif, "openai"), undefined);
  assertEquals(imageRejection(gif, "google"), "its provider does not read this type of image");
  const large = facts(10, 10, { bytes: 4 * 1_048_576 });
  assertEquals(imageRejection(large, "google"), undefined);
  assertEquals(
    imageRejection(large, "anthropic"),
    "its provider reads images of at most 3.8 MiB",
  );
});
