import { ApiError } from "../errors.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(value: string): boolean {
  return UUID.test(value);
}

/** An id from the path, lower-cased; what is no UUID names nothing, hence 404. */
export function uuidParam(value: string | undefined): string {
  if (value !== undefined && isUuid(value)) return value.toLowerCase();
  throw new ApiError("not_found", "there is nothing at this address");
}
