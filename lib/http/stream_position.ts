import { validationError } from "../errors.ts";

/**
 * After which frame a follower goes on: `Last-Event-ID` or else `?after=`, a frame's id or its number; 0,
 * and nothing at all, is the beginning. 400 for what is no position in this run.
 */
export function streamPosition(req: Request, runId: string): number {
  const last = req.headers.get("last-event-id");
  // Whoever comes back does so to the same URL: the header says how far it has come since.
  if (last) return parsePosition(last, { runId, path: "Last-Event-ID" });
  const asked = new URL(req.url).searchParams.get("after");
  return asked ? parsePosition(asked, { runId, path: "after" }) : 0;
}

function parsePosition(text: string, { runId, path }: { runId: string; path: string }): number {
  const number = text.startsWith(`${runId}.`) ? text.slice(runId.length + 1) : text;
  if (/^\d{1,9}$/.test(number)) return Number(number);
  const message = "must be the id of a frame of this run, or its number";
  throw validationError([{ path, code: "invalid_position", message }]);
}
