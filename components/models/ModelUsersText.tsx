import { plural } from "@/lib/dashboard/format_amount.ts";
import type { ModelUsers } from "@/lib/dashboard/models/model_users.ts";

/** Names the agents that would be affected, before a model or connection is removed. */
export function ModelUsersText({ names, count, isPartial }: ModelUsers) {
  if (count === 0 && !isPartial) return <p>No agent uses it.</p>;
  const unnamed = count - names.length;
  return (
    <>
      <p>
        <strong>
          {`${isPartial ? "At least " : ""}${
            plural(count, "{count} agent", "{count} agents")
          } will stop answering or lose the fallback:`}
        </strong>
      </p>
      <ul>
        {names.map((name) => <li key={name}>{name}</li>)}
        {unnamed > 0 && <li>{`${unnamed} more, also of other tenants`}</li>}
      </ul>
    </>
  );
}
