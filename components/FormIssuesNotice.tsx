import { Fragment } from "preact";
import { Notice } from "./Notice.tsx";
import { rich, t } from "@/lib/dashboard/texts/translate.ts";

/** Validation messages by control name; `form` is about the form as a whole. */
export type FormIssues = Readonly<Record<string, string | undefined>>;

/** Start of the tab title while a form shows validation messages. */
export function unsavedTitle(issues: FormIssues): string | undefined {
  return Object.values(issues).some((issue) => issue !== undefined) ? t("Not saved") : undefined;
}

export interface FormIssuesNoticeProps {
  /** About the form as a whole. */
  issue?: string | undefined;
  /** Names and labels of the invalid controls. */
  faulty: readonly (readonly [name: string, label: string])[];
  lead?: string;
}

/** Says that nothing was saved and links to each invalid field, which may be off screen. */
export function FormIssuesNotice(
  { issue, faulty, lead = t("Couldn't save.") }: FormIssuesNoticeProps,
) {
  if (issue === undefined && faulty.length === 0) return null;
  return (
    // Without an invalid control to focus, the message itself gets the focus.
    <Notice kind="error" focused={faulty.length === 0}>
      {issue !== undefined && <p>{t(issue)}</p>}
      {faulty.length > 0 && (
        <p>
          {rich("{lead} Fix: {fields}.", {
            lead,
            fields: faulty.map(([name, label], n) => (
              <Fragment key={name}>
                {n > 0 && ", "}
                <a href={`#${name}`}>{t(label)}</a>
              </Fragment>
            )),
          })}
        </p>
      )}
    </Notice>
  );
}
