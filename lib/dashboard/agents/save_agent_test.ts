import { assert, assertEquals, assertRejects } from "@std/assert";
import { agentOf } from "@/tests/support/agents.ts";
import { ApiError, validationError } from "../../schemas/api_error.ts";
import { toFormValues } from "./agent_form.ts";
import { saveAgent } from "./save_agent.ts";

const AGENT = agentOf();
const VALUES = toFormValues(AGENT);

/** The status of a rejected save; the form must show a reason. */
async function statusOf(error: unknown): Promise<number> {
  const outcome = await saveAgent(VALUES, () => Promise.reject(error));
  assert("status" in outcome);
  assert(Object.keys(outcome.issues).length > 0);
  return outcome.status;
}

Deno.test("saveAgent: reports expected errors in the form", async () => {
  const issue = validationError([{ path: "name", code: "too_small", message: "is empty" }]);
  assertEquals(await statusOf(issue), 400);
  assertEquals(await statusOf(new ApiError("version_conflict", "changed")), 412);
  assertEquals(await statusOf(new ApiError("payload_too_large", "too large")), 413);
});

Deno.test("saveAgent: returns the saved agent and rethrows other errors", async () => {
  assertEquals(await saveAgent(VALUES, () => Promise.resolve(AGENT)), { agent: AGENT });
  for (const error of [new ApiError("not_found", "gone"), new Error("broken")]) {
    await assertRejects(() => saveAgent(VALUES, () => Promise.reject(error)), Error, error.message);
  }
});
