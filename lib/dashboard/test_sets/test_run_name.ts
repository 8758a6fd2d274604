import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import { uuidParam } from "../../http/request_params.ts";
import type { TestRunName } from "../../store/test_sets/test_run_store.ts";
import { signedIn } from "../authorization.ts";

/** The run that the route names, of the signed-in user's tenant. Throws `ApiError` 404 for another id. */
export function testRunName(ctx: Context<State>): TestRunName {
  const { tenant } = signedIn(ctx.state);
  return { tenant, set: uuidParam(ctx.params.id), id: uuidParam(ctx.params.testRunId) };
}
