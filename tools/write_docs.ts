/** `deno task docs` writes the pages of `docs/` that are made from code. */
import { renderConfiguration } from "./render_configuration.ts";

if (import.meta.main) {
  const path = new URL("../docs/configuration.md", import.meta.url);
  await Deno.writeTextFile(path, renderConfiguration());
}
