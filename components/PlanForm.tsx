import {
  PLAN_FIELDS,
  type PlanField,
  QUOTA_FIELDS,
  VISITOR_OVERRIDE_LABELS,
} from "@/lib/dashboard/plans/describe_plan.ts";
import type { PlanFormIssues, PlanFormValues } from "@/lib/dashboard/plans/plan_form.ts";
import { Field } from "./Field.tsx";
import { PostForm } from "./PostForm.tsx";

export interface PlanFormProps {
  tenant: { id: string; name: string };
  /** How much of each quota is used, as text, by its name. */
  used: Record<string, string>;
  values: PlanFormValues;
  /** What a blank field shows, by its name. */
  hints: Record<string, string>;
  /** Every model that may be allowed: `vendor/model`, and what to call it. */
  models: readonly (readonly [name: string, label: string])[];
  issues: PlanFormIssues;
}

const LABELS = {
  models: "Models it may use",
  visitorOverrides: "What a widget's visitor may choose per call",
  conversationDays: "Days that conversations are kept",
};

/** What a tenant may use, and how much of it. */
export function PlanForm(props: PlanFormProps) {
  const { tenant, values, issues } = props;
  return (
    <PostForm
      action={`/operator/tenants/${tenant.id}`}
      class="sections"
      issues={issues}
      labels={{
        ...Object.fromEntries(
          [...PLAN_FIELDS, ...QUOTA_FIELDS].map(({ name, label }) => [name, label]),
        ),
        ...LABELS,
      }}
      lead="The plan was not saved."
    >
      <section class="card stack" aria-labelledby="plan-limits">
        <h2 id="plan-limits">Limits</h2>
        <p class="help">
          Blank is what every tenant has. The three for one visitor keep a single person from taking
          the whole day; what their fields hint at is a good beginning.
        </p>
        <div class="columns columns-wide">
          {PLAN_FIELDS.map((field) => (
            <LimitField
              key={field.name}
              field={field}
              value={values.limits[field.name]}
              hint={props.hints[field.name]}
              issue={issues[field.name]}
            />
          ))}
        </div>
      </section>
      <section class="card stack" aria-labelledby="plan-quotas">
        <h2 id="plan-quotas">Storage</h2>
        <p class="help">How much this tenant may store. Leave a field blank to use the default.</p>
        <div class="columns columns-wide">
          {QUOTA_FIELDS.map((field) => (
            <LimitField
              key={field.name}
              field={field}
              value={values.quotas[field.name]}
              hint={props.hints[field.name]}
              used={props.used[field.name]}
              issue={issues[field.name]}
            />
          ))}
        </div>
      </section>
      <section class="card stack" aria-labelledby="plan-models">
        <h2 id="plan-models">Models</h2>
        <Models {...props} />
        <Field
          name="visitorOverrides"
          label={LABELS.visitorOverrides}
          issue={issues.visitorOverrides}
        >
          {(attributes) => (
            <select {...attributes}>
              {Object.entries(VISITOR_OVERRIDE_LABELS).map(([value, label]) => (
                <option key={value} value={value} selected={value === values.visitorOverrides}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Field>
      </section>
      <section class="card stack" aria-labelledby="plan-retention">
        <h2 id="plan-retention">Retention</h2>
        <Field
          name="conversationDays"
          label={LABELS.conversationDays}
          issue={issues.conversationDays}
          help="0 stores none at all. It holds for what is said from now on."
        >
          {(attributes) => (
            <input
              type="number"
              {...attributes}
              value={values.conversationDays}
              min={0}
              max={365}
              required
            />
          )}
        </Field>
      </section>
      <div class="form-actions sticky">
        <button class="button button-primary" type="submit">Save plan</button>
        <a class="button" href="/operator/tenants" aria-current="false">Cancel</a>
      </div>
    </PostForm>
  );
}

export interface LimitFieldProps {
  field: PlanField;
  value: string | undefined;
  /** Shown while the field is blank. */
  hint?: string | undefined;
  /** How much of it is used, as text. */
  used?: string | undefined;
  issue?: string | undefined;
}

/** One limit of a plan. */
export function LimitField({ field, value, hint, used, issue }: LimitFieldProps) {
  const { name, label, unit } = field;
  const help = used === undefined ? field.help : `${used} now. ${field.help}`;
  return (
    <Field name={name} label={label} issue={issue} help={help}>
      {(attributes) => (
        <input
          type="text"
          inputMode={unit === "usd" || unit === "mib" ? "decimal" : "numeric"}
          {...attributes}
          value={value}
          placeholder={hint}
        />
      )}
    </Field>
  );
}

function Models({ values, models, issues }: PlanFormProps) {
  return (
    <fieldset class="field" aria-describedby={issues.models && "models-fault"}>
      <legend>{LABELS.models}</legend>
      {issues.models && <p class="field-error" id="models-fault">{issues.models}</p>}
      <label class="check">
        <input
          type="radio"
          name="models"
          id="models"
          value="all"
          checked={values.models === "all"}
        />
        <span>All of the catalogue, also what is added later</span>
      </label>
      <label class="check">
        <input type="radio" name="models" value="some" checked={values.models !== "all"} />
        <span>Only these:</span>
      </label>
      <div class="scopes">
        {models.map(([name, label]) => (
          <label key={name} class="check">
            <input
              type="checkbox"
              name="chosen"
              value={name}
              checked={values.chosen.includes(name)}
            />
            <span>{label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
