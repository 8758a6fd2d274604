import type { TestService } from "./service.ts";

/** The owner account of test services. */
export const OWNER = { email: "owner@example.com", password: "correct horse battery" };

/** Sets up the service through the form and returns the owner's `Cookie` header. */
export async function signedInCookie(service: TestService): Promise<string> {
  const token = await service.service.setup.ensureToken();
  const answer = await service.fetch("/setup", {
    method: "POST",
    body: new URLSearchParams({ token: token!, ...OWNER }),
    headers: { origin: service.url },
  });
  await answer.body?.cancel();
  const cookie = answer.headers.get("set-cookie")?.split(";")[0];
  if (answer.status !== 303 || cookie === undefined) throw new Error(`set-up: ${answer.status}`);
  return cookie;
}
