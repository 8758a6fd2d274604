import {
  PLAN_FIELDS,
  type PlanField,
  QUOTA_FIELDS,
  VISITOR_OVERRIDE_LABELS,
} from "@/lib/dashboard/plans/describe_plan.ts";
import type { PlanFormIssues, PlanFormValues } from "@/lib/dashboard/plans/plan_form.ts";
import { AUDIT_RETENTION } from "@/lib/schemas/limits.ts";
import { Field } from "./Field.tsx";
import type { FormIssues } from "./FormIssuesNotice.tsx";
import { PostForm } from "./PostForm.tsx";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";

export interface PlanFormProps {
  tenant: { id: string; name: string };
  /** Use of each quota as text, by name. */
  used: Record<string, string>;
  values: PlanFormValues;
  /** What a blank field shows, by name. */
  hints: Record<string, string>;
  /** Every model that can be allowed: `provider/model` and its label. */
  models: readonly (readonly [name: string, label: string])[];
  issues: PlanFormIssues;
}

const LABELS = {
  models: msg("Models"),
  visitorOverrides: msg("Visitor overrides"),
  conversationDays: msg("Conversation retention, in days"),
  auditDays: msg("Audit log retention, in days"),
};
const FORM_LABELS = {
  ...Object.fromEntries([...PLAN_FIELDS, ...QUOTA_FIELDS].map(({ name, label }) => [name, label])),
  ...LABELS,
};

/** The plan of a tenant: limits, quotas, models and retention. */
export function PlanForm(props: PlanFormProps) {
  return (
    <PostForm
      action={`/operator/tenants/${props.tenant.id}`}
      class="sections"
      issues={props.issues}
      labels={FORM_LABELS}
      lead={t("Couldn't save the plan.")}
    >
      <LimitFields
        {...props}
        id="plan-limits"
        title={t("Limits")}
        text={t(
          "Leave a field blank to use the default. Per-visitor limits keep one person from using up the daily budget; their fields suggest values.",
        )}
        fields={PLAN_FIELDS}
        texts={props.values.limits}
      />
      <LimitFields
        {...props}
        id="plan-quotas"
        title={t("Quotas")}
        text={t(
          "What this tenant may store and have. Leave a field blank to use the default. A quota below what is used deletes nothing; it only rejects what is added.",
        )}
        fields={QUOTA_FIELDS}
        texts={props.values.quotas}
      />
      <section class="card stack" aria-labelledby="plan-models">
        <h2 id="plan-models">{t("Models")}</h2>
        <Models {...props} />
        <VisitorOverrides {...props} />
      </section>
      <section class="card stack" aria-labelledby="plan-retention">
        <h2 id="plan-retention">{t("Retention")}</h2>
        <Retention {...props} />
        <AuditRetention {...props} />
      </section>
      <div class="form-actions sticky">
        <button class="button button-primary" type="submit">{t("Save plan")}</button>
        <a class="button" href="/operator/tenants" aria-current="false">{t("Cancel")}</a>
      </div>
    </PostForm>
  );
}

function LimitFields(
  { id, title, text, fields, texts, hints, used, issues }: PlanFormProps & {
    id: string;
    title: string;
    text: string;
    fields: readonly PlanField[];
    texts: Readonly<Record<string, string | undefined>>;
  },
) {
  return (
    <section class="card stack" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <p class="help">{text}</p>
      <div class="columns columns-wide">
        {fields.map((field) => (
          <LimitField
            key={field.name}
            field={field}
            value={texts[field.name]}
            hint={hints[field.name]}
            used={used[field.name]}
            issue={(issues as FormIssues)[field.name]}
          />
        ))}
      </div>
    </section>
  );
}

export interface LimitFieldProps {
  field: PlanField;
  value: string | undefined;
  /** Shown while the field is blank. */
  hint?: string | undefined;
  /** Current use, as text. */
  used?: string | undefined;
  issue?: string | undefined;
}

/** One limit of a plan. */
export function LimitField({ field, value, hint, used, issue }: LimitFieldProps) {
  const { name, label, unit } = field;
  const help = used === undefined
    ? field.help
    : t("{used} now. {help}", { used, help: t(field.help) });
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

function VisitorOverrides({ values, issues }: PlanFormProps) {
  return (
    <Field
      name="visitorOverrides"
      label={LABELS.visitorOverrides}
      issue={issues.visitorOverrides}
      help={t("What a widget visitor may choose per message.")}
    >
      {(attributes) => (
        <select {...attributes}>
          {Object.entries(VISITOR_OVERRIDE_LABELS).map(([value, label]) => (
            <option key={value} value={value} selected={value === values.visitorOverrides}>
              {t(label)}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function Retention({ values, issues }: PlanFormProps) {
  return (
    <Field
      name="conversationDays"
      label={LABELS.conversationDays}
      issue={issues.conversationDays}
      help={t("0 stores no conversations. Applies to new messages only.")}
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
  );
}

function AuditRetention({ values, issues }: PlanFormProps) {
  const { defaultDays, minDays, maxDays, securityDays } = AUDIT_RETENTION;
  return (
    <Field
      name="auditDays"
      label={LABELS.auditDays}
      issue={issues.auditDays}
      help={t("Of changes; security events at most {days}. Applies to new entries only.", {
        days: securityDays,
      })}
    >
      {(attributes) => (
        <input
          type="number"
          {...attributes}
          value={values.auditDays}
          placeholder={String(defaultDays)}
          min={minDays}
          max={maxDays}
        />
      )}
    </Field>
  );
}

function Models({ values, models, issues }: PlanFormProps) {
  return (
    <fieldset class="field" aria-describedby={issues.models && "models-fault"}>
      <legend>{t(LABELS.models)}</legend>
      {issues.models && <p class="field-error" id="models-fault">{issues.models}</p>}
      <label class="check">
        <input
          type="radio"
          name="models"
          id="models"
          value="all"
          checked={values.models === "all"}
        />
        <span>{t("All models, including future ones")}</span>
      </label>
      <label class="check">
        <input type="radio" name="models" value="some" checked={values.models !== "all"} />
        <span>{t("Selected models")}</span>
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
