import { Field } from "@/components/Field.tsx";
import { PostForm } from "@/components/PostForm.tsx";
import { Time } from "@/components/Time.tsx";
import {
  CANARY_FIELDS,
  type CanaryField,
  type PublishIssues,
  ROLLBACK_TEXTS,
} from "@/lib/dashboard/agents/publish_form.ts";
import {
  type Canary,
  canaryLimitsSchema,
  MIN_CANARY_RATINGS,
  type Publication,
} from "@/lib/schemas/publication.ts";
import { rich, t } from "@/lib/dashboard/texts/translate.ts";
import { CanaryComparison } from "./CanaryComparison.tsx";
import { PublishFields } from "./PublishFields.tsx";

interface CanaryCardProps {
  path: string;
  publication: Publication;
  revision: number;
  editor: boolean;
  now: number;
  /** What was sent, if it was rejected. */
  sent?: Readonly<Record<string, string>> | undefined;
  issues: PublishIssues["fields"];
}

/** The canary of an agent: its form, its comparison with the published version, and its outcome. */
export function CanaryCard(props: CanaryCardProps) {
  const { publication: { canary, lastCanary, latestVersion, version }, editor } = props;
  if (canary === undefined && lastCanary === undefined && latestVersion === version) return null;
  return (
    <section class="card stack" aria-labelledby="canary">
      <h2 id="canary">{t("Canary")}</h2>
      {canary === undefined
        ? (
          <p class="prose">
            {t(
              "A canary sends some new conversations to the draft, compares both versions, and rolls back automatically.",
            )}
          </p>
        )
        : <Running {...props} />}
      {canary === undefined && editor && latestVersion !== version && <CanaryForm {...props} />}
      {canary === undefined && lastCanary && <Ended {...props} />}
    </section>
  );
}

function Running(props: CanaryCardProps) {
  const { path, publication, revision, editor, now } = props;
  const { version, percent, limits, startedAt } = publication.canary!;
  const { errorPercent, downPercent, costPercent, minAnswers } = limits;
  return (
    <>
      <p class="prose">
        {rich(
          "{percent} % of new conversations use version {version}. Started {time}.",
          { percent, version, time: <Time at={startedAt} now={now} /> },
        )}
      </p>
      <CanaryComparison canary={publication.canary!} published={publication.version} />
      <p class="help">
        {t("Rolls back above {percent} % errors, after {count} answers.", {
          ...{ percent: errorPercent, count: minAnswers },
        })}
        {downPercent !== undefined && (
          <>
            {" "}
            {t("Also above {percent} % thumbs down, after {count} ratings.", {
              ...{ percent: downPercent, count: MIN_CANARY_RATINGS },
            })}
          </>
        )}
        {costPercent !== undefined && (
          <>
            {" "}
            {t("Also above {percent} % of the published version's cost per answer.", {
              percent: costPercent,
            })}
          </>
        )}
      </p>
      {editor && (
        <div class="form-actions">
          <PostForm action={`${path}/publish`}>
            <PublishFields revision={revision} change="publish" mode="manual" version={version} />
            <button class="button button-primary" type="submit">
              {t("Publish version {version}", { version })}
            </button>
          </PostForm>
          <PostForm action={`${path}/publish`}>
            <PublishFields revision={revision} change="end_canary" />
            <button class="button" type="submit">{t("Roll back")}</button>
          </PostForm>
        </div>
      )}
      {editor && (
        <details open={Object.keys(props.issues).length > 0}>
          <summary>{t("Change share and limits")}</summary>
          <CanaryForm {...props} />
        </details>
      )}
    </>
  );
}

/** Of the canary, or of one that has not begun. */
function valuesOf(
  { percent, limits }: Pick<Canary, "percent" | "limits">,
): Readonly<Record<CanaryField, string>> {
  const text = (value: number | undefined) => value === undefined ? "" : String(value);
  return {
    percent: text(percent),
    "limits.errorPercent": text(limits.errorPercent),
    "limits.downPercent": text(limits.downPercent),
    "limits.costPercent": text(limits.costPercent),
    "limits.minAnswers": text(limits.minAnswers),
  };
}

const NEW_CANARY = { percent: 10, limits: canaryLimitsSchema.parse({}) };

function CanaryForm({ path, publication, revision, sent, issues }: CanaryCardProps) {
  const { canary, latestVersion } = publication;
  const version = canary?.version ?? latestVersion;
  const values = sent ?? valuesOf(canary ?? NEW_CANARY);
  const field = (name: CanaryField, options: { help?: string; optional?: boolean } = {}) => (
    <Field name={name} label={CANARY_FIELDS[name]} issue={issues[name]} {...options}>
      {(attributes) => (
        <input
          type="text"
          inputMode="decimal"
          {...attributes}
          value={values[name]}
          required={!options.optional}
        />
      )}
    </Field>
  );
  return (
    <PostForm action={`${path}/publish`} issues={issues} labels={CANARY_FIELDS} class="stack">
      <PublishFields revision={revision} change="canary" version={version} />
      <div class="columns">
        {field("percent", { help: t("From 1 to 50. Each conversation keeps its version.") })}
        {field("limits.minAnswers")}
      </div>
      <fieldset class="stack">
        <legend>{t("Roll back above")}</legend>
        <div class="columns">
          {field("limits.errorPercent")}
          {field("limits.downPercent", { optional: true })}
          {field("limits.costPercent", { optional: true })}
        </div>
      </fieldset>
      <div class="form-actions">
        <button class="button" type="submit">
          {canary === undefined
            ? t("Start canary of version {version}", { version })
            : t("Save changes")}
        </button>
      </div>
    </PostForm>
  );
}

function Ended({ publication, now }: CanaryCardProps) {
  const { version, outcome, reason, endedAt } = publication.lastCanary!;
  const time = <Time at={endedAt} now={now} />;
  return (
    <details open={outcome === "rolled_back"}>
      <summary>{t("Last canary: version {version}", { version })}</summary>
      <div class="stack">
        <p class="prose">
          {outcome === "rolled_back"
            ? rich("Rolled back {time}.", { time })
            : outcome === "published"
            ? rich("Published {time}.", { time })
            : rich("Ended manually {time}.", { time })} {reason && t(ROLLBACK_TEXTS[reason])}
        </p>
        <CanaryComparison canary={publication.lastCanary!} />
      </div>
    </details>
  );
}
