import { Fragment } from "preact";
import { Notice } from "./Notice.tsx";

/** What is wrong with each control, by its name; `form` is about none of them. */
export type FormIssues = Readonly<Record<string, string | undefined>>;

/** How the tab's title begins while a form has come back with faults. */
export function unsavedTitle(faults: FormIssues): string | undefined {
  return Object.values(faults).some((fault) => fault !== undefined) ? "Not saved" : undefined;
}

export interface FormIssuesNoticeProps {
  /** About no control of the form. */
  fault?: string | undefined;
  /** Names and labels of the controls at fault. */
  faulty: readonly (readonly [name: string, label: string])[];
  lead?: string;
}

/** Says that nothing was saved, and leads to each field at fault: a form may be longer than a screen. */
export function FormIssuesNotice(
  { fault, faulty, lead = "Nothing was saved." }: FormIssuesNoticeProps,
) {
  if (fault === undefined && faulty.length === 0) return null;
  return (
    // Where no control can have the focus, what is to be read gets it.
    <Notice kind="fault" focused={faulty.length === 0}>
      {fault !== undefined && <p>{fault}</p>}
      {faulty.length > 0 && (
        <p>
          {lead} Put right: {faulty.map(([name, label], n) => (
            <Fragment key={name}>
              {n > 0 && ", "}
              <a href={`#${name}`}>{label}</a>
            </Fragment>
          ))}.
        </p>
      )}
    </Notice>
  );
}
