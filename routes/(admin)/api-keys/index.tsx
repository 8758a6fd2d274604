import { page } from "fresh";
import { EmptyState } from "@/components/EmptyState.tsx";
import { NewKeyForm } from "@/components/NewKeyForm.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { Pagination } from "@/components/Pagination.tsx";
import { Time } from "@/components/Time.tsx";
import DialogLink from "@/islands/DialogLink.tsx";
import { paginate } from "@/lib/dashboard/paginate.ts";
import { presetOf } from "@/lib/dashboard/key_presets.ts";
import { flashMessageOf } from "@/lib/dashboard/flash_messages.ts";
import { newSubmissionId } from "@/lib/dashboard/submit_once.ts";
import { needsReauthentication } from "@/lib/dashboard/sign_in/reauthenticate.ts";
import { isEditor, signedIn } from "@/lib/dashboard/authorization.ts";
import type { ApiKey } from "@/lib/store/credentials/api_key_store.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { service } = ctx.state;
    const user = signedIn(ctx.state);
    const part = paginate(await service.apiKeys.list(user.tenant), ctx.url);
    const form = {
      preset: presetOf(null),
      asksPassword: needsReauthentication(ctx.state),
      once: newSubmissionId(ctx.state),
    };
    return page({ part, now: service.runtime.now(), editor: isEditor(user), form });
  },
});

export default define.page<typeof handler>(({ data, url }) => {
  const { part: { items: apiKeys, ...links }, editor } = data;
  const newKey = editor && (
    <DialogLink
      href="/api-keys/new"
      label="Create API key"
      class="button button-primary"
      title="Create API key"
    >
      <h2>Create API key</h2>
      <NewKeyForm inDialog {...data.form} />
    </DialogLink>
  );
  return (
    <>
      <PageHeader title="API keys" text="For your servers only. Browsers use session tokens.">
        {apiKeys.length > 0 && newKey}
      </PageHeader>
      <PageNotice notice={flashMessageOf(url)} />
      {apiKeys.length === 0
        ? (
          <EmptyState
            icon="key"
            title="No API keys yet"
            text="Create a key to manage agents and mint session tokens from your backend."
          >
            {newKey}
          </EmptyState>
        )
        : (
          <ul class="rows">
            {apiKeys.map((apiKey) => (
              <KeyRow key={apiKey.id} apiKey={apiKey} now={data.now} editor={editor} />
            ))}
          </ul>
        )}
      <Pagination {...links} />
    </>
  );
});

function KeyRow({ apiKey, now, editor }: { apiKey: ApiKey; now: number; editor: boolean }) {
  return (
    <li class="row">
      <div class="row-main">
        <p class="row-name">
          {apiKey.name}
          <span class={`badge badge-${apiKey.state}`}>{apiKey.state}</span>
        </p>
        {apiKey.secrets.filter((secret) => isLive(secret, now)).map((secret) => (
          <p key={secret.prefix} class="prefix">
            <code>{`ck_live_${secret.prefix}_…`}</code>
            {secret.expiresAt && (
              <>
                {" "}
                expires <Time at={secret.expiresAt} now={now} />
              </>
            )}
          </p>
        ))}
        <p class="tags">
          {apiKey.scopes.map((scope) => <code key={scope} class="tag">{scope}</code>)}
        </p>
      </div>
      <KeyFacts apiKey={apiKey} now={now} />
      <div class="row-end row-end-two">
        {editor && apiKey.state === "active" && (
          <>
            <a
              class="button button-small"
              href={`/api-keys/${apiKey.id}/rotate`}
              aria-current="false"
              aria-label={`Rotate ${apiKey.name}`}
            >
              Rotate
            </a>
            <a
              class="button button-small"
              href={`/api-keys/${apiKey.id}/revoke`}
              aria-current="false"
              aria-label={`Revoke ${apiKey.name}`}
            >
              Revoke
            </a>
          </>
        )}
      </div>
    </li>
  );
}

function KeyFacts({ apiKey, now }: { apiKey: ApiKey; now: number }) {
  return (
    <dl class="facts">
      <div>
        <dt>Created</dt>
        <dd>
          <Time at={apiKey.createdAt} now={now} />
        </dd>
      </div>
      <div>
        <dt>Last used</dt>
        <dd>{apiKey.lastUsedAt ? <Time at={apiKey.lastUsedAt} now={now} /> : "never"}</dd>
      </div>
      <div>
        <dt>Expires</dt>
        <dd>{apiKey.expiresAt ? <Time at={apiKey.expiresAt} now={now} /> : "never"}</dd>
      </div>
    </dl>
  );
}

/** A secret that a rotation has replaced is shown until it ends, and the last one always. */
function isLive({ expiresAt }: ApiKey["secrets"][number], now: number): boolean {
  return expiresAt === undefined || Date.parse(expiresAt) > now;
}
