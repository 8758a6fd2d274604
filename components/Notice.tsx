import type { ComponentChildren } from "preact";
import { Icon } from "./Icon.tsx";
import type { FlashMessage as Said } from "@/lib/dashboard/flash_messages.ts";

/** A message at the top of a page: `done` for success, `error` for errors. */
export function Notice(
  { kind, focused = false, children }: {
    kind: "done" | "error" | "warning";
    /** Focused when the page opens, so that screen readers start here. */
    focused?: boolean;
    children: ComponentChildren;
  },
) {
  return (
    <div
      class={`notice notice-${kind}`}
      role={kind === "error" ? "alert" : "status"}
      {...focused && { tabIndex: -1, autofocus: true }}
    >
      <Icon name={kind === "done" ? "check" : "warning"} />
      <div>{children}</div>
    </div>
  );
}

/** The flash message of the previous page. */
export function PageNotice({ notice }: { notice: Said | undefined }) {
  return notice === undefined ? null : <Notice kind={notice.kind}>{notice.text}</Notice>;
}
