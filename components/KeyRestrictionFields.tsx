import type {
  KeyRestrictionIssues,
  KeyRestrictionsInput,
  OfferedAgents,
} from "@/lib/dashboard/key_restrictions_form.ts";
import { useContext } from "preact/hooks";
import { Field } from "./Field.tsx";
import { FirstIssue } from "./PostForm.tsx";
import { msg, rich, t } from "@/lib/dashboard/texts/translate.ts";

export const RESTRICTION_LABELS = {
  agents: msg("Agents it can reach"),
  addresses: msg("Allowed networks"),
};

export interface KeyRestrictionFieldsProps {
  restrictions: KeyRestrictionsInput;
  offered: OfferedAgents;
  issues?: KeyRestrictionIssues | undefined;
}

/** The agents that a key is for, and the networks that it is used from. */
export function KeyRestrictionFields(props: KeyRestrictionFieldsProps) {
  const { restrictions: { addresses }, issues } = props;
  return (
    <>
      <Reach {...props} />
      <Field
        name="addresses"
        label={RESTRICTION_LABELS.addresses}
        optional
        issue={issues?.addresses}
        help={rich(
          "One per line, such as {ipv4} or {ipv6}. Requests from elsewhere are rejected and logged.",
          { ipv4: <code>203.0.113.0/24</code>, ipv6: <code>2001:db8::/32</code> },
        )}
      >
        {(attributes) => (
          <textarea class="mono" {...attributes} rows={2} spellcheck={false}>{addresses}</textarea>
        )}
      </Field>
    </>
  );
}

function Reach({ restrictions, offered, issues }: KeyRestrictionFieldsProps) {
  const { someAgents } = restrictions;
  return (
    <fieldset class="field key-reach" aria-describedby={issues?.agents && "agents-fault"}>
      <legend>{t(RESTRICTION_LABELS.agents)}</legend>
      <div class="choices">
        <label class="check">
          <input type="radio" name="reach" value="all" checked={!someAgents} />
          <span>
            {t("All agents")}
            <span class="help">{t("Also those that are created later.")}</span>
          </span>
        </label>
        <label class="check">
          <input type="radio" name="reach" value="some" checked={someAgents} />
          <span>
            {t("Only certain agents")}
            <span class="help">
              {t("What concerns all agents is rejected: knowledge bases, usage, visitors.")}
            </span>
          </span>
        </label>
      </div>
      {issues?.agents && <p class="field-error" id="agents-fault">{issues.agents}</p>}
      <AgentBoxes restrictions={restrictions} offered={offered} />
    </fieldset>
  );
}

/** Shown while "Only certain agents" is chosen. */
function AgentBoxes({ restrictions, offered }: KeyRestrictionFieldsProps) {
  const firstIssue = useContext(FirstIssue);
  return (
    <div class="chosen-agents">
      {offered.agents.map(({ id, name }, n) => (
        <label key={id} class="check">
          <input
            type="checkbox"
            name="agents"
            {...n === 0 && { id: "agents", autofocus: firstIssue === "agents" }}
            value={id}
            checked={restrictions.agents.includes(id)}
          />
          <span>{name}</span>
        </label>
      ))}
      {offered.agents.length === 0 && <p class="help">{t("No agents yet")}</p>}
      {offered.more && (
        <p class="help">
          {rich("Lists the newest {agents} agents. For an older one, run {code}.", {
            agents: offered.agents.length,
            code: <code>deno task keys create --agents ID</code>,
          })}
        </p>
      )}
    </div>
  );
}
