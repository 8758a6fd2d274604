import {
  CACHE_PRICES,
  type ModelChoice,
  type ModelChoices,
  type ModelNumbers,
  NUMBER_FIELDS,
} from "@/lib/dashboard/models/model_choices.ts";
import type { AgentOffer } from "@/lib/dashboard/models/use_in_agents.ts";
import { Notice } from "../Notice.tsx";
import { SearchForm } from "../SearchForm.tsx";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";

const COLUMNS: Record<typeof NUMBER_FIELDS[number], string> = {
  inputUsdPerMTok: msg("Input $/M"),
  outputUsdPerMTok: msg("Output $/M"),
  contextTokens: msg("Context"),
  maxOutputTokens: msg("Max output"),
};

export interface ModelChoicesFormProps extends ModelChoices {
  vendor: string;
  query: string;
  agents: readonly AgentOffer[];
  /** Why nothing was added. */
  problem?: string | undefined;
}

/** The provider's models with prices and sizes, to choose what agents may use. */
export function ModelChoicesForm(props: ModelChoicesFormProps) {
  const { vendor, query, choices, total, error, factsDate, agents, problem } = props;
  return (
    <div class="stack">
      {problem !== undefined && <Notice kind="error" focused>{problem}</Notice>}
      {error !== undefined && <Notice kind="warning">{error}</Notice>}
      {total > choices.length && (
        <SearchForm query={query} label={t("Search {total} models", { total })} />
      )}
      <form method="post" action={`/operator/providers/${vendor}/models`} class="card stack">
        <table class="model-table">
          <caption class="sr-only">{t("Models of this provider")}</caption>
          <thead>
            <tr>
              <th scope="col">{t("Model")}</th>
              {NUMBER_FIELDS.map((field) => <th key={field} scope="col">{t(COLUMNS[field])}</th>)}
              <th scope="col">{t("Images")}</th>
            </tr>
          </thead>
          <tbody>
            {choices.map((choice) => <ModelRow key={choice.model} choice={choice} />)}
            <TypedRow />
          </tbody>
        </table>
        <p class="help">
          {factsDate === undefined
            ? t("Prices in USD per million tokens. They decide what a chat costs.")
            : t(
              "Prices in USD per million tokens, as of {factsDate} where the provider's list has none. Change them if yours differ.",
              { factsDate },
            )}
        </p>
        {agents.length > 0 && <UseIn agents={agents} />}
        <div class="form-actions">
          <button class="button button-primary" type="submit">{t("Add models")}</button>
          <a class="button" href="/operator/providers" aria-current="false">{t("Not now")}</a>
        </div>
      </form>
    </div>
  );
}

function ModelRow(
  { choice: { model, numbers, vision, chosen, stored, issue } }: { choice: ModelChoice },
) {
  return (
    <tr>
      <th scope="row">
        <label class="check">
          <input type="checkbox" name="model" value={model} checked={chosen || stored} />
          {CACHE_PRICES.map((field) => (
            <input key={field} type="hidden" name={`${field}:${model}`} value={numbers[field]} />
          ))}
          <span>
            {model}
            {stored && <span class="tag">{t("Added")}</span>}
            {issue !== undefined && <span class="field-error">{issue}</span>}
          </span>
        </label>
      </th>
      <Numbers name={model} label={model} numbers={numbers} />
      <Vision name={model} label={model} vision={vision} />
    </tr>
  );
}

/** For deployments and servers whose models no list names. */
function TypedRow() {
  const empty = {
    inputUsdPerMTok: "",
    outputUsdPerMTok: "",
    contextTokens: "",
    maxOutputTokens: "",
    cacheReadUsdPerMTok: "",
    cacheWriteUsdPerMTok: "",
  };
  return (
    <tr>
      <th scope="row">
        <input
          type="text"
          name="typed"
          class="mono"
          aria-label={t("Another model")}
          placeholder={t("Another model")}
          maxLength={256}
          spellcheck={false}
        />
      </th>
      <Numbers name="typed" label={t("the other model")} numbers={empty} />
      <Vision name="typed" label={t("the other model")} vision={false} />
    </tr>
  );
}

function Numbers(
  { name, label, numbers }: { name: string; label: string; numbers: ModelNumbers },
) {
  return (
    <>
      {NUMBER_FIELDS.map((field) => (
        <td key={field} data-label={t(COLUMNS[field])}>
          <input
            type="text"
            inputMode="decimal"
            name={`${field}:${name}`}
            value={numbers[field]}
            aria-label={t("{field} of {label}", { field: t(COLUMNS[field]), label })}
          />
        </td>
      ))}
    </>
  );
}

function Vision({ name, label, vision }: { name: string; label: string; vision: boolean }) {
  return (
    <td data-label={t("Images")}>
      <input
        type="checkbox"
        name={`vision:${name}`}
        value="yes"
        checked={vision}
        aria-label={t("{label} reads images", { label })}
      />
    </td>
  );
}

function UseIn({ agents }: { agents: readonly AgentOffer[] }) {
  return (
    <fieldset class="field">
      <legend>{t("Use the first chosen model in")}</legend>
      <div class="choices">
        {agents.map(({ id, name, isDemo }) => (
          <label key={id} class="check">
            <input type="checkbox" name="agent" value={id} checked={isDemo} />
            <span>
              {name}
              {isDemo && <span class="help">{t("Uses the demo model")}</span>}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
