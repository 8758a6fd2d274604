import { assert, assertEquals } from "@std/assert";
import { allVariables } from "../lib/server/config/variables.ts";
import { renderConfiguration } from "./render_configuration.ts";

Deno.test("docs/configuration.md: is up to date (run: deno task docs)", async () => {
  const written = await Deno.readTextFile(new URL("../docs/configuration.md", import.meta.url));
  assertEquals(written, renderConfiguration());
});

Deno.test("renderConfiguration: every variable has its row, each once", () => {
  const text = renderConfiguration();
  for (const { name } of allVariables()) {
    assertEquals(text.split(`\n| \`${name}\` |`).length, 2, name);
  }
});

Deno.test("renderConfiguration: examples are valid, except placeholders of secrets", () => {
  for (const field of allVariables().filter((one) => !one.example.startsWith("<"))) {
    assert(field.schema.safeParse(field.example).success, field.name);
  }
});
