import { Field } from "@/components/Field.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** The title of a document that is written in the dashboard. */
export function TitleField(
  { label, value, issue }: { label: string; value: string; issue: string | undefined },
) {
  return (
    <Field
      name="title"
      label={label}
      issue={issue}
      help={t("Shown to visitors as the source. An http(s) address becomes a link.")}
    >
      {(attributes) => (
        <input type="text" {...attributes} value={value} required autocomplete="off" />
      )}
    </Field>
  );
}
