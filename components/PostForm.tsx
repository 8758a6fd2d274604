import { type ComponentChildren, createContext } from "preact";
import { useContext } from "preact/hooks";
import { SHOWN_TENANT } from "@/lib/dashboard/shown_tenant.ts";
import { type FormIssues, FormIssuesNotice } from "./FormIssuesNotice.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** Name of the form's first invalid control, which gets the focus. */
export const FirstIssue = createContext<string | undefined>(undefined);

/** The tenant that the page shows. */
export const ShownTenant = createContext<string | undefined>(undefined);

export interface PostFormProps {
  action: string;
  class?: string;
  id?: string;
  /** For pages without script: the server's answer shows what is invalid, not the browser's bubbles. */
  noValidate?: boolean;
  /** Validation messages by control name. */
  issues?: FormIssues | undefined;
  /** Labels by control name, in the form's order. */
  labels?: Readonly<Record<string, string>>;
  /** First sentence above a rejected form; "Couldn't save." by default. */
  lead?: string;
  /** Submission id of a form whose result is shown once; sending it again creates nothing. */
  once?: string | undefined;
  children: ComponentChildren;
}

/** A form that shows its validation messages above and focuses the first invalid control. */
export function PostForm(
  { action, issues = {}, labels = {}, lead, once, children, ...form }: PostFormProps,
) {
  const tenant = useContext(ShownTenant);
  const known = { ...labels, own_password: t("Confirmation") };
  const faulty = Object.entries(known).filter(([name]) => issues[name] !== undefined);
  return (
    <form method="post" action={action} data-lead={lead} {...form}>
      {tenant !== undefined && <input type="hidden" name={SHOWN_TENANT} value={tenant} />}
      {once !== undefined && <input type="hidden" name="once" value={once} />}
      <FormIssuesNotice
        issue={issues.form}
        faulty={faulty}
        {...lead === undefined ? {} : { lead }}
      />
      <FirstIssue.Provider value={faulty[0]?.[0]}>{children}</FirstIssue.Provider>
    </form>
  );
}
