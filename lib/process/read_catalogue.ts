import { z } from "zod";
import { type CatalogueEntry, catalogueEntrySchema } from "../storage/catalogue_store.ts";

/** A catalogue file that cannot be used; the message says where and why. */
export class CatalogueError extends Error {
  override name = "CatalogueError";
}

/** The entries of the `CATALOGUE` file; none when no file is configured. */
export async function readCatalogue(path: string | undefined): Promise<CatalogueEntry[]> {
  if (path === undefined) return [];
  const parsed = z.array(catalogueEntrySchema).safeParse(await readJson(path));
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((i) => `  ${i.path.join(".") || "file"}: ${i.message}`);
  throw new CatalogueError(`CATALOGUE ${path} is not usable:\n${faults.join("\n")}`);
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await Deno.readTextFile(path));
  } catch (error) {
    const why = error instanceof SyntaxError ? "is not JSON" : "cannot be read";
    throw new CatalogueError(`CATALOGUE ${path} ${why}`, { cause: error });
  }
}
