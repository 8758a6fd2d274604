import type { ComponentChildren } from "preact";
import { Icon } from "./Icon.tsx";
import type { FlashMessage as Said } from "@/lib/dashboard/flash_messages.ts";

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

/** What the page that sent somebody here says of what they did there. */
export function PageNotice({ notice }: { notice: Said | undefined }) {
  return notice === undefined ? null : <Notice kind={notice.kind}>{notice.text}</Notice>;
}
