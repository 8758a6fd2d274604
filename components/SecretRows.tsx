import type { ToolSecretInfo } from "@/lib/schemas/tool_secret.ts";
import { EmptyState } from "./EmptyState.tsx";
import { Time } from "./Time.tsx";

/** A tenant's secrets with their allowed domains, never their values. */
export function SecretRows(
  { secrets, agents, now, editor }: {
    secrets: readonly ToolSecretInfo[];
    /** Names of the agents that secrets are limited to; deleted agents are missing. */
    agents: ReadonlyMap<string, string>;
    now: number;
    editor: boolean;
  },
) {
  if (secrets.length === 0) {
    return (
      <EmptyState
        icon="key"
        title="No secrets yet"
        text="Store credentials for your tools here. They are never part of a prompt."
      />
    );
  }
  return (
    <ul class="rows">
      {secrets.map((secret) => (
        <li key={secret.name} class="row">
          <div class="row-main">
            <p class="row-name">
              <code>{secret.name}</code>
            </p>
            <p class="tags">
              {secret.domains.map((domain) => <code key={domain} class="tag">{domain}</code>)}
            </p>
          </div>
          <dl class="facts">
            {secret.agentId !== undefined && (
              <div>
                <dt>Agent</dt>
                <dd>{agents.get(secret.agentId) ?? "Deleted agent"}</dd>
              </div>
            )}
            <div>
              <dt>Updated</dt>
              <dd>
                <Time at={secret.updatedAt} now={now} />
              </dd>
            </div>
          </dl>
          {editor && <SecretActions name={secret.name} />}
        </li>
      ))}
    </ul>
  );
}

function SecretActions({ name }: { name: string }) {
  return (
    <div class="row-end">
      <a
        class="button button-small"
        href={`/settings/secrets/new?name=${name}`}
        aria-label={`Replace ${name}`}
        aria-current="false"
      >
        Replace
      </a>
      <a
        class="button button-small"
        href={`/settings/secrets/${name}/delete`}
        aria-label={`Delete ${name}`}
        aria-current="false"
      >
        Delete
      </a>
    </div>
  );
}
