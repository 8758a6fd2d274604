import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import { undefinedIfNotFound, uuidParam } from "../../http/request_params.ts";
import type { TestSet } from "../../schemas/test_set.ts";
import { signedIn } from "../authorization.ts";

/** The test set named by the route's `id`, if the signed-in user's tenant has it. */
export async function findTestSet(ctx: Context<State>): Promise<TestSet | undefined> {
  const { tenant } = signedIn(ctx.state);
  return await undefinedIfNotFound(() =>
    ctx.state.service.testSets.get({ tenant, id: uuidParam(ctx.params.id) })
  );
}
