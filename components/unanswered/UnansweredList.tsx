import { Time } from "@/components/Time.tsx";
import { REASON_LABELS, STATE_LABELS } from "@/lib/dashboard/unanswered/unanswered_labels.ts";
import { GAP_REASONS } from "@/lib/schemas/gap_reasons.ts";
import type { UnansweredGroup } from "@/lib/schemas/unanswered.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** Groups of questions, the most frequent first. */
export function UnansweredList({ groups, names, now }: {
  groups: readonly UnansweredGroup[];
  /** Of agents, by id. */
  names: ReadonlyMap<string, string>;
  now: number;
}) {
  return (
    <ul class="rows gaps" aria-label={t("Unanswered questions")}>
      {groups.map((group) => (
        <li key={group.id} class="row">
          <div class="row-main">
            <p class="row-name">
              <a class="row-link" href={`/unanswered/${group.id}`} dir="auto">
                {group.question || t("This message can't be decrypted")}
              </a>
              <StateBadge state={group.state} />
            </p>
            <p class="row-text">
              <bdi>{names.get(group.agentId) ?? t("Deleted agent")}</bdi> · {describeReasons(group)}
            </p>
          </div>
          <dl class="facts">
            <div>
              <dt>{t("Asked")}</dt>
              <dd>{group.count === 1 ? t("once") : t("{count} times", { count: group.count })}</dd>
            </div>
            <div>
              <dt>{t("Last asked")}</dt>
              <dd>
                <Time at={group.lastAt} now={now} />
              </dd>
            </div>
          </dl>
        </li>
      ))}
    </ul>
  );
}

/** Nothing for a group that is open. */
export function StateBadge({ state }: Pick<UnansweredGroup, "state">) {
  if (state === "open") return null;
  return (
    <span class={state === "answered" ? "badge badge-active" : "badge"}>
      {t(STATE_LABELS[state])}
    </span>
  );
}

/** "Nothing found: 9, Rated down: 3" */
export function describeReasons({ reasons }: Pick<UnansweredGroup, "reasons">): string {
  return GAP_REASONS.filter((reason) => reasons[reason] > 0)
    .map((reason) => `${t(REASON_LABELS[reason])}: ${reasons[reason]}`)
    .join(", ");
}
