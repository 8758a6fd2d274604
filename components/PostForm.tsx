import { type ComponentChildren, createContext } from "preact";
import { type FormIssues, FormIssuesNotice } from "./FormIssuesNotice.tsx";

/** The control that gets the focus: the first of its form that something is wrong with. */
export const FirstFault = createContext<string | undefined>(undefined);

export interface PostFormProps {
  action: string;
  class?: string;
  id?: string;
  /** What was wrong with what was sent, by the control's name. */
  faults?: FormIssues | undefined;
  /** What the controls are called, in the form's order. */
  labels?: Readonly<Record<string, string>>;
  /** What has not been done, where that is not saving. */
  lead?: string;
  /** Of a form that makes what is shown once: sent again, it makes nothing. */
  once?: string | undefined;
  children: ComponentChildren;
}

/** A form that may come back refused: it says so above, and the first control at fault has the focus. */
export function PostForm(
  { action, faults = {}, labels = {}, lead, once, children, ...form }: PostFormProps,
) {
  const known = { ...labels, own_password: "Your password" };
  const faulty = Object.entries(known).filter(([name]) => faults[name] !== undefined);
  return (
    <form method="post" action={action} {...form}>
      {once !== undefined && <input type="hidden" name="once" value={once} />}
      <FormIssuesNotice
        fault={faults.form}
        faulty={faulty}
        {...lead === undefined ? {} : { lead }}
      />
      <FirstFault.Provider value={faulty[0]?.[0]}>{children}</FirstFault.Provider>
    </form>
  );
}
