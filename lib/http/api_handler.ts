import type { Context } from "fresh";
import { ApiError } from "../schemas/api_error.ts";
import { headResponse } from "./head_response.ts";
import type { State } from "../../utils.ts";

type ApiContext = Context<State>;
type RouteMethod = (ctx: ApiContext) => Response | Promise<Response>;
type ApiMethodHandlers = Partial<Record<"GET" | "POST" | "PATCH" | "DELETE", RouteMethod>>;

/**
 * A /v1 route as one function over its methods: a file route is registered for every verb, and would
 * answer a missing one with 404 instead of 405 and `Allow`. HEAD is GET without its body.
 */
export function apiHandler(methods: ApiMethodHandlers): (ctx: ApiContext) => Promise<Response> {
  const allow = allowOf(methods);
  return async (ctx) => {
    const method = ctx.req.method;
    if (method === "OPTIONS") return new Response(null, { status: 204, headers: { allow } });
    const name = method === "HEAD" ? "GET" : method;
    const answer = Object.hasOwn(methods, name)
      ? methods[name as keyof ApiMethodHandlers]
      : undefined;
    if (answer === undefined) {
      const message = `this address only allows ${allow}`;
      throw new ApiError("method_not_allowed", message, { headers: { allow } });
    }
    const response = await answer(ctx);
    return method === "HEAD" ? await headResponse(response) : response;
  };
}

function allowOf(methods: ApiMethodHandlers): string {
  const names = Object.keys(methods);
  if (names.includes("GET")) names.push("HEAD");
  return [...names, "OPTIONS"].join(", ");
}
