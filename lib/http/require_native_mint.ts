import { z } from "zod";
import type { State } from "@/utils.ts";
import { ApiError } from "../schemas/api_error.ts";
import { undefinedIfNotFound } from "./request_params.ts";

/** What decides; the route validates the body as a whole. */
const nativeMintSchema = z.object({
  agentId: z.uuid().toLowerCase(),
  bind: z.unknown().refine((bind) => bind !== undefined),
});

/**
 * Lets a mint without an `Origin` through only if it is for a native app: the body asks for a bound
 * session, and its agent allows native apps. Everything else, also a body that is not JSON, gets the 403
 * that such mints always got.
 */
export async function requireNativeMint(
  { service: { agents } }: Pick<State, "service">,
  { tenant, text }: { tenant: string; text: string },
): Promise<void> {
  const asked = nativeMintSchema.safeParse(jsonOf(text)).data;
  const agent = asked && await undefinedIfNotFound(() => agents.getServed(tenant, asked.agentId));
  if (agent?.nativeApps) return;
  throw new ApiError("origin_not_allowed", "forward the browser's Origin header with the mint");
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
