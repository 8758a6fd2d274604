import { readAppearanceValues, toAppearance } from "../appearance/appearance_form.ts";
import { formValues } from "./form_values.ts";

/** What the widget would show with the form's unsaved values. Invalid ones are left out. */
export function appearanceOfForm(form: HTMLFormElement): Record<string, unknown> {
  const values = readAppearanceValues(new URLSearchParams(formValues(form)));
  const placeholder = form.querySelector<HTMLInputElement>("[name=title]")?.placeholder ?? "";
  return { title: placeholder, ...toAppearance(values) };
}
