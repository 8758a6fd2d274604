import { assertEquals } from "@std/assert";
import { parseModelChoices } from "./model_choices.ts";

const NUMBERS = {
  ...{ inputUsdPerMTok: "3", outputUsdPerMTok: "15" },
  ...{ contextTokens: "200000", maxOutputTokens: "64000" },
};

function parse(model: string, numbers: Record<string, string>) {
  const fields = Object.entries(numbers).map(([field, value]) => [`${field}:${model}`, value]);
  return parseModelChoices(new URLSearchParams([["model", model], ...fields]), "vendor_b");
}

Deno.test("parseModelChoices: cache prices of the bundled table are stored with a model", () => {
  const caching = { cacheReadUsdPerMTok: "0.3", cacheWriteUsdPerMTok: "3.75" };
  const [entry] = parse("claude", { ...NUMBERS, ...caching }).entries;
  assertEquals([entry?.cacheReadUsdPerMTok, entry?.cacheWriteUsdPerMTok], [0.3, 3.75]);
});

Deno.test("parseModelChoices: blank cache prices are unset, other blank numbers are issues", () => {
  const blank = { cacheReadUsdPerMTok: "", cacheWriteUsdPerMTok: "" };
  const [entry] = parse("claude", { ...NUMBERS, ...blank }).entries;
  assertEquals(Object.keys(entry!).filter((name) => name.startsWith("cache")), []);
  const { entries, choices } = parse("claude", { ...NUMBERS, inputUsdPerMTok: "" });
  assertEquals([entries.length, choices[0]?.issue === undefined], [0, false]);
});
