import type { ComponentChildren } from "preact";
import { Icon } from "./Icon.tsx";

/** A message at the top of a page: `done` for what worked, `fault` for what did not. */
export function Notice(
  { kind, children }: { kind: "done" | "fault" | "warning"; children: ComponentChildren },
) {
  return (
    <div class={`notice notice-${kind}`} role={kind === "fault" ? "alert" : "status"}>
      <Icon name={kind === "done" ? "check" : "warning"} />
      <div>{children}</div>
    </div>
  );
}
