import { ConfirmForm, type ConfirmFormProps } from "./ConfirmForm.tsx";
import { unsavedTitle } from "./FormIssuesNotice.tsx";
import { PageHeader } from "./PageHeader.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

export interface ConfirmPageProps extends Omit<ConfirmFormProps, "title" | "cancelHref"> {
  /** Page title, for example "Delete agent". */
  title: string;
  /** The question, with the name of the resource. */
  question: string;
  /** The previous page, also the target of "Cancel". */
  back: { href: string; label: string };
}

/** The confirmation as a page, for browsers where the dialog does not open. */
export function ConfirmPage({ title, question, back, ...form }: ConfirmPageProps) {
  return (
    <>
      <PageHeader
        title={title}
        titlePrefix={unsavedTitle(form.issues ?? {}) && t("Not done")}
        back={back}
      />
      <div class="card narrow">
        <ConfirmForm {...form} title={question} cancelHref={back.href} />
      </div>
    </>
  );
}
