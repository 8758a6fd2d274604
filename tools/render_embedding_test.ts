import { assertEquals, assertThrows } from "@std/assert";
import { renderEmbedding } from "./render_embedding.ts";

Deno.test("docs/embedding.md: shows the dashboard's backends (run: deno task docs)", async () => {
  const written = await Deno.readTextFile(new URL("../docs/embedding.md", import.meta.url));
  assertEquals(written, renderEmbedding(written));
});

Deno.test("renderEmbedding: a page without a place for the backends is an error", () => {
  assertThrows(() => renderEmbedding("# Embed"), Error, "no place");
});
