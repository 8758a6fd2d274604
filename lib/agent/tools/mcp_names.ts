import type { ModelTool } from "../../models/model.ts";
import { TOOL_NAME } from "../../wire/tool_definition.ts";
import { compileParameters } from "./argument_check.ts";
import type { ListedTool } from "./mcp_server.ts";

const MAX_OF_SERVER = 64;
const MAX_SCHEMA_BYTES = 16_384;
const MAX_DESCRIPTION = 1_024;

/** A server's tool under the name the model knows it by. */
export interface NamedTool {
  /** As the server knows it. */
  name: string;
  tool: ModelTool;
}

/**
 * The tools of one server that a model is told of: those of `allow`, at most 64, each with a name
 * that vendors accept, prefixed `<server>_` when `taken` has it, and a schema that can be checked.
 * `leftOut` is told of the others.
 */
export function nameTools(
  listed: readonly ListedTool[],
  { server, allow, taken, leftOut }: {
    server: string;
    allow: readonly string[] | undefined;
    taken: Set<string>;
    leftOut: (note: string) => void;
  },
): NamedTool[] {
  const wanted = listed.filter(({ name }) => allow === undefined || allow.includes(name));
  const named: NamedTool[] = [];
  for (const [n, tool] of wanted.entries()) {
    const name = taken.has(tool.name) ? `${server}_${tool.name}` : tool.name;
    const fault = n >= MAX_OF_SERVER ? "the server has too many tools" : faultOf(tool, name, taken);
    if (fault !== undefined) {
      leftOut(`${server}: ${tool.name.slice(0, 64)} is left out: ${fault}`);
      continue;
    }
    taken.add(name);
    const description = (tool.description || tool.name).slice(0, MAX_DESCRIPTION).toWellFormed();
    named.push({ name: tool.name, tool: { name, description, parameters: tool.inputSchema } });
  }
  return named;
}

function faultOf(
  tool: ListedTool,
  ...[name, taken]: [string, ReadonlySet<string>]
): string | undefined {
  if (!TOOL_NAME.test(name)) return "its name is not one a model may call";
  if (taken.has(name)) return "its name is taken";
  const bytes = new TextEncoder().encode(JSON.stringify(tool.inputSchema)).length;
  if (bytes > MAX_SCHEMA_BYTES) return "its schema is larger than 16 KiB";
  const compiled = compileParameters(tool.inputSchema);
  return "check" in compiled ? undefined : `its schema ${compiled.path} ${compiled.message}`;
}
