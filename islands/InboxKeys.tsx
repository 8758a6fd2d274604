import { useEffect } from "preact/hooks";
import { listenToInboxKeys } from "@/lib/dashboard/browser/inbox_keys.ts";

/** J and K open the next and the previous conversation of the list. */
export default function InboxKeys() {
  useEffect(() => listenToInboxKeys(document), []);
  return null;
}
