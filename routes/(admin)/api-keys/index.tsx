import { page } from "fresh";
import { API_KEY_SORT_KEYS, ApiKeyTable } from "@/components/ApiKeyTable.tsx";
import { EmptyState } from "@/components/EmptyState.tsx";
import { NewKeyForm } from "@/components/NewKeyForm.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { Pagination } from "@/components/Pagination.tsx";
import DialogLink from "@/islands/DialogLink.tsx";
import { loadAgentNames } from "@/lib/dashboard/agents/agent_names.ts";
import { paginateStored } from "@/lib/dashboard/paginate.ts";
import { presetOf } from "@/lib/dashboard/key_presets.ts";
import { offerAgents } from "@/lib/dashboard/key_restrictions_form.ts";
import { flashMessageOf } from "@/lib/dashboard/flash_messages.ts";
import { newSubmissionId } from "@/lib/dashboard/submit_once.ts";
import { needsReauthentication } from "@/lib/dashboard/sign_in/reauthenticate.ts";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import { isUnusedKey } from "@/lib/services/is_unused_key.ts";
import type { ApiKey } from "@/lib/store/credentials/api_key_store.ts";
import { define, type State } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { service } = ctx.state;
    const user = signedIn(ctx.state);
    const { part, sorting } = await paginateStored({
      url: ctx.url,
      keys: API_KEY_SORT_KEYS,
      by: { by: "created", isDescending: true },
      readPart: (part) => service.apiKeys.listPart(user.tenant, part),
      readAll: () => service.apiKeys.list(user.tenant),
    });
    const form = {
      preset: presetOf(null),
      offered: await offerAgents(service.agents, { tenant: user.tenant, chosen: [] }),
      asksPassword: needsReauthentication(ctx.state),
      once: newSubmissionId(ctx.state),
    };
    const creators = await readCreators(ctx.state, part.items);
    const restrictedTo = part.items.flatMap(({ agents = [] }) => agents);
    const agentNames = await loadAgentNames(restrictedTo, {
      tenant: user.tenant,
      agents: service.agents,
    });
    const now = service.runtime.now();
    const unused = new Set(part.items.filter((key) => isUnusedKey(key, now)).map(({ id }) => id));
    return page({ part, sorting, now, editor: isEditor(user), form, creators, agentNames, unused });
  },
});

/** The addresses of the members who have created the keys, by id. */
async function readCreators(
  { service, user }: State,
  apiKeys: readonly ApiKey[],
): Promise<Map<string, string>> {
  const ids = new Set(apiKeys.flatMap(({ createdBy }) => createdBy?.id ?? []));
  const members = await Promise.all([...ids].map((id) => service.team.member(user!.tenant, id)));
  return new Map(members.flatMap((one) => one === undefined ? [] : [[one.id, one.email]]));
}

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
            creators={data.creators}
            agentNames={data.agentNames}
            unused={data.unused}
            url={url}
            sorting={data.sorting}
          />
        )}
      <Pagination {...links} />
    </>
  );
});
