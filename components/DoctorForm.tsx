import { Field } from "./Field.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

export interface DoctorFormProps {
  action: string;
  origin: string;
  tag: string;
  /** Suggested origins. */
  origins: readonly string[];
}

/** Asks for the page to check. */
export function DoctorForm({ action, origin, tag, origins }: DoctorFormProps) {
  return (
    <form method="post" action={action} class="stack">
      <Field
        name="origin"
        label={t("Origin of the page")}
        help={t(
          "For example https://www.example.com, without a path. It must be one of the agent's allowed sites.",
        )}
      >
        {(attributes) => (
          <input
            type="text"
            inputMode="url"
            {...attributes}
            value={origin}
            list="origins"
            required
            maxLength={512}
            placeholder="https://www.example.com"
          />
        )}
      </Field>
      <datalist id="origins">
        {origins.map((one) => <option key={one} value={one} />)}
      </datalist>
      <Field
        name="tag"
        label={t("Script tag")}
        optional
        help={t(
          "Copied from the page. Leave blank to read the page at the origin, over https only.",
        )}
      >
        {(attributes) => (
          <textarea {...attributes} rows={6} maxLength={16_384} spellcheck={false} class="mono">
            {tag}
          </textarea>
        )}
      </Field>
      <div class="form-actions">
        <button class="button button-primary" type="submit">{t("Run check")}</button>
      </div>
    </form>
  );
}
