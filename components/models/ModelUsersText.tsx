import { plural } from "@/lib/dashboard/format_amount.ts";
import type { ModelUsers } from "@/lib/dashboard/models/model_users.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** Names the agents that would be affected, before a model or connection is removed. */
export function ModelUsersText({ names, count, isPartial }: ModelUsers) {
  if (count === 0 && !isPartial) return <p>{t("No agent uses it.")}</p>;
  const unnamed = count - names.length;
  return (
    <>
      <p>
        <strong>
          {isPartial
            ? plural(
              count,
              "At least {count} agent will stop answering or lose the fallback:",
              "At least {count} agents will stop answering or lose the fallback:",
            )
            : plural(
              count,
              "{count} agent will stop answering or lose the fallback:",
              "{count} agents will stop answering or lose the fallback:",
            )}
        </strong>
      </p>
      <ul>
        {names.map((name) => <li key={name}>{name}</li>)}
        {unnamed > 0 && <li>{t("{unnamed} more, also of other tenants", { unnamed })}</li>}
      </ul>
    </>
  );
}
