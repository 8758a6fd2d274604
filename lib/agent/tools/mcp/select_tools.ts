import type { ModelTool } from "../../../providers/model.ts";
import { TOOL_NAME } from "../../../schemas/tool_definition.ts";
import type { ListedTool } from "./mcp_messages.ts";
import { isTooDeep } from "../../../schemas/json_depth.ts";

const MAX_TOOLS_PER_SERVER = 64;
const MAX_SCHEMA_BYTES = 16_384;
const MAX_DESCRIPTION_LENGTH = 1_024;

/** A server's tool under the name the model knows it by. */
export interface NamedTool {
  /** As the server knows it. */
  name: string;
  tool: ModelTool;
}

/**
 * The tools of one server that a model is told of: those of `allow`, at most 64, each with a name
 * that vendors accept, prefixed `<server>_` when `taken` has it, and a schema of bounded size. Whether
 * a schema can be checked by shows when its tool is called, and else the server checks: compiling all
 * of a stranger's schemas for each run would cost seconds. `leftOut` is told of the others.
 */
export function selectTools(
  listed: readonly ListedTool[],
  { server, allow, taken, leftOut, clean }: {
    server: string;
    allow: readonly string[] | undefined;
    taken: Set<string>;
    leftOut: (note: string) => void;
    /** Takes the secrets out of a text: a server may list what it was sent. */
    clean: (text: string) => string;
  },
): NamedTool[] {
  const wanted = listed.filter(({ name }) => allow === undefined || allow.includes(name));
  const named: NamedTool[] = [];
  if (wanted.length > MAX_TOOLS_PER_SERVER) {
    leftOut(`${server}: all but ${MAX_TOOLS_PER_SERVER} tools`);
  }
  for (const tool of wanted.slice(0, MAX_TOOLS_PER_SERVER)) {
    const name = taken.has(tool.name) ? `${server}_${tool.name}` : tool.name;
    const fault = toolIssue(tool, { name, taken });
    if (fault !== undefined) {
      leftOut(`${server}: ${clean(tool.name).slice(0, 64)} is left out: ${fault}`);
      continue;
    }
    taken.add(name);
    const description = clean(tool.description || tool.name).slice(0, MAX_DESCRIPTION_LENGTH)
      .toWellFormed();
    named.push({ name: tool.name, tool: { name, description, parameters: tool.inputSchema } });
  }
  return named;
}

function toolIssue(
  tool: ListedTool,
  { name, taken }: { name: string; taken: ReadonlySet<string> },
): string | undefined {
  if (!TOOL_NAME.test(name)) return "its name is not one a model may call";
  if (taken.has(name)) return "its name is taken";
  if (isTooDeep(tool.inputSchema)) return "its schema is nested too deeply";
  const bytes = new TextEncoder().encode(JSON.stringify(tool.inputSchema)).length;
  return bytes > MAX_SCHEMA_BYTES ? "its schema is larger than 16 KiB" : undefined;
}
