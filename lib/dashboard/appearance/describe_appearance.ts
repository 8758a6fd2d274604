import type { Appearance } from "../../schemas/appearance.ts";
import {
  APPEARANCE_FIELDS,
  type AppearanceField,
  type AppearanceValues,
  toAppearanceValues,
} from "./appearance_form.ts";
import { t } from "../texts/translate.ts";

/** An appearance as one line per field that is set, for comparing versions. */
export function describeAppearance(appearance: Appearance | undefined): string {
  const values = toAppearanceValues(appearance);
  const fields = Object.entries(APPEARANCE_FIELDS) as [AppearanceField, string][];
  return fields.filter(([name]) => values[name] !== "")
    .map(([name, label]) => `${label}: ${describeValue(values, name)}`).join("\n");
}

/** An image is named by its size: nobody reads its bytes. */
function describeValue(values: AppearanceValues, name: AppearanceField): string {
  const text = values[name];
  if (text.startsWith("data:")) {
    return t("image of {length} characters", { length: text.length });
  }
  return text.replaceAll("\n", ", ");
}
