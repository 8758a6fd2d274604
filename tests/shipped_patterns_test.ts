/** No pattern that a browser runs can be made slow by the text it is given. */
import { assert, assertEquals } from "@std/assert";
import { TestService } from "./support/service.ts";
import {
  alternatives,
  patternsIn,
  shippedScripts,
  whyNotLinear,
} from "./support/shipped_patterns.ts";

/** The published Fresh makes patterns of island props that are regular expressions; no island has one. */
const DYNAMIC = "new RegExp";

Deno.test("every regular expression that ships to browsers is proved to take linear time", async () => {
  await using service = await TestService.start();
  const scripts = await shippedScripts(service);
  const found = new Set(scripts.flatMap(patternsIn));
  assert(found.size > 50, `${found.size} found`);
  const dynamic = scripts.filter((script) => patternsIn(script).includes(DYNAMIC));
  assertEquals(dynamic.filter(({ name }) => !name.endsWith("/fresh-runtime.js")), []);
  found.delete(DYNAMIC);
  assertEquals([...found].map(whyNotLinear).filter((why) => why !== undefined), []);
});

Deno.test("the proof refuses what is exponential, quadratic, slow from match to match, or unknown", () => {
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
