import { Field } from "./Field.tsx";
import { ReauthField } from "./ReauthField.tsx";
import { PostForm } from "./PostForm.tsx";
import { msg, rich, t } from "@/lib/dashboard/texts/translate.ts";

const LABELS = {
  name: "Name",
  value: msg("Value"),
  domains: msg("Allowed domains"),
  agentId: msg("Agent"),
};

export interface SecretFormProps {
  name: string;
  /** One per line, as typed. */
  domains: string;
  /** Blank for all agents. */
  agentId: string;
  /** The agents to choose from, and whether there are more. */
  offered: { agents: readonly { id: string; name: string }[]; more: boolean };
  asksPassword: boolean;
  issues: {
    [Field in "name" | "value" | "domains" | "agentId" | "password" | "form"]?: string;
  };
}

/** Sets a secret. A rejected form comes back without the value, which must be entered again. */
export function SecretForm(props: SecretFormProps) {
  const { asksPassword, issues } = props;
  const { password: own_password, ...others } = issues;
  return (
    <PostForm
      action="/settings/secrets/new"
      class="card narrow stack"
      issues={{ ...others, own_password }}
      labels={LABELS}
    >
      <NameField {...props} />
      <ValueField {...props} />
      <DomainsField {...props} />
      <AgentField {...props} />
      <ReauthField asked={asksPassword} issue={own_password} />
      <div class="form-actions">
        <button class="button button-primary" type="submit">{t("Save secret")}</button>
        <a class="button" href="/settings" aria-current="false">{t("Cancel")}</a>
      </div>
    </PostForm>
  );
}

function NameField({ name, issues }: SecretFormProps) {
  return (
    <Field
      name="name"
      label={LABELS.name}
      issue={issues.name}
      help={t("Uppercase letters, digits and _. Replaces an existing secret with this name.")}
    >
      {(attributes) => (
        <input
          type="text"
          class="mono"
          {...attributes}
          value={name}
          required
          maxLength={64}
          spellcheck={false}
        />
      )}
    </Field>
  );
}

function ValueField({ issues }: SecretFormProps) {
  return (
    <Field
      name="value"
      label={LABELS.value}
      issue={issues.value}
      help={t("Stored encrypted, used in tool requests, and never shown again.")}
    >
      {(attributes) => (
        <textarea
          class="mono"
          {...attributes}
          required
          rows={2}
          maxLength={8192}
          autocomplete="off"
          spellcheck={false}
        />
      )}
    </Field>
  );
}

function DomainsField({ domains, issues }: SecretFormProps) {
  return (
    <Field
      name="domains"
      label={LABELS.domains}
      issue={issues.domains}
      help={t("One per line: host or *.host, with an optional :port. At most 16.")}
    >
      {(attributes) => (
        <textarea class="mono" {...attributes} required rows={3} spellcheck={false}>
          {domains}
        </textarea>
      )}
    </Field>
  );
}

function AgentField({ agentId, offered: { agents, more }, issues }: SecretFormProps) {
  return (
    <Field
      name="agentId"
      label={LABELS.agentId}
      issue={issues.agentId}
      help={
        <>
          {t(
            "Only this agent's tools can use the secret. Other agents that reference it cannot be saved.",
          )}
          {more && (
            <>
              {" "}
              {rich("Lists the newest {agents} agents. For an older one, run {code}.", {
                agents: agents.length,
                code: <code>deno task secrets set --agent ID</code>,
              })}
            </>
          )}
        </>
      }
    >
      {(attributes) => (
        <select {...attributes}>
          <option value="">{t("All agents")}</option>
          {agents.map(({ id, name }) => (
            <option key={id} value={id} selected={id === agentId}>{name}</option>
          ))}
        </select>
      )}
    </Field>
  );
}
