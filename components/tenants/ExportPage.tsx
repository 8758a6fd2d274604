import { t } from "@/lib/dashboard/texts/translate.ts";
import { unsavedTitle } from "../FormIssuesNotice.tsx";
import { PageHeader } from "../PageHeader.tsx";
import { PostForm } from "../PostForm.tsx";
import { ReauthField, type ReauthFieldProps } from "../ReauthField.tsx";

/** Offers everything of a tenant as one file. */
export function ExportPage(
  { action, back, password }: {
    action: string;
    back: { href: string; label: string };
    password: ReauthFieldProps;
  },
) {
  const issues = { own_password: password.issue };
  return (
    <>
      <PageHeader
        title={t("Export all data")}
        titlePrefix={unsavedTitle(issues)}
        back={back}
      />
      <PostForm action={action} class="card narrow stack" issues={issues}>
        <p class="prose">
          {t(
            "One file with a line of JSON for each thing: users, agents and versions, knowledge with its documents, conversations, files, test sets, usage and the audit log. Passwords, API keys and secrets are not in it, only their names.",
          )}
        </p>
        <p class="prose">
          {t(
            "It contains what visitors wrote and sent: keep it as safe as the service. The export is recorded in the audit log.",
          )}
        </p>
        <ReauthField {...password} />
        <div class="form-actions">
          <button class="button button-primary" type="submit">{t("Download export")}</button>
          <a class="button" href={back.href} aria-current="false">{t("Cancel")}</a>
        </div>
      </PostForm>
    </>
  );
}
