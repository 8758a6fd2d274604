import { CodeBlock } from "@/components/CodeBlock.tsx";
import { Notice } from "@/components/Notice.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** The only page that shows new recovery codes. */
export function RecoveryCodes({ title, codes }: { title: string; codes: readonly string[] }) {
  return (
    <>
      <PageHeader
        title={title}
        back={{ href: "/account/factors", label: t("Two-factor sign-in") }}
      />
      <div class="card narrow stack">
        <Notice kind="warning">
          {t(
            "Save these recovery codes now. They are shown only once, and each works once if you lose your device.",
          )}
        </Notice>
        <CodeBlock label={t("Recovery codes")} code={codes.join("\n")} wrapped />
        <div class="form-actions">
          <a class="button button-primary" href="/account/factors" aria-current="false">
            {t("I have saved them")}
          </a>
        </div>
      </div>
    </>
  );
}
