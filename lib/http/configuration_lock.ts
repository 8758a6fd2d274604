import type { Context } from "fresh";
import { ApiError, validationError } from "../schemas/api_error.ts";
import { RESOURCE_KEY, RESOURCE_KINDS, type ResourceKind } from "../schemas/configuration.ts";
import type { ConfigurableServices } from "../services/configuration/configuration.ts";
import type { State } from "../../utils.ts";
import { isUuid } from "./request_params.ts";

/** Names the lock that the caller holds. */
export const LOCK_HEADER = "configuration-lock";

/** The id in the header, lower-cased. One of another form is no lock that anybody holds. */
export function lockParam({ headers }: Request): string | undefined {
  return headers.get(LOCK_HEADER)?.toLowerCase();
}

/** The services for a change. Throws 409 if the request names a lock that it does not hold. */
export async function servicesFor(
  { req, state }: Pick<Context<State>, "req" | "state">,
  tenant: string,
): Promise<ConfigurableServices> {
  return await state.service.configuration.services(tenant, lockParam(req));
}

export function kindParam(value: string | undefined): ResourceKind {
  const kind = RESOURCE_KINDS.find((one) => one === value);
  if (kind === undefined) throw new ApiError("not_found", "there is nothing at this address");
  return kind;
}

export function keyParam(value: string | undefined): string {
  if (value !== undefined && RESOURCE_KEY.test(value)) return value;
  throw new ApiError("not_found", "this is no key of a resource");
}

/** `?adopt`, lower-cased. Throws 400 unless it is a UUID. */
export function adoptParam(url: URL): string | undefined {
  const id = url.searchParams.get("adopt") ?? undefined;
  if (id === undefined || isUuid(id)) return id?.toLowerCase();
  throw validationError([{ path: "adopt", code: "invalid_format", message: "must be a UUID" }]);
}
