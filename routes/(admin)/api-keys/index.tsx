import { page } from "fresh";
import { API_KEY_SORT_KEYS, ApiKeyTable } from "@/components/ApiKeyTable.tsx";
import { EmptyState } from "@/components/EmptyState.tsx";
import { NewKeyForm } from "@/components/NewKeyForm.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { Pagination } from "@/components/Pagination.tsx";
import DialogLink from "@/islands/DialogLink.tsx";
import { paginate } from "@/lib/dashboard/paginate.ts";
import { presetOf } from "@/lib/dashboard/key_presets.ts";
import { flashMessageOf } from "@/lib/dashboard/flash_messages.ts";
import { newSubmissionId } from "@/lib/dashboard/submit_once.ts";
import { needsReauthentication } from "@/lib/dashboard/sign_in/reauthenticate.ts";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { sortRows } from "@/lib/dashboard/sort_rows.ts";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { service } = ctx.state;
    const user = signedIn(ctx.state);
    const { rows, sorting } = sortRows(await service.apiKeys.list(user.tenant), {
      url: ctx.url,
      keys: API_KEY_SORT_KEYS,
      by: { by: "created", isDescending: true },
    });
    const part = paginate(rows, ctx.url);
    const form = {
      preset: presetOf(null),
      asksPassword: needsReauthentication(ctx.state),
      once: newSubmissionId(ctx.state),
    };
    return page({ part, sorting, now: service.runtime.now(), editor: isEditor(user), form });
  },
});

export default define.page<typeof handler>(({ data, url }) => {
  const { part: { items: apiKeys, ...links }, editor } = data;
  const newKey = editor && (
    <DialogLink
      href="/api-keys/new"
      label={t("Create API key")}
      class="button button-primary"
      title={t("Create API key")}
    >
      <h2>{t("Create API key")}</h2>
      <NewKeyForm inDialog {...data.form} />
    </DialogLink>
  );
  return (
    <>
      <PageHeader
        title={t("API keys")}
        text={t("For your servers only. Browsers use session tokens.")}
      >
        {apiKeys.length > 0 && newKey}
      </PageHeader>
      <PageNotice notice={flashMessageOf(url)} />
      {apiKeys.length === 0
        ? (
          <EmptyState
            icon="key"
            title={t("No API keys yet")}
            text={t("Create a key to manage agents and mint session tokens from your backend.")}
          >
            {newKey}
          </EmptyState>
        )
        : (
          <ApiKeyTable
            apiKeys={apiKeys}
            now={data.now}
            editor={editor}
            url={url}
            sorting={data.sorting}
          />
        )}
      <Pagination {...links} />
    </>
  );
});
