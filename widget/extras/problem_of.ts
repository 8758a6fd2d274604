import { GENERIC_ERROR, OFFLINE, RELOAD_PAGE } from "../string_ids.ts";

/** The panel's string for a call that has failed, by its status; 0 is no connection. */
export function problemOf(status: number): number {
  return status === 401 ? RELOAD_PAGE : status ? GENERIC_ERROR : OFFLINE;
}
