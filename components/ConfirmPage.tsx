import { ConfirmForm, type ConfirmFormProps } from "./ConfirmForm.tsx";
import { unsavedTitle } from "./FormIssuesNotice.tsx";
import { PageHeader } from "./PageHeader.tsx";

export interface ConfirmPageProps extends Omit<ConfirmFormProps, "title" | "cancelHref"> {
  /** Of the page, for example "Delete agent". */
  title: string;
  /** What the form asks, with the name of what would be gone. */
  question: string;
  /** Where one came from; "Cancel" leads there too. */
  back: { href: string; label: string };
}

/** The page of a form that cannot be undone, for browsers in which its dialog does not open. */
export function ConfirmPage({ title, question, back, ...form }: ConfirmPageProps) {
  return (
    <>
      <PageHeader
        title={title}
        refused={unsavedTitle(form.faults ?? {}) && "Not done"}
        back={back}
      />
      <div class="card narrow">
        <ConfirmForm {...form} title={question} cancelHref={back.href} />
      </div>
    </>
  );
}
