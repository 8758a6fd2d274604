import type { FlashMessage as Said } from "@/lib/http/dashboard/notices.ts";
import { Notice } from "./Notice.tsx";

/** What the page that sent somebody here says of what they did there. */
export function PageNotice({ notice }: { notice: Said | undefined }) {
  return notice === undefined ? null : <Notice kind={notice.kind}>{notice.text}</Notice>;
}
