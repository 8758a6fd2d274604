import { Field } from "@/components/Field.tsx";
import { formatMs, formatUsd } from "@/lib/dashboard/format_amount.ts";
import type { ChangedCase, TestComparison, TestRun } from "@/lib/schemas/test_run.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

interface RunComparisonProps {
  /** Absent if there is no other run. */
  comparison: TestComparison | undefined;
  /** The other runs of the set, newest first. */
  others: readonly TestRun[];
  action: string;
  /** Of the set. */
  path: string;
}

/** What is better and worse than in another run. */
export function RunComparison({ comparison, others, action, path }: RunComparisonProps) {
  if (others.length === 0) return null;
  return (
    <section class="card stack" aria-labelledby="comparison">
      <h2 id="comparison">{t("Compared with another run")}</h2>
      <form method="get" action={action} class="form-actions">
        <Field name="before" label={t("Other run")}>
          {(attributes) => (
            <select {...attributes}>
              {others.map(({ id, version, createdAt }) => (
                <option key={id} value={id} selected={id === comparison?.before.id}>
                  {t("Version {version}, {time} UTC", {
                    version,
                    time: createdAt.slice(0, 16).replace("T", " "),
                  })}
                </option>
              ))}
            </select>
          )}
        </Field>
        <button class="button" type="submit">{t("Compare")}</button>
      </form>
      {comparison && <Differences comparison={comparison} path={path} />}
    </section>
  );
}

function Differences({ comparison, path }: { comparison: TestComparison; path: string }) {
  const { newlyFailed, newlyPassed, otherCases, costUsd, latencyMs } = comparison;
  const sign = (value: number, text: string) => `${value < 0 ? "−" : "+"}${text}`;
  return (
    <>
      <ChangedCases title={t("Newly failing")} cases={newlyFailed} path={path} />
      <ChangedCases title={t("Newly passing")} cases={newlyPassed} path={path} />
      {newlyFailed.length + newlyPassed.length === 0 && <p>{t("No case changed its result.")}</p>}
      <p class="help">
        {t("Cost: {cost}. Time of all answers: {time}.", {
          cost: sign(costUsd, formatUsd(Math.abs(costUsd))),
          time: sign(latencyMs, formatMs(Math.abs(latencyMs))),
        })}{" "}
        {otherCases > 0 && t("{count} cases are in only one of the runs.", { count: otherCases })}
      </p>
    </>
  );
}

function ChangedCases(
  { title, cases, path }: { title: string; cases: readonly ChangedCase[]; path: string },
) {
  if (cases.length === 0) return null;
  return (
    <div>
      <h3>{title}</h3>
      <ul>
        {cases.map(({ caseId, name, question }) => (
          <li key={caseId}>
            <a href={`${path}/cases/${caseId}`} aria-current="false" dir="auto">
              {name ?? question}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
