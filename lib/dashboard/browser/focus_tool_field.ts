import { focusAfterRender } from "./focus_after_render.ts";
import { revealField } from "./reveal_field.ts";

/** Ends of the ids of a tool's controls, by the paths of their values. */
const CONTROLS: Record<string, string> = {
  name: "name",
  description: "description",
  parameters: "parameters",
  url: "url",
  headers: "headers",
  allow: "allow",
  agentId: "agentId",
  timeoutMs: "timeout",
  maxResponseBytes: "bytes",
  progress: "progress",
  "request.method": "method",
  "request.url": "url",
  "request.query": "query",
  "request.headers": "headers",
  "request.body": "body",
};

/** Focuses the control of a value once the tool's panel is open; its first one if it has none. */
export function focusToolField(id: string, path: string): void {
  focusAfterRender(() => {
    const found = controlOf(id, path) ?? document.getElementById(`${id}-name`);
    if (found !== null) revealField(found);
    return found;
  });
}

function controlOf(id: string, path: string): HTMLElement | null {
  const known = Object.keys(CONTROLS)
    .find((value) => path === value || path.startsWith(`${value}.`));
  if (known === undefined) return null;
  const control = `${id}-${CONTROLS[known]}`;
  // Parameters are one control, or several in rows.
  return document.getElementById(control) ??
    document.querySelector<HTMLElement>(`input[id^="${control}-"]`);
}
