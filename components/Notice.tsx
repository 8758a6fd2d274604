import type { ComponentChildren } from "preact";
import { Icon } from "./Icon.tsx";

/** A message at the top of a page: `done` for what worked, `fault` for what did not. */
export function Notice(
  { kind, focused = false, children }: {
    kind: "done" | "fault" | "warning";
    /** Is where the page begins for somebody who cannot see it. */
    focused?: boolean;
    children: ComponentChildren;
  },
) {
  return (
    <div
      class={`notice notice-${kind}`}
      role={kind === "fault" ? "alert" : "status"}
      {...focused && { tabIndex: -1, autofocus: true }}
    >
      <Icon name={kind === "done" ? "check" : "warning"} />
      <div>{children}</div>
    </div>
  );
}
