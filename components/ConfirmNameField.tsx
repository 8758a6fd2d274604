import { t } from "@/lib/dashboard/texts/translate.ts";
import { Field } from "./Field.tsx";

interface ConfirmNameFieldProps {
  label: string;
  /** What has to be typed. */
  expected: string;
  typed: string;
  issue: string | undefined;
}

/** A name that is typed to confirm that its thing is deleted. */
export function ConfirmNameField({ label, expected, typed, issue }: ConfirmNameFieldProps) {
  return (
    <Field
      name="confirmName"
      label={label}
      issue={issue}
      help={<>{t("Enter: {name}", { name: expected })}</>}
    >
      {(attributes) => (
        <input
          type="text"
          {...attributes}
          value={typed}
          required
          autocomplete="off"
          spellcheck={false}
        />
      )}
    </Field>
  );
}
