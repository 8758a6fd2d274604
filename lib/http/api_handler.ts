import type { Context } from "fresh";
import { ApiError } from "../schemas/api_error.ts";
import { headResponse } from "./head_response.ts";
import { hasUnknownMethod } from "./normalize_request.ts";
import type { State } from "../../utils.ts";

type ApiContext = Context<State>;
type ApiMethodHandlers = Partial<
  Record<
    "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
    (ctx: ApiContext) => Response | Promise<Response>
  >
>;

/** HEAD is GET without its body; other methods get 405, where Fresh would answer 404. */
export function apiHandler(methods: ApiMethodHandlers): (ctx: ApiContext) => Promise<Response> {
  const names = Object.keys(methods);
  const allow = [...names, ...names.includes("GET") ? ["HEAD"] : [], "OPTIONS"].join(", ");
  return async (ctx) => {
    const method = ctx.req.method;
    if (method === "OPTIONS") return new Response(null, { status: 204, headers: { allow } });
    const name = method === "HEAD" ? "GET" : method;
    const handle = Object.hasOwn(methods, name) && !hasUnknownMethod(ctx.req)
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
