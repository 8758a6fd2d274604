import { isTooDeep } from "../../../schemas/json_depth.ts";
import type { ModelTool } from "../../../providers/model.ts";
import { TOOL_NAME } from "../../../schemas/tool_definition.ts";
import type { Redactor } from "../redactor.ts";
import type { ListedTool } from "./mcp_messages.ts";

const MAX_TOOLS_PER_SERVER = 64;
const MAX_SCHEMA_BYTES = 16_384;
const MAX_DESCRIPTION_LENGTH = 1_024;

export interface SelectedTool {
  /** The server's name for it. */
  name: string;
  /** The tool for the model, whose name may differ. */
  tool: ModelTool;
}

/**
 * Selects the tools of a server for the model: those in `allow`, at most 64, with a name that providers
 * accept, prefixed with `<server>_` if it is in `takenNames`, and a schema of limited size. Schemas are
 * compiled only on a call, because compiling all of them for each run would take seconds. Adds a note
 * for each omitted tool.
 */
export function selectTools(
  listed: readonly ListedTool[],
  { server, allow, takenNames, notes, redactor }: {
    server: string;
    allow: readonly string[] | undefined;
    takenNames: Set<string>;
    notes: string[];
    /** A server may list what it received. */
    redactor: Redactor;
  },
): SelectedTool[] {
  const wanted = listed.filter(({ name }) => allow === undefined || allow.includes(name));
  const selected: SelectedTool[] = [];
  if (wanted.length > MAX_TOOLS_PER_SERVER) {
    notes.push(`${server}: all but ${MAX_TOOLS_PER_SERVER} tools`);
  }
  for (const tool of wanted.slice(0, MAX_TOOLS_PER_SERVER)) {
    const name = takenNames.has(tool.name) ? `${server}_${tool.name}` : tool.name;
    const issue = toolIssue(tool, { name, takenNames });
    if (issue !== undefined) {
      const original = redactor.redactText(tool.name).slice(0, 64);
      notes.push(`${server}: ${original} is left out: ${issue}`);
      continue;
    }
    takenNames.add(name);
    const description = redactor.redactText(tool.description || tool.name)
      .slice(0, MAX_DESCRIPTION_LENGTH).toWellFormed();
    selected.push({ name: tool.name, tool: { name, description, parameters: tool.inputSchema } });
  }
  return selected;
}

function toolIssue(
  tool: ListedTool,
  { name, takenNames }: { name: string; takenNames: ReadonlySet<string> },
): string | undefined {
  if (!TOOL_NAME.test(name)) return "its name is not one a model may call";
  if (takenNames.has(name)) return "its name is taken";
  if (isTooDeep(tool.inputSchema)) return "its schema is nested too deeply";
  const bytes = new TextEncoder().encode(JSON.stringify(tool.inputSchema)).length;
  return bytes > MAX_SCHEMA_BYTES ? "its schema is larger than 16 KiB" : undefined;
}
