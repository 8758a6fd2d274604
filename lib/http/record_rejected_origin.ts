import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import { ApiError } from "../schemas/api_error.ts";

/**
 * Does `work`, and notes the page it is refused for: whoever embeds an agent on a site that is not
 * allowed sees an error in a visitor's console at best. `work` may be done or promised.
 */
export function recordRejectedOrigin<T>(
  ctx: Pick<Context<State>, "req" | "state">,
  { tenant, agent }: { tenant: string; agent: { id: string } },
  work: () => T,
): T {
  const note = (error: unknown): never => {
    const name = ctx.req.headers.get("origin");
    if (name !== null && error instanceof ApiError && error.code === "origin_not_allowed") {
      ctx.state.service.alerts.note(tenant, "origin_refused", { name, detail: agent.id });
    }
    throw error;
  };
  try {
    const done = work();
    return done instanceof Promise ? done.catch(note) as T : done;
  } catch (error) {
    return note(error);
  }
}
