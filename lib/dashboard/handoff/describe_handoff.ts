import type { HandoffSettings } from "../../schemas/handoff.ts";
import { t } from "../texts/translate.ts";
import { HANDOFF_FIELDS, type HandoffField, toHandoffValues } from "./handoff_form.ts";

/** The setting as one line per field that is set, for comparing versions. */
export function describeHandoff(settings: HandoffSettings | undefined): string {
  if (settings === undefined) return "";
  const values = { ...toHandoffValues(settings), enabled: settings.enabled ? "on" : "off" };
  const fields = Object.entries(HANDOFF_FIELDS) as [HandoffField, string][];
  return fields.filter(([name]) => values[name] !== "")
    .map(([name, label]) => `${t(label)}: ${values[name]}`).join("\n");
}
