import { GUARDRAIL_SIDES, type Guardrails } from "../../schemas/guardrails.ts";
import { t } from "../texts/translate.ts";
import { SIDE_FIELDS, SIDE_LABELS, type SideField, toGuardrailValues } from "./guardrails_form.ts";

/** Shown only with the field that they belong to. */
const DEPENDS_ON: Partial<Record<SideField, SideField>> = {
  wordsAction: "words",
  kindsAction: "kinds",
  modelAction: "model",
};

/** The setting as one line per field that is set, for comparing versions. */
export function describeGuardrails(settings: Guardrails | undefined): string {
  if (settings === undefined) return "";
  const values = toGuardrailValues(settings);
  const lines = GUARDRAIL_SIDES.flatMap((side) =>
    (Object.entries(SIDE_FIELDS) as [SideField, string][])
      .filter(([name]) => values[`${side}.${DEPENDS_ON[name] ?? name}`] !== "")
      .map(([name, label]) =>
        `${t(SIDE_LABELS[side])}, ${t(label)}: ${values[`${side}.${name}`].replaceAll("\n", ", ")}`
      )
  );
  return lines.join("\n");
}
