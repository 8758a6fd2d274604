import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import { canHavePasskeys } from "../../services/factors/passkeys.ts";

/** The origin that passkeys of the dashboard belong to; `undefined` where browsers offer none. */
export function passkeyOrigin({ url, state }: Context<State>): string | undefined {
  const { publicUrl } = state.service.config;
  const origin = publicUrl === undefined ? url.origin : new URL(publicUrl).origin;
  return canHavePasskeys(origin) ? origin : undefined;
}

/** A passkey's answer in a form; `undefined` if there is none. */
export function readPasskeyResponse(form: URLSearchParams, field: string): unknown {
  const text = form.get(field) ?? "";
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return null; // It is rejected like any other wrong answer.
  }
}
