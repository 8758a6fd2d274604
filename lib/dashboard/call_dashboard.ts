import { t } from "./texts/translate.ts";

/** A failed call to the dashboard's server; its message is for the user. */
export class DashboardCallError extends Error {
  override name = "CallFailure";
}

export class SignedOutError extends DashboardCallError {
  override name = "SignedOutFailure";

  constructor() {
    super(t("You are signed out. Sign in in another tab, then try again here."));
  }
}

export async function callDashboard(
  path: string,
  body: object,
  signal?: AbortSignal,
): Promise<Response> {
  const response = await send(path, body, signal);
  if (response.redirected) throw new SignedOutError();
  if (response.ok) return response;
  const envelope = await response.json().catch(() => undefined);
  const message = typeof envelope?.message === "string" ? envelope.message : undefined;
  const { status } = response;
  throw new DashboardCallError(
    message ?? t("The service responded with status {status}.", { status }),
  );
}

async function send(path: string, body: object, signal?: AbortSignal): Promise<Response> {
  const isForm = body instanceof URLSearchParams;
  try {
    return await fetch(path, {
      method: "POST",
      body: isForm ? body : JSON.stringify(body),
      headers: isForm ? {} : { "content-type": "application/json" },
      ...(signal && { signal }),
    });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    const message = t("Cannot reach the service. Your input is still here: try again.");
    throw new DashboardCallError(message, { cause });
  }
}
