import { Field } from "./Field.tsx";
import { ReauthField } from "./ReauthField.tsx";
import { PostForm } from "./PostForm.tsx";

const LABELS = {
  name: "Name",
  value: "Value",
  domains: "Domains it may be sent to",
  agentId: "Allowed agent",
};

export interface SecretFormProps {
  name: string;
  /** One a line, as typed. */
  domains: string;
  /** Blank for any agent. */
  agentId: string;
  /** The agents to choose from, and whether there are others. */
  offered: { agents: readonly { id: string; name: string }[]; more: boolean };
  asksPassword: boolean;
  faults: { name?: string; value?: string; domains?: string; agentId?: string; password?: string };
}

/** Sets a secret. A value that was typed is never sent back: it has to be given again after a fault. */
export function SecretForm(props: SecretFormProps) {
  const { name, domains, asksPassword, faults } = props;
  const { password: own_password, ...others } = faults;
  return (
    <PostForm
      action="/settings/secrets/new"
      class="card narrow stack"
      faults={{ ...others, own_password }}
      labels={LABELS}
    >
      <Field
        name="name"
        label={LABELS.name}
        fault={faults.name}
        help="Upper-case letters, digits and _. An existing one of this name is replaced."
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
      <Field
        name="value"
        label={LABELS.value}
        fault={faults.value}
        help="Stored encrypted. It goes to a tool's request and is never shown again."
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
      <Field
        name="domains"
        label={LABELS.domains}
        fault={faults.domains}
        help="One a line: a host, or *.host, with an optional :port. 16 at most."
      >
        {(attributes) => (
          <textarea class="mono" {...attributes} required rows={3} spellcheck={false}>
            {domains}
          </textarea>
        )}
      </Field>
      <AgentField {...props} />
      <ReauthField asked={asksPassword} fault={own_password} />
      <div class="form-actions">
        <button class="button button-primary" type="submit">Save secret</button>
        <a class="button" href="/settings" aria-current="false">Cancel</a>
      </div>
    </PostForm>
  );
}

function AgentField({ agentId, offered: { agents, more }, faults }: SecretFormProps) {
  return (
    <Field
      name="agentId"
      label={LABELS.agentId}
      fault={faults.agentId}
      help={
        <>
          Tools of other agents cannot use this secret, and an agent that names it cannot be saved.
          {more && (
            <>
              {" "}Only the newest {agents.length} agents are listed. For an older one, run{" "}
              <code>deno task secrets set --agent ID</code>.
            </>
          )}
        </>
      }
    >
      {(attributes) => (
        <select {...attributes}>
          <option value="">Any agent</option>
          {agents.map(({ id, name }) => (
            <option key={id} value={id} selected={id === agentId}>{name}</option>
          ))}
        </select>
      )}
    </Field>
  );
}
