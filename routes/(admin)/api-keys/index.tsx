import { page } from "fresh";
import { ConfirmForm } from "@/components/ConfirmForm.tsx";
import { EmptyState } from "@/components/EmptyState.tsx";
import { NewKeyForm } from "@/components/NewKeyForm.tsx";
import { Notice } from "@/components/Notice.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { Time } from "@/components/Time.tsx";
import DialogLink from "@/islands/DialogLink.tsx";
import { noticeText } from "@/lib/http/notices.ts";
import { isEditor, signedIn } from "@/lib/http/signed_in.ts";
import type { ApiKey } from "@/lib/storage/api_key_store.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { service } = ctx.state;
    const user = signedIn(ctx.state);
    const apiKeys = await service.apiKeys.list(user.tenant);
    return page({ apiKeys, now: service.system.now(), editor: isEditor(user) });
  },
});

export default define.page<typeof handler>(({ data, url }) => {
  const { apiKeys, editor } = data;
  const notice = noticeText(url);
  const newKey = editor && (
    <DialogLink
      href="/api-keys/new"
      label="New key"
      class="button button-primary"
      title="New API key"
    >
      <h2>New API key</h2>
      <NewKeyForm inDialog />
    </DialogLink>
  );
  return (
    <>
      <PageHeader title="API keys" text="For your servers only; a browser gets a session token.">
        {apiKeys.length > 0 && newKey}
      </PageHeader>
      {notice && <Notice kind="done">{notice}</Notice>}
      {apiKeys.length === 0
        ? (
          <EmptyState
            icon="key"
            title="No API keys yet"
            text="A key lets your backend manage agents and mint session tokens for visitors."
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
        {apiKey.secrets.map((secret) => (
          <code key={secret.prefix} class="prefix">{`ck_live_${secret.prefix}_…`}</code>
        ))}
        <p class="tags">
          {apiKey.scopes.map((scope) => <code key={scope} class="tag">{scope}</code>)}
        </p>
      </div>
      <KeyFacts apiKey={apiKey} now={now} />
      <div class="row-end">
        {editor && apiKey.state === "active" && <Revoke apiKey={apiKey} />}
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

function Revoke({ apiKey }: { apiKey: ApiKey }) {
  const action = `/api-keys/${apiKey.id}/revoke`;
  return (
    <DialogLink
      href={action}
      label="Revoke"
      class="button button-small"
      title={`Revoke ${apiKey.name}`}
    >
      <ConfirmForm action={action} title={`Revoke ${apiKey.name}?`} confirm="Revoke">
        <p>Whatever uses this key is refused from now on. This cannot be undone.</p>
      </ConfirmForm>
    </DialogLink>
  );
}
