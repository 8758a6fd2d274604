/** `deno task build:python` writes the parts of `packages/python` that follow from other sources. */
import { componentSchemas } from "@/lib/openapi/schemas.ts";
import { pythonTypes } from "./python_types.ts";
import { syncClient } from "./sync_client.ts";

const PACKAGE = new URL("../packages/python/src/agent_chat/", import.meta.url);
/** Formats of other clients, which this one does not speak. */
const OTHERS = /^(?:OpenAi|AgUi|McpMessage)/;

/** The generated files, by their names. */
export async function pythonFiles(): Promise<Record<string, string>> {
  const schemas = Object.entries(componentSchemas()).filter(([name]) => !OTHERS.test(name));
  const source = await Deno.readTextFile(new URL("_async.py", PACKAGE));
  return { "types.py": pythonTypes(Object.fromEntries(schemas)), "_sync.py": syncClient(source) };
}

if (import.meta.main) {
  for (const [name, text] of Object.entries(await pythonFiles())) {
    await Deno.writeTextFile(new URL(name, PACKAGE), text);
  }
}
