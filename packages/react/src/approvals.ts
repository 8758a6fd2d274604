/** The calls of a run that wait for a decision. */
import type { Frame } from "@agent-chat/client";
import type { Approval } from "./mod.d.ts";

/** Those that wait after a frame, whose id is `position`. */
export function approvalsAfter(
  approvals: readonly Approval[],
  frame: Frame,
  position: string,
): readonly Approval[] {
  // Each frame arrives once, so this is another run.
  if (frame.type === "start") return [];
  if (frame.type === "tool_result") {
    return approvals.filter(({ id }) => Number(id.split(".")[1]) !== frame.call);
  }
  if (frame.type !== "tool_call" || !frame.waitsFor || frame.waitsFor === "page") return approvals;
  const { name, title = name, args, waitsFor, expiresAt = "" } = frame;
  return [...approvals, { id: position, name, title, args, waitsFor, expiresAt }];
}
