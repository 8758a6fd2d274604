import { canonicalJson } from "../../platform/canonical_json.ts";
import type { SealedEndLine } from "../../schemas/sealed_export.ts";

/** Separates signatures over exports from those over runs. */
const EXPORT_PURPOSE = "agent-chat export v1";

/** The text that an export's signature is made of. */
export function exportText(line: Omit<SealedEndLine, "signature">): string {
  return `${EXPORT_PURPOSE}\n${canonicalJson(line)}`;
}
