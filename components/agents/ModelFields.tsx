import { describeBudget } from "@/lib/dashboard/agents/describe_budget.ts";
import { FIELD_BOUNDS as B } from "@/lib/schemas/limits.ts";
import { Field } from "../Field.tsx";
import { ModelSelect } from "../ModelSelect.tsx";
import { LinesField, NumberField } from "../ValueFields.tsx";
import type { AgentFieldsProps } from "./AgentFields.tsx";
import { Notice } from "../Notice.tsx";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";

/** Which models answer, what one answer may cost, and how long conversations are stored. */
export function ModelFields(props: AgentFieldsProps) {
  return (
    <>
      <Models {...props} />
      <Settings {...props} />
      <Attachments {...props} />
      <Limits {...props} />
      <Retention {...props} />
    </>
  );
}

function Models({ values, issues, choices: { models } }: AgentFieldsProps) {
  return (
    <section class="card stack">
      <Field name="model" label={t("Model")} issue={issues.model}>
        {(attributes) => (
          <ModelSelect attributes={attributes} groups={models} value={values.model} />
        )}
      </Field>
      <Field
        name="fallback"
        label={t("Fallback")}
        optional
        issue={issues.fallback}
        help={t("Answers when the first model's provider fails.")}
      >
        {(attributes) => (
          <ModelSelect
            attributes={attributes}
            groups={models}
            value={values.fallback}
            blank={t("No fallback")}
          />
        )}
      </Field>
    </section>
  );
}

const EFFORT_CHOICES: readonly (readonly [value: string, label: string])[] = [
  ["", msg("The model's default")],
  ["minimal", msg("Minimal")],
  ["low", msg("Low")],
  ["medium", msg("Medium")],
  ["high", msg("High")],
];

const SCHEMA_EXAMPLE = '{ "type": "object", "properties": { "answer": { "type": "string" } } }';

/** How the model reasons, and what form its answers have. */
function Settings({ values, issues }: AgentFieldsProps) {
  const isOpen = [issues.topP, issues.stopSequences, issues.responseSchema]
    .some((issue) => issue !== undefined);
  return (
    <section class="card stack">
      <Field
        name="reasoningEffort"
        label={t("Reasoning effort")}
        issue={issues.reasoningEffort}
        help={t(
          "How much a model reasons before it answers, if it can. Reasoning costs output tokens, within the limit per answer.",
        )}
      >
        {(attributes) => (
          <select {...attributes}>
            {EFFORT_CHOICES.map(([value, label]) => (
              <option key={value} value={value} selected={value === values.reasoningEffort}>
                {t(label)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <details class="more" open={isOpen || values.responseSchema !== ""}>
        <summary>{t("Sampling and answer format")}</summary>
        <div class="stack">
          <NumberField
            {...{ values, issues, name: "topP", label: t("Top P"), optional: true }}
            help={t(
              "Only the most likely words, up to this total probability. Change it or the temperature, not both.",
            )}
            range={{ min: 0, max: 1, step: "any" }}
          />
          <LinesField
            {...{
              values,
              issues,
              name: "stopSequences",
              label: t("Stop sequences"),
              optional: true,
            }}
            placeholder="###"
            help={t(
              "One per line, at most four. The answer ends before the first of them. \\n stands for a line break.",
            )}
          />
          <LinesField
            {...{
              values,
              issues,
              name: "responseSchema",
              label: t("Response schema"),
              optional: true,
            }}
            placeholder={SCHEMA_EXAMPLE}
            help={t(
              "A JSON Schema. Every answer is then JSON that is valid against it, for programs that read it: the widget shows it as it is.",
            )}
          />
        </div>
      </details>
    </section>
  );
}

const ATTACHMENT_CHOICES: readonly (readonly [value: string, label: string])[] = [
  ["", msg("No attachments")],
  ["images", msg("Images")],
  ["documents", msg("Documents")],
  ["images documents", msg("Images and documents")],
];

/** Which files the messages of visitors may have. */
function Attachments({ values, issues, choices: { models } }: AgentFieldsProps) {
  const chosen = models.flatMap((group) => group.models)
    .find(({ vendor, model }) => `${vendor}/${model}` === values.model);
  const lacksVision = values.attachments.includes("images") && chosen !== undefined &&
    chosen.vision !== true;
  return (
    <section class="card stack">
      <Field
        name="attachments"
        label={t("Attachments")}
        issue={issues.attachments}
        help={t(
          "Files that messages may have: PNG, JPEG, WebP and GIF images; PDF, text, Markdown and CSV documents. Images need a model that reads them.",
        )}
      >
        {(attributes) => (
          <select {...attributes}>
            {ATTACHMENT_CHOICES.map(([value, label]) => (
              <option key={value} value={value} selected={value === values.attachments}>
                {t(label)}
              </option>
            ))}
          </select>
        )}
      </Field>
      {lacksVision && (
        <Notice kind="warning">
          {t("{model} does not read images: messages with images are rejected.", {
            model: chosen.model,
          })}
        </Notice>
      )}
    </section>
  );
}

function Limits({ values, issues, choices }: AgentFieldsProps) {
  const words = describeBudget({
    price: choices.models.flatMap(({ models }) => models)
      .find(({ vendor, model }) => `${vendor}/${model}` === values.model),
    promptLength: values.systemPrompt.length,
    maxCostUsd: values.maxCostUsd === "" ? NaN : Number(values.maxCostUsd),
    hardDailyUsd: choices.hardDailyUsd,
  });
  return (
    <section class="card stack">
      <div>
        <h2>{t("Limits per answer")}</h2>
        <p class="help">{t("An answer stops when it reaches one of these limits.")}</p>
      </div>
      <div class="columns">
        <NumberField
          {...{ values, issues, name: "maxCostUsd", label: t("Cost, in USD") }}
          range={{ min: 0, max: B.maxCostUsd, step: "any" }}
        />
        <NumberField
          {...{ values, issues, name: "maxSteps", label: t("Steps") }}
          help={t("Each round of tool calls takes one.")}
          range={{ min: 1, max: B.maxSteps, step: 1 }}
        />
        <NumberField
          {...{ values, issues, name: "wallClockSeconds", label: t("Time, in seconds") }}
          range={{ min: B.minWallClockMs / 1000, max: B.maxWallClockMs / 1000, step: "any" }}
        />
      </div>
      <p
        class="help"
        id="budget-words"
        data-hard-daily-usd={choices.hardDailyUsd}
        data-prompt-length={values.systemPrompt.length}
      >
        {words}
      </p>
      <details class="more" open={issues.maxOutputTokens !== undefined}>
        <summary>{t("Advanced")}</summary>
        <NumberField
          {...{
            values,
            issues,
            name: "maxOutputTokens",
            label: t("Max output tokens"),
            optional: true,
          }}
          help={t("Leave blank for 4,096, or the model's maximum if that is lower.")}
          range={{ min: 1, max: B.maxOutputTokens, step: 1 }}
        />
      </details>
    </section>
  );
}

function Retention({ values, issues, choices: { conversationDays } }: AgentFieldsProps) {
  return (
    <section class="card stack">
      <h2>{t("Privacy")}</h2>
      <NumberField
        {...{ values, issues, name: "retentionDays", optional: true }}
        label={t("Days that conversations are stored")}
        help={t(
          "Leave blank for the days of your plan: {days}. 0 keeps nothing of what is said, and excludes hand-off and memory. Applies to new messages only: what is stored already stays for its time.",
          { days: conversationDays },
        )}
        range={{ min: 0, max: B.retentionDays, step: 1 }}
      />
    </section>
  );
}
