/** Why a call of a page's script did not go through, in words for the person at the page. */
export class DashboardCallError extends Error {
  override name = "CallFailure";
}

/** Nobody is signed in any more. */
export class SignedOutError extends DashboardCallError {
  override name = "SignedOutFailure";

  constructor() {
    super("You are signed out. Sign in in another tab, then try again here.");
  }
}

/** Sends `body` to the dashboard's own server: JSON, or a form's fields. Throws `DashboardCallError`. */
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
  throw new DashboardCallError(message ?? `The service answered with status ${response.status}.`);
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
    throw new DashboardCallError("The service could not be reached. Nothing is lost: try again.", {
      cause,
    });
  }
}
