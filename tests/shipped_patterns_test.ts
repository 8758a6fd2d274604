/** No input makes a regular expression that ships to browsers slow. */
import { assert, assertEquals } from "@std/assert";
import { TestService } from "./support/service.ts";
import {
  alternatives,
  patternsIn,
  shippedScripts,
  whyNotLinear,
} from "./support/shipped_patterns.ts";

/** Fresh builds patterns from island props that are regular expressions; no island has one. */
const DYNAMIC = "new RegExp";

Deno.test("every regular expression that ships to browsers provably runs in linear time", async () => {
  await using service = await TestService.start();
  const scripts = await shippedScripts(service);
  const found = new Set(scripts.flatMap(patternsIn));
  assert(found.size > 50, `${found.size} found`);
  const dynamic = scripts.filter((script) => patternsIn(script).includes(DYNAMIC));
  assertEquals(dynamic.filter(({ name }) => !name.endsWith("/fresh-runtime.js")), []);
  found.delete(DYNAMIC);
  assertEquals([...found].map(whyNotLinear).filter((why) => why !== undefined), []);
});

Deno.test("whyNotLinear: rejects patterns that are exponential, quadratic, slow across matches, or unknown", () => {
  const slow = [
    String.raw`/!?\[((?:[^[\]]|!?\[[^[\]]*\](?:\([^()]*\))?)*)\]/y`,
    String.raw`/\s*\n/`,
    "/[*_]+$/",
    String.raw`/]\([^)\s]*\)|[*\]]+/g`,
    "/(a+)b\\1/",
  ];
  for (const pattern of slow) assert(whyNotLinear(pattern), pattern);
  assertEquals(alternatives(String.raw`a|(b|c)|[|(]|\|d`), ["a", "(b|c)", "[|(]", "\\|d"]);
});
