/** `deno task docs` writes what `docs/` shows of the code. */
import { renderConfiguration } from "./render_configuration.ts";
import { renderEmbedding } from "./render_embedding.ts";

if (import.meta.main) {
  const docs = new URL("../docs/", import.meta.url);
  await Deno.writeTextFile(new URL("configuration.md", docs), renderConfiguration());
  const embedding = new URL("embedding.md", docs);
  await Deno.writeTextFile(embedding, renderEmbedding(await Deno.readTextFile(embedding)));
}
