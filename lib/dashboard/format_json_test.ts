import { assertEquals } from "@std/assert";
import { formatJson } from "./format_json.ts";

Deno.test("formatJson: characters that would reverse the text are escaped, and the JSON stays the same", () => {
  const args = { to: "\u202eELIVE\u202c", [`a\u2066b`]: [1] };
  const shown = formatJson(args);
  assertEquals(shown, '{\n  "to": "\\u202eELIVE\\u202c",\n  "a\\u2066b": [\n    1\n  ]\n}');
  assertEquals(JSON.parse(shown), args);
  assertEquals(formatJson("text\nas it is"), "text\nas it is");
});
