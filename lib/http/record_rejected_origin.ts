import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import { ApiError } from "../schemas/api_error.ts";

/** Otherwise a site's owner would see the rejection only in a visitor's console. */
export function recordRejectedOrigin<T>(
  ctx: Pick<Context<State>, "req" | "state">,
  { tenant, agent }: { tenant: string; agent: { id: string } },
  work: () => T,
): T {
  const record = (error: unknown): never => {
    const name = ctx.req.headers.get("origin");
    if (name !== null && error instanceof ApiError && error.code === "origin_not_allowed") {
      ctx.state.service.alerts.note(tenant, "origin_refused", { name, detail: agent.id });
    }
    throw error;
  };
  try {
    const result = work();
    return result instanceof Promise ? result.catch(record) as T : result;
  } catch (error) {
    return record(error);
  }
}
