import { CodeBlock } from "./CodeBlock.tsx";
import { Notice } from "./Notice.tsx";
import { PageHeader } from "./PageHeader.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** The only page that shows a key, right after it was created. */
export function RevealedKey({ title, secret }: { title: string; secret: string }) {
  return (
    <>
      <PageHeader title={title} back={{ href: "/api-keys", label: t("API keys") }} />
      <div class="card narrow stack">
        <Notice kind="warning">
          {t("Copy the key now. You won't be able to see it again, because only a hash is stored.")}
        </Notice>
        <CodeBlock label={t("API key")} code={secret} wrapped />
        <p class="help">
          {t(
            "Keep it secret, on your server only. Anyone with the key can act for you within its scopes.",
          )}
        </p>
        <div class="form-actions">
          <a class="button button-primary" href="/api-keys" aria-current="false">
            {t("I've copied the key")}
          </a>
        </div>
      </div>
    </>
  );
}
