import { Field } from "@/components/Field.tsx";
import type { SourceIssues, SourceValues } from "@/lib/dashboard/knowledge/source_form.ts";
import { SCHEDULE_LABELS } from "@/lib/dashboard/knowledge/source_labels.ts";
import { WEB_SOURCE_BOUNDS } from "@/lib/schemas/limits.ts";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";

export const SOURCE_LABELS = {
  url: msg("Address"),
  kind: msg("What to read"),
  maxPages: msg("Pages, at most"),
  schedule: msg("Refresh"),
};

export interface SourceFieldsProps {
  values: Pick<SourceValues, "maxPages" | "schedule">;
  issues: SourceIssues;
}

/** How many pages a source has, and when they are read again. */
export function SourceFields({ values, issues }: SourceFieldsProps) {
  return (
    <>
      <Field
        name="maxPages"
        label={SOURCE_LABELS.maxPages}
        issue={issues.maxPages}
        help={t("Up to {pages}.", { pages: WEB_SOURCE_BOUNDS.pages })}
      >
        {(attributes) => (
          <input
            type="number"
            {...attributes}
            value={values.maxPages}
            min={1}
            max={WEB_SOURCE_BOUNDS.pages}
          />
        )}
      </Field>
      <Field
        name="schedule"
        label={SOURCE_LABELS.schedule}
        issue={issues.schedule}
        help={t("Only pages that have changed are processed again.")}
      >
        {(attributes) => (
          <select {...attributes}>
            {Object.entries(SCHEDULE_LABELS).map(([name, label]) => (
              <option key={name} value={name} selected={name === values.schedule}>
                {t(label)}
              </option>
            ))}
          </select>
        )}
      </Field>
    </>
  );
}
