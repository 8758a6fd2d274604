import { t } from "@/lib/dashboard/texts/translate.ts";
import { Field } from "./Field.tsx";

/** The most that a trial may cost. */
export function BudgetField(
  { label, value, issue }: { label: string; value: string; issue: string | undefined },
) {
  return (
    <Field
      name="budget"
      label={label}
      issue={issue}
      help={t("Set aside now. What is left is free again when it ends.")}
    >
      {(attributes) => (
        <input type="text" inputMode="decimal" {...attributes} value={value} required />
      )}
    </Field>
  );
}
