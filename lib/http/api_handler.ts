import type { Context } from "fresh";
import { ApiError } from "../schemas/api_error.ts";
import { headResponse } from "./head_response.ts";
import type { State } from "../../utils.ts";

type ApiContext = Context<State>;
type RouteMethod = (ctx: ApiContext) => Response | Promise<Response>;
type ApiMethodHandlers = Partial<Record<"GET" | "POST" | "PATCH" | "DELETE", RouteMethod>>;

/**
 * Handles a /v1 route by method: 405 with `Allow` for other methods, where Fresh would answer 404; HEAD
 * is GET without the body.
 */
export function apiHandler(methods: ApiMethodHandlers): (ctx: ApiContext) => Promise<Response> {
  const allow = allowOf(methods);
  return async (ctx) => {
    const method = ctx.req.method;
    if (method === "OPTIONS") return new Response(null, { status: 204, headers: { allow } });
    const name = method === "HEAD" ? "GET" : method;
    const handle = Object.hasOwn(methods, name)
      ? methods[name as keyof ApiMethodHandlers]
      : undefined;
    if (handle === undefined) {
      const message = `this address only allows ${allow}`;
      throw new ApiError("method_not_allowed", message, { headers: { allow } });
    }
    const response = await handle(ctx);
    return method === "HEAD" ? await headResponse(response) : response;
  };
}

function allowOf(methods: ApiMethodHandlers): string {
  const names = Object.keys(methods);
  if (names.includes("GET")) names.push("HEAD");
  return [...names, "OPTIONS"].join(", ");
}
