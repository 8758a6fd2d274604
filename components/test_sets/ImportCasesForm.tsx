import { Field } from "@/components/Field.tsx";
import { PostForm } from "@/components/PostForm.tsx";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";

const LABELS = { lines: msg("Lines of JSON") };

/** Adds a case for each pasted line. */
export function ImportCasesForm(
  { action, sent }: {
    action: string;
    /** What was rejected, and why. */
    sent: { text: string; issue: string } | undefined;
  },
) {
  const issues = sent && { lines: sent.issue };
  return (
    <details open={sent !== undefined}>
      <summary>{t("Import cases")}</summary>
      <PostForm action={action} issues={issues ?? {}} labels={LABELS} class="card stack">
        <Field
          name="lines"
          label={LABELS.lines}
          issue={sent?.issue}
          help={t(
            "One case per line, in the format of an export. If a line is invalid, nothing is added. For large files, use deno task evals import.",
          )}
        >
          {(attributes) => (
            <textarea {...attributes} rows={6} required spellcheck={false} class="code">
              {sent?.text ?? ""}
            </textarea>
          )}
        </Field>
        <div class="form-actions">
          <button class="button" type="submit" name="action" value="import">{t("Import")}</button>
        </div>
      </PostForm>
    </details>
  );
}
